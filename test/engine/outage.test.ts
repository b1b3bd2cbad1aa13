import { describe, expect, test } from 'vitest';
import { groupAttribute } from '../../table/decision/attributes.ts';
import { GatehouseError } from '../../table/errors.ts';
import { formatRef } from '../../table/identifiers.ts';
import { decisionKey } from '../../table/keys.ts';
import { createSchool, GRANTED, PLACE, REVOKED, userRef } from './fake-table.ts';

/** While DynamoDB is down, checks fail, unless an operator has configured stale-if-error. */
const down = () => new GatehouseError('transient', 'BatchGetItem did not get an answer in time');
const [TTL, OUTAGE] = [60_000, 600_000];
const ann = formatRef(userRef(0));
const bob = formatRef(userRef(1));
const place = formatRef(PLACE);

/** A school of which everything has been read, and then the time-to-live has gone by. */
async function expired(options: { outageTtlMs?: number } = { outageTtlMs: OUTAGE }) {
  const school = createSchool();
  const isStale: boolean[] = [];
  const engine = school.newEngine({ ttlMs: TTL, observe: (seen) => isStale.push(seen.isStale), ...options });
  const readAt = school.clock.now();
  await school.ask(engine);
  school.clock.advance(TTL);
  school.hold();
  /** Asks; the read that this takes fails so. */
  const askInVain = (n: number, failure: Error = down()) => {
    const answer = school.ask(engine, n);
    school.reads.at(-1)?.fail(failure);
    return answer;
  };
  /** Asks for a decision with what is told of it; the read that this takes fails. */
  const decideInVain = async (at?: number) => {
    const reading = school.reads.length;
    const answer = engine.checkMany([{ subject: ann, permission: 'dashboard', scope: place, at }]);
    school.reads[reading]?.fail(down());
    return answer;
  };
  return { ...school, engine, readAt, isStale, askInVain, decideInVain };
}

test('without stale-if-error every check fails after the time-to-live', async () => {
  const { askInVain } = await expired({});
  await expect(askInVain(0)).rejects.toMatchObject({ code: 'transient' });
});

