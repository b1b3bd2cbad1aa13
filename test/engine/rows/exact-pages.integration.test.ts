import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { SCOPE } from '../../../engine/items.ts';
import { readItems } from '../../../engine/read-items.ts';
import {
  createVisibleRows,
  type Row,
  type RowCondition,
  type Rows,
  type VisibleRows,
} from '../../../engine/rows/index.ts';
import type { ScopeItem } from '../../../table/decision/items.ts';
import { PERMISSIONS } from '../../proof/oracle/generate.ts';
import { SEED } from '../../support/seed.ts';
import { size } from '../../support/tier.ts';
import { createMemoryWorld } from '../../support/world.ts';
import { type Furnished, furnish } from '../search/random-world.ts';
import { type Database, inDynamodb, inMemory, inPostgres, inSqlite } from './databases.ts';
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
  expect(counts.allowed).toBeGreaterThan(300);
  expect(counts.refused).toBeGreaterThan(300);
  expect(counts.narrowed).toBeGreaterThan(100);
});

const tally = (condition: RowCondition) => {
  counts[condition.kind === 'everything' ? 'everything' : 'narrowed'] += 1;
};

/** Each database has so many of the definitions, all of them in the soak tier. */
const EACH = size(3, 1);
// To start it takes longer than all else.
const postgres = await inPostgres();
afterAll(() => Promise.all(postgres.map(({ close }) => close())));

describe.each(Array.from({ length: size(2, 4) }, (_, number) => number))('world %i', (number) => {
  const world = createMemoryWorld();
  let there: Furnished;
  let visibleRows: VisibleRows;
  /** Those of a group hold the same. */
  let databases: readonly (readonly Database[])[];
  let roots: ReadonlySet<string>;
  const engine = world.newEngine();

  beforeAll(async () => {
    there = await furnish(world, SEED + number);
    await addConditions(world, there, SEED + number);
    world.settle();
    const { reader, clock } = world;
    const items = await readItems<ScopeItem[]>(reader, ...there.scopes.map((id) => ({ kind: SCOPE, id })));
    roots = new Set(items.flatMap((item) => (item?.ancestors.length === 0 ? [item.ref] : [])));
    visibleRows = createVisibleRows({ reader, engine, clock, cursorSecret: SECRET });
    const onEngine = (by: 'index' | 'table') => inDynamodb(inject('endpoint'), by);
    const both = [[await onEngine('index')], [await onEngine('table')]];
    databases = [[inMemory()], [await inSqlite()], postgres, ...both];
  }, 60_000);

  afterAll(async () => {
    const own = databases.filter((each) => each !== postgres);
    await Promise.all(own.flat().map(({ close }) => close()));
  });

  const pagesOf = async (
    rows: Rows,
    { fetch, withinRoots }: Database,
    subject: string,
    permission: string,
    limit: number,
  ) => {
    const found: Row[] = [];
    for (let after: string | undefined, pages = 0; ; pages++) {
      const page = await visibleRows({
        subject,
        permission,
        rows,
        limit,
        given: GIVEN,
        within: withinRoots ? roots : undefined,
        ...(after === undefined ? {} : { after }),
        fetch: (condition, place, count) => {
          tally(condition);
          return fetch(condition, place, count);
        },
      });
      found.push(...page.rows);
      after = page.cursor;
      if (after === undefined) return found;
      expect(page.rows).toHaveLength(limit);
      expect(pages).toBeLessThan(ROWS);
    }
  };

  test.each(DEFINED.map((rows, position) => ({ rows, position })))(
    'definition $position',
    async ({ rows: defined, position }) => {
      const all = await rowsAt(world, there, defined, SEED + number * 100 + position, ROWS);
      // In the next world others.
      const asked = PERMISSIONS.filter((_, turn) => (turn + position + number) % size(2, 1) === 0);
      const some = databases.filter((_, turn) => (turn + position + number) % EACH === 0).flat();
      // Databases that hold the same ask the same.
      const decided = new Map<string, Promise<boolean>>();
      for (const [number, database] of some.entries()) {
        const rows = database.definitionOf?.(defined) ?? defined;
        await database.fill(rows, all);
        const kept = await (database.all?.() ?? database.fetch({ kind: 'everything' }, undefined, ROWS));
        // An index has no row whose key is missing, and nobody may see it.
        if (database.all === undefined) expect(kept).toHaveLength(ROWS);
        const questions = kept.map((row) => questionOf(rows, row));
        for (const [turn, subject] of there.subjects.entries())
          for (const permission of asked) {
            const expected: Row[] = [];
            for (const [at, question] of questions.entries()) {
              const name = `${subject} ${permission} ${question.name}`;
              const decision = decided.get(name) ?? isAllowed(question, subject, permission);
              decided.set(name, decision);
              if (await decision) expected.push(kept[at] as Row);
            }
            const limit = [1, 3, 50][turn % 3] as number;
            const found = await pagesOf(rows, database, subject, permission, limit);
            expect(
              found.map(({ id }) => id),
              `database ${number}: ${subject} ${permission}`,
            ).toEqual(expected.map(({ id }) => id));
          }
      }
    },
    60_000,
  );

  const questionOf = (rows: Rows, row: Row) => {
    const asked = { scope: rows.scopeOf(row), resource: rows.resourceOf(row) };
    return { ...asked, name: inspect(asked, { depth: null }) };
  };

  async function isAllowed(
    { scope, resource }: ReturnType<typeof questionOf>,
    subject: string,
    permission: string,
  ): Promise<boolean> {
    if (scope === undefined) return false;
    const { allowed } = await engine.check(subject, permission, scope, { ...GIVEN, resource });
    counts[allowed ? 'allowed' : 'refused'] += 1;
    return allowed;
  }
});
