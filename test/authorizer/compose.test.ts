import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createHandlerFrom } from '../../authorizer/index.ts';
import { DECISION_VERSION, roleAttribute } from '../../table/decision/attributes.ts';
import { GatehouseError } from '../../table/errors.ts';
import { parseRef } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import {
  apiRef,
  decisionKey,
  edgeKey,
  globalKey,
  guardKey,
  type Key,
  partitionOf,
} from '../../table/keys.ts';
import type { Range } from '../../table/read/query.ts';
import {
  ALICE,
  ARN,
  AUDIENCE,
  createClock,
  createIssuer,
  httpEvent,
  ISSUER,
  type Issuer,
  NOW,
  PLACE,
  settle,
} from './support.ts';

let issuer: Issuer;
beforeAll(async () => {
  issuer = await createIssuer();
});

const ROLE = '01J8X2W3Y4Z5A6B7C8D9E0F1R1';
const decision = (key: Key, facts: Record<string, unknown>): Item => ({
  ...key,
  v: DECISION_VERSION,
  writtenAt: NOW - 1_000,
  ...facts,
});

/** Alice holds a global role that opens the roster; the place is a root of its own. */
const WORLD: readonly Item[] = [
  decision(decisionKey({ type: 'user', id: ALICE }), { status: 'active', roles: new Set([ROLE]) }),
  decision(decisionKey({ type: 'location', id: PLACE }), { status: 'active' }),
  decision(decisionKey({ type: 'page', id: 'roster' }), { registered: true, allow: new Set([ROLE]) }),
  decision(globalKey(), { [roleAttribute(ROLE)]: '' }),
  { ...guardKey('EMAIL', 'alice@example.com'), Type: 'Guard', owner: `user:${ALICE}` },
];

const route = (api = 'default', changes: Record<string, unknown> = {}): Item => ({
  ...edgeKey(apiRef(api), { type: 'route', id: 'r1' }),
  id: 'r1',
  method: 'GET',
  path: '/locations/{id}/pages/{page}',
  permission: '{page}',
  scope: 'location:{id}',
  ...changes,
});

const ENV = { TABLE_NAME: 'gatehouse', TOKEN_ISSUER: ISSUER, TOKEN_AUDIENCE: AUDIENCE };

/** An authorizer over items in memory, which notes every read. */
function setUp(items: readonly Item[] = [...WORLD, route()], env: Record<string, string> = {}) {
  const reads: string[] = [];
  const clock = createClock();
  const lines: string[] = [];
  const metrics: string[] = [];
  const failures: Error[] = [];
  const fetched: string[] = [];
  const read = (what: string) => {
    reads.push(what);
    const failure = failures.shift();
    if (failure) throw failure;
  };
  const find = (key: Key) => items.find(({ PK, SK }) => PK === key.PK && SK === key.SK);
  const reader = {
    get: async (key: Key) => {
      read(`get ${key.PK}`);
      return find(key);
    },
    getMany: async (keys: readonly Key[]) => {
      read('getMany');
      return keys.map(find);
    },
    getSnapshot: async (keys: readonly Key[]) => {
      read('getSnapshot');
      return keys.map(find);
    },
    list: async () => {
      read('list');
      return { items: [] };
    },
    listAll: async ({ ranges }: { ranges: readonly Range[] }) => {
      read(`list ${ranges.map(({ partition, prefix }) => `${partition} ${prefix}`).join()}`);
      return items.filter(({ PK, SK }) =>
        ranges.some(({ partition, prefix = '' }) => PK === partition && SK.startsWith(prefix)),
      );
    },
  };
  const fetch = async (url: string) => {
    fetched.push(url);
    return new Response(JSON.stringify({ keys: [issuer.jwk] }));
  };
  const create = (changes: Record<string, string> = {}) =>
    createHandlerFrom(
      { ...ENV, ...env, ...changes },
      {
        reader,
        clock,
        fetch,
        log: (line) => lines.push(line),
        writeMetrics: (line) => metrics.push(line),
      },
    );
  return { clock, create, failures, fetched, lines, metrics, reads };
}

const event = async (claims: Record<string, unknown> = {}, path = `/locations/${PLACE}/pages/roster`) =>
  httpEvent('GET', path, { authorization: `Bearer ${await issuer.token(claims)}` });

