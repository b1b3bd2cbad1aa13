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
  test('fails the check with the error of the reader', async () => {
    const { reads, newEngine, ask, hold } = createSchool();
    hold();
    const answer = ask(newEngine());
    const failure = throttled();
    reads[0]?.fail(failure);
    await expect(answer).rejects.toBe(failure);
  });

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

  test('does not affect cached entries', async () => {
    const { reads, newEngine, ask, hold } = createSchool();
    const engine = newEngine();
    await ask(engine);
    hold();
    const failing = ask(engine, 1);
    reads[1]?.fail(throttled());
    await expect(failing).rejects.toMatchObject({ code: 'throttled' });
    expect(await ask(engine)).toMatchObject({ allowed: true });
    expect(reads).toHaveLength(2);
  });

  test('fails checkMany and effectiveRoles as well', async () => {
    const { reads, newEngine, hold } = createSchool();
    hold();
    const engine = newEngine();
    const calls = [
      engine.checkMany([{ subject: ann, permission: 'dashboard', scope: place }]),
      engine.effectiveRoles(ann, place),
    ];
    for (const read of reads) read.fail(throttled());
    for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'throttled' });
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

  test('of a form that a later release made fails them too, and the message says so', async () => {
    const { newEngine, ask, put } = createSchool();
    put(decisionKey(userRef(0)), { ...whole, v: 3, writtenAt: undefined, ofTomorrow: 'x' });
    await expect(ask(newEngine())).rejects.toMatchObject({
      code: 'newer_form',
      retryable: false,
      message: expect.stringMatching(
        / DECISION is of form 3, newer than form 2, .* deploy the newer release/,
      ),
    });
  });

  test('fails only those: a check of another user that came in the same read is answered', async () => {
    const { reads, newEngine, ask, putUser } = createSchool();
    putUser(1, { status: 7 });
    const engine = newEngine();
    const [damaged, sound] = await Promise.allSettled([ask(engine, 1), ask(engine, 0)]);
    expect(damaged).toMatchObject({ status: 'rejected', reason: { code: 'damaged_item' } });
    expect(sound).toMatchObject({ status: 'fulfilled', value: { allowed: true } });
    expect(reads).toHaveLength(2);
  });

  test('is not cached, and what was read with it is', async () => {
    const { reads, newEngine, ask, putUser } = createSchool();
    putUser(0, { status: 7 });
    const engine = newEngine();
    await expect(ask(engine)).rejects.toMatchObject({ code: 'damaged_item' });
    putUser(0, GRANTED);
    expect(await ask(engine)).toMatchObject({ allowed: true });
    expect(reads.map(({ keys }) => keys.length)).toEqual([5, 1]);
  });
});

describe('invalid options are refused when the engine is created:', () => {
  test.each([
    ['ttlMs', -1],
    ['ttlMs', Number.NaN],
    ['ttlMs', Number.POSITIVE_INFINITY],
    ['maxBytes', 0],
    ['maxBytes', -1],
    ['maxBytes', 1.5],
    ['maxBytes', Number.NaN],
    ['maxBytes', Number.POSITIVE_INFINITY],
  ])('%s = %s', (field, value) => {
    const { newEngine } = createSchool();
    expect(() => newEngine({ [field]: value })).toThrow(expect.objectContaining({ code: 'invalid', field }));
  });
});
