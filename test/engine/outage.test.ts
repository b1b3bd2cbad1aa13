import { describe, expect, test } from 'vitest';
import { GatehouseError } from '../../table/errors.ts';
import { formatRef } from '../../table/identifiers.ts';
import { createSchool, GRANTED, PLACE, userRef } from './fake-table.ts';
import { play, timelines } from './timeline.ts';

/** While DynamoDB is down, checks fail, unless an operator has configured stale-if-error. */
const [TTL, OUTAGE] = [60_000, 600_000];
/** Everything has been read, and then the time-to-live has gone by. */
const EXPIRED = `outage ${OUTAGE} · ask 0 → role · later ${TTL} · hold · `;

test('without stale-if-error every check fails after the time-to-live', () =>
  play('ask 0 → role · later 60_000 · hold · ask 0 in vain → transient'));

describe('with stale-if-error', () => {
  test.each(['transient', 'throttled'])('what is known answers when the read is %s, as stale', (code) =>
    play(`${EXPIRED} ask 0 in vain ${code} → role · stale`),
  );

  test.each(['contended', 'internal', 'damaged_item', 'stale'])(
    '%s is no outage: closed, and the next check reads',
    (code) => play(`${EXPIRED} ask 0 in vain ${code} → ${code} · ask 0 in vain → role · reads → 5 5 5`),
  );

  test('contention is not an outage: the check fails with its own code', async () => {
    const school = createSchool();
    let users = 0;
    const getMany: typeof school.getMany = async (keys, notes) => {
      // Each read takes a while, and meanwhile its user is written again.
      school.clock.advance(10);
      school.putUser(0, { ...GRANTED, writtenAt: school.clock.now(), writeId: `write ${++users}` });
      const items = await school.getMany(keys, notes);
      school.clock.advance(10);
      return items;
    };
    const reader = { getMany, getSnapshot: getMany };
    const engine = school.newEngine({ reader, ttlMs: TTL, outageTtlMs: OUTAGE });
    await expect(school.ask(engine)).rejects.toMatchObject({ code: 'contended' });
    expect(users).toBeGreaterThan(2);
  });

  timelines(
    `
  a subject that is not cached is never allowed
    ask 1 in vain → transient
  it ends: items older than its bound are not used
    later 539_999 · ask 0 in vain → role · later 1 · ask 0 in vain → transient
  for one second after a failure, cached items are used without another read
    ask 0 in vain → role · later 999 · ask 0 → role · reads → 5 5 · later 1 · ask 0 in vain → role · reads → 5 5 5
  as soon as DynamoDB responds again, the table is read
    ask 0 in vain → role · revoke 0 · let go · later 1_000 · ask 0 → no_grant
  while DynamoDB responds, nothing older than the time-to-live is used
    revoke 0 · let go · ask 0 → no_grant
  who asks for more than cached is not served from it
    ask 0 in vain → role · ask 0 strong in vain → transient · ask 0 since -3_600_000 in vain → transient
  states of different times are not combined: a user became a teacher later, and nothing tells whether the place was as it is
    later 60_000 · grant 1 now · let go · ask 1 elsewhere → scope_unknown · ask 1 elsewhere strong → scope_unknown
    hold · later 60_000 · ask 1 in vain → transient · ask 0 → role
`,
    EXPIRED,
  );
});

describe('a decision made during an outage', () => {
  timelines(
    `
  may be cached until the next attempt, however late within the second it was made
    ask 0 in vain → role · stale · expires → 1_000 · later 999 · ask 0 → role · stale · expires → 1
  ends with the stale-if-error bound if that is earlier
    ask 0 in vain → role · stale until → 540_000
    later 539_999 · ask 0 in vain → role · stale · expires → 1 · stale until → 1
`,
    EXPIRED,
  );
  timelines(`
  ends when a validity in it begins or ends, as always
    outage 600_000 · grant 0 for 60_400 · ask 0 → role · later 60_000 · hold
    ask 0 in vain → role · stale · expires → 400 · stale until → 400 · valid → 400
  is reported as fresh if its items are fresh, and then ends with the time-to-live
    outage 600_000 · grant 1 · ask 0 → role · later 60_000 · ask 1 → role · hold · ask 0 in vain → role
    ask 1 → role · fresh · expires → 60_000
`);

  test('is observed as stale, and a session based on it ends with the next attempt', async () => {
    const { newEngine, clock, ask, hold, reads } = createSchool();
    const isStale: boolean[] = [];
    const engine = newEngine({ outageTtlMs: OUTAGE, observe: (seen) => isStale.push(seen.isStale) });
    await ask(engine);
    clock.advance(TTL);
    hold();
    const opening = engine.session(formatRef(userRef(0)), formatRef(PLACE), { permissions: ['dashboard'] });
    reads.at(-1)?.fail(new GatehouseError('transient', 'BatchGetItem did not get an answer in time'));
    const session = await opening;
    expect(isStale).toEqual([false, true]);
    expect(session.expiresAt).toBe(clock.now() + 1_000);
    clock.advance(999);
    expect(session.can('dashboard')).toBe(true);
    clock.advance(1);
    expect(session.can('dashboard')).toBe(false);
  });
});

test.each([-1, Number.NaN, Number.POSITIVE_INFINITY, 86_400_001])(
  'a stale-if-error bound of %s is refused',
  (outageTtlMs) => {
    expect(() => createSchool().newEngine({ outageTtlMs })).toThrowError(
      expect.objectContaining({ code: 'invalid', field: 'outageTtlMs' }),
    );
  },
);
