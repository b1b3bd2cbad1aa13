import { describe, expect, test } from 'vitest';
import type { Authorizer } from '../../authorizer/index.ts';
import { inputsOfConditions, readIdentitySource } from '../../authorizer/routes/cache-key.ts';
import { createWorld } from '../support/world.ts';
import { answerTo, serveFor } from './served.ts';
import {
  appSyncEvent,
  createIssuer,
  httpEvent,
  httpV1Event,
  restRequestEvent,
  restTokenEvent,
  USER_AGENT,
  webSocketEvent,
} from './support.ts';

/**
 * Conditions behind API Gateway (SPEC sections 8 and 10), through the composed authorizer: what they see of a
 * request, and which of their answers API Gateway may cache.
 */
const issuer = await createIssuer();
const [user, tenant] = ['ann', 'tenant:ours'];

const NOW = '2026-01-15T12:01:00Z';

/** Pages that the caller may use if a condition holds, by name. */
const CONDITIONS = {
  ip: `cidr('203.0.113.0/24').containsIP(context.ip)`,
  agent: `context.userAgent == '${USER_AGENT}'`,
  time: `context.time >= timestamp('${NOW}') && context.time < timestamp('2026-01-15T13:00:00Z')`,
  method: `context.method == 'GET'`,
  path: `context.path == '/see/path'`,
  other: `!context.path.startsWith('/see/other')`,
  rest: `context.path == '/see/rest/files/path'`,
  claims: `context.claims.acr == 'mfa'`,
  // Declared, and never given by the authorizer.
  vpn: 'context.vpn',
  stored: `subject.properties.department == 'sales'`,
  elsewhere: `context.ip == '198.51.100.1'`,
  page: `action.name == 'page'`,
} as const;
type Page = keyof typeof CONDITIONS;
const PAGES = [...Object.keys(CONDITIONS), 'free'];

const MANIFEST = {
  pages: PAGES,
  properties: [
    { of: 'context', name: 'vpn', type: 'bool' },
    { of: 'subject:user', name: 'department', type: 'string', source: 'stored' },
  ],
  scopes: { Ours: { id: 'ours', type: 'tenant' } },
  roles: {
    reader: {
      owner: 'Ours',
      allow: [...Object.entries(CONDITIONS).map(([permission, when]) => ({ permission, when })), 'free'],
    },
  },
  users: { ann: { id: 'ann', properties: { department: 'sales' }, grants: { Ours: ['reader'] } } },
  routes: [
    { method: 'GET', path: '/see/{page}', permission: '{page}', scope: 'tenant:ours' },
    { method: 'GET', path: '/see/rest/{tail+}', permission: 'rest', scope: 'tenant:ours' },
    { method: 'CONNECT', path: '/$connect', permission: '{query:page}', scope: 'tenant:ours' },
    { method: 'GRAPHQL', path: '/', permission: '{header:x-page}', scope: 'tenant:ours' },
  ],
};

const world = await createWorld(JSON.stringify(MANIFEST));
const tokenOf = (claims: Record<string, unknown>) =>
  issuer.token({ sub: user, exp: Date.parse(NOW) / 1_000 + 3_000, ...claims });
const token = await tokenOf({ acr: 'mfa' });

const authorizerFor = (env: Record<string, string> = {}): Authorizer =>
  serveFor(issuer, world, { POLICY_COVERS: 'route', ...env });

const cachedBy = (...identitySources: readonly string[]) => ({
  RESULT_CACHE: JSON.stringify({ default: { ttl: 300, identitySources } }),
});

/** A request to see a page, as each kind of API describes it. All hold headers that say something else. */
const SPOOFED = { 'X-Forwarded-For': ['198.51.100.1'], 'User-Agent': ['Other/1.0'] };
const LOWER = { 'x-forwarded-for': '198.51.100.1', 'user-agent': 'Other/1.0' };
const EVENTS = {
  'HTTP 2.0': (page: string, by = `Bearer ${token}`) => ({
    ...httpEvent('GET', `/see/${page}`, { authorization: by, ...LOWER }),
    routeKey: 'GET /see/{page}',
  }),
  'HTTP 1.0': (page: string, by = `Bearer ${token}`) =>
    httpV1Event('GET', `/see/${page}`, { authorization: by, ...LOWER }),
  'REST REQUEST': (page: string, by = `Bearer ${token}`) =>
    restRequestEvent('GET', `/see/${page}`, { Authorization: [by], ...SPOOFED }),
  'REST TOKEN': (page: string, by = `Bearer ${token}`) => restTokenEvent('GET', `/see/${page}`, by),
  WebSocket: (page: string, by = `Bearer ${token}`) =>
    webSocketEvent({ Authorization: [by], ...SPOOFED }, { page: [page] }),
  AppSync: (page: string, by = `Bearer ${token}`) => appSyncEvent(by, { 'x-page': page, ...LOWER }),
} as const;
type Kind = keyof typeof EVENTS;

