import { formatRef } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { distinctKeys, GLOBAL, identityOf, isSameKey, type Key, nodeKey } from '../../table/keys.ts';
import { canonical } from '../canonical.ts';
import type { Edge } from '../edges/edge.ts';
import { subject } from '../edges/rights.ts';
import { brokenBy } from './allow-only.ts';
import { conditionRelation } from './conditions.ts';
import { attributesOf, damaged, edgeOf, REPEATS } from './edge-items.ts';
import { ANY_GROUP, entriesOfEdge } from './entries.ts';
import { mirrorsOfGrant, roleOfGrant } from './grants.ts';
import { attempt, type Fault, type Found, fault, type Relation } from './relation.ts';
import { shownAdmin, shownRole } from './shown-rights.ts';
import { settle } from './votes.ts';

/** The item from which the walk checks the whole edge; from the others it compares with this one only. */
const homeOf = (edge: Edge): Key => (edge.label === 'TenantGrant' ? (edge.keys[1] as Key) : edge.keys[0]);

/** An edge's items agree, its ends exist, and what it repeats of them is right. */
export function edgeRelations(item: Item): readonly Relation[] {
  if (item.Type === 'GrantRole') return [roleOfGrant(item)];
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
    ...(item.Type === 'RolePermission' && item.when !== undefined ? [conditionRelation(edge.keys[0])] : []),
    ...(item.Type === 'TenantGrant' ? mirrorsOfGrant(item) : []),
    ...(item.Type === 'Admin' && user ? [shownAdmin(user)] : []),
    ...(item.Type === 'GlobalRole' && user ? [shownRole(user, String(item.role))] : []),
  ];
}

/** As if it counted: its copies are compared with what it may say. */
const inForce = (item: Item): Item =>
  item.Type === 'Membership' ? { ...item, origins: undefined, suspended: undefined } : item;

function edgeRelation(edge: Edge, read: Item): Relation {
  const ends = edge.ends.filter(({ ref }) => ref.type !== GLOBAL.type);
  const endKeys = ends.map(({ ref }) => nodeKey(ref));
  const entries = attempt(() => entriesOfEdge(inForce(read), ANY_GROUP)) ?? [];
  const keys = entries.flatMap(({ at, apart }) => (apart ? [at, apart] : [at]));
  const decisions = distinctKeys(keys);
  const [count, repeats] = [edge.keys.length, REPEATS[edge.label]];
  const judge = (items: readonly Found[]): readonly Fault[] => {
    const copies = items.slice(0, count);
    const nodes = items.slice(count, count + ends.length);
    const repeating = items.slice(count + ends.length);
    if (copies.every((copy) => copy === undefined)) return [];
    const current = copies.flatMap((copy) => edgeOf(copy) ?? []);
    const isSameEdge = ({ keys }: Edge) => keys.every((key, n) => isSameKey(key, edge.keys[n] as Key));
    // Replaced by another grant in the meantime: the next check of that one decides.
    if (current.length > 0 && !current.some(isSameEdge)) return [];
    const repeated = repeats && nodes[ends.findIndex(({ ref }) => ref.type === repeats[0])]?.[repeats[2]];
    const isRight = (copy: Found, n: number): copy is Item =>
      copy !== undefined &&
      edgeOf(copy) !== undefined &&
      edgeOf(copy)?.keys.some((key) => isSameKey(key, edge.keys[n] as Key)) === true &&
      (repeats === undefined || repeated === undefined || copy[repeats[1]] === repeated);
    // A grant may have lost roles since the walk read it.
    const named = new Set(current.flatMap((each) => each.ends).map(({ ref }) => formatRef(ref)));
    const isNamed = ({ ref }: Edge['ends'][number]) => named.size === 0 || named.has(formatRef(ref));
    const missing = ends.filter((end, n) => nodes[n] === undefined && isNamed(end));
    const dangling = missing.map(({ ref }) =>
      fault('edge_dangling', edge.keys[0], `${formatRef(ref)}, to which it leads`, {
        attribute: formatRef(ref),
      }),
    );
    const beyond = brokenBy(current[0] ?? edge, nodes);
    const others = settle(edge, copies, isRight, repeating);
    // People say which side goes: nothing is written back that an allow-only role or group must not have.
    const left = beyond.length === 0 ? others : others.map((each) => ({ ...each, repair: undefined }));
    return [...dangling, ...beyond, ...left];
  };
  const sides = [...edge.keys, ...endKeys];
  return {
    name: `edge ${edge.keys.map(identityOf).sort().join(' ')}`,
    keys: [...sides, ...decisions],
    judge,
    // What repeats the edge has a say only where its copies differ.
    glance: { keys: sides, isFine: (items) => judge(items).length === 0 },
  };
}
