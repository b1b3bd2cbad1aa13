import { describe, expect, test } from 'vitest';
import type { Engine } from '../../engine/index.ts';
import { groupAttribute } from '../../table/decision/attributes.ts';
import { formatRef, type Ref } from '../../table/identifiers.ts';
import { decisionKey } from '../../table/keys.ts';
import { createSchool, ELSEWHERE, userRef } from './fake-table.ts';
import { timelines } from './timeline.ts';

/** Concurrent checks that miss the cache share reads in flight. */
const times = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));

timelines(`
  checks of one user at once make one read
    hold · begin 0 · begin 0 · begin 0 · reads → 5 · answer · ends → role · ends → role · ends → role
  at a time-to-live of 0 they share what is read in the same instant
    ttl 0 · hold · begin 0 · begin 0 · reads → 5 · answer · ends → role · ends → role
  a slow read that began longer ago than the time-to-live is not joined
    ttl 1_000 · hold · begin 0 · later 999 · begin 0 · reads → 5 · revoke 0 · later 1 · begin 0 · reads → 5 5
    answer 0 · answer 1 · ends → role · ends → role · ends → no_grant
`);

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
