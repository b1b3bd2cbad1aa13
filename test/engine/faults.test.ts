import { describe, expect, test } from 'vitest';
import { GatehouseError } from '../../table/errors.ts';
import { formatRef } from '../../table/identifiers.ts';
import { decisionKey, globalKey, tenantEffectsKey } from '../../table/keys.ts';
import { createSchool, ELSEWHERE, PAGE, PLACE, userRef } from './fake-table.ts';
import { timelines } from './timeline.ts';

/** A fault is an error and never an answer, it is not remembered, and it reaches no further than it must. */
const throttled = () => new GatehouseError('throttled', 'BatchGetItem was throttled');
const place = formatRef(PLACE);
const ann = formatRef(userRef(0));

describe('a read that fails', () => {
  timelines(`
  fails all waiting checks and is not cached: the next check reads again
    hold · begin 0 · begin 0 · fail throttled · ends → throttled · ends → throttled
    begin 0 · reads → 5 5 · answer · ends → role
  for one user does not affect another one who shares other items
    ask 0 → role · grant 1 · hold · begin 1 · begin 2 · answer 1 · fail 2 throttled · ends → role · ends → throttled
`);

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
