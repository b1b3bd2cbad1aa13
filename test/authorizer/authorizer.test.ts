import { beforeAll, describe, expect, it } from 'vitest';
import {
  type AuthorizerParts,
  createAuthentication,
  createAuthorizer,
  createSubjectOf,
} from '../../authorizer/index.ts';
import type { VerifiedClaims } from '../../authorizer/token/authentication.ts';
import type { CheckOptions } from '../../engine/index.ts';
import { GatehouseError } from '../../table/errors.ts';
import { isId } from '../../table/identifiers.ts';
import {
  ALICE,
  ARN,
  AUDIENCE,
  createClock,
  createFakeEngine,
  createIssuer,
  httpEvent,
  ISSUER,
  type Issuer,
  NOW,
  PLACE,
  restRequestEvent,
  restTokenEvent,
  rule,
  TENANT,
} from './support.ts';

let issuer: Issuer;
beforeAll(async () => {
  issuer = await createIssuer();
});

const RULES = [
  rule('page', 'GET', '/locations/{id}/pages/{page}', '{page}', 'location:{id}'),
  rule('by-header', 'GET', '/here', 'dashboard', 'location:{header:x-location}'),
  rule('by-claim', 'GET', '/mine', 'dashboard', 'tenant:{claim:tenant}'),
];
const PATH = `/locations/${PLACE}/pages/roster`;

interface SetUp {
  readonly engine?: Parameters<typeof createFakeEngine>[0];
  readonly parts?: Partial<AuthorizerParts>;
}

function setUp({ engine, parts = {} }: SetUp = {}) {
  const clock = createClock();
  const fake = createFakeEngine(engine);
  const lines: string[] = [];
  const authorizer = createAuthorizer({
    readApiToken: () => undefined,
    bearerOf: () => undefined,
    authenticate: createAuthentication({
      issuers: [{ keys: issuer.keys, issuer: ISSUER, audience: [AUDIENCE], algorithms: ['RS256'] }],
      maxBytes: 4_096,
      ttlMs: 0,
      clock,
    }),
    subjectOf: createSubjectOf({
      from: { kind: 'claim', name: 'sub' },
      isId,
      findUserByEmail: async () => undefined,
      ttlMs: 60_000,
      outageTtlMs: 0,
      clock,
    }),
    routes: { rules: () => RULES },
    engine: fake.engine,
    clock,
    log: (line) => lines.push(line),
    httpAnswer: 'simple',
    ...parts,
  });
  return { asked: fake.asked, authorizer, lines };
}

const bearer = async (claims?: Record<string, unknown>, header?: Record<string, unknown>) =>
  `Bearer ${await issuer.token(claims, header)}`;

const CONTEXT = {
  subject: `user:${ALICE}`,
  tenant: TENANT,
  scope: `location:${PLACE}`,
  permission: 'roster',
  roles: '01J8X2W3Y4Z5A6B7C8D9E0F1R1,01J8X2W3Y4Z5A6B7C8D9E0F1R2',
  reason: 'role',
  route: 'page',
  coverage: 'route',
};
const allowPolicy = (arn: string) => ({
  principalId: `user:${ALICE}`,
  policyDocument: {
    Version: '2012-10-17',
    Statement: [{ Action: 'execute-api:Invoke', Effect: 'Allow', Resource: arn }],
  },
  context: CONTEXT,
});

