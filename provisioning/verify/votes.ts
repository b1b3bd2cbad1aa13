import type { Item } from '../../table/item.ts';
import type { Key } from '../../table/keys.ts';
import type { Action } from '../../table/write/action.ts';
import type { Edge } from '../edges/edge.ts';
import { attributesOf } from './edge-items.ts';
import { ANY_GROUP, type Fact, factsOfEdge } from './facts.ts';
import { attempt, canonical, differences, type Fault, type Found, isSameKey } from './relation.ts';

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
export function settle(
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
