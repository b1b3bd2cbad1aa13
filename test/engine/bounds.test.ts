import { describe, expect, test } from 'vitest';
import { createSchool, GRANTED, REVOKED } from './fake-table.ts';

/** The cache is bounded in bytes. What does not fit is read again; it is never answered wrongly. */
const USERS = 500;

function manyUsers() {
  const school = createSchool();
  for (let n = 0; n < USERS; n++) school.putUser(n, n % 3 === 0 ? GRANTED : REVOKED);
  return school;
}
const numbers = (from: number, until: number) => Array.from({ length: until - from }, (_, n) => from + n);
const isTeacher = (n: number) => n % 3 === 0;

/** How many of so many users the engine answers for without reading: each that it does read is one read. */
async function countCached(
  { reads, ask }: ReturnType<typeof createSchool>,
  engine: Parameters<typeof ask>[0],
  users: readonly number[],
): Promise<number> {
  let cached = 0;
  // From the last to the first, so that whom the asking drives out has been counted.
  for (const n of users.toReversed()) {
    const before = reads.length;
    await ask(engine, n);
    if (reads.length === before) cached += 1;
  }
  return cached;
}

describe('many users', () => {
  test.each([600, 20_000, 1_000_000])(
    'in %i bytes are answered right, one after the other and at once',
    async (maxBytes) => {
      const school = manyUsers();
      const engine = school.newEngine({ maxBytes });
      for (let round = 0; round < 2; round++) {
        for (let n = 0; n < USERS; n++) expect((await school.ask(engine, n)).allowed).toBe(isTeacher(n));
      }
      const together = await Promise.all(Array.from({ length: USERS }, (_, n) => school.ask(engine, n)));
      expect(together.map(({ allowed }) => allowed)).toEqual(together.map((_, n) => isTeacher(n)));
    },
  );

  test('fill the cache up to its bound and no further', async () => {
    const cachedIn = async (maxBytes: number) => {
      const school = manyUsers();
      const engine = school.newEngine({ maxBytes });
      for (let n = 0; n < USERS; n++) await school.ask(engine, n);
      return countCached(school, engine, numbers(0, USERS));
    };
    // An entry of these is estimated at about 700 bytes, with room for its memo.
    const few = await cachedIn(30_000);
    expect(few).toBeGreaterThan(25);
    expect(few).toBeLessThan(70);
    expect(await cachedIn(60_000)).toBeGreaterThan(1.7 * few);
    expect(await cachedIn(10_000_000)).toBe(USERS);
  });

  test('frequent users stay cached; users seen once are evicted first', async () => {
    const school = manyUsers();
    const engine = school.newEngine({ maxBytes: 30_000 });
    for (let n = 1; n < USERS; n++) {
      await school.ask(engine, n);
      await school.ask(engine, 0);
    }
    expect(await countCached(school, engine, [0])).toBe(1);
    expect(await countCached(school, engine, [1])).toBe(0);
    expect(school.reads.filter(({ keys }) => keys.length > 1)).toHaveLength(1);
  });
});

test('unlimited unknown names take no more room than the bound', async () => {
  const school = createSchool();
  const engine = school.newEngine({ maxBytes: 10_000 });
  for (let n = 1; n < 500; n++)
    expect(await school.ask(engine, n)).toMatchObject({ reason: 'subject_unknown' });
  expect(await countCached(school, engine, numbers(1, 500))).toBeLessThan(50);
  // The policy side was in use all the time and was read once.
  expect(school.reads.filter(({ keys }) => keys.length > 1)).toHaveLength(1);
});

test('an item larger than the whole cache is used, and read each time', async () => {
  const school = createSchool();
  const groups = new Set([...Array.from({ length: 1_000 }, (_, n) => `group-${n}`), 'teachers']);
  school.putUser(0, { status: 'active', groups });
  const engine = school.newEngine({ maxBytes: 10_000 });
  expect(await school.ask(engine)).toMatchObject({ allowed: true });
  expect(await school.ask(engine)).toMatchObject({ allowed: true });
  expect(school.reads.map(({ keys }) => keys.length)).toEqual([5, 1]);
});
