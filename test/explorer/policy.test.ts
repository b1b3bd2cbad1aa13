import { describe, expect, test } from 'vitest';
import { parseConfiguration } from '../../authorizer/configuration.ts';
import { createHandlerFrom } from '../../authorizer/index.ts';
import { callerPolicy } from '../../authorizer/policies/index.ts';
import { createService, type PolicyShown, type RouteTrial } from '../../explorer/service/index.ts';
import { ARN, NOW, restRequestEvent, TTL_0 } from '../authorizer/support.ts';
import { createMemoryWorld } from '../support/world.ts';

/** Policies of callers as the explorer shows them: those that the authorizer gives, beside the routes. */
const places = Array.from({ length: 90 }, (_, number) => `hall-${number}`);

const MANIFEST = `
pages: [grades, menu, office, secret]
permissions: ["bills:pay:bill"]
scopes:
  school: { type: tenant, id: school }
  north: { type: location, id: north, parent: school }
  south: { type: location, id: south, parent: school }
  fair: { type: tenant, id: fair }
${places.map((place) => `  ${place}: { type: location, id: ${place}, parent: fair }`).join('\n')}
roles:
  teacher: { owner: school, allow: [grades] }
  bursar: { owner: school, allow: ["bills:pay:bill"] }
  cook: { owner: school, allow: [menu] }
  guard: { owner: school, allow: [{ permission: office, when: "cidr('10.0.0.0/8').containsIP(context.ip)" }] }
  inspector: { global: true, allow: [grades] }
  steward: { owner: fair, allow: [grades] }
users:
  ann: { id: ann, assignments: [{ role: teacher, scope: north }] }
  ben: { id: ben, grants: { school: [bursar] } }
  cem: { id: cem, assignments: [{ role: cook, scope: north }] }
  dan: { id: dan, grants: { school: [guard] } }
  eva: { id: eva, admin: true }
  fay: { id: fay, globalRoles: [inspector] }
  gil: { id: gil, grants: { fair: [steward] } }
  ida: { id: ida }
subjects:
  bot: { id: bot, type: agent, grants: { school: [teacher] } }
routes:
  - { api: school, method: GET, path: "/locations/{location}/grades", permission: grades, scope: "location:{location}" }
  - { api: school, method: POST, path: /bills, permission: "bills:pay:bill", scope: "tenant:{claim:tenant}" }
  - { api: school, method: ANY, path: /office, permission: office, scope: "tenant:school" }
  - { api: school, method: GET, path: /canteen, permission: menu, scope: "location:{header:x-location}" }
  - { api: files, method: GET, path: "/{rest+}", permission: menu, scope: "location:north" }
  - { api: files, method: GET, path: "/locations/{location}/menu", permission: menu, scope: "location:{location}" }
  - { api: live, method: CONNECT, path: "/$connect", permission: grades, scope: "location:north" }
`;

/** Of mandates, by their ids. */
const tokens = new Map<string, string>();
let ticks = 0;
/** The time goes on: routes count from a millisecond after they were read. */
const clock = { now: () => NOW + ticks++ };

const world = createMemoryWorld([], NOW - 3_600_000);
await world.apply(MANIFEST);
for (const [id, more] of [
  ['north', { scopes: ['location:north'] }],
  ['school', { scopes: ['tenant:school'] }],
  ['counted', { scopes: ['tenant:school'], budget: { uses: 1 } }],
] as const) {
  const parties = { subject: 'user:ann', actor: 'agent:bot', permissions: ['grades'], purpose: 'x' };
  const { token } = await world.run('mandate.create', { id, ...parties, ...more, token: true });
  tokens.set(id, String(token));
}

const service = () =>
  createService({
    ...world,
    provisioning: world.provision,
    clock,
    about: { place: 'a test', canWrite: false, isLive: false },
  });

async function ask<T>(method: string, input: Readonly<Record<string, unknown>>): Promise<T> {
  const reply = await service()(method, input);
  if (!reply.ok) throw new Error(`${reply.error.code}: ${reply.error.message}`);
  return reply.result as T;
}

const policyOf = (subject: string, api = 'school', claims = {}): Promise<PolicyShown> =>
  ask('policy', { subject: `user:${subject}`, api, claims });

const tried = (subject: string, request: string, more = {}): Promise<RouteTrial> => {
  const [method, path] = request.split(' ');
  return ask('tryRoute', { subject: `user:${subject}`, api: 'school', method, path, ...more });
};

const BASE = 'arn:aws:execute-api:eu-west-1:111122223333:abcdef123/live/';
const GRADES = 'GET /locations/{location}/grades';

