import { formatRef } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { GLOBAL, type Key, nodeKey } from '../../table/keys.ts';
import type { Edge } from '../edges/edge.ts';
import { subject } from '../edges/rights.ts';
import { attributesOf, damaged, edgeOf } from './edge-items.ts';
import { ANY_GROUP, factsOfEdge } from './facts.ts';
import { heldByGrant, mirrorsOfGrant } from './grants.ts';
import {
  attempt,
  canonical,
  type Fault,
  type Found,
  identity,
  isSameKey,
  type Relation,
} from './relation.ts';
import { shownAdmin, shownRole } from './shown-rights.ts';
import { settle } from './votes.ts';

/** From this item of an edge whoever walks looks at all of them; from the others only at this one. */
const homeOf = (edge: Edge): Key => (edge.label === 'TenantGrant' ? (edge.keys[1] as Key) : edge.keys[0]);

/** What an edge repeats of the nodes at its ends. */
const REPEATS: Readonly<Record<string, readonly [type: string, attribute: string, of: string]>> = {
  Membership: ['group', 'scope', 'scope'],
  GroupRole: ['group', 'scope', 'scope'],
  RolePermission: ['role', 'roleScope', 'scope'],
};

/** What must hold of an edge: its items say the same, its ends are there, and what they repeat is so. */
export function edgeRelations(item: Item): readonly Relation[] {
  if (item.Type === 'GrantRole') return [heldByGrant(item)];
  const edge = edgeOf(item);
  if (!edge) return [damaged(item)];
  const isHome = isSameKey(item, homeOf(edge));
  const whole = edgeRelation(edge, item);
  if (!isHome) {
    const home = homeOf(edge);
    const isFine = ([own, other]: readonly Found[]) =>
      own !== undefined &&
      other !== undefined &&
      canonical(attributesOf(own)) === canonical(attributesOf(other));
    return [{ ...whole, glance: { keys: [{ PK: item.PK, SK: item.SK }, home], isFine } }];
  }
  const user = typeof item.user === 'string' ? attempt(() => subject(String(item.user))) : undefined;
  return [
    whole,
    ...(item.Type === 'TenantGrant' ? mirrorsOfGrant(item) : []),
    ...(item.Type === 'Admin' && user ? [shownAdmin(user)] : []),
    ...(item.Type === 'GlobalRole' && user ? [shownRole(user, String(item.role))] : []),
  ];
}

function edgeRelation(edge: Edge, read: Item): Relation {
  const ends = edge.ends.filter(({ ref }) => ref.type !== GLOBAL.type);
  const endKeys = ends.map(({ ref }) => nodeKey(ref));
  const facts = attempt(() => factsOfEdge(read, ANY_GROUP)) ?? [];
  const decisions = [...new Map(facts.map(({ at }) => [identity(at), at])).values()];
  const [count, repeats] = [edge.keys.length, REPEATS[edge.label]];
  return {
    name: `edge ${edge.keys.map(identity).sort().join(' ')}`,
    keys: [...edge.keys, ...endKeys, ...decisions],
    judge: (items) => {
      const copies = items.slice(0, count);
      const nodes = items.slice(count, count + ends.length);
      const held = items.slice(count + ends.length);
      if (copies.every((copy) => copy === undefined)) return [];
      const current = copies.flatMap((copy) => edgeOf(copy) ?? []);
      const isSameEdge = ({ keys }: Edge) => keys.every((key, n) => isSameKey(key, edge.keys[n] as Key));
      // Another grant by now, under an id of its own: the next look at it will tell.
      if (current.length > 0 && !current.some(isSameEdge)) return [];
      const repeated = repeats && nodes[ends.findIndex(({ ref }) => ref.type === repeats[0])]?.[repeats[2]];
      const isRight = (copy: Found, n: number): copy is Item =>
        copy !== undefined &&
        edgeOf(copy) !== undefined &&
        edgeOf(copy)?.keys.some((key) => isSameKey(key, edge.keys[n] as Key)) === true &&
        (repeats === undefined || repeated === undefined || copy[repeats[1]] === repeated);
      // A grant may have lost roles since it was come upon.
      const named = new Set(current.flatMap((each) => each.ends).map(({ ref }) => formatRef(ref)));
      const isNamed = ({ ref }: Edge['ends'][number]) => named.size === 0 || named.has(formatRef(ref));
      const missing = ends.filter((end, n) => nodes[n] === undefined && isNamed(end));
      const dangling = missing.map(
        ({ ref }): Fault => ({
          code: 'edge_dangling',
          key: edge.keys[0],
          attribute: formatRef(ref),
          expected: `${formatRef(ref)}, to which it leads`,
          effect: 'none',
        }),
      );
      return [...dangling, ...settle(edge, copies, isRight, held)];
    },
  };
}
