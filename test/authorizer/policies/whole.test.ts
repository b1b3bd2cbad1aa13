import { describe, expect, test } from 'vitest';
import type { RouteRule, VerifiedClaims } from '../../../authorizer/index.ts';
import { createWholePolicy, type WholePolicyOptions } from '../../../authorizer/policies/whole.ts';
import { apiRoutesId } from '../../../authorizer/routes/api-routes.ts';
import type { Ask, Decision, Question } from '../../../engine/index.ts';
import { GatehouseError } from '../../../table/errors.ts';
import { createDeferred } from '../../support/deferred.ts';
import { lookAt, NO_GRANT, ALLOWED as ROLE } from '../../support/fake-engine.ts';
import { createClock } from '../../support/world.ts';
import { NO_API, NOW, rule, settle } from '../support.ts';

/** When a policy is compiled, how long it is given again, and to whom. */
const BASE = 'arn:aws:execute-api:eu-central-1:123456789012:abc/prod/';
const TTL = 60_000;
const READ_DEADLINE = 3_000;
const NEWS = rule('news', 'GET', '/news', 'news', 'tenant:{claim:tenant}');
const RULES = [NEWS];
const ALLOWED = { subject: 'user:ann', resources: { allow: [`${BASE}GET/news`], deny: [] } };
const NOTHING = { subject: 'user:ann', resources: { allow: [], deny: [`${BASE}*`] } };

interface Caller {
  readonly subject?: string;
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly session?: string;
}

/** An engine that allows everything, and what the caller's questions follow from; both may be changed on the way. */
function setUp(options: Partial<WholePolicyOptions> = {}) {
  const clock = createClock();
  const state = {
    rules: RULES as readonly RouteRule[],
    /** Sessions that were revoked. */
    revoked: new Set<string>(),
    isAllowed: (_question: Question): boolean => true,
    /** What conditions look at beside what the table keeps. */
    uses: [] as readonly string[],
    /** How old the oldest is that decisions rest on, and when something in them changes by itself. */
    age: 0,
    validUntil: Number.POSITIVE_INFINITY,
    /** Waited for before the decisions are made. */
    before: async () => {},
  };
  /** Who was compiled for. */
  const compiled: string[] = [];
  const look = lookAt(() => state.rules);
  function answer<Q extends Question>(ask: Ask<Q>) {
    const question = ask(look) as Q;
    const isRefused = state.revoked.has(question.credential?.ref ?? '');
    const refused: Decision = { allowed: false, reason: 'credential_refused' };
    const decided = state.isAllowed(question) ? ROLE : NO_GRANT;
    const isAsked = question.scope !== undefined;
    const decision = isRefused ? refused : isAsked ? decided : undefined;
    return { question, decision, tenant: undefined, roles: undefined, uses: state.uses };
  }
  const { outageTtlMs = 0 } = options;
  const wholePolicy = createWholePolicy({
    engine: {
      checkAsked: async (ask) => answer(ask),
      checkManyAsked: async (asks) => {
        const readAt = clock.now() - state.age;
        await state.before();
        const { validUntil } = state;
        const [expiresAt, staleUntil] = [TTL, Math.max(TTL, outageTtlMs)].map((ageMs) =>
          Math.min(readAt + ageMs, validUntil),
        ) as [number, number];
        return { answers: asks.map(answer), expiresAt, staleUntil, validUntil, isStale: false };
      },
    },
    cellsOf: async ({ subject, rules, decide }) => {
      compiled.push(subject);
      const decided = await decide(rules.map(() => ({ permission: 'news', scope: 'tenant:t' })));
      return decided && rules.flatMap((each, at) => (decided[at] ? [{ rule: each, values: new Map() }] : []));
    },
    subjectOf: () => null,
    apiRoutes: NO_API.apiRoutes,
    routesId: apiRoutesId(NO_API.api),
    now: clock.now,
    ttlMs: TTL,
    outageTtlMs,
    isClosed: false,
    maxBytes: 6_144,
    cacheBytes: 65_536,
    maxComparisons: 1_000,
    ...options,
  });
  const ask = ({ subject = 'user:ann', claims = {}, session }: Caller = {}) =>
    wholePolicy(
      {
        subject: subject === '' ? undefined : subject,
        credential: session === undefined ? undefined : { ref: `session:${session}` },
        claims: claims as VerifiedClaims,
      },
      BASE,
    );
  /** From now on decisions wait, each for its own end. */
  function hold() {
    const blocked: ReturnType<typeof createDeferred<void>>[] = [];
    state.before = () => {
      const deferred = createDeferred<void>();
      blocked.push(deferred);
      return deferred.promise;
    };
    return blocked;
  }
  const release = () => {
    state.before = async () => {};
  };
  return { clock, state, compiled, ask, hold, release };
}

