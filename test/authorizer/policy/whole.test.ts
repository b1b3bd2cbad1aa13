import { describe, expect, test } from 'vitest';
import type { Cells } from '../../../authorizer/policy/cells.ts';
import { createWholePolicy, type WholePolicyOptions } from '../../../authorizer/policy/whole.ts';
import type { RouteRule } from '../../../authorizer/routes/rule.ts';
import type { VerifiedClaims } from '../../../authorizer/token/authentication.ts';
import { GatehouseError } from '../../../table/errors.ts';
import { createClock, NOW, rule } from '../support.ts';

/** When a policy is worked out, and how long it is given again. */
const BASE = 'arn:aws:execute-api:eu-central-1:123456789012:abc/prod/';
const TTL = 60_000;
const NEWS = rule('news', 'GET', '/news', 'news', 'tenant:{claim:tenant}');
const ALLOWED = { allow: [`${BASE}GET/news`], deny: [] };
const NOTHING = { allow: [], deny: [`${BASE}*`] };

function setUp(options: Partial<WholePolicyOptions> = {}) {
  const clock = createClock();
  const asked: string[] = [];
  const held: { answer: (cells: Cells | undefined) => void; fail: (error: Error) => void }[] = [];
  let holds = false;
  const cellsFor = (rules: readonly RouteRule[]): Cells => ({
    cells: rules.map((made) => ({ rule: made, values: new Map() })),
    expiresAt: clock.now() + TTL,
  });
  const cellsOf: WholePolicyOptions['cellsOf'] = (subject, _claims, rules) => {
    asked.push(subject);
    if (!holds) return Promise.resolve(cellsFor(rules));
    return new Promise((answer, fail) => held.push({ answer, fail }));
  };
  const wholePolicy = createWholePolicy({
    ...{ cellsOf, clock, ttlMs: TTL, outageTtlMs: 0, isClosed: false, maxBytes: 6_144 },
    ...options,
  });
  const ask = (claims: object = {}, rules: readonly RouteRule[] = RULES, subject = 'user:ann') =>
    wholePolicy(subject, claims as VerifiedClaims, rules, BASE);
  const hold = (on = true): void => {
    holds = on;
  };
  return { clock, asked, held, ask, cellsFor, hold };
}
/** Lets what was asked come as far as the table. */
const reached = () => new Promise((resolve) => setImmediate(resolve));
const RULES = [NEWS];

describe('a policy is given again', () => {
  test('for its time, to the same caller with the same claims', async () => {
    const { clock, asked, ask } = setUp();
    expect(await ask({ tenant: 't', jti: '1' })).toEqual(ALLOWED);
    clock.advance(TTL - 1);
    expect(await ask({ tenant: 't', jti: '2' })).toEqual(ALLOWED);
    expect(asked).toHaveLength(1);
    clock.advance(1);
    await ask({ tenant: 't' });
    expect(asked).toHaveLength(2);
  });

  test('no longer than what it rests on', async () => {
    const { clock, asked, ask, held, hold, cellsFor } = setUp();
    hold();
    const first = ask();
    await reached();
    held[0]?.answer({ ...cellsFor(RULES), expiresAt: NOW + 10 });
    await first;
    hold(false);
    clock.advance(10);
    await ask();
    expect(asked).toHaveLength(2);
  });

  test('not to another caller, nor with another value of a claim that routes read', async () => {
    const { asked, ask } = setUp();
    await ask({ tenant: 'a' });
    await ask({ tenant: 'b' });
    await ask({ tenant: 'a' }, RULES, 'user:bob');
    expect(asked).toEqual(['user:ann', 'user:ann', 'user:bob']);
  });

  test('not when the routes have changed', async () => {
    const { asked, ask } = setUp();
    await ask({}, RULES);
    expect(await ask({}, [])).toEqual(NOTHING);
    expect(asked).toHaveLength(2);
  });
});

describe('requests at the same time', () => {
  test('share one', async () => {
    const { asked, ask, held, hold, cellsFor } = setUp();
    hold();
    const both = [ask(), ask()];
    await reached();
    held[0]?.answer(cellsFor(RULES));
    expect(await Promise.all(both)).toEqual([ALLOWED, ALLOWED]);
    expect(asked).toHaveLength(1);
  });

  test('do not take one that has grown too old while they waited', async () => {
    const { clock, asked, ask, held, hold, cellsFor } = setUp();
    hold();
    const first = ask();
    await reached();
    const old = cellsFor(RULES);
    clock.advance(TTL);
    const second = ask();
    hold(false);
    held[0]?.answer({ ...old, cells: [] });
    expect(await first).toEqual(NOTHING);
    expect(await second).toEqual(ALLOWED);
    expect(asked).toHaveLength(2);
  });

  test('do not fail because an earlier one did', async () => {
    const { ask, held, hold } = setUp();
    hold();
    const first = ask();
    await reached();
    const second = ask();
    hold(false);
    held[0]?.fail(new Error('no'));
    await expect(first).rejects.toThrow('no');
    expect(await second).toEqual(ALLOWED);
  });
});

describe('there is none', () => {
  test('where its cells cannot be told, and that is remembered as well', async () => {
    const { asked, ask, held, hold } = setUp();
    hold();
    const first = ask();
    await reached();
    held[0]?.answer(undefined);
    expect([await first, await ask()]).toEqual([undefined, undefined]);
    expect(asked).toHaveLength(1);
  });

  test('where it would be too large', async () => {
    const resource = `${BASE}GET/news`;
    expect(await setUp({ maxBytes: resource.length + 3 }).ask()).toEqual(ALLOWED);
    expect(await setUp({ maxBytes: resource.length + 2 }).ask()).toBeUndefined();
    const long = rule('long', 'GET', `/${'a'.repeat(500)}`, 'news', 'tenant:t');
    expect(await setUp().ask({}, [long])).toBeUndefined();
  });

  test('of rules for what has no verb', async () => {
    const live = rule('live', 'CONNECT', '/$connect', 'news', 'tenant:t');
    expect(await setUp().ask({}, [live])).toEqual(NOTHING);
  });
});

test('while DynamoDB is down one from before is given within the second bound, if there is such a bound', async () => {
  const outcome = async (outageTtlMs: number, age: number) => {
    const { clock, ask, held, hold } = setUp({ outageTtlMs });
    await ask();
    clock.advance(age);
    hold();
    const answer = ask();
    await reached();
    held[0]?.fail(new GatehouseError('transient', 'no'));
    return answer.catch((error: GatehouseError) => error.code);
  };
  expect(await outcome(0, TTL)).toBe('transient');
  expect(await outcome(TTL * 2, TTL * 2 - 1)).toEqual(ALLOWED);
  expect(await outcome(TTL * 2, TTL * 2)).toBe('transient');
});