describe('an allowed request', () => {
  it('is answered simply in an HTTP API', async () => {
    const { asked, authorizer } = setUp();
    const answer = await authorizer(httpEvent('GET', PATH, { authorization: await bearer() }));
    expect(answer).toEqual({ isAuthorized: true, context: CONTEXT });
    expect(asked).toEqual([`user:${ALICE} roster location:${PLACE}`]);
  });

  it('is answered by a policy in an HTTP API that wants one', async () => {
    const { authorizer } = setUp({ parts: { httpAnswer: 'policy' } });
    const answer = await authorizer(httpEvent('GET', PATH, { authorization: await bearer() }));
    expect(answer).toEqual(allowPolicy(`${ARN}/$default/GET${PATH}`));
  });

  it('is answered by a policy in a REST API, whatever HTTP APIs want', async () => {
    const { authorizer } = setUp();
    const credentials = await bearer();
    for (const event of [
      restRequestEvent('GET', PATH, { Authorization: [credentials] }),
      restTokenEvent('GET', PATH, credentials),
    ]) {
      expect(await authorizer(event)).toEqual(allowPolicy(`${ARN}/prod/GET${PATH}`));
    }
  });

  it('asks the engine about one instant, by the injected clock', async () => {
    const instants: unknown[] = [];
    const { authorizer } = setUp({
      engine: {
        check: (...[, , , options]) => {
          instants.push(options?.at);
          return { allowed: true, reason: 'admin' };
        },
        rolesOf: (...[, , options]) => {
          instants.push(options?.at);
          return { root: TENANT, roles: [] };
        },
      },
    });
    const answer = await authorizer(httpEvent('GET', PATH, { authorization: await bearer() }));
    expect(answer.context).toMatchObject({ reason: 'admin', roles: '' });
    expect(instants).toEqual([NOW, NOW]);
  });

  it('may take its scope from a header or a claim', async () => {
    const { asked, authorizer } = setUp();
    await authorizer(httpEvent('GET', '/here', { authorization: await bearer(), 'x-location': PLACE }));
    await authorizer(httpEvent('GET', '/mine', { authorization: await bearer({ tenant: 'T1' }) }));
    expect(asked).toEqual([`user:${ALICE} dashboard location:${PLACE}`, `user:${ALICE} dashboard tenant:T1`]);
  });

  it('tells the engine what its path says of the scopes above, and leaves out what it does not say', async () => {
    const rules = [
      rule('deep', 'GET', '/c/{client}/p/{project}/b/{id}', 'doors', 'building:{id}', [
        'project:{project}',
        'client:{client}',
        'tenant:{claim:tenant}',
      ]),
    ];
    const told: unknown[] = [];
    const namesIn = ({ hints }: CheckOptions = {}) => (typeof hints === 'function' ? hints() : hints);
    const { authorizer } = setUp({
      engine: {
        check: (...[, , , options]) => {
          told.push(namesIn(options));
          return { allowed: true, reason: 'role' };
        },
        rolesOf: (...[, , options]) => {
          told.push(namesIn(options));
          return { root: TENANT, roles: [] };
        },
      },
      parts: { routes: { rules: () => rules } },
    });
    const authorization = await bearer();
    for (const path of ['/c/C/p/P/b/B', '/c/a:b/p/P/b/B', '/c/*/p/a@b/b/B'])
      expect(await authorizer(httpEvent('GET', path, { authorization }))).toMatchObject({
        isAuthorized: true,
      });
    const [both, one, none] = [['project:P', 'client:C'], ['project:P'], []];
    expect(told).toEqual([both, both, one, one, none, none]);
  });

  it('fills no hints where the engine does not ask for them', async () => {
    const rules = [rule('hinted', 'GET', '/l/{id}', 'doors', 'location:{id}', ['tenant:{claim:tenant}'])];
    const claims = {
      sub: ALICE,
      get tenant(): never {
        throw new Error('asked for');
      },
    };
    const authenticate = () => claims as unknown as VerifiedClaims;
    const { authorizer, lines } = setUp({ parts: { authenticate, routes: { rules: () => rules } } });
    const event = httpEvent('GET', '/l/L1', { authorization: await bearer() });
    expect(await authorizer(event)).toMatchObject({ isAuthorized: true });
    expect(lines).toEqual([]);
  });
});

