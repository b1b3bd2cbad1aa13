import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { grantedParts } from '../../../engine/rows/granted-parts.ts';
import type { Row } from '../../../engine/rows/index.ts';
import { narrowRows } from '../../../engine/rows/narrow.ts';
import { createIds } from '../../../provisioning/ids.ts';
import { migrate } from '../../../provisioning/migrate/migrate.ts';
import { rowsInMemory } from '../../../testing/rows-in-memory.ts';
import { PERMISSIONS } from '../../proof/oracle/generate.ts';
import { again, SEED } from '../../support/seed.ts';
import { createMemoryWorld } from '../../support/world.ts';
import { type Furnished, furnish, LATER } from '../search/random-world.ts';
import { addConditions, DEFINED, rowsAt } from './random-rows.ts';

/**
 * The condition is never narrower than `check`: a row that is allowed at any instant from the narrowing on fulfils it,
 * also where something begins only later.
 */
const GIVEN = {
  subject: { properties: { friends: ["o'neil", 'tenant:ab'] } },
  context: { claims: { sub: 'me' } },
};
const ROWS = 60;

const counts = { allowed: 0, onlyLater: 0, leftOut: 0 };

afterAll(() => {
  // The property says something only if rows are allowed, some of them only later, and others are left out.
  expect(counts.allowed).toBeGreaterThan(500);
  expect(counts.onlyLater).toBeGreaterThan(50);
  expect(counts.leftOut).toBeGreaterThan(5_000);
});

/** WORLDS: how many, for a longer run. */
const WORLDS = Number(process.env.WORLDS ?? 4);
describe.each(Array.from({ length: WORLDS }, (_, number) => number))('world %i', (number) => {
  const world = createMemoryWorld();
  const engine = world.newEngine();
  let there: Furnished;
  const known = new Map<string, ReturnType<typeof grantedParts>>();
  /** The same for each definition. */
  function partsOf(subject: string, permission: string) {
    const key = `${subject} ${permission}`;
    const parts = known.get(key) ?? grantedParts(world.reader, subject, permission, undefined, 'invoice');
    known.set(key, parts);
    return parts;
  }

  beforeAll(async () => {
    there = await furnish(world, SEED + 7 + number);
    await addConditions(world, there, SEED + number);
    // In every other world all stands apart that can.
    const { reader, writer, clock } = world;
    const thresholds = { groupsOfSubject: 0, groupsOfScope: 0, rolesOfRoot: 0 };
    if (number % 2) await migrate({ reader, writer, clock, newId: createIds(), joins: false, thresholds });
    world.settle();
  });

  test.each(DEFINED.map((rows, position) => ({ rows, position })))(
    'definition $position',
    async ({ rows, position }) => {
      const all = await rowsAt(world, there, rows, SEED + number * 100 + position, ROWS);
      const instants = [world.clock.now(), ...LATER];
      const asked = all.flatMap((row) => {
        const scope = rows.scopeOf(row);
        return scope === undefined ? [] : [{ row, scope, resource: rows.resourceOf(row) }];
      });
      for (const subject of there.subjects)
        for (const permission of PERMISSIONS) {
          const granted = await partsOf(subject, permission);
          const narrowed = { subject, permission, granted, given: GIVEN };
          const condition = await narrowRows(world.reader, rows, narrowed, (_, load) => load());
          const found = await rowsInMemory(rows, () => all)(condition, undefined, ROWS);
          const proposed = new Set<Row>(found);
          counts.leftOut += ROWS - found.length;
          const now = new Set<Row>();
          for (const [turn, at] of instants.entries()) {
            const { decisions } = await engine.checkMany(
              asked.map(({ scope, resource }) => ({
                subject,
                permission,
                scope,
                at,
                given: { ...GIVEN, resource },
              })),
            );
            for (const [index, { allowed }] of decisions.entries()) {
              if (!allowed) continue;
              const { row } = asked[index] as (typeof asked)[number];
              if (turn === 0) now.add(row);
              else if (!now.has(row)) counts.onlyLater += 1;
              if (proposed.has(row)) continue;
              expect.fail(`${again()}: ${subject} ${permission} at ${at}: ${JSON.stringify(row)}`);
            }
          }
          counts.allowed += now.size;
        }
    },
  );
});
