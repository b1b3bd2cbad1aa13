import { describe, expect, test } from 'vitest';
import { GatehouseError } from '../../table/errors.ts';
import { formatRef } from '../../table/identifiers.ts';
import { decisionKey, globalKey, tenantEffectsKey } from '../../table/keys.ts';
import { createSchool, ELSEWHERE, GRANTED, PAGE, PLACE, userRef } from './fake-table.ts';

/** A fault is an error and never an answer, it is not remembered, and it reaches no further than it must. */
const throttled = () => new GatehouseError('throttled', 'BatchGetItem was throttled');
const place = formatRef(PLACE);
const ann = formatRef(userRef(0));

describe('a read that fails', () => {
  test('fails all waiting checks and is not cached: the next check reads again', async () => {
    const { reads, newEngine, ask, hold } = createSchool();
    const engine = newEngine();
    hold();
    const waiting = Array.from({ length: 100 }, () => ask(engine));
    const failure = throttled();
    reads[0]?.fail(failure);
    const outcomes = await Promise.allSettled(waiting);
    expect(outcomes.every((outcome) => outcome.status === 'rejected' && outcome.reason === failure)).toBe(
      true,
    );
    const next = ask(engine);
    expect(reads.map(({ keys }) => keys.length)).toEqual([5, 5]);
    reads[1]?.answer();
    expect(await next).toMatchObject({ allowed: true });
  });

  test('for one user does not affect another one who shares other items', async () => {
    const { reads, newEngine, ask, hold, putUser } = createSchool();
    const engine = newEngine();
    await ask(engine);
    putUser(1, GRANTED);
    hold();
    const [first, second] = [ask(engine, 1), ask(engine, 2)];
    reads[1]?.answer();
    reads[2]?.fail(throttled());
    expect(await first).toMatchObject({ allowed: true });
    await expect(second).rejects.toMatchObject({ code: 'throttled' });
  });

  test('of the second of two reads fails the check; the first one stays cached', async () => {
    const { reads, newEngine, put, hold } = createSchool();
    put(decisionKey(ELSEWHERE), { status: 'active', ancestors: [place] });
    const engine = newEngine();
    const ask = () => engine.check(ann, 'dashboard', formatRef(ELSEWHERE));
    hold();
    const failing = ask();
    reads[0]?.answer();
    await new Promise((resolve) => setImmediate(resolve));
    reads[1]?.fail(throttled());
    await expect(failing).rejects.toMatchObject({ code: 'throttled' });
    const next = ask();
    expect(reads[2]?.keys).toHaveLength(2);
    reads[2]?.answer();
    expect(await next).toMatchObject({ allowed: true });
  });
});

describe('a damaged item', () => {
  const whole = { status: 'active' };

  test.each([
    ['the user', decisionKey(userRef(0)), { ...whole, groups: 'teachers' }],
    ['the scope', decisionKey(PLACE), { ...whole, combination: 'first-wins' }],
    ['the permission', decisionKey(PAGE), { registered: 'yes' }],
    ['the global roles', globalKey(), { 'role|teacher': 7 }],
    [
      'the effects of owned roles',
      tenantEffectsKey(PLACE, { kind: 'page', text: 'dashboard' }),
      { allow: ['x'] },
    ],
    ['no time of its write', decisionKey(userRef(0)), { ...whole, writtenAt: undefined }],
  ])('fails every check that needs it, whatever else grants: %s', async (_what, key, attributes) => {
    const { newEngine, ask, put } = createSchool();
    put(key, attributes);
    const engine = newEngine();
    await expect(ask(engine)).rejects.toMatchObject({ code: 'damaged_item', retryable: false });
    await expect(ask(engine)).rejects.toMatchObject({ code: 'damaged_item' });
  });
});

test.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('a time-to-live of %s is refused', (ttlMs) => {
  expect(() => createSchool().newEngine({ ttlMs })).toThrow(
    expect.objectContaining({ code: 'invalid', field: 'ttlMs' }),
  );
});
