import { expect, test } from 'vitest';
import { after, whereOf } from '../../docs/examples/prisma-rows.ts';
import { and, or } from '../../engine/rows/condition.ts';
import type { Row, RowCondition, Rows } from '../../engine/rows/index.ts';
import { rowsInMemory } from '../../testing/rows-in-memory.ts';
import { DEFINED, randomRows } from '../engine/rows/random-rows.ts';
import { SEED } from '../support/seed.ts';

/** The recipe for Prisma of docs/lists.md, asked as Prisma's documents say what a `where` means. */
type Where = Readonly<Record<string, unknown>>;

/** AND of nothing is all, OR of nothing is nothing; an empty object is all, and undefined no condition. */
function isFound(where: Where, row: Row): boolean {
  return Object.entries(where).every(([name, said]) => {
    if (name === 'AND') return (said as Where[]).every((part) => isFound(part, row));
    if (name === 'OR') return (said as Where[]).some((part) => isFound(part, row));
    const value = row[name] as string;
    return Object.entries(said as Record<string, string>).every(([operator, other]) => {
      if (other === undefined) return true;
      if (value === null) return false;
      if (operator === 'in') return other.includes(value);
      return operator === 'equals' ? value === other : operator === 'gt' ? value > other : value < other;
    });
  });
}

const [ROWS] = DEFINED as [Rows, ...Rows[]];
const ALL = randomRows(SEED, 200).map((row, id) => ({ ...row, id: String(id), scope_id: 'x' }));
const leaf = (owner: string): RowCondition => ({
  kind: 'equals',
  column: ROWS.properties.owner as never,
  value: owner,
});

test.each<[string, RowCondition]>([
  ['never', { kind: 'never' }],
  ['everything', { kind: 'everything' }],
  ['a value', leaf('me')],
  ['one of several', or([leaf('me'), leaf('%'), leaf('')])],
  ['nested', and([or([leaf('me'), { kind: 'and', parts: [leaf('%')] }]), leaf('me')])],
])('finds what the condition says: %s', async (_, condition) => {
  const expected = await rowsInMemory(ROWS, () => ALL)(condition, undefined, 1_000);
  const found = ALL.filter((row) => isFound(whereOf(condition), row));
  expect(new Set(found)).toEqual(new Set(expected));
});

test('ranges and lists are left to the decision', () => {
  const column = ROWS.properties.paidAt as never;
  expect(whereOf({ kind: 'range', column, from: '', to: undefined })).toEqual({ AND: [] });
});

test('goes on behind a place', async () => {
  const fetch = rowsInMemory(ROWS, () => ALL);
  const place = { rank: 2, id: '50' };
  const expected = await fetch({ kind: 'everything' }, place, 1_000);
  expect(expected.length).toBeGreaterThan(10);
  expect(new Set(ALL.filter((row) => isFound(after(ROWS, place), row)))).toEqual(new Set(expected));
  expect(after(ROWS, undefined)).toEqual({ AND: [] });
});