describe('a policy is given again', () => {
  test('for its time, to the same caller with the same claims', async () => {
    const { clock, compiled, ask } = setUp();
    expect(await ask({ claims: { tenant: 't', jti: '1' } })).toEqual(ALLOWED);
    clock.advance(TTL - 1);
    expect(await ask({ claims: { tenant: 't', jti: '2' } })).toEqual(ALLOWED);
    expect(compiled).toHaveLength(1);
    clock.advance(1);
    await ask({ claims: { tenant: 't' } });
    expect(compiled).toHaveLength(2);
  });

  test('while all of them, with the claims that they rest on, are within the bound in bytes', async () => {
    const { compiled, ask } = setUp({ cacheBytes: 20_000 });
    const longClaim = (n: number) => ({ claims: { tenant: `${n}`.repeat(7_000) } });
    for (const n of [1, 2, 3]) await ask(longClaim(n));
    await ask(longClaim(3));
    await ask(longClaim(2));
    expect(compiled).toHaveLength(3);
    await ask(longClaim(1));
    expect(compiled).toHaveLength(4);
  });

  test('that there is none is remembered as well', async () => {
    const { clock, compiled, ask } = setUp({ maxBytes: 10 });
    for (let n = 0; n < 3; n++) expect(await ask()).toBeUndefined();
    expect(compiled).toHaveLength(1);
    clock.advance(TTL);
    expect(await ask()).toBeUndefined();
    expect(compiled).toHaveLength(2);
  });

  test('no longer than the oldest read that it rests on', async () => {
    const { clock, compiled, state, ask } = setUp();
    state.age = TTL - 10;
    await ask();
    clock.advance(9);
    await ask();
    expect(compiled).toHaveLength(1);
    clock.advance(1);
    await ask();
    expect(compiled).toHaveLength(2);
  });

  test('not beyond the instant at which something in it begins or ends', async () => {
    const { clock, compiled, state, ask } = setUp();
    state.validUntil = NOW + 10;
    expect(await ask()).toEqual(ALLOWED);
    clock.advance(10);
    state.validUntil = Number.POSITIVE_INFINITY;
    state.isAllowed = () => false;
    expect(await ask()).toEqual(NOTHING);
    expect(compiled).toHaveLength(2);
  });

  test('not where something in it ended while it was made', async () => {
    const { clock, state, ask } = setUp();
    state.validUntil = NOW + 10;
    state.before = async () => clock.advance(10);
    expect(await ask()).toBeUndefined();
  });

  test('not to another caller, nor with another value of a claim that routes read', async () => {
    const { compiled, ask } = setUp();
    await ask({ claims: { tenant: 'a' } });
    await ask({ claims: { tenant: 'b' } });
    await ask({ claims: { tenant: 'a' }, subject: 'user:bob' });
    expect(compiled).toEqual(['user:ann', 'user:ann', 'user:bob']);
  });

  test('not with another credential, and to none that was refused since', async () => {
    const { compiled, state, ask } = setUp();
    expect(await ask({ session: 'one' })).toEqual(ALLOWED);
    expect(await ask({ session: 'two' })).toEqual(ALLOWED);
    expect(compiled).toHaveLength(2);
    state.revoked.add('session:one');
    expect(await ask({ session: 'one' })).toBe('credential_refused');
    expect(await ask({ session: 'two' })).toEqual(ALLOWED);
  });

  test('not when the routes have changed', async () => {
    const { compiled, state, ask } = setUp();
    await ask();
    state.rules = [];
    expect(await ask()).toEqual(NOTHING);
    expect(compiled).toHaveLength(2);
  });
});

