import { afterEach, describe, expect, it, vi } from 'vitest';
import { createHandlerFrom } from '../../authorizer/index.ts';
import { GatehouseError } from '../../table/errors.ts';
import type { Item } from '../../table/item.ts';
import { apiRef, apiRevisionKey, decisionKey, globalKey, guardKey, partitionOf } from '../../table/keys.ts';
import { createClock } from '../support/world.ts';
import { partsFor, ROLE, revisionItem, rosterItems, routeItem, VARIABLES } from './served.ts';
import {
  ALICE,
  ARN,
  createIssuer,
  createReadTable,
  decisionItem,
  httpEvent,
  ISSUER,
  PLACE,
  settle,
} from './support.ts';

const issuer = await createIssuer();

const WORLD: readonly Item[] = [
  ...rosterItems(),
  decisionItem(guardKey('EMAIL', 'alice@example.com'), { Type: 'Guard', owner: `user:${ALICE}` }),
];
const [revision, route] = [revisionItem, routeItem];

/** How the routes are read: the revision of the API, and under it the routes. */
const REVISION = `getMany ${apiRevisionKey('default').PK}`;
/** What an authorizer loads when it is created: with the revision the item of what holds everywhere. */
const AT_START = `${REVISION} ${globalKey().PK}`;
const ROUTES = `listAll ${partitionOf(apiRef('default'))} ROUTE#`;

/** An authorizer over items in memory, which notes every read. */
function setUp(items: readonly Item[] = [...WORLD, revision(), route()], env: Record<string, string> = {}) {
  const { failures, reader, reads } = createReadTable(items);
  const clock = createClock();
  const lines: string[] = [];
  const metrics: string[] = [];
  const fetched: string[] = [];
  const fetch = async (url: string) => {
    fetched.push(url);
    return new Response(JSON.stringify({ keys: [issuer.jwk] }));
  };
  const create = (changes: Record<string, string> = {}) =>
    createHandlerFrom(
      { ...VARIABLES, ...env, ...changes },
      partsFor(issuer, {
        reader,
        clock,
        fetch,
        log: (line: string) => lines.push(line),
        writeMetrics: (line: string) => metrics.push(line),
      }),
    );
  return { clock, create, failures, fetched, lines, metrics, reads };
}

const event = async (claims: Record<string, unknown> = {}, path = `/locations/${PLACE}/pages/roster`) =>
  httpEvent('GET', path, { authorization: `Bearer ${await issuer.token(claims)}` });

