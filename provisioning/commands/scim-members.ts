import * as z from 'zod';
import { defined } from '../../table/defined.ts';
import * as field from '../../table/entities/fields.ts';
import { ENTITIES } from '../../table/entities/registry.ts';
import { invalid, limitExceeded, notFound, stale } from '../../table/errors.ts';
import { formatRef, parseRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { edgeKey, nodeKey } from '../../table/keys.ts';
import { hasOrigin, readOrigins } from '../../table/membership-origins.ts';
import { edgesFrom, edgesToSubjects } from '../../table/partition-queries.ts';
import { batchesOf, type Reader } from '../../table/reader.ts';
import type { Action, Update } from '../../table/write/action.ts';
import { readCommand, writeCommand } from '../command.ts';
import { group as groupRef, type MembershipOf, subject } from '../edges/rights.ts';
import { asLinked, originTo, stateOf } from '../edges/suspension.ts';
import type { Steps } from '../in-steps.ts';
import { by, listCommand, PAGE } from '../kinds/lists.ts';
import { tenantOf } from '../kinds/node-kind.ts';
import { guardKeyOf } from '../nodes/guards.ts';
import { textOf, touchLiving } from '../nodes/nodes.ts';
import { connectionRef, groupLinkRef, linkRef } from '../nodes/scim-links.ts';
import { type AuditEntry, keptPlan, type Node, type OneTransaction, type Planning } from '../plan.ts';
import { visible } from '../visible.ts';

/** Who is in a group because a connection says so. */
interface Named {
  readonly connection: string;
  readonly group: string;
}

const MAPPING = ENTITIES['external-group'];

/** Of a membership a transaction writes at most seven items, its record among them, and six for all of them. */
const A_STEP = 13;
/** Users that one command names. */
const MAX_MEMBERS = 1_000;

const isOf =
  (connection: string) =>
  (item: Item): boolean =>
    item.Type === 'Membership' && hasOrigin(readOrigins(item), connection);

/** The memberships of a group that a connection gives. */
export const membersOf = (reader: Reader, { connection, group }: Named): Promise<readonly Item[]> =>
  reader.listAll({ ...edgesToSubjects(groupRef(group)), keep: isOf(connection) });

/** A user who comes into a group, or goes. */
interface Move {
  readonly user: string;
  readonly comes: boolean;
}

export const notLinked = () => notFound('group', 'this group of the connection');

const shown = ({ isByScope: _, ...attributes }: MembershipOf) => visible(attributes);

/** What moves write, as the table is now: of each what is not so already, with its record. */
async function changesOf({ reader, now }: Planning, named: Named, moves: readonly Move[]) {
  const { connection, group } = named;
  const own = groupLinkRef(connection, group);
  const users = moves.map(({ user }) => subject(user));
  const [link, node, ...items] = await reader.getMany([
    ...[own, groupRef(group)].map(nodeKey),
    ...users.map((ref) => edgeKey(ref, groupRef(group))),
    ...moves.map(({ user }) => nodeKey(linkRef(connection, user))),
  ]);
  if (!link || !node || (!isLiving(link) && moves.some(({ comes }) => comes))) throw notLinked();
  const isMember = (position: number) => isLiving(items[moves.length + position]);
  if (moves.some(({ comes }, position) => comes && !isMember(position)))
    throw invalid('members', 'members: one of them is no user of the connection');
  const tenant = tenantOf(ENTITIES['scim-group'], link);
  const first = moves.findIndex(({ comes }) => comes);
  const meaning = first < 0 ? [] : await meaningOf(reader, named, link, node);
  const changes = moves.flatMap((move, position) => {
    const { user, comes } = move;
    const linked: Node = { ref: linkRef(connection, user), item: items[moves.length + position] as Item };
    const state = comes ? stateOf(linked.item) : 'ended';
    const change = originTo({ connection, user, edge: items[position], group: node }, state, now);
    if (!change) return [];
    const { before, after } = change;
    // The end of either link counts up what is asked for here, or asks for what is counted up here.
    const conditions = comes ? [{ ...asLinked(linked), add: { rev: 1 } }, staying(own)] : [];
    const audit: AuditEntry = {
      entity: { type: 'membership', id: `${user} ${group}` },
      tenant,
      ...defined({ before: before && shown(before), after: after && shown(after) }),
    };
    const once = position === first ? meaning : [];
    return [{ move, actions: [...once, ...conditions, ...change.actions], audit }];
  });
  return { link, tenant, changes };
}

/** The condition that a group which the connection has not made is still what its external group means. */
async function meaningOf(reader: Reader, { connection, group }: Named, link: Item, node: Item) {
  if (node.source === connection) return [];
  const of = await reader.get(nodeKey(connectionRef(connection)));
  const { root: scope, externalId } = link;
  const key = guardKeyOf(MAPPING.guards[0], { scope, issuer: of?.issuer, externalId });
  const guard = key && (await reader.get(key));
  const mapping = guard && (await reader.get(nodeKey(parseRef(textOf(guard, 'owner'), 'owner'))));
  if (!key || !guard || mapping?.group !== group)
    throw invalid('members', 'members: nothing says that the external group is this group');
  const condition: Action = {
    kind: 'check',
    key,
    when: { exists: true, equals: { owner: textOf(guard, 'owner') } },
    failure: () => stale('what the external group means', 'members'),
  };
  return [condition];
}

const isLiving = (item: Item | undefined): boolean => item !== undefined && item.deletingSince === undefined;

/** Counts up a link that is there and stays; where it is not, it is planned anew. */
const staying = (ref: Ref): Update => ({
  ...touchLiving(ref, 'group'),
  failure: () => stale(formatRef(ref), 'group'),
});

/** The steps of moves, one after the other; undefined where all is so already. Each is planned when its turn comes. */
export async function stepsOf(planning: Planning, named: Named, moves: readonly Move[]) {
  const whole = await changesOf(planning, named, moves);
  const due = whole.changes.map(({ move }) => move);
  const carries = whole.changes.map(({ audit }) => audit);
  const steps = batchesOf(due, A_STEP).map(
    (some, step) =>
      async (later: Planning): Promise<Omit<OneTransaction, 'result'>> => {
        const changes =
          step === 0 ? whole.changes.slice(0, A_STEP) : (await changesOf(later, named, some)).changes;
        return {
          actions: changes.flatMap(({ actions }) => actions),
          audit: changes.map(({ audit }) => audit),
          carries,
        };
      },
  );
  return { ...whole, steps };
}

const ids = z
  .array(field.id.describe('a user of the connection'))
  .max(MAX_MEMBERS)
  .describe('list of ids of users');
const { connection, group } = ENTITIES['scim-group'].attributes.shape;
const { user } = ENTITIES['scim-user'].attributes.shape;

const input = z
  .strictObject({
    connection,
    group,
    add: ids.optional(),
    remove: ids.optional(),
    replace: ids.optional().describe('list of ids of users: all whom the connection puts into the group'),
  })
  .refine((given) => Object.keys(given).length > 2, 'nothing to change: give add, remove or replace');
type Input = z.infer<typeof input>;

/** Whom a change puts into a group, and whom it takes out of it, of those who are in it. */
function wantedOf({ add = [], remove = [], replace }: Input, members: readonly string[]) {
  const isRemoved = new Set(remove);
  const come = new Set([...(replace ?? []).filter((id) => !isRemoved.has(id)), ...add]);
  const go = [...(replace ? members : []), ...remove].filter((id) => !come.has(id));
  return { come: [...come], go: [...new Set(go)] };
}

async function* changing(planning: Planning, given: Input): Steps {
  const { connection, group, add = [], remove = [], replace = [] } = given;
  if (add.length + remove.length + replace.length > MAX_MEMBERS)
    throw limitExceeded(`one change names at most ${MAX_MEMBERS} members`, 'members');
  const there = given.replace ? await membersOf(planning.reader, given) : [];
  const { come, go } = wantedOf(
    given,
    there.map((edge) => String(edge.user)),
  );
  // Who goes, goes first: in between there is never more than before or after.
  const moves = [
    ...go.map((user): Move => ({ user, comes: false })),
    ...come.map((user): Move => ({ user, comes: true })),
  ];
  const { link, tenant, steps } = await stepsOf(planning, given, moves);
  if (!isLiving(link)) throw notLinked();
  const last = steps.at(-1);
  const result = { connection, group };
  if (!last) return keptPlan({ entity: groupLinkRef(connection, group), tenant, after: { group } }, result);
  let later = planning;
  for (const step of steps.slice(0, -1)) later = yield { ...(await step(later)), result };
  return { ...(await last(later)), result };
}

export const members = writeCommand({
  name: 'scim-group.members',
  summary:
    'Puts users of a connection into its group, and takes others out: those who go first, in as many steps as needed. What is so already is not written. By hand, or by another connection, the same user may be in the group too.',
  input,
  destructive: {
    undo: 'scim-group.members with the users that it had',
    when: (given) => given.replace !== undefined || (Array.isArray(given.remove) && given.remove.length > 0),
  },
  steps: changing,
});

export const listMembers = listCommand({
  name: 'scim-group.list-members',
  summary: 'Lists the memberships of a group that a connection gives, page by page.',
  by: [
    by({ connection, group }, async ({ connection: of, group: id }, reader) => {
      await assertLinked(reader, groupLinkRef(of, id), 'group');
      return { ...edgesToSubjects(groupRef(id)), keep: isOf(of) };
    }),
  ],
});

async function assertLinked(reader: Reader, ref: Ref, what: 'group' | 'user'): Promise<void> {
  const link = await reader.get(nodeKey(ref));
  if (!link) throw notFound(what, `this ${what} of the connection`);
}

/** What it calls the groups is in its links. */
export const listGroups = readCommand({
  name: 'scim-user.list-groups',
  summary: 'Lists the groups of a connection into which it puts a user, page by page.',
  input: z.strictObject({ connection, user, ...PAGE }),
  run: async ({ reader }, { connection: of, user: id, limit, cursor }) => {
    await assertLinked(reader, linkRef(of, id), 'user');
    const page = await reader.list({ ...edgesFrom(subject(id), 'group'), keep: isOf(of), limit, cursor });
    const links = await reader.getMany(
      page.items.map((edge) => nodeKey(groupLinkRef(of, String(edge.group)))),
    );
    return { ...page, items: links.flatMap((link) => (link ? [visible(link)] : [])) };
  },
});