describe('requests at the same time', () => {
  test('share one', async () => {
    const { compiled, ask, hold } = setUp();
    const blocked = hold();
    const both = [ask(), ask()];
    await settle();
    blocked[0]?.resolve();
    expect(await Promise.all(both)).toEqual([ALLOWED, ALLOWED]);
    expect(compiled).toHaveLength(1);
  });

  test('do not wait for one that began longer ago than a read may take, and it answers nobody', async () => {
    const { clock, compiled, state, ask, hold, release } = setUp();
    const blocked = hold();
    const first = ask();
    await settle();
    clock.advance(TTL);
    release();
    state.isAllowed = () => false;
    expect(await ask()).toEqual(NOTHING);
    blocked[0]?.resolve();
    expect(await first).toBeUndefined();
    expect(compiled).toHaveLength(2);
  });

  test('are each answered by one that took no longer than a read may', async () => {
    const { clock, state, ask, hold } = setUp();
    const blocked = hold();
    state.age = TTL - 1;
    const inTime = ask();
    await settle();
    clock.advance(READ_DEADLINE - 1);
    blocked[0]?.resolve();
    expect(await inTime).toEqual(ALLOWED);
  });

  test('get none under routes that changed while it was compiled', async () => {
    const { state, ask, hold, release } = setUp();
    const blocked = hold();
    const first = ask();
    await settle();
    release();
    state.rules = [rule('other', 'GET', '/other')];
    blocked[0]?.resolve();
    expect(await first).toBeUndefined();
    expect(await ask()).toMatchObject({ resources: { allow: [`${BASE}GET/other`] } });
  });
});

test('deeper paths are denied where the API does not refuse unmapped ones itself', async () => {
  for (const isClosed of [false, true]) {
    const { state, ask } = setUp({ isClosed });
    state.rules = [rule('one', 'GET', '/a/{x}', 'news', 'tenant:t')];
    expect(JSON.stringify(await ask()).includes(`${BASE}GET/a/?*/?*`)).toBe(!isClosed);
  }
});

describe('there is none', () => {
  test('where its cells cannot be listed, and this result is cached too', async () => {
    let asked = 0;
    const { ask } = setUp({
      cellsOf: async ({ decide }) => {
        asked += 1;
        await decide([]);
        return undefined;
      },
    });
    expect([await ask(), await ask()]).toEqual([undefined, undefined]);
    expect(asked).toBe(1);
  });

  test('where what was decided rests on more than the table keeps, such as the address of this request', async () => {
    const { state, ask } = setUp();
    state.uses = ['context.ip'];
    expect(await ask()).toBeUndefined();
  });

  test('for nobody', async () => {
    const { compiled, ask } = setUp();
    expect(await ask({ subject: '' })).toBeUndefined();
    expect(compiled).toEqual([]);
  });

  test('where it would be too large', async () => {
    const resource = `${BASE}GET/news`;
    expect(await setUp({ maxBytes: resource.length + 3 }).ask()).toEqual(ALLOWED);
    expect(await setUp({ maxBytes: resource.length + 2 }).ask()).toBeUndefined();
    const { state, ask } = setUp();
    state.rules = [rule('long', 'GET', `/${'a'.repeat(500)}`, 'news', 'tenant:t')];
    expect(await ask()).toBeUndefined();
  });

  test('of rules for what has no verb', async () => {
    const { state, ask } = setUp();
    state.rules = [rule('live', 'CONNECT', '/$connect', 'news', 'tenant:t')];
    expect(await ask()).toEqual(NOTHING);
  });
});

test('while DynamoDB is down one from before is given within the second bound, if there is such a bound', async () => {
  const outcome = async (outageTtlMs: number, age: number, ageOfReads = 0) => {
    const { clock, state, ask } = setUp({ outageTtlMs });
    state.age = ageOfReads;
    await ask();
    clock.advance(age);
    state.before = () => Promise.reject(new GatehouseError('transient', 'no'));
    return ask().catch((error: GatehouseError) => error.code);
  };
  expect(await outcome(0, TTL)).toBe('transient');
  expect(await outcome(TTL * 2, TTL * 2 - 1)).toEqual(ALLOWED);
  expect(await outcome(TTL * 2, TTL * 2)).toBe('transient');
  // It is as old as the oldest read that it rests on.
  expect(await outcome(TTL * 2, TTL * 2 - 10, 9)).toEqual(ALLOWED);
  expect(await outcome(TTL * 2, TTL * 2 - 10, 10)).toBe('transient');
});

test('also while DynamoDB is down none is given beyond the instant at which something in it ends', async () => {
  const { clock, state, ask } = setUp({ outageTtlMs: TTL * 2 });
  state.validUntil = NOW + 10;
  await ask();
  clock.advance(10);
  state.before = () => Promise.reject(new GatehouseError('transient', 'no'));
  await expect(ask()).rejects.toMatchObject({ code: 'transient' });
});

test('a set that stays incoherent is no outage: nothing from before answers', async () => {
  const { clock, state, ask } = setUp({ outageTtlMs: TTL * 2 });
  await ask();
  clock.advance(TTL);
  state.before = () => Promise.reject(new GatehouseError('contended', 'no'));
  await expect(ask()).rejects.toMatchObject({ code: 'contended' });
});