describe('an authorizer out of its environment', () => {
  it('allows by what the table holds, with one read once the routes are there, and then none', async () => {
    const { create, fetched, reads } = setUp();
    const handler = create();
    await settle();
    expect(reads).toEqual([`list ${partitionOf(apiRef('default'))} ROUTE#`]);
    const answer = await handler(await event());
    expect(answer).toEqual({
      isAuthorized: true,
      context: {
        subject: `user:${ALICE}`,
        tenant: `location:${PLACE}`,
        scope: `location:${PLACE}`,
        permission: 'roster',
        roles: ROLE,
        reason: 'role',
        route: 'r1',
        coverage: 'route',
      },
    });
    await handler(await event());
    expect(reads.slice(1)).toEqual(['getMany']);
    expect(fetched).toEqual([`${ISSUER}/.well-known/jwks.json`]);
  });

  it('reads once a request, also when nothing is cached', async () => {
    const { create, reads } = setUp(undefined, { CACHE_TTL_SECONDS: '0' });
    const handler = create();
    await settle();
    await handler(await event());
    expect(reads.slice(1)).toEqual([expect.stringMatching(/^list/), 'getMany']);
  });

  it('writes a line of metrics for each decision where a namespace is set, and none otherwise', async () => {
    const watched = setUp(undefined, { METRICS_NAMESPACE: 'Gatehouse', API_NAME: 'default' });
    await watched.create()(await event());
    expect(watched.metrics.map((line) => JSON.parse(line))).toMatchObject([
      { service: 'default', outcome: 'role', Allowed: 1, tenant: `location:${PLACE}` },
      { service: 'default', outcome: 'allowed', coverage: 'route', Requests: 1 },
    ]);
    const silent = setUp();
    await silent.create()(await event());
    expect(silent.metrics).toEqual([]);
  });

  it('tells in its metrics how each request ended', async () => {
    const { create, failures, metrics } = setUp([...WORLD, route()], {
      ...{ METRICS_NAMESPACE: 'Gatehouse', HTTP_ANSWER: 'policy', POLICY_COVERS: 'api' },
    });
    const handler = create();
    await settle();
    const endings = () =>
      metrics
        .splice(0)
        .map((line) => JSON.parse(line))
        .filter(({ Requests }) => Requests === 1)
        .map(({ outcome, coverage }) => [outcome, coverage]);
    await expect(handler(await event({ aud: 'other' }))).rejects.toThrow(/^Unauthorized$/);
    expect(endings()).toEqual([['unauthorized', 'none']]);
    await handler(await event({ sub: '01J8X2W3Y4Z5A6B7C8D9E0F1X9' }));
    expect(endings()).toEqual([['policy', 'api']]);
    failures.push(...Array.from({ length: 9 }, () => new GatehouseError('throttled', 'throttled')));
    await expect(handler(await event({ sub: '01J8X2W3Y4Z5A6B7C8D9E0F1X8' }))).rejects.toThrow(/^Internal/);
    expect(endings()).toEqual([['fault', 'none']]);
  });

  it('answers from before an outage within the second bound, where one is set', async () => {
    const { clock, create, failures } = setUp(undefined, {
      CACHE_TTL_SECONDS: '60',
      CACHE_OUTAGE_TTL_SECONDS: '300',
    });
    const handler = create();
    await handler(await event());
    const down = () => new GatehouseError('transient', 'DynamoDB did not get an answer in time');
    const again = async (seconds: number) => {
      clock.advance(seconds * 1_000);
      failures.push(down(), down(), down());
      const answer = await handler(await event()).catch((error: Error) => error.message);
      failures.length = 0;
      return answer;
    };
    expect(await again(120)).toMatchObject({ isAuthorized: true });
    expect(await again(190)).toBe('Internal error');
  });

  it('denies what the table does not hold', async () => {
    const handler = setUp().create();
    const unknown = await handler(await event({ sub: '01J8X2W3Y4Z5A6B7C8D9E0F1X9' }));
    expect(unknown).toMatchObject({ isAuthorized: false, context: { reason: 'subject_unknown' } });
    const elsewhere = await handler(await event({}, '/locations/elsewhere/pages/roster'));
    expect(elsewhere).toMatchObject({ isAuthorized: false, context: { reason: 'scope_unknown' } });
  });

  it('reads nothing for a request whose token fails', async () => {
    const { create, reads } = setUp(undefined, { SUBJECT_FROM: 'email' });
    const handler = create();
    await settle();
    const before = reads.length;
    const bad = await event({ aud: 'other', email: 'alice@example.com', email_verified: true });
    await expect(handler(bad)).rejects.toThrow(/^Unauthorized$/);
    await expect(handler(httpEvent('GET', '/'))).rejects.toThrow(/^Unauthorized$/);
    expect(reads).toHaveLength(before);
  });

  it('reads nothing either for one that does not say by what it could be revoked', async () => {
    const { create, lines, reads } = setUp(undefined, { SUBJECT_FROM: 'email', REVOCATION: 'session:sid' });
    const handler = create();
    await settle();
    const before = reads.length;
    const bad = await event({ email: 'alice@example.com', email_verified: true });
    await expect(handler(bad)).rejects.toThrow(/^Unauthorized$/);
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ code: 'claim_refused' });
    expect(reads).toHaveLength(before);
  });

  it('stands beside others of another form in one process', async () => {
    const { create } = setUp();
    const [simple, policy] = [create(), create({ HTTP_ANSWER: 'policy' })];
    expect(await simple(await event())).toMatchObject({ isAuthorized: true });
    expect(await policy(await event())).toMatchObject({
      policyDocument: {
        Statement: [{ Effect: 'Allow', Resource: `${ARN}/$default/GET/locations/${PLACE}/pages/roster` }],
      },
    });
  });

  it('fails at once when a variable is missing', () => {
    expect(() => createHandlerFrom({ ...ENV, TABLE_NAME: '' })).toThrow(
      'configuration: TABLE_NAME is missing',
    );
  });
});