describe('an authorizer created from environment variables', () => {
  it('allows from the table: one read once the routes are loaded, then none', async () => {
    const { create, fetched, reads } = setUp();
    const handler = create();
    await settle();
    expect(reads.splice(0)).toEqual([AT_START, ROUTES, AT_START]);
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
    expect(reads).toEqual([expect.stringMatching(/^getMany USER#/)]);
    expect(fetched).toEqual([`${ISSUER}/.well-known/jwks.json`]);
  });

  it('reads the revision of the routes with the decision, in one call, for each request where nothing may be cached', async () => {
    const { create, reads } = setUp(undefined, { CACHE_TTL_SECONDS: '0' });
    const handler = create();
    await settle();
    reads.length = 0;
    await handler(await event());
    expect(reads).toEqual([expect.stringMatching(/^getMany API#default USER#\S+ LOCATION#/)]);
  });

  it('writes a line of metrics for each request where a namespace is set, and none otherwise', async () => {
    const watched = setUp(undefined, { METRICS_NAMESPACE: 'Gatehouse', API_NAME: 'default' });
    await watched.create()(await event());
    expect(watched.metrics.map((line) => JSON.parse(line))).toMatchObject([
      { service: 'default', outcome: 'role', Decisions: 1, Allowed: 1, tenant: `location:${PLACE}` },
    ]);
    const silent = setUp();
    await silent.create()(await event());
    expect(silent.metrics).toEqual([]);
  });

  it('counts the outcome of each request in its metrics', async () => {
    const { create, failures, metrics } = setUp(undefined, {
      METRICS_NAMESPACE: 'Gatehouse',
      HTTP_ANSWER: 'policy',
      POLICY_COVERS: 'api',
    });
    const handler = create();
    await settle();
    const endings = () => metrics.splice(0).map((line) => JSON.parse(line).outcome);
    await expect(handler(await event({ aud: 'other' }))).rejects.toThrow(/^Unauthorized$/);
    expect(endings()).toEqual(['unauthorized']);
    await handler(await event({ sub: '01J8X2W3Y4Z5A6B7C8D9E0F1X9' }));
    expect(endings()).toEqual(['policy']);
    failures.push(...Array.from({ length: 9 }, () => new GatehouseError('throttled', 'throttled')));
    await expect(handler(await event({ sub: '01J8X2W3Y4Z5A6B7C8D9E0F1X8' }))).rejects.toThrow(/^Internal/);
    expect(endings()).toEqual(['throttled']);
  });

  it('uses items from before an outage within the stale-if-error bound, if configured', async () => {
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

  it('denies what the table does not grant', async () => {
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

  it('reads nothing for a token without the revocation claim', async () => {
    const { create, lines, reads } = setUp(undefined, { SUBJECT_FROM: 'email', REVOCATION: 'session:sid' });
    const handler = create();
    await settle();
    const before = reads.length;
    const bad = await event({ email: 'alice@example.com', email_verified: true });
    await expect(handler(bad)).rejects.toThrow(/^Unauthorized$/);
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ code: 'claim_refused' });
    expect(reads).toHaveLength(before);
  });

  it('runs beside others with different configurations in one process', async () => {
    const { create } = setUp();
    const [simple, policy] = [create(), create({ HTTP_ANSWER: 'policy' })];
    expect(await simple(await event())).toMatchObject({ isAuthorized: true });
    expect(await policy(await event())).toMatchObject({
      policyDocument: {
        Statement: [{ Effect: 'Allow', Resource: `${ARN}/$default/GET/locations/${PLACE}/pages/roster` }],
      },
    });
  });
});

describe('its routes', () => {
  it.each([
    ['all that stands above the scope', '/clients/{clientId}/buildings/{building_id}/zones/{zone}', 1],
    ['another scope', '/clients/{clientId}/buildings/{building_id}/zones/{zone}', 2, 'elsewhere'],
    ['a part of it', '/buildings/{building_id}/zones/{zone}', 2],
    ['nothing of it', '/zones/{zone}', 2],
  ] as const)(
    'take one read for a nested scope that is not cached, or two: the path names %s',
    async (_, path, calls, ...elsewhere) => {
      const [client, building, zone] = ['C', 'B', 'Z'].map((kind) => `01J8Z3Q3TQ6T0C9J2W0G7N2B6${kind}`) as [
        string,
        string,
        string,
      ];
      const ancestors = [`building:${building}`, `client:${client}`];
      const scopes = [
        decisionItem(decisionKey({ type: 'zone', id: zone }), { status: 'active', ancestors }),
        decisionItem(decisionKey({ type: 'building', id: building }), {
          status: 'active',
          ancestors: [`client:${client}`],
        }),
        decisionItem(decisionKey({ type: 'client', id: client }), { status: 'active' }),
      ];
      const named = { permission: 'roster', scope: 'zone:{zone}', path };
      const { create, reads } = setUp([...WORLD, ...scopes, revision(), route('default', named)]);
      const handler = create();
      await settle();
      reads.length = 0;
      const asked = path
        .replace('{clientId}', elsewhere.length > 0 ? PLACE : client)
        .replace('{building_id}', building)
        .replace('{zone}', zone);
      expect(await handler(await event({}, asked))).toMatchObject({
        isAuthorized: true,
        context: { tenant: `client:${client}`, scope: `zone:${zone}` },
      });
      expect(reads).toHaveLength(calls);
    },
  );

  it('are those of the configured API', async () => {
    const { create } = setUp(
      [...WORLD, ...['other', 'back-office'].flatMap((api) => [revision(api), route(api)])],
      { API_NAME: 'back-office' },
    );
    expect(await create()(await event())).toMatchObject({ isAuthorized: true });
    expect(await create({ API_NAME: 'nobody' })(await event())).toMatchObject({
      isAuthorized: false,
      context: { reason: 'route_unmapped' },
    });
  });

  it('may fail to load at start: the first request loads them again', async () => {
    const { create, failures, reads } = setUp();
    failures.push(new GatehouseError('transient', 'BatchGetItem did not get an answer in time'));
    const handler = create();
    await settle();
    expect(await handler(await event())).toMatchObject({ isAuthorized: true });
    expect(reads.slice(0, 3)).toEqual([AT_START, REVISION, ROUTES]);
  });
});

describe('a subject by verified email', () => {
  const env = { SUBJECT_FROM: 'email' };
  const mail = (email: string) => event({ sub: 'google|7', email, email_verified: true });

  it('is found by its normalised form, in one call of its own', async () => {
    const { create, reads } = setUp(undefined, env);
    const handler = create();
    expect(await handler(await mail('Alice@Example.com'))).toMatchObject({
      isAuthorized: true,
      context: { subject: `user:${ALICE}` },
    });
    await handler(await mail('Alice@Example.com'));
    expect(reads.filter((read) => read.includes('EMAIL#'))).toEqual(['getMany EMAIL#alice@example.com']);
  });
});

describe('the Lambda function', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.resetModules();
    vi.restoreAllMocks();
  });

  it('reads the environment when it is loaded, and fails there', async () => {
    vi.stubEnv('TABLE_NAME', '');
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    await expect(import('../../authorizer/handler.ts')).rejects.toThrow(/TABLE_NAME is missing/);
    expect(write.mock.calls).toEqual([
      [expect.stringMatching(/"message":"start failed".*TABLE_NAME is missing/)],
    ]);
  });

  it('is ready without an answer from the table, and without credentials it reads nothing more', async () => {
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    for (const [name, value] of Object.entries({ ...VARIABLES, DYNAMODB_ENDPOINT: 'http://127.0.0.1:1' })) {
      vi.stubEnv(name, value);
    }
    const { handler } = await import('../../authorizer/handler.ts');
    await expect(handler(httpEvent('GET', '/'))).rejects.toThrow(/^Unauthorized$/);
    expect(write.mock.calls).toEqual([[expect.stringContaining('credentials_missing')]]);
  });
});
