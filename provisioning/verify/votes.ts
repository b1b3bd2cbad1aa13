import type { Item } from '../../table/item.ts';
import { isSameKey, type Key } from '../../table/keys.ts';
import type { Action } from '../../table/write/action.ts';
import { canonical, differences } from '../canonical.ts';
import type { Edge } from '../edges/edge.ts';
import { attributesOf } from './edge-items.ts';
import { ANY_GROUP, type Entry, entriesOfEdge } from './entries.ts';
import { entryPlaceOf } from './entry-place.ts';
import { attempt, type Fault, type Found, fault } from './relation.ts';

const entriesIn = (copy: Item): readonly Entry[] =>
  (attempt(() => entriesOfEdge(copy, ANY_GROUP)) ?? []).filter(({ attribute }) => attribute !== 'denials');

function isThere(entry: Entry, decisions: readonly Found[]): boolean {
  const { item, as } = entryPlaceOf(entry, (key) => decisions.find((each) => each && isSameKey(each, key)));
  const { attribute, member, value } = as ?? entry;
  const found = item?.[attribute];
  return member === undefined
    ? canonical(found) === canonical(value)
    : found instanceof Set && found.has(member);
}

/** Whether decision items hold all entries of the edge as this copy has it, and none that only other copies have. */
function isConfirmed(copy: Item, copies: readonly Item[], decisions: readonly Found[]): boolean {
  const own = new Map(entriesIn(copy).map((entry) => [canonical(entry), entry]));
  const others = copies.flatMap(entriesIn).filter((entry) => !own.has(canonical(entry)));
  return (
    [...own.values()].every((entry) => isThere(entry, decisions)) &&
    !others.some((entry) => isThere(entry, decisions))
  );
}

/**
 * Compares the items of an edge. The majority of them, and the decision item that repeats them, decides
 * whether the edge exists and what its attributes are. Without a majority nothing is repaired.
 */
export function settle(
  edge: Edge,
  copies: readonly Found[],
  isRight: (copy: Found, n: number) => copy is Item,
  decisions: readonly Found[],
): readonly Fault[] {
  const right = copies.filter(isRight);
  const versions = new Map<string, { readonly copy: Item; votes: number }>();
  for (const copy of right) {
    const version = canonical(attributesOf(copy));
    const known = versions.get(version) ?? { copy, votes: 0 };
    known.votes += 1;
    versions.set(version, known);
  }
  const hasEntries = decisions.length > 0;
  const candidates = [...versions.values()];
  const confirmed = candidates.filter(({ copy }) => hasEntries && isConfirmed(copy, right, decisions));
  if (versions.size > 1 && confirmed.length === 1 && confirmed[0]) confirmed[0].votes += 1;
  const ranked = candidates.sort((a, b) => b.votes - a.votes);
  const [best, second] = ranked;
  const winner = best && best.votes > (second?.votes ?? 0) ? best.copy : undefined;
  const absent = copies.filter((copy) => copy === undefined).length;
  const votesFor = copies.length - absent + (hasEntries && confirmed.length > 0 ? 1 : 0);
  const votesAgainst = absent + (hasEntries && confirmed.length === 0 ? 1 : 0);
  const repairOf = (n: number): readonly Action[] | undefined =>
    winner && (votesFor > votesAgainst || (!hasEntries && votesFor === votesAgainst))
      ? [{ kind: 'put', item: { ...winner, ...(edge.keys[n] as Key) } }]
      : undefined;
  const isLeftOver = absent > 0 && votesFor < votesAgainst;
  return copies.flatMap((copy, n): readonly Fault[] => {
    const key = edge.keys[n] as Key;
    if (isLeftOver) {
      const repair: readonly Action[] = [{ kind: 'delete', key }];
      return copy ? [fault('edge_left_over', key, 'no edge: its other items are gone', { repair })] : [];
    }
    const repair = repairOf(n);
    if (!copy) return [fault('edge_missing', key, 'as its other items', { repair })];
    if (!isRight(copy, n))
      return [fault('edge_damaged', key, winner ? 'as its other items' : 'what can be read', { repair })];
    if (versions.size <= 1 || copy === winner) return [];
    const other =
      winner ?? right.find((each) => canonical(attributesOf(each)) !== canonical(attributesOf(copy)));
    return differences(attributesOf(copy), attributesOf(other ?? copy)).map((attribute) =>
      fault('edge_differs', key, canonical(other?.[attribute]) || 'none', { attribute, repair }),
    );
  });
}
