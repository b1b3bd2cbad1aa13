import { describe, expect, test } from 'vitest';
import { GatehouseError } from '../../table/errors.ts';
import { formatRef } from '../../table/identifiers.ts';
import { createSchool, PLACE, REVOKED, userRef } from './fake-table.ts';

/** While DynamoDB is down: closed, unless an operator has chosen a second bound. */
const down = () => new GatehouseError('transient', 'BatchGetItem did not get an answer in time');
const [TTL, OUTAGE] = [60_000, 600_000];
const ann = formatRef(userRef(0));
const place = formatRef(PLACE);

/** A school of which everything has been read, and then the time-to-live has gone by. */
async function expired(options: { outageTtlMs?: number } = { outageTtlMs: OUTAGE }) {
  const school = createSchool();
  const engine = school.newEngine({ ttlMs: TTL, ...options });
  await school.ask(engine);
  school.clock.advance(TTL);
  school.hold();
  /** Asks; the read that this takes fails so. */
  const askInVain = (n: number, failure: Error = down()) => {
    const answer = school.ask(engine, n);
    school.reads.at(-1)?.fail(failure);
    return answer;
  };
  return { ...school, engine, askInVain };
}

test('without a second bound every check fails from the time-to-live on', async () => {
  const { askInVain } = await expired({});
  await expect(askInVain(0)).rejects.toMatchObject({ code: 'transient' });
});

describe('with a second bound', () => {
  test.each(['transient', 'throttled'] as const)(
    'what is known answers when the read is %s',
    async (code) => {
      const { askInVain } = await expired();
      expect(await askInVain(0, new GatehouseError(code, 'no'))).toEqual({ allowed: true, reason: 'role' });
    },
  );

  test.each(['internal', 'damaged_item', 'stale'] as const)('%s is no outage: closed', async (code) => {
    const { askInVain } = await expired();
    await expect(askInVain(0, new GatehouseError(code, 'no'))).rejects.toMatchObject({ code });
  });

  test('nobody is let in of whom nothing is known', async () => {
    const { askInVain } = await expired();
    await expect(askInVain(1)).rejects.toMatchObject({ code: 'transient' });
  });

  test('it ends: what was read so long ago answers no more', async () => {
    const { askInVain, clock } = await expired();
    clock.advance(OUTAGE - TTL - 1);
    expect(await askInVain(0)).toMatchObject({ allowed: true });
    clock.advance(1_000);
    await expect(askInVain(0)).rejects.toMatchObject({ code: 'transient' });
  });

  test('for a second after a failure what is known answers without another read', async () => {
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

  test('as soon as DynamoDB answers again, so does the table', async () => {
    const { askInVain, ask, engine, clock, putUser, letGo } = await expired();
    await askInVain(0);
    putUser(0, REVOKED);
    letGo();
    clock.advance(1_000);
    expect(await ask(engine)).toEqual({ allowed: false, reason: 'no_grant' });
  });

  test('while DynamoDB answers nothing older than the time-to-live does', async () => {
    const { ask, engine, putUser, letGo } = await expired();
    putUser(0, REVOKED);
    letGo();
    expect(await ask(engine)).toEqual({ allowed: false, reason: 'no_grant' });
  });

  test('who asks for more than cached is not served from it', async () => {
    const { engine, reads } = await expired();
    const strong = engine.check(ann, 'dashboard', place, { freshness: 'strong' });
    reads.at(-1)?.fail(down());
    await expect(strong).rejects.toMatchObject({ code: 'transient' });
  });

  test('a session that rests on it ends with the bound', async () => {
    const { engine, reads, clock } = await expired();
    const opening = engine.session(ann, place, { permissions: ['dashboard'] });
    reads.at(-1)?.fail(down());
    const session = await opening;
    expect(session.can('dashboard')).toBe(true);
    expect(session.expiresAt).toBe(clock.now() - TTL + OUTAGE);
  });

  test('what was read at different times is not put together to what never was', async () => {
    const { engine, ask, askInVain, clock, putUser, letGo, hold } = await expired();
    // The user is read again, and was written since the rest was read.
    putUser(1, { status: 'active', groups: new Set(['teachers']), writtenAt: clock.now() });
    letGo();
    clock.advance(TTL);
    await engine.rolesOf(formatRef(userRef(1)), 'location:01J8Z0E2Z8D2A3J7A7Y2HZ0000');
    hold();
    clock.advance(TTL);
    await expect(askInVain(1)).rejects.toMatchObject({ code: 'transient' });
    expect(await ask(engine, 0)).toMatchObject({ allowed: true });
  });
});

test.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('a second bound of %s is refused', (outageTtlMs) => {
  expect(() => createSchool().newEngine({ outageTtlMs })).toThrowError(
    expect.objectContaining({ code: 'invalid', field: 'outageTtlMs' }),
  );
});
