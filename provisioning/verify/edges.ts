import { formatRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { edgeKey, GLOBAL, type Key, META, nodeKey, parseKey, wideEdgeKey } from '../../table/keys.ts';
import type { Action } from '../../table/write/action.ts';
import type { Edge } from '../edges/edge.ts';
import { readEdge, readGrant } from '../edges/read-edge.ts';
import { role, subject, tenantGrant } from '../edges/rights.ts';
import { type Fact, factsOfEdge } from './facts.ts';
import { nodeAt } from './kinds.ts';
import { shownAdmin, shownRole } from './nodes.ts';
import {
  attempt,
  canonical,
  differences,
  type Fault,
  type Found,
  identity,
  isInstant,
  isSameKey,
  type Relation,
} from './relation.ts';

/** What must hold of an edge: its items say the same, its ends are there, and what they repeat is so. */

/** The edge of an item that is one, where it is as such an edge can be. */
function edgeOf(item: Item | undefined): Edge | undefined {
  const edge = item && attempt(() => readEdge(item));
  if (!edge || !item || !edge.keys.some((key) => isSameKey(key, item))) return undefined;
  const known = new Set(['PK', 'SK', 'Type', 'createdAt', 'updatedAt', ...Object.keys(edge.attributes)]);
  const isWhole = Object.keys(item).every((name) => known.has(name));
  const dates = Object.keys(item).filter((name) => name.endsWith('At'));
  const hasDates = [...new Set([...dates, 'createdAt', 'updatedAt'])].every((name) => isInstant(item[name]));
  const isAsMade = Object.entries(edge.attributes).every(
    ([name, value]) => canonical(item[name]) === canonical(value),
  );
  return isWhole && hasDates && isAsMade ? edge : undefined;
}

/** From this item of an edge whoever walks looks at all of them; from the others only at this one. */
const homeOf = (edge: Edge): Key => (edge.label === 'TenantGrant' ? (edge.keys[1] as Key) : edge.keys[0]);

/** What an edge repeats of the nodes at its ends. */
const REPEATS: Readonly<Record<string, readonly [type: string, attribute: string, of: string]>> = {
  Membership: ['group', 'scope', 'scope'],
  GroupRole: ['group', 'scope', 'scope'],
  RolePermission: ['role', 'roleScope', 'scope'],
};

const ANY_GROUP: Item = { ...nodeKey({ type: 'group', id: 'any' }), Type: 'Group' };
const attributesOf = ({ PK: _, SK: __, ...attributes }: Item) => attributes;

/** Where the items of the edge may be, by the key of one of them alone. */
function othersOf(item: Key): readonly Key[] {
  const parsed = parseKey(item);
  if (parsed?.form !== 'edge') return [];
  const [a, b] = parsed.to;
  const own = { type: parsed.type, id: parsed.id };
  if (parsed.kind === undefined && a) {
    return attempt(() => [edgeKey(a, own), wideEdgeKey(own, 'grant', a), wideEdgeKey(a, 'grant', own)]) ?? [];
  }
  if (parsed.kind === 'grant' && a && !b) return attempt(() => [edgeKey(a, own)]) ?? [];
  if (parsed.kind !== 'assignment' || !a || !b) return [];
  const ends = [own, a, b];
  const isSubject = ({ type }: Ref) => type === 'user' || type === 'technical-user';
  const [u, r] = [ends.find(isSubject), ends.find(({ type }) => type === 'role')];
  const s = ends.find((end) => end !== u && end !== r);
  if (!u || !r || !s) return [];
  return [
    wideEdgeKey(u, 'assignment', s, r),
    wideEdgeKey(s, 'assignment', u, r),
    wideEdgeKey(r, 'assignment', u, s),
  ].filter((key) => !isSameKey(key, item));
}

/** An item where an edge, a copy or a rule should be, and is not as one can be. */
function damaged(item: Item): Relation {
  const key = { PK: item.PK, SK: item.SK };
  const others = othersOf(key);
  const parsed = parseKey(key);
  const [to] = parsed?.form === 'edge' ? parsed.to : [];
  // What hangs here, should this be meant for a copy of it.
  const hanging = to && attempt(() => nodeKey(to));
  return {
    name: `damaged ${identity(key)}`,
    keys: [key, ...others, ...(hanging && nodeAt(hanging) ? [hanging] : [])],
    judge: ([found, ...rest]) => {
      if (!found || edgeOf(found)) return [];
      const isToldOfElsewhere = rest.some((other) =>
        edgeOf(other)?.keys.some((each) => isSameKey(each, key)),
      );
      const code = parsed?.form === 'edge' || parsed?.form === 'node' ? 'edge_damaged' : 'unknown_item';
      return isToldOfElsewhere || isHangingHere(rest, key)
        ? []
        : [{ code, key, expected: 'what can be read as an edge', effect: 'none' }];
    },
  };
}

function isHangingHere(items: readonly Found[], key: Key): boolean {
  return items.some((item) => {
    const node = item && nodeAt(item);
    if (!node || !item) return false;
    const owners = node.kind.behaviour.owners?.(item, node.ref).map(({ ref }) => ref) ?? [];
    const named = (node.kind.entity.hangsOn ?? []).map((name) => item[name]);
    const [type = '', id = ''] = [parseKey(key)].flatMap((parsed) =>
      parsed && 'type' in parsed ? [parsed.type, parsed.id] : [],
    );
    return (
      type === 'api' ||
      owners.some((owner) => owner.type === type && owner.id === id) ||
      named.some((name) => name === `${type}:${id}` || name === id)
    );
  });
}

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
      const repeated = repeats && nodes[ends.findIndex(({ ref }) => ref.type === repeats[0])]?.[repeats[2]];
      const isRight = (copy: Found, n: number): copy is Item =>
        copy !== undefined &&
        edgeOf(copy) !== undefined &&
        edgeOf(copy)?.keys.some((key) => isSameKey(key, edge.keys[n] as Key)) === true &&
        (repeats === undefined || repeated === undefined || copy[repeats[1]] === repeated);
      const missing = ends.filter((_, n) => nodes[n] === undefined);
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

/** Whether decision items hold everything that the edge, as this copy has it, puts there. */
function isConfirmed(copy: Item, decisions: readonly Found[]): boolean {
  const facts: readonly Fact[] = (attempt(() => factsOfEdge(copy, ANY_GROUP)) ?? []).filter(
    ({ attribute }) => attribute !== 'denials',
  );
  return facts.every(({ at, attribute, member, value }) => {
    const item = decisions.find((each) => each && isSameKey(each, at));
    const found = item?.[attribute];
    return member === undefined
      ? canonical(found) === canonical(value)
      : found instanceof Set && found.has(member);
  });
}

/**
 * The items of an edge, and the decision item that repeats it, vote on whether it is there and what it says. Where
 * they are of two minds and neither has more on its side, nothing can be derived.
 */
function settle(
  edge: Edge,
  copies: readonly Found[],
  isRight: (copy: Found, n: number) => copy is Item,
  decisions: readonly Found[],
): readonly Fault[] {
  const right = copies.filter(isRight);
  const ways = new Map<string, { readonly copy: Item; votes: number }>();
  for (const copy of right) {
    const way = canonical(attributesOf(copy));
    const known = ways.get(way) ?? { copy, votes: 0 };
    known.votes += 1;
    ways.set(way, known);
  }
  const hasFacts = decisions.length > 0;
  const candidates = [...ways.values()];
  const confirmed = candidates.filter(({ copy }) => hasFacts && isConfirmed(copy, decisions));
  if (ways.size > 1 && confirmed.length === 1 && confirmed[0]) confirmed[0].votes += 1;
  const ranked = candidates.sort((a, b) => b.votes - a.votes);
  const [best, second] = ranked;
  const winner = best && best.votes > (second?.votes ?? 0) ? best.copy : undefined;
  const absent = copies.filter((copy) => copy === undefined).length;
  const votesFor = copies.length - absent + (hasFacts && confirmed.length > 0 ? 1 : 0);
  const votesAgainst = absent + (hasFacts && confirmed.length === 0 ? 1 : 0);
  const repairOf = (n: number): readonly Action[] | undefined =>
    winner && (votesFor > votesAgainst || (!hasFacts && votesFor === votesAgainst))
      ? [{ kind: 'put', item: { ...winner, ...(edge.keys[n] as Key) } }]
      : undefined;
  const isLeftOver = absent > 0 && votesFor < votesAgainst;
  return copies.flatMap((copy, n): readonly Fault[] => {
    const key = edge.keys[n] as Key;
    if (isLeftOver) {
      const repair: readonly Action[] = [{ kind: 'delete', key }];
      return copy
        ? [
            {
              code: 'edge_left_over',
              key,
              expected: 'no edge: its other items are gone',
              effect: 'none',
              repair,
            },
          ]
        : [];
    }
    if (!copy)
      return [
        { code: 'edge_missing', key, expected: 'as its other items', effect: 'none', repair: repairOf(n) },
      ];
    const repair = repairOf(n);
    if (!isRight(copy, n)) {
      return [
        {
          code: 'edge_damaged',
          key,
          expected: winner ? 'as its other items' : 'what can be read',
          effect: 'none',
          repair,
        },
      ];
    }
    if (ways.size <= 1 || copy === winner) return [];
    const other =
      winner ?? right.find((each) => canonical(attributesOf(each)) !== canonical(attributesOf(copy)));
    const different = differences(attributesOf(copy), attributesOf(other ?? copy));
    return different.map(
      (attribute): Fault => ({
        code: 'edge_differs',
        key,
        attribute,
        expected: canonical(other?.[attribute]) || 'none',
        effect: 'none',
        repair,
      }),
    );
  });
}

/** Each role that a grant holds knows of the grant. */
function mirrorsOfGrant(item: Item): readonly Relation[] {
  const grant = attempt(() => readGrant(item));
  if (!grant) return [];
  return grant.roles.flatMap((id) => {
    const put = tenantGrant({ ...grant, roles: [id] }).grant.find((action) => action.kind === 'put');
    return put?.kind === 'put' ? [mirrorRelation(put.item, { PK: item.PK, SK: item.SK })] : [];
  });
}

function heldByGrant(item: Item): Relation {
  const parsed = parseKey(item);
  const [root, holder] = parsed?.form === 'edge' ? parsed.to : [];
  const at = root && holder && attempt(() => edgeKey(holder, root));
  return at ? mirrorRelation(item, at) : damaged(item);
}

/** The item at a role that tells of a grant with it. */
function mirrorRelation(mirror: Item, at: Key): Relation {
  const key = { PK: mirror.PK, SK: mirror.SK };
  const parsed = parseKey(key);
  const id = parsed && 'id' in parsed ? parsed.id : '';
  return {
    name: `grant ${identity(key)}`,
    keys: [at, key, nodeKey(role(id))],
    judge: ([grant, found, node]) => {
      const held = grant && edgeOf(grant) && attempt(() => readGrant(grant));
      const wanted = held?.roles.includes(id)
        ? tenantGrant({ ...held, roles: [id] }).grant.find((action) => action.kind === 'put')
        : undefined;
      if (wanted?.kind !== 'put') {
        if (!found || (grant && !held)) return [];
        const repair: readonly Action[] | undefined = held ? [{ kind: 'delete', key }] : undefined;
        return [
          {
            code: 'edge_left_over',
            key,
            expected: 'none: the grant does not hold the role',
            effect: 'none',
            repair,
          },
        ];
      }
      const dangling: readonly Fault[] = node
        ? []
        : [
            {
              code: 'edge_dangling',
              key: at,
              attribute: `role:${id}`,
              expected: `role:${id}, to which it leads`,
              effect: 'none',
            },
          ];
      const repair: readonly Action[] = [{ kind: 'put', item: wanted.item }];
      if (!found)
        return [...dangling, { code: 'edge_missing', key, expected: 'as its grant', effect: 'none', repair }];
      return [
        ...dangling,
        ...differences(found, wanted.item).map(
          (attribute): Fault => ({
            code: 'edge_differs',
            key,
            attribute,
            expected: canonical((wanted.item as Item)[attribute]) || 'none',
            effect: 'none',
            repair,
          }),
        ),
      ];
    },
  };
}

export const isEdgeLike = (item: Key): boolean => {
  const parsed = parseKey(item);
  return parsed?.form === 'edge' || (parsed?.form === 'node' && parsed.type === 'grant' && item.SK === META);
};