describe('its routes', () => {
  it('may say what stands above the scope: then a nested check that nobody has seen is one read', async () => {
    const tenant = 'tenant:01J8Z3Q3TQ6T0C9J2W0G7N2B6V';
    const nested = decision(decisionKey({ type: 'location', id: PLACE }), {
      status: 'active',
      ancestors: [tenant],
    });
    const root = decision(decisionKey(parseRef(tenant, 'scope')), { status: 'active' });
    const others = WORLD.filter(({ PK }) => PK !== nested.PK);
    const costOf = async (hints: readonly string[] | undefined, claims: Record<string, unknown>) => {
      const items = [...others, nested, root].map((item) => ({ ...item, writtenAt: NOW - 60_000 }));
      const { create, reads } = setUp([...items, route('default', { hints })]);
      const handler = create();
      await settle();
      expect(await handler(await event(claims))).toMatchObject({ isAuthorized: true, context: { tenant } });
      return reads.filter((read) => read === 'getMany').length;
    };
    const claims = { tenant: tenant.slice(tenant.indexOf(':') + 1) };
    const hints = ['tenant:{claim:tenant}'];
    expect(await costOf(hints, claims)).toBe(1);
    const unsaid = await costOf(undefined, claims);
    expect(unsaid).toBe(2);
    expect(await costOf(hints, {})).toBe(unsaid);
    expect(await costOf(hints, { tenant: PLACE })).toBe(unsaid);
  });

  it('refuse nothing for a hint: what only a hint is made of may hold what means nothing', async () => {
    const path = '/clients/{client}/locations/{id}/pages/{page}';
    for (const hints of [undefined, ['client:{client}']]) {
      const { create } = setUp([...WORLD, route('default', { path, hints })]);
      const asked = await event({}, `/clients/a:b/locations/${PLACE}/pages/roster`);
      expect(await create()(asked)).toMatchObject({ isAuthorized: true });
    }
  });

  it('are those of the API it is told to stand before', async () => {
    const { create } = setUp([...WORLD, route('other'), route('back-office')], { API_NAME: 'back-office' });
    expect(await create()(await event())).toMatchObject({ isAuthorized: true });
    expect(await create({ API_NAME: 'nobody' })(await event())).toMatchObject({
      isAuthorized: false,
      context: { reason: 'route_unmapped' },
    });
  });

  it('may fail to load at start: the first request loads them again', async () => {
    const { create, failures, reads } = setUp();
    failures.push(new GatehouseError('transient', 'Query did not get an answer in time'));
    const handler = create();
    await settle();
    expect(await handler(await event())).toMatchObject({ isAuthorized: true });
    expect(reads.filter((read) => read.startsWith('list'))).toHaveLength(2);
  });

  it('that cannot be had are a fault', async () => {
    const { create, failures, lines } = setUp();
    for (let i = 0; i < 2; i++) failures.push(new GatehouseError('throttled', 'Query was throttled'));
    const handler = create();
    await settle();
    await expect(handler(await event())).rejects.toThrow(/^Internal error$/);
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
      code: 'throttled',
      reason: 'Query was throttled',
    });
  });

  it('that could not be refreshed behind a request are told of in the log', async () => {
    const { clock, create, failures, lines } = setUp();
    const handler = create();
    await settle();
    clock.advance(30_000);
    failures.push(new GatehouseError('throttled', 'Query was throttled'));
    expect(await handler(await event())).toMatchObject({ isAuthorized: true });
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 'error', code: 'throttled' }]);
  });

  it.each<[string, Record<string, unknown>]>([
    ['no id', { id: undefined }],
    ['no method', { method: '' }],
    ['an unknown method', { method: 'get' }],
    ['a path that cannot be read', { path: '/a//b' }],
    ['a path that is no text', { path: 7 }],
    ['a permission that cannot be read', { permission: 'a b' }],
    ['a scope that cannot be read', { scope: '{id}' }],
    ['hints that are no list', { hints: 'client:{id}' }],
    ['a hint that is no text', { hints: [7] }],
    ['a hint that cannot be read', { hints: ['{id}'] }],
    ['more hints than scopes can stand above one', { hints: Array(17).fill('client:{id}') }],
  ])('that are damaged are a fault, and never left out: %s', async (_, changes) => {
    const damaged = { ...route('default', changes), SK: 'ROUTE#r2' };
    const { create, lines } = setUp([...WORLD, route(), damaged]);
    await expect(create()(await event())).rejects.toThrow(/^Internal error$/);
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ level: 'error', code: 'damaged_item' });
  });
});

