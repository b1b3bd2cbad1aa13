import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLists, type Lists } from '../../../engine/index.ts';
import { PERMISSIONS } from '../../proof/oracle/generate.ts';
import { SEED } from '../../support/seed.ts';
import { createLightWorld, type World } from '../../support/world.ts';
import { type Furnished, furnish, LATER } from './random-world.ts';

/**
 * Searches agree with `check` on every item: in small random worlds, with pages of every size.
 */
type Page = { readonly items: readonly string[]; readonly cursor?: string };
type Options = { readonly limit?: number; readonly cursor?: string };

const counts = { allowed: 0, refused: 0, pages: 0 };

/** All pages of a list. Only the last may be short. */
async function walk(list: (options: Options) => Promise<Page>, limit: number | undefined): Promise<string[]> {
  const items: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await list({
      ...(limit === undefined ? {} : { limit }),
      ...(cursor === undefined ? {} : { cursor }),
    });
    counts.pages += 1;
    items.push(...page.items);
    cursor = page.cursor;
    if (cursor === undefined) return items;
    expect(page.items).toHaveLength(limit ?? 100);
  }
}

afterAll(() => {
  // The property is meaningful only if some candidates are listed and some are left out.
  expect(counts.allowed).toBeGreaterThan(100);
  expect(counts.refused).toBeGreaterThan(100);
});

describe.each([0, 1, 2, 3])('world %i', (number) => {
  let world: World;
  let there: Furnished;
  let lists: Lists;
  const allowed = new Set<string>();
  const key = (subject: string, permission: string, scope: string) => `${subject} ${permission} ${scope}`;
  const limits = [1, 2, 3, undefined];
  const instant = number % 3 === 2 ? { at: LATER[0] } : {};

  beforeAll(async () => {
    world = await createLightWorld();
    there = await furnish(world, SEED + number);
    world.settle();
    const engine = world.newEngine();
    lists = createLists({ reader: world.reader, engine, clock: world.clock });
    for (const subject of there.subjects) {
      const requests = there.scopes.flatMap((scope) =>
        PERMISSIONS.map((permission) => ({ subject, permission, scope })),
      );
      const { decisions } = await world.newEngine().checkMany(requests, instant);
      for (const [position, { permission, scope }] of requests.entries()) {
        const isAllowed = decisions[position]?.allowed === true;
        counts[isAllowed ? 'allowed' : 'refused'] += 1;
        if (isAllowed) allowed.add(key(subject, permission, scope));
      }
    }
  });

  test('action search', async () => {
    let turn = 0;
    for (const subject of there.subjects) {
      for (const scope of there.scopes) {
        const limit = limits[turn++ % limits.length];
        const found = await walk(
          (page) => lists.listPermissions(subject, scope, { ...page, ...instant }),
          limit,
        );
        const expected = PERMISSIONS.filter((permission) => allowed.has(key(subject, permission, scope)));
        expect([...found].sort(), `${subject} at ${scope}`).toEqual([...expected].sort());
      }
    }
  });

  test('resource search', async () => {
    let turn = 0;
    for (const subject of there.subjects) {
      for (const permission of PERMISSIONS) {
        for (const type of [undefined, turn % 2 === 0 ? 'device' : 'location']) {
          const limit = limits[turn++ % limits.length];
          const options = { ...instant, ...(type === undefined ? {} : { type }) };
          const found = await walk(
            (page) => lists.listScopes(subject, permission, { ...page, ...options }),
            limit,
          );
          const expected = there.scopes.filter(
            (scope) =>
              allowed.has(key(subject, permission, scope)) &&
              (type === undefined || scope.startsWith(`${type}:`)),
          );
          expect([...found].sort(), `${subject} for ${permission}, ${type}`).toEqual([...expected].sort());
        }
      }
    }
  });

  test('subject search', async () => {
    let turn = 0;
    const types = [undefined, ...new Set(there.subjects.map((ref) => ref.split(':', 1)[0]))];
    for (const permission of PERMISSIONS) {
      for (const scope of there.scopes) {
        const type = types[turn % types.length];
        const limit = limits[turn++ % limits.length];
        const options = { ...instant, ...(type === undefined ? {} : { type }) };
        const found = await walk(
          (page) => lists.listSubjects(permission, scope, { ...page, ...options }),
          limit,
        );
        const expected = there.subjects.filter(
          (subject) =>
            allowed.has(key(subject, permission, scope)) &&
            (type === undefined || subject.startsWith(`${type}:`)),
        );
        expect([...found].sort(), `${permission} at ${scope}, ${type}`).toEqual([...expected].sort());
      }
    }
  });
});
