import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createVisibleRows,
  type Row,
  type RowCondition,
  type Rows,
  rowsInMemory,
  type VisibleRows,
} from '../../../engine/rows/index.ts';
import fc from '../../support/fast-check.ts';
import { SEED } from '../../support/seed.ts';
import { createMemoryWorld } from '../../support/world.ts';
import { type Furnished, furnish, PERMISSIONS, plans } from '../search/random-world.ts';
import { addConditions, DEFINED, rowsAt } from './random-rows.ts';

/**
 * All pages of a list together are exactly the rows that `check` allows, in random worlds with rows that are hard to
 * find: what narrows a query never loses one.
 */
const SECRET = 'cursors of tests are encrypted with this';
const GIVEN = {
  subject: { properties: { friends: ["o'neil", 'tenant:ab'] } },
  context: { claims: { sub: 'me' }, time: new Date('2026-01-01T00:00:00.001Z') },
};
const ROWS = 40;

const counts = { allowed: 0, refused: 0, narrowed: 0, everything: 0 };

afterAll(() => {
  // The property says something only if rows are shown and refused, and if queries are narrowed.
  expect(counts.allowed).toBeGreaterThan(500);
  expect(counts.refused).toBeGreaterThan(500);
  expect(counts.narrowed).toBeGreaterThan(100);
});

const tally = (condition: RowCondition) => {
  counts[condition.kind === 'everything' ? 'everything' : 'narrowed'] += 1;
};

const drawn = fc.sample(plans, { seed: SEED, numRuns: 6 });
describe.each(drawn.map((plan, number) => ({ number, plan: { ...plan, isStrict: number % 2 === 1 } })))(
  'world $number',
  ({ plan, number }) => {
    const world = createMemoryWorld();
    let there: Furnished;
    let visibleRows: VisibleRows;
    const engine = world.newEngine();

    beforeAll(async () => {
      there = await furnish(world, plan);
      await addConditions(world, there, SEED + number);
      world.settle();
      const { reader, clock } = world;
      visibleRows = createVisibleRows({ reader, engine, clock, cursorSecret: SECRET });
    });

    const pagesOf = async (
      rows: Rows,
      all: readonly Row[],
      subject: string,
      permission: string,
      limit: number,
    ) => {
      const found: Row[] = [];
      const inMemory = rowsInMemory(rows, () => all);
      for (let after: string | undefined, pages = 0; ; pages++) {
        const page = await visibleRows({
          subject,
          permission,
          rows,
          limit,
          given: GIVEN,
          ...(after === undefined ? {} : { after }),
          fetch: (condition, place, count) => {
            tally(condition);
            return inMemory(condition, place, count);
          },
        });
        found.push(...page.rows);
        after = page.cursor;
        if (after === undefined) return found;
        expect(page.rows).toHaveLength(limit);
        expect(pages).toBeLessThan(all.length);
      }
    };

    test.each(DEFINED.map((rows, position) => ({ rows, position })))(
      'definition $position',
      async ({ rows, position }) => {
        const all = await rowsAt(world, there, rows, SEED + number * 100 + position, ROWS);
        const sorted = [...(await rowsInMemory(rows, () => all)({ kind: 'everything' }, undefined, ROWS))];
        for (const [turn, subject] of there.subjects.entries())
          for (const permission of PERMISSIONS) {
            const expected: Row[] = [];
            for (const row of sorted) {
              const scope = rows.scopeOf(row);
              const resource = rows.resourceOf(row);
              const { allowed } = scope
                ? await engine.check(subject, permission, scope, { ...GIVEN, resource })
                : { allowed: false };
              counts[allowed ? 'allowed' : 'refused'] += 1;
              if (allowed) expected.push(row);
            }
            const found = await pagesOf(rows, all, subject, permission, [1, 3, 50][turn % 3] as number);
            expect(
              found.map(({ id }) => id),
              `${subject} ${permission}`,
            ).toEqual(expected.map(({ id }) => id));
          }
      },
    );
  },
);
