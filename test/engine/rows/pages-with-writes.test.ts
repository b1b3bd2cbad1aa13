import { expect, test } from 'vitest';
import { createVisibleRows, type Row, type VisibleRows } from '../../../engine/rows/index.ts';
import { rowsInMemory } from '../../../testing/rows-in-memory.ts';
import { PERMISSIONS } from '../../proof/oracle/generate.ts';
import * as fc from '../../support/fast-check.ts';
import { again, SEED } from '../../support/seed.ts';
import { createMemoryWorld } from '../../support/world.ts';
import { type Furnished, furnish } from '../search/random-world.ts';
import { DEFINED, rowsAt } from './random-rows.ts';

/**
 * Pages of a list that is written to in between: a row that did not change comes once if it is allowed, whatever is
 * inserted, moved in the order, moved to another scope, or deleted around it.
 */
const world = createMemoryWorld();
const engine = world.newEngine();
const ROWS = 60;

const there: Furnished = await furnish(world, SEED + 11);
world.settle();
const { reader, clock } = world;
const visibleRows: VisibleRows = createVisibleRows({
  reader,
  engine,
  clock,
  cursorSecret: 'cursors of tests are encrypted with this',
});

const write = fc.record({
  kind: fc.constantFrom('insert', 'delete', 'reorder', 'move'),
  row: fc.nat({ max: ROWS - 1 }),
  like: fc.nat({ max: ROWS - 1 }),
  rank: fc.nat({ max: 3 }),
});
const lists = fc.record({
  subject: fc.nat(),
  permission: fc.constantFrom(...PERMISSIONS),
  limit: fc.integer({ min: 1, max: 7 }),
  /** What is written after each page. */
  writes: fc.array(fc.array(write, { maxLength: 4 }), { maxLength: 30 }),
});

test.each(DEFINED.map((rows, position) => ({ rows, position })))(
  'definition $position: what did not change comes once, in order',
  async ({ rows, position }) => {
    const first = await rowsAt(world, there, rows, SEED + position, ROWS);
    const property = fc.asyncProperty(lists, async ({ subject: n, permission, limit, writes }) => {
      const subject = there.subjects[n % there.subjects.length] as string;
      const table = new Map(first.map((row) => [String(row.id), row]));
      const changed = new Set<string>();
      const found: Row[] = [];
      for (let after: string | undefined, pages = 0; pages === 0 || after !== undefined; pages++) {
        expect(pages).toBeLessThan(5 * ROWS);
        const page = await visibleRows({
          subject,
          permission,
          rows,
          limit,
          after,
          fetch: rowsInMemory(rows, () => table.values()),
        });
        found.push(...page.rows);
        after = page.cursor;
        for (const { kind, row, like, rank } of writes[pages] ?? []) {
          const id = kind === 'insert' ? `new ${pages} ${row}` : String(row);
          const other = first[like] as Row;
          const old = table.get(id);
          changed.add(id);
          if (kind === 'insert') table.set(id, { ...other, id, rank });
          else if (kind === 'delete') table.delete(id);
          else if (old)
            table.set(id, kind === 'reorder' ? { ...old, rank } : { ...other, id, rank: old.rank });
        }
      }
      const allowed: Row[] = [];
      for (const row of first) {
        const scope = rows.scopeOf(row);
        if (scope && (await engine.check(subject, permission, scope)).allowed) allowed.push(row);
      }
      const same = (all: readonly Row[]) => all.filter(({ id }) => !changed.has(String(id)));
      const inOrder = await rowsInMemory(rows, () => allowed)({ kind: 'everything' }, undefined, ROWS);
      expect(
        same(found).map(({ id }) => id),
        again(),
      ).toEqual(same(inOrder).map(({ id }) => id));
    });
    await fc.assert(property, { seed: SEED, numRuns: 40 });
  },
);