describe('with stale-if-error', () => {
  test.each(['transient', 'throttled'] as const)(
    'what is known answers when the read is %s, and is told of as stale',
    async (code) => {
      const { askInVain, isStale } = await expired();
      expect(await askInVain(0, new GatehouseError(code, 'no'))).toEqual({ allowed: true, reason: 'role' });
      expect(isStale).toEqual([false, true]);
    },
  );

  test.each(['contended', 'internal', 'damaged_item', 'stale'] as const)(
    '%s is no outage: closed, and the next check reads',
    async (code) => {
      const { askInVain, reads } = await expired();
      await expect(askInVain(0, new GatehouseError(code, 'no'))).rejects.toMatchObject({ code });
      const before = reads.length;
      await expect(askInVain(0)).resolves.toMatchObject({ allowed: true });
      expect(reads).toHaveLength(before + 1);
    },
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

  test('a subject that is not cached is never allowed', async () => {
    const { askInVain } = await expired();
    await expect(askInVain(1)).rejects.toMatchObject({ code: 'transient' });
  });

  test('it ends: items older than its bound are not used', async () => {
    const { askInVain, clock } = await expired();
    clock.advance(OUTAGE - TTL - 1);
    expect(await askInVain(0)).toMatchObject({ allowed: true });
    clock.advance(1);
    await expect(askInVain(0)).rejects.toMatchObject({ code: 'transient' });
  });

  test('for one second after a failure, cached items are used without another read', async () => {
    const { askInVain, ask, engine, reads, clock } = await expired();
    await askInVain(0);
    const before = reads.length;
    clock.advance(999);
    expect(await ask(engine)).toMatchObject({ allowed: true });
    expect(reads).toHaveLength(before);
    clock.advance(1);
    expect(await askInVain(0)).toMatchObject({ allowed: true });
    expect(reads).toHaveLength(before + 1);
  });

  test('as soon as DynamoDB responds again, the table is read', async () => {
    const { askInVain, ask, engine, clock, putUser, letGo } = await expired();
    await askInVain(0);
    putUser(0, REVOKED);
    letGo();
    clock.advance(1_000);
    expect(await ask(engine)).toEqual({ allowed: false, reason: 'no_grant' });
  });

  test('while DynamoDB responds, nothing older than the time-to-live is used', async () => {
    const { ask, engine, putUser, letGo } = await expired();
    putUser(0, REVOKED);
    letGo();
    expect(await ask(engine)).toEqual({ allowed: false, reason: 'no_grant' });
  });

  test.each([['strong'], [{ atLeast: 'gh1.1' }]] as const)(
    'who asks for more than cached is not served from it: %j',
    async (consistency) => {
      const { engine, reads, askInVain } = await expired();
      await askInVain(0);
      const answer = engine.check(ann, 'dashboard', place, { consistency });
      reads.at(-1)?.fail(down());
      await expect(answer).rejects.toMatchObject({ code: 'transient' });
    },
  );

  test('states of different times are not combined', async () => {
    const { engine, ask, askInVain, clock, putUser, letGo, hold } = await expired();
    // Bob became a teacher long after the school was read; nothing tells whether it was still so by then.
    clock.advance(TTL);
    putUser(1, { ...GRANTED, writtenAt: clock.now() });
    letGo();
    const elsewhere = 'location:01J8Z0E2Z8D2A3J7A7Y2HZ0000';
    await engine.effectiveRoles(bob, elsewhere);
    await engine.effectiveRoles(bob, elsewhere, { consistency: 'strong' });
    hold();
    clock.advance(TTL);
    await expect(askInVain(1)).rejects.toMatchObject({ code: 'transient' });
    expect(await ask(engine, 0)).toMatchObject({ allowed: true });
  });
});

describe('a decision made during an outage', () => {
  test('may be cached until the next attempt, however late within the second it was made', async () => {
    const { decideInVain, clock } = await expired();
    const nextTry = clock.now() + 1_000;
    expect(await decideInVain()).toMatchObject({ isStale: true, expiresAt: nextTry });
    clock.advance(999);
    expect(await decideInVain()).toMatchObject({ isStale: true, expiresAt: nextTry });
  });

  test('ends with the stale-if-error bound if that is earlier', async () => {
    const { decideInVain, clock, readAt } = await expired();
    const end = readAt + OUTAGE;
    expect((await decideInVain()).staleUntil).toBe(end);
    clock.advance(OUTAGE - TTL - 1);
    expect(await decideInVain()).toMatchObject({ isStale: true, expiresAt: end, staleUntil: end });
  });

  test('ends when a validity in it begins or ends, as always', async () => {
    const { newEngine, clock, hold, reads, put } = createSchool();
    const end = clock.now() + TTL + 400;
    put(decisionKey(userRef(0)), { ...GRANTED, endsAt: new Date(end).toISOString() });
    const engine = newEngine({ ttlMs: TTL, outageTtlMs: OUTAGE });
    await engine.check(ann, 'dashboard', place);
    clock.advance(TTL);
    hold();
    const answer = engine.checkMany([{ subject: ann, permission: 'dashboard', scope: place }]);
    reads.at(-1)?.fail(down());
    expect(await answer).toMatchObject({ isStale: true, expiresAt: end, staleUntil: end, validUntil: end });
  });

  test('is reported as fresh if its items are fresh, and then ends with the time-to-live', async () => {
    const { newEngine, clock, ask, hold, reads, put, putUser } = createSchool();
    putUser(1, GRANTED);
    const engine = newEngine({ ttlMs: TTL, outageTtlMs: OUTAGE });
    await ask(engine, 0);
    clock.advance(TTL);
    await ask(engine, 1);
    const end = clock.now() + TTL;
    put(decisionKey(PLACE), { status: 'active', [groupAttribute('teachers')]: new Set(['teacher']) });
    hold();
    const failing = ask(engine, 0);
    reads.at(-1)?.fail(down());
    expect(await failing).toMatchObject({ allowed: true });
    const fresh = await engine.checkMany([{ subject: bob, permission: 'dashboard', scope: place }]);
    expect(fresh).toMatchObject({ isStale: false, expiresAt: end });
  });

  test('a session based on it ends with the next attempt', async () => {
    const { engine, reads, clock } = await expired();
    const opening = engine.session(ann, place, { permissions: ['dashboard'] });
    reads.at(-1)?.fail(down());
    const session = await opening;
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