describe('a denied request', () => {
  const denial = async (event: unknown, options?: SetUp) => {
    const { asked, authorizer, lines } = setUp(options);
    const answer = await authorizer(event);
    expect(answer).toMatchObject({ isAuthorized: false });
    expect(lines).toEqual([]);
    return { asked, context: answer.context };
  };

  it('says what the engine said', async () => {
    const event = httpEvent('GET', PATH, { authorization: await bearer() });
    const check = async () => ({ allowed: false, reason: 'no_grant' }) as const;
    const { context } = await denial(event, { engine: { check } });
    const { roles: _, tenant: __, ...rest } = CONTEXT;
    expect(context).toEqual({ ...rest, reason: 'no_grant' });
  });

  it('is one whose token names no subject; the engine is not asked', async () => {
    const event = httpEvent('GET', PATH, { authorization: await bearer({ sub: 'alice' }) });
    expect(await denial(event)).toEqual({
      asked: [],
      context: { reason: 'subject_unknown', coverage: 'route' },
    });
  });

  it.each(['/', `${PATH}/`, `/${PATH}`, `/locations/${PLACE}%2Fpages/roster`, `/locations/*/pages/roster`])(
    'is one that no route covers: %s',
    async (path) => {
      const event = httpEvent('GET', path, { authorization: await bearer() });
      const { asked, context } = await denial(event);
      expect(context).toEqual({
        reason: 'route_unmapped',
        subject: `user:${ALICE}`,
        coverage: 'route',
      });
      expect(asked).toEqual([]);
    },
  );

  it.each<[string, Record<string, string>]>([
    ['is missing', {}],
    ['is joined by a comma', { 'x-location': `${PLACE},${PLACE}` }],
    ['came in two spellings', { 'x-location': PLACE, 'X-Location': 'L2' }],
  ])('is one whose scope is in a header that %s', async (_, headers) => {
    const event = httpEvent('GET', '/here', { authorization: await bearer(), ...headers });
    const { asked, context } = await denial(event);
    expect(context).toMatchObject({ reason: 'route_unresolved', route: 'by-header' });
    expect(asked).toEqual([]);
  });

  it('is one whose subject vanished between the two questions to the engine', async () => {
    const event = httpEvent('GET', PATH, { authorization: await bearer() });
    const { context } = await denial(event, { engine: { rolesOf: () => undefined } });
    expect(context).toMatchObject({ reason: 'standing_unknown' });
  });

  it('gets an explicit Deny where a policy is wanted', async () => {
    const { authorizer } = setUp();
    const answer = await authorizer(restTokenEvent('GET', '/nowhere', await bearer()));
    expect(answer).toMatchObject({
      principalId: `user:${ALICE}`,
      policyDocument: { Statement: [{ Effect: 'Deny', Resource: `${ARN}/prod/GET/nowhere` }] },
    });
  });

  it('is denied by its policy when its ARN holds a wildcard, even if a literal of its route does', async () => {
    const literal = { ...rule('odd', 'GET', '/', 'page', `location:${PLACE}`) };
    const routes = { rules: () => [{ ...literal, segments: [{ kind: 'literal', text: '*' } as const] }] };
    const { authorizer } = setUp({ parts: { routes } });
    const answer = await authorizer(restTokenEvent('GET', '/*', await bearer()));
    expect(answer).toMatchObject({
      policyDocument: { Statement: [{ Effect: 'Deny', Resource: `${ARN}/prod/GET/?` }] },
      context: { reason: 'arn_unusable' },
    });
  });
});

