import { describe, expect, test } from 'vitest';
import type { Engine } from '../../engine/index.ts';
import { groupAttribute } from '../../table/decision/attributes.ts';
import { formatRef, type Ref } from '../../table/identifiers.ts';
import { decisionKey } from '../../table/keys.ts';
import { createSchool, ELSEWHERE, GRANTED, REVOKED, userRef } from './fake-table.ts';

/** Concurrent checks that miss the cache share reads in flight. */
const times = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));

describe('a hundred checks at once', () => {
  test('of one user make one read', async () => {
    const { reads, newEngine, ask } = createSchool();
    const engine = newEngine();
    const answers = await Promise.all(times(100, () => ask(engine)));
    expect(answers.every(({ allowed }) => allowed)).toBe(true);
    expect(reads.map(({ keys }) => keys.length)).toEqual([5]);
  });

  test('of a hundred users of one scope read no key twice', async () => {
    const { reads, newEngine, ask, putUser } = createSchool();
    for (let n = 0; n < 100; n++) putUser(n, n % 2 === 0 ? GRANTED : REVOKED);
    const engine = newEngine();
    const answers = await Promise.all(times(100, (n) => ask(engine, n)));
    expect(answers.map(({ allowed }) => allowed)).toEqual(times(100, (n) => n % 2 === 0));
    const keys = reads.flatMap((read) => read.keys);
    expect(keys).toHaveLength(104);
    expect(new Set(keys).size).toBe(104);
  });

  test('at a time-to-live of 0 share what is read in the same instant', async () => {
    const { reads, newEngine, ask } = createSchool();
    const engine = newEngine({ ttlMs: 0 });
    await Promise.all(times(100, () => ask(engine)));
    expect(reads).toHaveLength(1);
  });
});

test('a check joins keys in flight and reads only the rest', async () => {
  const { reads, newEngine, ask, hold, putUser } = createSchool();
  putUser(1, GRANTED);
  hold();
  const engine = newEngine();
  const first = ask(engine, 0);
  const second = ask(engine, 1);
  expect(reads[1]?.keys).toEqual([`USER#${userRef(1).id} / DECISION`]);
  reads[1]?.answer();
  reads[0]?.answer();
  expect(await first).toMatchObject({ allowed: true });
  expect(await second).toMatchObject({ allowed: true });
});

test('items that have arrived serve the next check before the rest arrives', async () => {
  const { reads, newEngine, ask, hold } = createSchool();
  const engine = newEngine();
  await ask(engine, 0);
  hold();
  const waiting = ask(engine, 1);
  expect(await ask(engine, 0)).toMatchObject({ allowed: true });
  reads[1]?.answer();
  expect(await waiting).toMatchObject({ reason: 'subject_unknown' });
});

describe('a slow read', () => {
  test('that began longer ago than the time-to-live is not joined', async () => {
    const { clock, reads, newEngine, ask, hold, putUser } = createSchool();
    const engine = newEngine({ ttlMs: 1_000 });
    hold();
    const early = ask(engine);
    clock.advance(999);
    const inTime = ask(engine);
    expect(reads).toHaveLength(1);
    putUser(0, REVOKED);
    clock.advance(1);
    const late = ask(engine);
    expect(reads).toHaveLength(2);
    for (const read of reads) read.answer();
    expect((await Promise.all([early, inTime, late])).map(({ allowed }) => allowed)).toEqual([
      true,
      true,
      false,
    ]);
  });

  test.each([
    ['answers last', [1, 0]],
    ['answers first', [0, 1]],
  ])('never takes the place of what a later one brought: it %s', async (_what, order) => {
    const { clock, reads, newEngine, ask, hold, letGo, putUser } = createSchool();
    const engine = newEngine({ ttlMs: 1_000 });
    hold();
    const early = ask(engine);
    clock.advance(1_000);
    putUser(0, { ...REVOKED, writtenAt: clock.now() });
    const late = ask(engine);
    // What was written just now is read once more: that is answered at once.
    letGo();
    for (const number of order) {
      reads[number]?.answer();
      expect(await (number === 0 ? early : late)).toMatchObject({ allowed: number === 0 });
    }
    const before = reads.length;
    expect(await ask(engine)).toEqual({ allowed: false, reason: 'no_grant' });
    expect(reads).toHaveLength(before);
  });

  test('that ends does not hide a later one that is still in flight', async () => {
    const { clock, reads, newEngine, ask, hold } = createSchool();
    const engine = newEngine({ ttlMs: 1_000 });
    hold();
    const early = ask(engine);
    clock.advance(1_000);
    const late = ask(engine);
    reads[0]?.answer();
    await early;
    const joining = ask(engine);
    expect(reads).toHaveLength(2);
    reads[1]?.answer();
    expect(await Promise.all([late, joining])).toMatchObject([{ allowed: true }, { allowed: true }]);
  });
});

describe('a check in flight answers from what it read,', () => {
  /** A place below one that nobody has asked about: a check there needs a second read. */
  function nested() {
    const school = createSchool();
    const below: Ref = { type: 'location', id: '01J8Z0E2Z8D2A3J7A7Y2H9GQ9C' };
    school.put(decisionKey(below), { status: 'active', ancestors: [formatRef(ELSEWHERE)] });
    school.put(decisionKey(ELSEWHERE), {
      status: 'active',
      [groupAttribute('teachers')]: new Set(['teacher']),
    });
    const askBelow = (engine: Engine) => engine.check(formatRef(userRef(0)), 'dashboard', formatRef(below));
    return { ...school, askBelow };
  }
  const ABOVE = [`LOCATION#${ELSEWHERE.id} / DECISION#PAGE#dashboard`, `LOCATION#${ELSEWHERE.id} / DECISION`];
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  test('though its entries expire before its second read has come', async () => {
    const { clock, reads, newEngine, askBelow, hold } = nested();
    const engine = newEngine({ ttlMs: 10 });
    hold();
    const answer = askBelow(engine);
    clock.advance(50);
    reads[0]?.answer();
    await settled();
    clock.advance(50);
    reads[1]?.answer();
    expect(await answer).toMatchObject({ allowed: true });
    expect(reads.map(({ keys }) => keys.length)).toEqual([5, 2]);
  });

  test('and what it found in the cache, even if that is evicted in the meantime', async () => {
    const { reads, newEngine, ask, askBelow, hold, letGo, putUser } = nested();
    const own = `USER#${userRef(0).id} / DECISION`;
    const engine = newEngine({ maxBytes: 8_000 });
    await ask(engine);
    hold();
    const answer = askBelow(engine);
    const read = reads.at(-1);
    expect(read?.keys).not.toContain(own);
    letGo();
    // Users so large that nothing else stays beside one.
    for (const n of [1, 2]) {
      putUser(n, { status: 'active', groups: new Set(times(320, (group) => `group-${100 + group}`)) });
      await ask(engine, n);
    }
    read?.answer();
    expect(await answer).toMatchObject({ allowed: true });
    const keys = reads.at(-1)?.keys ?? [];
    expect(keys).toEqual(expect.arrayContaining([...ABOVE, own]));
  });
});
