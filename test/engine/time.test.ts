import { describe, expect, test } from 'vitest';
import { formatRef, type Ref } from '../../table/identifiers.ts';
import { decisionKey } from '../../table/keys.ts';
import { until } from '../support/eventually.ts';
import { createSchool, GRANTED, PAGE, PLACE, REVOKED, userRef } from './fake-table.ts';

const TTL = 60_000;

/** Age is looked at when the answer is given, by a clock that may be set back and in a process that may stand still. */
describe('a process that stood still between question and answer', () => {
  test('does not answer with what was at hand when it was asked', async () => {
    const { newEngine, ask, clock, hold, letGo, reads, putUser } = createSchool();
    const engine = newEngine({ ttlMs: TTL });
    putUser(1, REVOKED);
    // The place, the page, what holds everywhere.
    await ask(engine, 1);
    clock.advance(TTL - 1);
    putUser(0, GRANTED);
    hold();
    const answer = ask(engine, 0);
    clock.advance(3_600_000);
    putUser(0, { ...REVOKED, writeId: 'revoked' });
    letGo();
    reads.at(-1)?.answer();
    expect(await answer).toEqual({ allowed: false, reason: 'no_grant' });
  });

  test('does not answer one of many with what was at hand before the others were read', async () => {
    const { newEngine, ask, clock, hold, letGo, reads, putUser } = createSchool();
    const engine = newEngine({ ttlMs: TTL });
    await ask(engine, 0);
    clock.advance(TTL - 1);
    hold();
    const requests = [0, 1].map((n) => ({
      subject: formatRef(userRef(n)),
      permission: PAGE.id,
      scope: formatRef(PLACE),
    }));
    const answer = engine.checkMany(requests);
    clock.advance(3_600_000);
    putUser(0, { ...REVOKED, writeId: 'revoked' });
    letGo();
    reads.at(-1)?.answer();
    expect((await answer).decisions[0]).toEqual({ allowed: false, reason: 'no_grant' });
  });

  test('may answer with what the question itself has read, for as long as a read may take', async () => {
    const { newEngine, ask, clock, hold, reads } = createSchool();
    const engine = newEngine({ ttlMs: 0 });
    hold();
    const answer = ask(engine, 0);
    clock.advance(2_900);
    reads.at(-1)?.answer();
    expect(await answer).toMatchObject({ allowed: true });
    expect(reads).toHaveLength(1);
  });

  test('does not answer with what the question itself has read, when that took as long as the time-to-live', async () => {
    const { newEngine, ask, clock, hold, letGo, reads, putUser } = createSchool();
    const engine = newEngine({ ttlMs: TTL });
    hold();
    const answer = ask(engine, 0);
    clock.advance(TTL);
    putUser(0, REVOKED);
    letGo();
    reads[0]?.answer();
    expect(await answer).toEqual({ allowed: false, reason: 'no_grant' });
  });
});

describe('a clock that is set back', () => {
  test('does not lengthen the time-to-live, though nobody asked in between', async () => {
    const { newEngine, ask, clock, putUser } = createSchool();
    const engine = newEngine({ ttlMs: TTL });
    await ask(engine, 0);
    putUser(0, { ...REVOKED, writeId: 'revoked' });
    clock.advance(55_000);
    clock.advance(-54_000);
    clock.advance(58_000);
    expect(await ask(engine, 0)).toMatchObject({ allowed: false });
  });

  test('is noticed at the next question where there is no second clock', async () => {
    const { newEngine, ask, clock, putUser } = createSchool();
    const engine = newEngine({ ttlMs: TTL, clock: { now: clock.now } });
    await ask(engine, 0);
    putUser(0, { ...REVOKED, writeId: 'revoked' });
    clock.advance(55_000);
    expect(await ask(engine, 0)).toMatchObject({ allowed: true });
    clock.advance(-54_000);
    expect(await ask(engine, 0)).toMatchObject({ allowed: false });
  });

  test('does not lengthen what a read brings that began before it', async () => {
    const { newEngine, clock, hold, letGo, reads } = createSchool();
    const engine = newEngine({ ttlMs: TTL });
    hold();
    const request = { subject: formatRef(userRef(0)), permission: PAGE.id, scope: formatRef(PLACE) };
    const answer = engine.checkMany([request], { consistency: 'strong' });
    clock.advance(-54_000);
    letGo();
    reads.at(-1)?.answer();
    expect((await answer).expiresAt).toBeLessThanOrEqual(clock.now() + TTL);
  });

  test.each([
    ['at once', 0],
    ['once the clock shows the same again', 12_000],
  ])('does not let in what a read brings that began before it: %s', async (_, laterMs) => {
    const { newEngine, ask, clock, hold, letGo, reads, putUser } = createSchool();
    const engine = newEngine({ ttlMs: TTL });
    hold();
    const answer = ask(engine, 0);
    clock.advance(-10_000);
    clock.advance(laterMs);
    putUser(0, { ...REVOKED, writeId: 'revoked' });
    letGo();
    reads.at(-1)?.answer();
    expect(await answer).toMatchObject({ allowed: false });
    expect(await ask(engine, 0)).toMatchObject({ allowed: false });
  });

  test('does not let a question wait for the time that was: what its first read brought is read again', async () => {
    const { newEngine, clock, hold, letGo, reads, put } = createSchool();
    const below: Ref = { type: 'location', id: '01J8Z0E2Z8D2A3J7A7Y2H9GQ9C' };
    put(decisionKey(below), { status: 'active', ancestors: [formatRef(PLACE)] });
    const engine = newEngine({ ttlMs: TTL });
    hold();
    const answer = engine.check(formatRef(userRef(0)), 'dashboard', formatRef(below));
    reads[0]?.answer();
    await until(() => reads.length === 2);
    clock.advance(-7_200_000);
    const setBackTo = clock.now();
    letGo();
    reads[1]?.answer();
    expect(await answer).toMatchObject({ allowed: true });
    // Whoever waits lets the clock go on; as the items were just written now, a tick or two are needed.
    expect(clock.now() - setBackTo).toBeLessThan(10);
    const again = reads.slice(2).flatMap(({ keys }) => keys);
    expect(again).toEqual(expect.arrayContaining([...(reads[0]?.keys ?? [])]));
  });

  test('ends what one read at one instant brought before it: that is read again', async () => {
    const { newEngine, clock, hold, letGo, reads, putUser } = createSchool();
    const engine = newEngine({ ttlMs: TTL });
    const request = { subject: formatRef(userRef(0)), permission: 'dashboard', scope: formatRef(PLACE) };
    hold();
    const answer = engine.checkMany([request], { consistency: 'strong' });
    clock.advance(-3_600_000);
    putUser(0, { ...REVOKED, writeId: 'revoked' });
    letGo();
    reads[0]?.answer();
    expect(await answer).toMatchObject({
      decisions: [{ allowed: false, reason: 'no_grant' }],
      expiresAt: clock.now() + TTL,
    });
  });
});