describe('bad credentials', () => {
  it.each<[string, () => Promise<unknown>, string]>([
    ['none', async () => httpEvent('GET', PATH), 'credentials_missing'],
    [
      'two headers',
      async () => {
        const credentials = await bearer();
        return restRequestEvent('GET', PATH, { Authorization: [credentials, credentials] });
      },
      'credentials_ambiguous',
    ],
    [
      'two spellings of the header',
      async () => {
        const credentials = await bearer();
        return httpEvent('GET', PATH, { authorization: credentials, Authorization: `${credentials}x` });
      },
      'credentials_ambiguous',
    ],
    ['a token of TOKEN that is empty', async () => restTokenEvent('GET', PATH, ''), 'credentials_missing'],
    ['no token at all', async () => restTokenEvent('GET', PATH, undefined), 'credentials_missing'],
    [
      'a token without scheme',
      async () => restTokenEvent('GET', PATH, await issuer.token()),
      'credentials_malformed',
    ],
    [
      'a token that has expired',
      async () => httpEvent('GET', PATH, { authorization: await bearer({ exp: 1 }) }),
      'token_expired',
    ],
  ])("are refused with exactly 'Unauthorized', and nothing is read: %s", async (_, event, code) => {
    let reads = 0;
    const rules = () => {
      reads += 1;
      return RULES;
    };
    const { asked, authorizer, lines } = setUp({ parts: { routes: { rules } } });
    const error = await authorizer(await event()).catch((thrown: unknown) => thrown);
    expect(error).toEqual(new Error('Unauthorized'));
    expect(Object.keys(error as object)).toEqual([]);
    expect(error).not.toHaveProperty('cause');
    expect([asked, reads]).toEqual([[], 0]);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 'info', code }]);
  });
});

describe('a fault', () => {
  const down = new GatehouseError('transient', 'BatchGetItem did not get an answer in time', {
    cause: Object.assign(new Error('socket of 10.0.0.7'), { name: 'TimeoutError' }),
  });
  const fails = () => {
    throw down;
  };
  const rejects = async () => fails();

  it.each<[string, SetUp]>([
    ['the engine throws', { engine: { check: fails } }],
    ['the engine rejects', { engine: { check: rejects } }],
    ['the roles cannot be had', { engine: { rolesOf: rejects } }],
    ['the routes cannot be had', { parts: { routes: { rules: rejects } } }],
    ['the subject cannot be looked up', { parts: { subjectOf: rejects } }],
    ['the keys cannot be had', { parts: { authenticate: rejects } }],
  ])('is closed, generic and logged once, without token or header: %s', async (_, options) => {
    const { authorizer, lines } = setUp(options);
    const credentials = await bearer();
    const event = httpEvent('GET', PATH, { authorization: credentials, cookie: 'id=s3cret' });
    const error = await authorizer(event).catch((thrown: unknown) => thrown);
    expect(error).toEqual(new Error('Internal error'));
    expect(error).not.toHaveProperty('cause');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      level: 'error',
      code: 'transient',
      reason: 'BatchGetItem did not get an answer in time',
      causes: ['TimeoutError'],
      requestId: 'JKJaXmPLvHcESHA=',
    });
  });

  it('of a kind that nobody foresaw is logged by its name: its message may quote anything', async () => {
    for (const failure of [
      new TypeError('Bearer eyJ s3cret'),
      'eyJ s3cret',
      undefined,
      { code: 'eyJ s3cret' },
    ]) {
      const check = () => {
        throw failure;
      };
      const { authorizer, lines } = setUp({ engine: { check } });
      const event = httpEvent('GET', PATH, { authorization: await bearer() });
      await expect(authorizer(event)).rejects.toThrow(/^Internal error$/);
      expect(lines).toHaveLength(1);
      expect(lines[0]).not.toMatch(/eyJ|s3cret/);
      expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'error', reason: 'unexpected error' });
    }
  });

  it("that calls itself 'Unauthorized' is a fault all the same", async () => {
    const check = () => {
      throw new Error('Unauthorized');
    };
    const { authorizer } = setUp({ engine: { check } });
    const event = httpEvent('GET', PATH, { authorization: await bearer() });
    await expect(authorizer(event)).rejects.toThrow(/^Internal error$/);
  });

  it('is what an event is that AWS does not send; the invocation names it in the log', async () => {
    const { authorizer, lines } = setUp();
    await expect(authorizer({}, { awsRequestId: 'invocation-1' })).rejects.toThrow(/^Internal error$/);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      code: 'event_unsupported',
      requestId: 'invocation-1',
    });
  });
});