describe('what conditions see of a request', () => {
  const HTTP: readonly Page[] = ['ip', 'agent', 'time', 'method', 'path', 'claims'];
  test.each<[Kind, readonly Page[]]>([
    ['HTTP 2.0', HTTP],
    ['HTTP 1.0', HTTP],
    ['REST REQUEST', HTTP],
    // Its event holds the token and the ARN.
    ['REST TOKEN', ['time', 'method', 'path', 'claims']],
    // A connection has neither verb nor path.
    ['WebSocket', ['ip', 'agent', 'time', 'claims']],
    ['AppSync', ['time', 'claims']],
  ])('%s: %j', async (kind, given) => {
    const authorizer = authorizerFor();
    for (const page of HTTP) {
      expect(await answerTo(authorizer, EVENTS[kind](page)), page).toBe(
        given.includes(page) ? 'allow' : 'condition_failed',
      );
    }
    expect(await answerTo(authorizer, EVENTS[kind]('vpn'))).toBe('condition_failed');
    expect(await answerTo(authorizer, EVENTS[kind]('stored'))).toBe('allow');
    const isKnown = given.includes('ip');
    expect(await answerTo(authorizer, EVENTS[kind]('elsewhere'))).toBe(
      isKnown ? 'no_grant' : 'condition_failed',
    );
  });

  test.each(['HTTP 2.0', 'HTTP 1.0', 'REST REQUEST', 'REST TOKEN', 'WebSocket', 'AppSync'] as const)(
    '%s: the claims of a JWT, and none of an API token',
    async (kind) => {
      const authorizer = authorizerFor();
      const weak = await tokenOf({ acr: 'pwd' });
      expect(await answerTo(authorizer, EVENTS[kind]('claims', `Bearer ${weak}`))).toBe('no_grant');
      const none = await tokenOf({});
      expect(await answerTo(authorizer, EVENTS[kind]('claims', `Bearer ${none}`))).toBe('condition_failed');
      const { token: text } = await world.run('token.create', { user, tokenType: 'api' });
      world.settle();
      expect(await answerTo(authorizer, EVENTS[kind]('free', `Bearer ${text}`))).toBe('allow');
      expect(await answerTo(authorizer, EVENTS[kind]('claims', `Bearer ${text}`))).toBe('condition_failed');
    },
  );

  test('the verb is the one that is routed, and the path has no stage', async () => {
    const authorizer = authorizerFor();
    const staged = httpEvent('GET', '/see/path', { authorization: `Bearer ${token}` }, 'prod');
    expect(await answerTo(authorizer, staged)).toBe('allow');
    const other = { ...EVENTS['REST REQUEST']('path'), path: '/elsewhere', httpMethod: 'POST' };
    expect(await answerTo(authorizer, other)).toBe('allow');
    expect(await answerTo(authorizer, { ...EVENTS['REST REQUEST']('method'), httpMethod: 'POST' })).toBe(
      'allow',
    );
  });

  test.each(['HTTP 2.0', 'HTTP 1.0', 'REST REQUEST'] as const)(
    '%s: the path is that of the matched route, however the caller spells a parameter',
    async (kind) => {
      const authorizer = authorizerFor();
      for (const page of ['path', 'p%61th', '%70%61%74%68', 'pat%68'])
        expect(await answerTo(authorizer, EVENTS[kind](page)), page).toBe('allow');
      // A condition that refuses a path refuses it in every spelling.
      for (const page of ['other', 'oth%65r', '%6fther'])
        expect(await answerTo(authorizer, EVENTS[kind](page)), page).toBe('no_grant');
      for (const rest of ['rest/files/path', 'rest/files/p%61th', 'rest/%66iles/path'])
        expect(await answerTo(authorizer, EVENTS[kind](rest)), rest).toBe('allow');
    },
  );

  test('time is that of the request, whatever the event says', async () => {
    const authorizer = authorizerFor();
    const event = EVENTS['HTTP 2.0']('time');
    const requestContext = { ...event.requestContext, timeEpoch: 0, time: '01/Jan/2000:00:00:00 +0000' };
    expect(await answerTo(authorizer, { ...event, requestContext })).toBe('allow');
  });
});

