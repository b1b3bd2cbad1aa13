import { describe, expect, test } from 'vitest';
import { formatRef, type Ref } from '../../table/identifiers.ts';
import { decisionKey } from '../../table/keys.ts';
import { until } from '../support/eventually.ts';
import { createSchool, PLACE, userRef } from './fake-table.ts';
import { timelines } from './timeline.ts';

/** Age is looked at when the answer is given, by a clock that may be set back and in a process that may stand still. */
describe('a process that stood still between question and answer', () => {
  timelines(`
  does not answer with what was at hand when it was asked: the place, the page, what holds everywhere
    revoke 1 · ask 1 → no_grant · later 59_999 · grant 0 · hold · begin 0 · later 3_600_000
    revoke 0 · let go · answer · ends → no_grant
  does not answer one of many with what was at hand before the others were read
    ask 0 → role · later 59_999 · hold · begin 0 1 · later 3_600_000
    revoke 0 · let go · answer · ends → no_grant subject_unknown
  may answer with what the question itself has read, for as long as a read may take
    ttl 0 · hold · begin 0 · later 2_900 · answer · ends → role · reads → 5
  does not answer with what the question itself has read, when that took as long as the time-to-live
    hold · begin 0 · later 60_000 · revoke 0 · let go · answer · ends → no_grant
`);
});

describe('a clock that is set back', () => {
  timelines(`
  does not lengthen the time-to-live, though nobody asked in between
    ask 0 → role · revoke 0 · later 55_000 · back 54_000 · later 58_000 · ask 0 → no_grant
  is noticed at the next question where there is no second clock
    one clock · ask 0 → role · revoke 0 · later 55_000 · ask 0 → role · back 54_000 · ask 0 → no_grant
  does not let in what a read brings that began before it
    hold · begin 0 · back 10_000 · revoke 0 · let go · answer · ends → no_grant · ask 0 → no_grant
  does not let it in either once the clock shows the same again
    hold · begin 0 · back 10_000 · later 12_000 · revoke 0 · let go · answer · ends → no_grant · ask 0 → no_grant
  ends what one read at one instant brought before it: that is read again, and lives no longer for it
    hold · begin 0 strong · back 3_600_000 · revoke 0 · let go · answer · ends → no_grant · expires → 60_000
`);

  test('does not let a question wait for the time that was: what its first read brought is read again', async () => {
    const { newEngine, clock, hold, letGo, reads, put } = createSchool();
    const below: Ref = { type: 'location', id: '01J8Z0E2Z8D2A3J7A7Y2H9GQ9C' };
    put(decisionKey(below), { status: 'active', ancestors: [formatRef(PLACE)] });
    const engine = newEngine();
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
});
