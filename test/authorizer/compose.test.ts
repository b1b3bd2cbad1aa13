import { afterEach, describe, expect, it, vi } from 'vitest';
import { createHandlerFrom } from '../../authorizer/index.ts';
import { GatehouseError } from '../../table/errors.ts';
import type { Item } from '../../table/item.ts';
import { apiRef, apiRevisionKey, globalKey, partitionOf } from '../../table/keys.ts';
import { createLogged } from '../support/log.ts';
import { createClock } from '../support/world.ts';
import { partsFor, ROLE, revisionItem, rosterItems, routeItem, VARIABLES } from './served.ts';
import { ALICE, createIssuer, createReadTable, httpEvent, ISSUER, NOW, PLACE, settle } from './support.ts';

const issuer = await createIssuer();

const WORLD = rosterItems();
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
  const { lines, write } = createLogged();
  const fetched: string[] = [];
  const issuers = { areAway: false };
  const fetch = async (url: string) => {
    fetched.push(url);
    if (issuers.areAway) throw new TypeError('fetch failed');
    return new Response(JSON.stringify({ keys: [issuer.jwk] }));
  };
  const create = (changes: Record<string, string> = {}) =>
    createHandlerFrom(
      { ...VARIABLES, ...env, ...changes },
      partsFor(issuer, { reader, clock, fetch, log: write }),
    );
  return { clock, create, failures, fetched, issuers, lines, reads };
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

  it('verifies with the keys it has while the issuer is away, for JWKS_STALE_SECONDS and no longer', async () => {
    const { clock, create, issuers } = setUp(undefined, { JWKS_STALE_SECONDS: '60' });
    const [handler, request] = [create(), await event({ exp: NOW / 1_000 + 7_200 })];
    await handler(request);
    issuers.areAway = true;
    clock.advance(11 * 60_000 - 1);
    expect(await handler(request)).toMatchObject({ isAuthorized: true });
    clock.advance(1);
    await expect(handler(request)).rejects.toThrow('Internal error');
  });

  it.each([
    ['whose token fails', { aud: 'other', sid: 's1' }, 'audience_refused'],
    ['without the claim by which it is revoked', {}, 'claim_refused'],
  ])('reads nothing for a request %s', async (_, claims, code) => {
    const { create, lines, reads } = setUp(undefined, { SUBJECT_FROM: 'email', REVOCATION: 'session:sid' });
    const handler = create();
    await settle();
    reads.length = 0;
    const bad = await event({ email: 'alice@example.com', email_verified: true, ...claims });
    await expect(handler(bad)).rejects.toThrow(/^Unauthorized$/);
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ code });
    expect(reads).toEqual([]);
  });
});

describe('its routes', () => {
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