const OUTSIDE = 'outside_cache_key';

describe.each([
  ['REST REQUEST', 'method.request', 'context', 'simple'],
  ['HTTP 1.0', '$request', '$context', 'simple'],
  ['HTTP 2.0', '$request', '$context', 'policy'],
  ['HTTP 2.0', '$request', '$context', 'simple'],
] as const)('%s that caches by the token (%s, %s, HTTP_ANSWER %s)', (kind, request, context, HTTP_ANSWER) => {
  const isSimple = kind === 'HTTP 2.0' && HTTP_ANSWER === 'simple';
  // A simple answer needs path and verb in the key, whatever decides.
  const paths = isSimple ? ['$context.routeKey', '$context.path', '$context.httpMethod'] : [];
  const ask = (page: string, ...more: readonly string[]) =>
    answerTo(
      authorizerFor({ ...cachedBy(`${request}.header.Authorization`, ...paths, ...more), HTTP_ANSWER }),
      EVENTS[kind](page),
    );

  test.each(['ip', 'agent'] as const)('%s: only where the key holds it', async (page) => {
    const [own, other] = [`${context}.identity.sourceIp`, `${context}.identity.userAgent`];
    const [inKey, not] = page === 'ip' ? [own, other] : [other, own];
    expect(await ask(page)).toBe(OUTSIDE);
    expect(await ask(page, not)).toBe(OUTSIDE);
    expect(await ask(page, `${request}.header.X-Forwarded-For`, `${request}.header.User-Agent`)).toBe(
      OUTSIDE,
    );
    expect(await ask(page, inKey)).toBe('allow');
    expect(await ask(page, own, other)).toBe('allow');
  });

  test('a deny is outside of the key as an allow is', async () => {
    expect(await ask('elsewhere')).toBe(OUTSIDE);
    expect(await ask('elsewhere', `${context}.identity.sourceIp`)).toBe('no_grant');
  });

  test('time is in no key', async () => {
    const all = ['sourceIp', 'userAgent'].map((name) => `${context}.identity.${name}`);
    const times = ['requestTimeEpoch', 'requestTime', 'time'].map((name) => `${context}.${name}`);
    expect(await ask('time', ...all, ...times)).toBe(OUTSIDE);
  });

  test('claims are in the token, verb and path in the answer or the key; all else is constant', async () => {
    for (const page of ['claims', 'method', 'path', 'stored', 'free', 'page'])
      expect(await ask(page), page).toBe('allow');
    expect(await ask('vpn')).toBe('condition_failed');
  });
});

test('the context as a whole is in no key, and what the authorizer never gives is constant', () => {
  expect(inputsOfConditions(['context'])).toEqual(['context']);
  expect(inputsOfConditions(['context.time', 'context.ip', 'context.userAgent'])).toEqual([
    ...['time', 'ip', 'userAgent'],
  ]);
  for (const source of ['$context.time', 'context.time', '$context.context', 'context.ip', '$context.ip'])
    expect(['time', 'context', 'ip']).not.toContain(readIdentitySource(source));
  const constant = ['context.vpn', 'context.claims', 'action.name', 'subject', 'resource.properties.floor'];
  expect(inputsOfConditions(constant)).toEqual([]);
});

test('the answer says what was asked', async () => {
  const authorizer = authorizerFor(cachedBy('method.request.header.Authorization'));
  expect(await authorizer(EVENTS['REST REQUEST']('ip'))).toMatchObject({
    policyDocument: { Statement: [{ Effect: 'Deny' }] },
    context: { subject: `user:${user}`, reason: OUTSIDE, permission: 'ip', scope: tenant, coverage: 'route' },
  });
});