describe('a subject by verified email', () => {
  const env = { SUBJECT_FROM: 'email' };
  const mail = (email: string) => event({ sub: 'google|7', email, email_verified: true });

  it('is found by its normalised form, with one GetItem', async () => {
    const { create, reads } = setUp(undefined, env);
    const handler = create();
    expect(await handler(await mail('Alice@Example.com'))).toMatchObject({
      isAuthorized: true,
      context: { subject: `user:${ALICE}` },
    });
    await handler(await mail('Alice@Example.com'));
    expect(reads.filter((read) => read.startsWith('get '))).toEqual(['get EMAIL#alice@example.com']);
  });

  it.each(['bob@example.com', 'alice@exämple.com', 'not an email', 'a#b@example.com'])(
    'is nobody: %s',
    async (email) => {
      const answer = await setUp(undefined, env).create()(await mail(email));
      expect(answer).toMatchObject({ isAuthorized: false, context: { reason: 'subject_unknown' } });
    },
  );

  it.each([undefined, 7, `location:${PLACE}`, 'user:alice', `user:${ALICE}:x`])(
    'is a fault when the guard names %j',
    async (owner) => {
      const { create } = setUp([{ ...guardKey('EMAIL', 'bob@example.com'), owner }, route()], env);
      await expect(create()(await mail('bob@example.com'))).rejects.toThrow(/^Internal error$/);
    },
  );
});

describe('the Lambda function', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.resetModules();
    vi.restoreAllMocks();
  });

  it('reads the environment when it is loaded, and fails there', async () => {
    vi.stubEnv('TABLE_NAME', '');
    await expect(import('../../authorizer/handler.ts')).rejects.toThrow(/TABLE_NAME is missing/);
  });

  it('is ready without an answer from the table, and without credentials it reads nothing more', async () => {
    const log = vi.spyOn(console, 'error').mockReturnValue();
    for (const [name, value] of Object.entries({ ...ENV, DYNAMODB_ENDPOINT: 'http://127.0.0.1:1' })) {
      vi.stubEnv(name, value);
    }
    const { handler } = await import('../../authorizer/handler.ts');
    await expect(handler(httpEvent('GET', '/'))).rejects.toThrow(/^Unauthorized$/);
    expect(log.mock.calls).toEqual([[expect.stringContaining('credentials_missing')]]);
  });
});
