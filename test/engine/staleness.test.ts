import { describe, expect, test } from 'vitest';
import { DEFAULT_TTL_MS } from '../../engine/index.ts';
import * as fc from '../support/fast-check.ts';
import { createSchool, REVOKED } from './fake-table.ts';
import { timelines } from './timeline.ts';

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

  test('is a minute unless it is set', () => expect(DEFAULT_TTL_MS).toBe(60_000));

  timelines(`
  is used where it is not set
    ask 0 → role · later 59_999 · ask 0 → role · reads → 5 · later 1 · ask 0 → role · reads → 5 5
  is not extended by frequent checks
    ttl 1_000 · ask 0 → role · revoke 0 · later 500 · ask 0 → role · later 499 · ask 0 → role · later 1 · ask 0 → no_grant
  counts from the start of the read, however long the read took
    ttl 1_000 · hold · begin 0 · later 900 · revoke 0 · answer · ends → role · later 100 · begin 0 · answer · ends → no_grant
`);
});

timelines(`
  with a time-to-live of 0 every check reads, and sees every write
    ttl 0 · ask 0 → role · revoke 0 · ask 0 → no_grant · grant 0 · ask 0 → role · revoke 0 · ask 0 → no_grant · reads → 5 5 5 5
  an item edited by hand without a new stamp is seen after the time-to-live
    grant 0 as w · ask 0 → role · revoke 0 as w · later 60_000 · ask 0 → no_grant
`);
