import { isByScope } from '../../table/decision/split.ts';
import { stale } from '../../table/errors.ts';
import { formatRef } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { nodeKey } from '../../table/keys.ts';
import {
  hasOrigin,
  isInForce,
  type Origins,
  readOrigins,
  withOrigin,
  withoutOrigin,
} from '../../table/membership-origins.ts';
import { edgesFrom } from '../../table/partition-queries.ts';
import type { Action, Expected, Update } from '../../table/write/action.ts';
import { textOf, touch } from '../nodes/nodes.ts';
import { linkRef } from '../nodes/scim-links.ts';
import type { Node, Planning } from '../plan.ts';
import { addEdge, changeEdge, removeEdge } from './edge.ts';
import { readMembership } from './read-edge.ts';
import { group, type MembershipOf, membership, subject } from './rights.ts';

/** What becomes of a membership that a connection gives a user. */
export type OriginState = 'counts' | 'suspended' | 'ended';

/** A user in a group, as far as a connection says so. */
export interface Given {
  readonly connection: string;
  readonly user: string;
  /** The membership that is there, whoever gives it. */
  readonly edge: Item | undefined;
  /** The group's node; not needed where the membership ends. */
  readonly group: Item | undefined;
}

/** A membership before and after a change, and what is written. */
export interface Change {
  readonly actions: readonly Action[];
  readonly before: MembershipOf | undefined;
  readonly after: MembershipOf | undefined;
}

const isSame = (a: Origins, b: Origins): boolean =>
  String([a.origins, '', a.suspended]) === String([b.origins, '', b.suspended]);

/** What brings a membership to a state; undefined where it is in it. */
export function originTo(given: Given, state: OriginState, now: string): Change | undefined {
  const { connection, edge } = given;
  if (!edge) return state === 'ended' ? undefined : added(given, state, now);
  const origins = readOrigins(edge);
  const before = readMembership(edge);
  if (state !== 'ended') {
    const wanted = withOrigin(origins, connection, state === 'suspended');
    if (isSame(origins, wanted)) return undefined;
    // What counts already is listed where it is.
    const isNew = !isInForce(origins) && given.group !== undefined && isByScope(given.group);
    return changed(before, { ...withOrigins(before, wanted), isByScope: isNew }, now);
  }
  if (!hasOrigin(origins, connection)) return undefined;
  const left = withoutOrigin(origins, connection);
  if (left) return changed(before, withOrigins(before, left), now, touch);
  return { actions: removeEdge(membership(before)), before, after: undefined };
}

const withOrigins = (of: MembershipOf, { origins, suspended }: Origins): MembershipOf => ({
  ...of,
  origins,
  suspended,
});

const changed = (
  before: MembershipOf,
  after: MembershipOf,
  now: string,
  touchEnd?: typeof touch,
): Change => ({
  actions: changeEdge(membership(before), membership(after), now, touchEnd),
  before,
  after,
});

function added(
  { connection, user, group: node }: Given,
  state: OriginState,
  now: string,
): Change | undefined {
  if (!node) return undefined;
  const after: MembershipOf = {
    user,
    group: textOf(node, 'id'),
    scope: textOf(node, 'scope'),
    joinedAt: now,
    isByScope: isByScope(node),
    ...withOrigin(undefined, connection, state === 'suspended'),
  };
  // Whoever was faster, by hand or another connection, gives it too.
  return { actions: addEdge(membership(after), now, () => true), before: undefined, after };
}

/** What a link says of a membership that comes. It counts once the link is active, whoever owns the user by then. */
export const stateOf = ({ active }: Item): OriginState => (active === false ? 'suspended' : 'counts');

/** The condition that a link says of memberships what it said when it was read. */
export const asLinked = ({ ref, item }: Node): Update => ({
  kind: 'update',
  key: nodeKey(ref),
  when: {
    exists: true,
    equals: { active: item.active as Expected, made: item.made as Expected, deletingSince: undefined },
  },
  failure: () => stale(formatRef(ref), 'user'),
});

/**
 * What brings the memberships that a connection gave a user to a state: for each that is not in it an edge's actions,
 * which must not be split. They rest on the link, unless they end: then it is about to go.
 */
export async function membershipsTo(
  { reader, now }: Planning,
  { connection, user }: { readonly connection: string; readonly user: string },
  state: OriginState,
): Promise<readonly (readonly Action[])[]> {
  const keep = (item: Item) => item.Type === 'Membership' && hasOrigin(readOrigins(item), connection);
  const edges = await reader.listAll({ ...edgesFrom(subject(user), 'group'), keep });
  if (edges.length === 0) return [];
  const ref = linkRef(connection, user);
  const comes = state === 'counts' ? edges : [];
  const [link, ...nodes] = await reader.getMany([
    nodeKey(ref),
    ...comes.map((edge) => nodeKey(group(textOf(edge, 'group')))),
  ]);
  const conditions = link && state !== 'ended' ? [asLinked({ ref, item: link })] : [];
  return edges.flatMap((edge, position) => {
    const change = originTo({ connection, user, edge, group: nodes[position] }, state, now);
    return change ? [[...conditions, ...change.actions]] : [];
  });
}
