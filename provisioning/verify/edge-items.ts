import { isSubjectNode } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import {
  edgeKey,
  identityOf,
  isSameKey,
  type Key,
  nodeKey,
  parseKey,
  wideEdgeKey,
} from '../../table/keys.ts';
import { canonical } from '../canonical.ts';
import { nodeAt } from '../commands/node-kinds.ts';
import type { Edge } from '../edges/edge.ts';
import { readEdge } from '../edges/read-edge.ts';
import { attempt, type Found, fault, isInstant, type Relation } from './relation.ts';

/** The edge that an item belongs to; undefined when the item is not a well-formed edge. */
export function edgeOf(item: Item | undefined): Edge | undefined {
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

/** What an edge repeats of the nodes at its ends. */
export const REPEATS: Readonly<Record<string, readonly [type: string, attribute: string, of: string]>> = {
  Membership: ['group', 'scope', 'scope'],
  GroupRole: ['group', 'scope', 'scope'],
  RolePermission: ['role', 'roleScope', 'scope'],
};

/** Whether an edge repeats something else than this node says, which is at one of its ends. */
export function contradicts(edge: Item, node: Found): boolean {
  const [type, attribute, of] = REPEATS[String(edge.Type)] ?? [];
  const parsed = node && parseKey(node);
  if (!parsed || !attribute || !of || !('type' in parsed) || parsed.type !== type) return false;
  return edge[attribute] !== node[of];
}

export const attributesOf = ({ PK: _, SK: __, ...attributes }: Item) => attributes;

/** The possible keys of an edge's other items, from the key of one of them. */
export function othersOf(item: Key): readonly Key[] {
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
  const [u, r] = [ends.find(isSubjectNode), ends.find(({ type }) => type === 'role')];
  const s = ends.find((end) => end !== u && end !== r);
  if (!u || !r || !s) return [];
  return [
    wideEdgeKey(u, 'assignment', s, r),
    wideEdgeKey(s, 'assignment', u, r),
    wideEdgeKey(r, 'assignment', u, s),
  ].filter((key) => !isSameKey(key, item));
}

/** An item with the key of an edge, a copy or a rule that is none of these. */
export function damaged(item: Item): Relation {
  const key = { PK: item.PK, SK: item.SK };
  const others = othersOf(key);
  const parsed = parseKey(key);
  const [to] = parsed?.form === 'edge' ? parsed.to : [];
  // The node that this item may be a damaged copy of.
  const hanging = to && attempt(() => nodeKey(to));
  return {
    name: `damaged ${identityOf(key)}`,
    keys: [key, ...others, ...(hanging && nodeAt(hanging) ? [hanging] : [])],
    judge: ([found, ...rest]) => {
      if (!found || edgeOf(found)) return [];
      const isReportedElsewhere = rest.some((other) =>
        edgeOf(other)?.keys.some((each) => isSameKey(each, key)),
      );
      const code = parsed?.form === 'edge' || parsed?.form === 'node' ? 'edge_damaged' : 'unknown_item';
      return isReportedElsewhere || isHangingHere(rest, key)
        ? []
        : [fault(code, key, 'what can be read as an edge')];
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