describe('a policy', () => {
  test('stands beside the routes: what it allows of each', async () => {
    const { answer, without, routes } = await policyOf('ann');
    expect(without).toBeUndefined();
    expect(answer?.policyDocument.Statement).toEqual([
      {
        Action: 'execute-api:Invoke',
        Effect: 'Allow',
        Resource: [`${BASE}GET/locations/north/grades`],
      },
    ]);
    expect(routes.map(({ method, path, allowed }) => [`${method} ${path}`, allowed])).toEqual([
      ['POST /bills', []],
      ['GET /canteen', []],
      [
        GRADES,
        [
          {
            values: { location: 'north' },
            resources: [`${BASE}GET/locations/north/grades`],
            scope: 'location:north',
          },
        ],
      ],
      ['ANY /office', []],
    ]);
    expect(routes[2]).toMatchObject({
      permission: 'grades',
      scope: 'location:{location}',
      isCoverable: true,
    });
  });

  test('is that for the claims of the token', async () => {
    const bills = ({ routes }: PolicyShown) => routes.find(({ path }) => path === '/bills');
    expect(bills(await policyOf('ben', 'school', { tenant: 'school' }))).toMatchObject({
      allowed: [{ values: {}, resources: [`${BASE}POST/bills`] }],
      decision: { allowed: true, reason: 'role' },
    });
    for (const claims of [{}, { tenant: 'fair' }, { tenant: ['school'] }, { tenant: '*' }])
      expect(bills(await policyOf('ben', 'school', claims))?.allowed).toEqual([]);
  });

  test('denies everything to who may do nothing, and to who is unknown', async () => {
    for (const subject of ['ida', 'nobody']) {
      const { answer } = await policyOf(subject);
      expect(answer?.policyDocument.Statement).toEqual([
        { Action: 'execute-api:Invoke', Effect: 'Deny', Resource: [`${BASE}*`] },
      ]);
    }
  });

  test('of an API without routes denies everything', async () => {
    expect(await policyOf('ann', 'other')).toMatchObject({ routes: [], answer: { principalId: 'user:ann' } });
  });

  test('covers no WebSocket', async () => {
    const { routes } = await policyOf('ann', 'live');
    expect(routes).toMatchObject([{ method: 'CONNECT', isCoverable: false, allowed: [] }]);
    expect(routes[0]?.decision).toEqual({ allowed: true, reason: 'role' });
  });
});

describe('there is no policy for the whole API', () => {
  test.each([
    ['an administrator', 'eva', 'school', 'unbounded', 'administrator'],
    ['a global role', 'fay', 'school', 'unbounded', 'global role'],
    ['a condition on the request', 'dan', 'school', 'conditions', 'context.ip'],
    ['a value from a header', 'cem', 'school', 'unlistable', 'GET /canteen'],
    ['one route within another', 'cem', 'files', 'inseparable', 'another'],
    ['too many places', 'gil', 'school', 'too_large', '6144 bytes'],
  ])('for %s', async (_, subject, api, reason, text) => {
    const claims = { tenant: 'school' };
    const { answer, without, routes } = await policyOf(subject, api, claims);
    expect(answer).toBeUndefined();
    expect(without).toEqual({ reason, message: expect.stringContaining(text) });
    expect(routes.length).toBeGreaterThan(1);
    for (const { allowed } of routes) expect(allowed).toEqual([]);
  });

  test('then what the route alone says is shown where it needs no more than claims', async () => {
    const { routes } = await policyOf('eva', 'school', { tenant: 'school' });
    expect(routes.map(({ path, decision }) => [path, decision?.reason])).toEqual([
      ['/bills', 'admin'],
      ['/canteen', undefined],
      ['/locations/{location}/grades', undefined],
      ['/office', 'admin'],
    ]);
  });
});

describe('a request', () => {
  test('is tried against policy and route, which agree', async () => {
    expect(await tried('ann', 'GET /locations/north/grades')).toMatchObject({
      arn: `${BASE}GET/locations/north/grades`,
      policy: { decision: 'allow', effect: 'Allow', resource: `${BASE}GET/locations/north/grades` },
      route: { path: '/locations/{location}/grades', parameters: { location: 'north' } },
      permission: 'grades',
      scope: 'location:north',
      missing: [],
      others: [],
      decision: { allowed: true, reason: 'role' },
      allowed: true,
      agrees: true,
    });
    expect(await tried('ann', 'GET /locations/south/grades')).toMatchObject({
      policy: { decision: 'implicit-deny' },
      allowed: false,
      reason: 'no_grant',
      agrees: true,
    });
    expect(await tried('ida', 'GET /locations/south/grades')).toMatchObject({
      policy: { decision: 'explicit-deny', effect: 'Deny', resource: `${BASE}*` },
      allowed: false,
      agrees: true,
    });
  });

  test('that no route matches is refused by both', async () => {
    for (const path of [
      ...['/nowhere', '/locations/north/grades/', '/Locations/north/grades', '/*'],
      ...['/locations/*/grades', '/locations/n%2Frth/grades', '/locations/..%2f/grades'],
    ])
      expect(await tried('ann', `GET ${path}`), path).toMatchObject({ allowed: false, agrees: true });
    expect(await tried('ann', 'GET /nowhere')).toMatchObject({ reason: 'route_unmapped' });
  });

  test('with an id that is spelt with escapes is left out of the policy: its route alone answers', async () => {
    expect(await tried('ann', 'GET /locations/n%6Frth/grades')).toMatchObject({
      policy: { decision: 'implicit-deny' },
      allowed: true,
      agrees: false,
      isLeftOut: true,
    });
  });

  test('takes values from claims, headers and the query, and says which is missing', async () => {
    expect(await tried('cem', 'GET /canteen')).toMatchObject({
      reason: 'route_unresolved',
      missing: ['{header:x-location} has no value'],
      allowed: false,
    });
    const trial = await tried('cem', 'GET /canteen?a=b', { headers: { 'X-Location': 'north' } });
    expect(trial).toMatchObject({ scope: 'location:north', allowed: true });
    expect(trial.policy).toBeUndefined();
    expect(trial.agrees).toBeUndefined();
  });

  test('must be one', async () => {
    for (const method of ['ANY', 'get', ''])
      await expect(
        ask('tryRoute', { subject: 'user:ann', api: 'school', method, path: '/' }),
      ).rejects.toThrow(/^invalid: method/);
    await expect(tried('ann', 'GET x')).rejects.toThrow(/^invalid: path/);
  });
});

