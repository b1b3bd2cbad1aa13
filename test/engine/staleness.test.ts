import { describe, expect, test } from 'vitest';
import { DEFAULT_TTL_MS } from '../../engine/index.ts';
import * as fc from '../support/fast-check.ts';
import { createSchool, GRANTED, REVOKED } from './fake-table.ts';

/** A decision is never older than the time-to-live, measured from the start of its read. */
describe('the bound on staleness', () => {
  const ttl = fc.integer({ min: 1, max: 100_000 });
  const share = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

  test('holds for any jitter: after it, everything is read again', async () => {
    await fc.assert(
      fc.asyncProperty(ttl, share, fc.nat({ max: 10_000 }), async (ttlMs, jitter, later) => {
        const { clock, reads, newEngine, ask, putUser } = createSchool();
        const engine = newEngine({ ttlMs, random: () => jitter });
        expect(await ask(engine)).toMatchObject({ allowed: true });
        putUser(0, REVOKED);
        clock.advance(ttlMs + later);
        expect(await ask(engine)).toEqual({ allowed: false, reason: 'no_grant' });
        expect(reads.map(({ keys }) => keys.length)).toEqual([5, 5]);
      }),
    );
  });

  test('is shortened by jitter by at most a tenth: before that nothing is read again', async () => {
    await fc.assert(
      fc.asyncProperty(ttl, share, share, async (ttlMs, jitter, part) => {
        const { clock, reads, newEngine, ask } = createSchool();
        const engine = newEngine({ ttlMs, random: () => jitter });
        await ask(engine);
        clock.advance(Math.floor(ttlMs * 0.9 * part));
        await ask(engine);
        expect(reads).toHaveLength(1);
      }),
    );
  });

  test('ends at once for items that were read together: one read renews them all', async () => {
    await fc.assert(
      fc.asyncProperty(fc.infiniteStream(share), share, async (draws, part) => {
        const { clock, reads, newEngine, ask } = createSchool();
        const engine = newEngine({ ttlMs: 100_000, random: () => draws.next().value });
        await ask(engine);
        clock.advance(Math.floor(100_000 * (0.9 + 0.1 * part)));
        await ask(engine);
        expect([[5], [5, 5]]).toContainEqual(reads.map(({ keys }) => keys.length));
      }),
    );
  });

  test('is a minute unless it is set', async () => {
    const { clock, reads, newEngine, ask } = createSchool();
    const engine = newEngine();
    await ask(engine);
    clock.advance(DEFAULT_TTL_MS - 1);
    await ask(engine);
    expect(reads).toHaveLength(1);
    clock.advance(1);
    await ask(engine);
    expect(reads).toHaveLength(2);
    expect(DEFAULT_TTL_MS).toBe(60_000);
  });

  test('is not extended by frequent checks', async () => {
    const { clock, newEngine, ask, putUser } = createSchool();
    const engine = newEngine({ ttlMs: 1_000 });
    await ask(engine);
    putUser(0, REVOKED);
    const answers = [];
    for (let i = 0; i < 10; i++) {
      clock.advance(100);
      answers.push((await ask(engine)).allowed);
    }
    expect(answers).toEqual([...Array.from({ length: 9 }, () => true), false]);
  });

  test('counts from the start of the read, however long the read took', async () => {
    const { clock, reads, newEngine, ask, putUser, hold } = createSchool();
    const engine = newEngine({ ttlMs: 1_000 });
    hold();
    const slow = ask(engine);
    clock.advance(900);
    putUser(0, REVOKED);
    reads[0]?.answer();
    expect(await slow).toMatchObject({ allowed: true });
    clock.advance(100);
    const next = ask(engine);
    reads[1]?.answer();
    expect(await next).toMatchObject({ allowed: false });
  });
});

describe('a time-to-live of 0', () => {
  test('reads for every check, and sees every write', async () => {
    const { reads, newEngine, ask, putUser } = createSchool();
    const engine = newEngine({ ttlMs: 0 });
    for (const attributes of [GRANTED, REVOKED, GRANTED, REVOKED]) {
      putUser(0, attributes);
      expect((await ask(engine)).allowed).toBe(attributes === GRANTED);
    }
    expect(reads).toHaveLength(4);
  });
});

test('an item edited by hand without a new stamp is seen after the time-to-live', async () => {
  const { newEngine, ask, clock, putUser } = createSchool();
  const engine = newEngine({ ttlMs: 60_000 });
  const stamp = { writtenAt: clock.now() - 3_600_000, writeId: 'of-a-write' };
  putUser(0, { ...GRANTED, ...stamp });
  expect(await ask(engine, 0)).toMatchObject({ allowed: true });
  putUser(0, { ...REVOKED, ...stamp });
  clock.advance(60_000);
  expect(await ask(engine, 0)).toMatchObject({ allowed: false });
});