describe('of who acts for the caller', () => {
  const by = (mandate?: string) => ({
    actor: { subject: 'agent:bot', ...(mandate === undefined ? {} : { mandate: `mandate:${mandate}` }) },
  });
  const policyBy = (mandate: string | undefined, api = 'school'): Promise<PolicyShown> =>
    ask('policy', { subject: 'user:ann', api, ...by(mandate) });

  test('the policy holds what caller, actor and mandate allow, and names them', async () => {
    const { answer, routes } = await policyBy('north');
    expect(answer?.policyDocument.Statement).toMatchObject([
      { Effect: 'Allow', Resource: [`${BASE}GET/locations/north/grades`] },
    ]);
    expect(answer?.context).toMatchObject({ actor: 'agent:bot', mandate: 'mandate:north' });
    expect(routes.flatMap(({ path, decision }) => (decision ? [[path, decision.reason]] : []))).toEqual([
      ['/office', 'no_grant'],
    ]);
  });

  test.each([
    [undefined, 'mandate_required'],
    ['gone', 'mandate_unknown'],
    ['counted', 'budget_uncounted'],
  ])('there is none by the mandate %s, and it says why', async (mandate, reason) => {
    const { answer, without } = await policyBy(mandate);
    expect(answer).toBeUndefined();
    expect(without).toEqual({ reason: 'actor_refused', message: expect.stringContaining(reason) });
    expect(await tried('ann', 'GET /locations/north/grades', by(mandate))).toMatchObject({
      allowed: false,
      reason,
    });
  });

  test('a request is tried with the actor, by policy and by route', async () => {
    expect(await tried('ann', 'GET /locations/north/grades', by('north'))).toMatchObject({
      policy: { decision: 'allow' },
      allowed: true,
      agrees: true,
    });
    expect(await tried('eva', 'GET /locations/north/grades', by('north'))).toMatchObject({
      allowed: false,
      reason: 'mandate_unknown',
    });
    const connecting = { api: 'live', ...by('north') };
    expect(await tried('ann', 'CONNECT /$connect', connecting)).toMatchObject({
      allowed: false,
      reason: 'actor_cannot_connect',
    });
    expect((await policyBy('north', 'live')).routes[0]?.decision).toBeUndefined();
  });
});

test('policies are those that the authorizer itself answers with', async () => {
  const { reader, run } = world;
  const authorizer = createHandlerFrom(
    {
      TABLE_NAME: 'gatehouse',
      TOKEN_ISSUER: 'https://i.example',
      TOKEN_AUDIENCE: 'a',
      RESULT_CACHE: TTL_0,
      API_NAME: 'school',
    },
    { reader, clock, log: () => {} },
  );
  const base = `${ARN}/prod/`;
  let whole = 0;
  const compare = async (caller: Omit<Parameters<typeof callerPolicy>[0], 'claims'>, token: string) => {
    const { context, ...answer } = await authorizer(
      restRequestEvent('GET', '/locations/north/grades', { authorization: [`Bearer ${token}`] }),
    );
    const shown = await callerPolicy({ ...caller, claims: {} }, { reader, clock, api: 'school', base });
    const isWhole = context?.coverage === 'api';
    expect(shown.answer === undefined, JSON.stringify(caller)).toBe(!isWhole);
    if (!isWhole) return;
    whole += 1;
    expect(shown.answer).toEqual({ ...answer, context });
  };
  for (const user of ['ann', 'ben', 'cem', 'dan', 'eva', 'fay', 'gil', 'ida']) {
    const { token } = await run('token.create', { user, tokenType: 'api' });
    await compare({ subject: `user:${user}` }, String(token));
  }
  for (const [id, token] of tokens)
    await compare({ subject: 'user:ann', actor: { subject: 'agent:bot', mandate: `mandate:${id}` } }, token);
  expect(whole).toBeGreaterThan(4);
});

test('the bound on a policy is the default of POLICY_MAX_BYTES', () => {
  const env = { TABLE_NAME: 'gatehouse', TOKEN_ISSUER: 'https://i.example', TOKEN_AUDIENCE: 'a' };
  expect(parseConfiguration(env).policy.maxBytes).toBe(6_144);
});
