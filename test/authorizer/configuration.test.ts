import { describe, expect, it } from 'vitest';
import { parseConfiguration } from '../../authorizer/index.ts';

const NEEDED = {
  TABLE_NAME: 'gatehouse',
  TOKEN_ISSUER: 'https://issuer.example/',
  TOKEN_AUDIENCE: 'https://api.example, mobile',
};

const parse = (changes: Record<string, string | undefined> = {}) =>
  parseConfiguration({ ...NEEDED, ...changes });

const subjectOf = (subjectFrom: object) => ({ token: { issuers: [{ subjectFrom }] } });

describe('the configuration', () => {
  it('requires three variables and has defaults for the rest', () => {
    expect(parse()).toEqual({
      table: 'gatehouse',
      endpoint: undefined,
      token: {
        issuers: [
          {
            issuer: 'https://issuer.example/',
            audience: ['https://api.example', 'mobile'],
            clientIds: undefined,
            tokenUse: undefined,
            typ: undefined,
            jwksUrl: new URL('https://issuer.example/.well-known/jwks.json'),
            algorithms: ['RS256'],
            subjectFrom: { kind: 'claim', name: 'sub' },
          },
        ],
        maxBytes: 8_192,
        ttlMs: 300_000,
        staleMs: 3_600_000,
        credentialsFrom: [{ api: undefined, place: 'header', name: '' }],
      },
      revocation: undefined,
      api: 'default',
      httpAnswer: 'simple',
      resultCaches: new Map(),
      basePaths: new Map(),
      logging: { level: 'INFO', decisions: { mode: 'off', share: 0.01 } },
      metrics: undefined,
      policy: { covers: 'api', isClosed: false, maxBytes: 6_144 },
      cache: { ttlMs: 60_000, outageTtlMs: 0, maxBytes: 32 * 1024 * 1024, keepDecisions: true },
    });
  });

  const SOURCES = [
    '$request.header.Authorization',
    'method.request.querystring.loc',
    '$context.routeKey',
    'context.path',
    'stageVariables.colour',
  ];
  const CACHES = { default: { ttl: 0 }, a1b2c3: { ttl: 300, identitySources: SOURCES } };
  const KEY = new Set(['header:authorization', 'query:loc', 'routeKey', 'path', 'stageVariables:colour']);
  const ofIssuer = (values: object) => ({ token: { issuers: [values] } });
  it.each<[string, string, object]>([
    ['DYNAMODB_ENDPOINT', 'http://127.0.0.1:8000', { endpoint: 'http://127.0.0.1:8000' }],
    ['TABLE_REGION', 'eu-west-1', { table: 'gatehouse' }],
    ['TOKEN_ISSUER', 'http://localhost:3000/_dev', ofIssuer({ issuer: 'http://localhost:3000/_dev' })],
    [
      'TOKEN_JWKS_URL',
      'https://keys.example/set',
      ofIssuer({ jwksUrl: new URL('https://keys.example/set') }),
    ],
    ['TOKEN_ALGORITHMS', 'ES256,EdDSA', ofIssuer({ algorithms: ['ES256', 'EdDSA'] })],
    ['TOKEN_MAX_BYTES', '4096', { token: { maxBytes: 4_096 } }],
    ['TOKEN_CACHE_SECONDS', '0', { token: { ttlMs: 0 } }],
    ['JWKS_STALE_SECONDS', '60', { token: { staleMs: 60_000 } }],
    [
      'CREDENTIALS_FROM',
      'header, websocket:query:access_token,http:cookie:__Host-session',
      {
        token: {
          credentialsFrom: [
            { api: undefined, place: 'header', name: '' },
            { api: 'websocket', place: 'query', name: 'access_token' },
            { api: 'http', place: 'cookie', name: '__Host-session' },
          ],
        },
      },
    ],
    [
      'SUBJECT_FROM',
      'claim:https://x.example/id',
      subjectOf({ kind: 'claim', name: 'https://x.example/id' }),
    ],
    ['SUBJECT_FROM', 'email', subjectOf({ kind: 'email' })],
    ['SUBJECT_FROM', 'identity', subjectOf({ kind: 'identity', name: 'sub' })],
    ['SUBJECT_FROM', 'identity:oid', subjectOf({ kind: 'identity', name: 'oid' })],
    ['API_NAME', 'back-office', { api: 'back-office' }],
    ['HTTP_ANSWER', 'policy', { httpAnswer: 'policy' }],
    ['CACHE_TTL_SECONDS', '0', { cache: { ttlMs: 0 } }],
    ['CACHE_MAX_BYTES', '1048576', { cache: { maxBytes: 1_048_576 } }],
    ['CACHE_OUTAGE_TTL_SECONDS', '600', { cache: { outageTtlMs: 600_000 } }],
    ['REVOCATION', 'session:sid', { revocation: { kind: 'session', claim: 'sid' } }],
    ['METRICS_NAMESPACE', 'Gatehouse/Shop', { metrics: { namespace: 'Gatehouse/Shop' } }],
    ['POLICY_COVERS', 'route', { policy: { covers: 'route' } }],
    ['UNMAPPED_PATHS', 'unreachable', { policy: { isClosed: true } }],
    ['POLICY_MAX_BYTES', '2048', { policy: { maxBytes: 2_048 } }],
    ['BASE_PATHS', '{"a.example": "orders/v1"}', { basePaths: new Map([['a.example', 'orders/v1']]) }],
    ['BASE_PATHS', '{"a.example": ""}', { basePaths: new Map([['a.example', '']]) }],
    [
      'RESULT_CACHE',
      JSON.stringify(CACHES),
      {
        resultCaches: new Map([
          ['default', { ttl: 0, identitySources: [], key: new Set() }],
          ['a1b2c3', { ttl: 300, identitySources: SOURCES, key: KEY }],
        ]),
      },
    ],
  ])('accepts %s=%s', (name, value, expected) => {
    expect(parse({ [name]: value })).toMatchObject(expected);
  });

  it.each([
    ['off'],
    ['[]'],
    ['{"default":0}'],
    ['{"default":{}}'],
    ['{"default":{"ttl":-1}}'],
    ['{"default":{"ttl":3601}}'],
    ['{"default":{"ttl":"0"}}'],
    ['{"default":{"ttl":0,"sources":[]}}'],
    ['{"default":{"ttl":300}}'],
    ['{"default":{"ttl":300,"identitySources":[]}}'],
    ['{"default":{"ttl":300,"identitySources":"$request.header.Authorization"}}'],
    ['{"default":{"ttl":300,"identitySources":["Authorization"]}}'],
    ['{"default":{"ttl":300,"identitySources":["method.request.path.id"]}}'],
    ['{"an api":{"ttl":0}}'],
    [`{"default":{"ttl":0}${' '.repeat(4_096)}}`],
    [
      JSON.stringify({
        default: { ttl: 1, identitySources: Array.from({ length: 21 }, (_, i) => `$request.header.h${i}`) },
      }),
    ],
  ])('refuses the RESULT_CACHE %s, and says where', (text) => {
    expect(() => parse({ RESULT_CACHE: text })).toThrow(
      /^configuration: RESULT_CACHE(\.[A-Za-z0-9-]+)* (is|holds|has) [a-z]/,
    );
  });

  it('treats an empty variable as not set', () => {
    expect(parse({ TOKEN_JWKS_URL: '', HTTP_ANSWER: '' })).toEqual(parse());
  });

  it.each([
    ['TABLE_NAME', undefined],
    ['TABLE_NAME', 'a table'],
    ['TOKEN_ISSUER', ''],
    ['TOKEN_ISSUER', 'issuer.example'],
    ['TOKEN_ISSUER', 'http://issuer.example'],
    ['TOKEN_ISSUER', 'http://127.0.0.1.evil.example'],
    ['TOKEN_ISSUER', 'http://localhost.evil.example'],
    ['TOKEN_ISSUER', 'https://user:secret@issuer.example'],
    ['TOKEN_ISSUER', 'https://issuer.example/?a=b'],
    ['TOKEN_ISSUER', 'file:///etc/passwd'],
    ['TOKEN_AUDIENCE', undefined],
    ['TOKEN_AUDIENCE', 'a,,b'],
    ['TOKEN_JWKS_URL', 'http://issuer.example/keys'],
    ['DYNAMODB_ENDPOINT', 'http://10.0.0.1:8000'],
    ['TABLE_REGION', 'europe'],
    ['TOKEN_ALGORITHMS', 'HS256'],
    ['TOKEN_ALGORITHMS', 'RS256,none'],
    ['TOKEN_MAX_BYTES', '10241'],
    ['TOKEN_MAX_BYTES', '1e3'],
    ['TOKEN_CACHE_SECONDS', '3601'],
    ['JWKS_STALE_SECONDS', '86401'],
    ['CREDENTIALS_FROM', 'body'],
    ['CREDENTIALS_FROM', 'header,'],
    ['CREDENTIALS_FROM', 'cookie:'],
    ['CREDENTIALS_FROM', 'cookie:a b'],
    ['CREDENTIALS_FROM', 'soap:header'],
    ['CREDENTIALS_FROM', 'header,header'],
    ['CREDENTIALS_FROM', 'query:t,websocket:query:t'],
    ['SUBJECT_FROM', 'sub'],
    ['SUBJECT_FROM', 'claim:'],
    ['SUBJECT_FROM', 'email:oid'],
    ['API_NAME', 'a#b'],
    ['HTTP_ANSWER', 'Simple'],
    ['CACHE_TTL_SECONDS', '3601'],
    ['CACHE_TTL_SECONDS', '-1'],
    ['CACHE_TTL_SECONDS', '1.5'],
    ['CACHE_MAX_BYTES', 'lots'],
    ['KEEP_DECISIONS', 'yes'],
    ['REVOCATION', 'sid'],
    ['REVOCATION', 'user:sid'],
    ['CACHE_OUTAGE_TTL_SECONDS', '86401'],
    ['METRICS_NAMESPACE', 'AWS/Lambda'],
    ['METRICS_NAMESPACE', 'a b'],
    ['POLICY_COVERS', 'all'],
    ['UNMAPPED_PATHS', 'no'],
    ['POLICY_MAX_BYTES', '511'],
    ['BASE_PATHS', 'orders'],
    ['BASE_PATHS', '[]'],
    ['BASE_PATHS', '{"API.example.com": "orders"}'],
    ['BASE_PATHS', '{"api.example.com": "/orders"}'],
    ['BASE_PATHS', '{"api.example.com": "orders/"}'],
    ['BASE_PATHS', '{"api.example.com": 7}'],
    ['BASE_PATHS', `{"api.example.com": "${'x'.repeat(4_096)}"}`],
  ])('fails at start and names %s when it is %j', (name, value) => {
    expect(() => parse({ [name]: value })).toThrow(new RegExp(`^configuration: ${name} [a-z]`));
  });

  it('names all problems at once, and quotes no value', () => {
    const parsing = () => parse({ TABLE_NAME: '', TOKEN_ISSUER: 'https://u:s3cret@x.example' });
    expect(parsing).toThrow(/TABLE_NAME is missing; TOKEN_ISSUER is not/);
    expect(parsing).not.toThrow(/s3cret/);
  });

  it('accepts http for this machine only, in each of its spellings', () => {
    for (const host of ['localhost', '127.0.0.1', '127.9.9.9', '[::1]']) {
      expect(parse({ TOKEN_ISSUER: `http://${host}:3000` }).token.issuers[0]?.issuer).toBe(
        `http://${host}:3000`,
      );
    }
  });
});

describe('several issuers', () => {
  const ONE = { issuer: 'https://one.example', audience: 'api' };
  const POOL = 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_AbCdEfGhI';
  const several = (issuers: unknown, changes: Record<string, string> = {}) =>
    parseConfiguration({
      TABLE_NAME: 'gatehouse',
      TOKEN_ISSUERS: typeof issuers === 'string' ? issuers : JSON.stringify(issuers),
      ...changes,
    });

  it('are read from one variable, with what each needs', () => {
    const { token } = several([
      { ...ONE, algorithms: ['ES256'], typ: 'at+jwt', jwksUrl: 'https://keys.example/one' },
      { issuer: POOL, clientIds: ['app'], tokenUse: 'access', subjectFrom: 'claim:gatehouse' },
      { issuer: POOL, audience: ['app', 'web'], tokenUse: 'id', subjectFrom: 'claim:gatehouse' },
    ]);
    const gatehouse = { kind: 'claim', name: 'gatehouse' };
    const rest = { clientIds: undefined, tokenUse: undefined, typ: undefined };
    const pool = {
      ...rest,
      issuer: POOL,
      jwksUrl: new URL(`${POOL}/.well-known/jwks.json`),
      algorithms: ['RS256'],
      subjectFrom: gatehouse,
    };
    expect(token.issuers).toEqual([
      {
        ...rest,
        issuer: 'https://one.example',
        audience: ['api'],
        typ: 'at+jwt',
        jwksUrl: new URL('https://keys.example/one'),
        algorithms: ['ES256'],
        subjectFrom: { kind: 'claim', name: 'sub' },
      },
      { ...pool, audience: [], clientIds: ['app'], tokenUse: 'access' },
      { ...pool, audience: ['app', 'web'], tokenUse: 'id' },
    ]);
  });

  const two = (changes: Record<string, unknown>) => [
    ONE,
    { ...ONE, issuer: 'https://two.example', ...changes },
  ];

  it.each<[string, unknown, string]>([
    ['what is no JSON', '[{', 'TOKEN_ISSUERS is not a list in JSON'],
    ['no list', ONE, 'TOKEN_ISSUERS is not a list in JSON'],
    ['an empty list', [], 'TOKEN_ISSUERS is empty'],
    ['no object', [7], 'TOKEN_ISSUERS.0 is not an object'],
    ['no issuer', [{ audience: 'api' }], 'TOKEN_ISSUERS.0.issuer is missing'],
    ['http', [{ ...ONE, issuer: 'http://one.example' }], 'TOKEN_ISSUERS.0.issuer is not an https URL'],
    ['no audience', [{ issuer: ONE.issuer }], 'TOKEN_ISSUERS.0 names neither audience nor clientIds'],
    ['an empty audience', [{ ...ONE, audience: '' }], 'TOKEN_ISSUERS.0.audience is neither a text'],
    ['an empty list of them', [{ ...ONE, audience: [] }], 'TOKEN_ISSUERS.0.audience is'],
    ['no client', [{ ...ONE, clientIds: [] }], 'TOKEN_ISSUERS.0.clientIds is empty'],
    ['a shared secret', [{ ...ONE, algorithms: ['HS256'] }], 'TOKEN_ISSUERS.0.algorithms.0 holds something'],
    ['no algorithm', [{ ...ONE, algorithms: [] }], 'TOKEN_ISSUERS.0.algorithms is empty'],
    [
      'another claim that acts',
      [{ ...ONE, actorFrom: { claim: 'sub', type: 'agent' } }],
      'TOKEN_ISSUERS.0.actorFrom.claim is none of act, azp, client_id',
    ],
    [
      'actors of no type',
      [{ ...ONE, actorFrom: { claim: 'act', type: 'Agent:' } }],
      'TOKEN_ISSUERS.0.actorFrom.type is not a type of subjects',
    ],
    [
      'no client that acts',
      [{ ...ONE, actorFrom: { claim: 'azp', type: 'agent', clients: [] } }],
      'TOKEN_ISSUERS.0.actorFrom.clients is empty',
    ],
    [
      'a mandate of nobody',
      [{ ...ONE, mandateFrom: 'mandate' }],
      'TOKEN_ISSUERS.0 names mandateFrom without actorFrom',
    ],
    ['another use', [{ ...ONE, tokenUse: 'refresh' }], 'TOKEN_ISSUERS.0.tokenUse is neither'],
    ['a misspelt field', [{ ...ONE, audiance: 'x' }], 'TOKEN_ISSUERS.0 has an unknown field'],
    ['an issuer twice', [ONE, ONE], 'TOKEN_ISSUERS names an issuer twice'],
    [
      'an issuer for one use and for all',
      [ONE, { ...ONE, tokenUse: 'id' }],
      'TOKEN_ISSUERS names an issuer twice',
    ],
    ['the sub of two issuers', two({}), 'TOKEN_ISSUERS takes the subject from the sub of more than one'],
    [
      'an issuer with two kinds of subject',
      [
        { ...ONE, tokenUse: 'id', subjectFrom: 'email' },
        { ...ONE, tokenUse: 'access' },
      ],
      'TOKEN_ISSUERS takes the subject of one issuer from two places',
    ],
  ])('fail at start when there is %s', (_, issuers, problem) => {
    expect(() => several(issuers)).toThrow(`configuration: ${problem}`);
  });

  it('are accepted if all but one have another subjectFrom', () => {
    expect(several(two({ subjectFrom: 'email' })).token.issuers.map((one) => one.subjectFrom.kind)).toEqual([
      'claim',
      'email',
    ]);
    expect(several(two({}), { SUBJECT_FROM: 'email' }).token.issuers).toHaveLength(2);
  });

  it('exclude the variables for one issuer', () => {
    expect(() => several([ONE], { TOKEN_ISSUER: 'https://s3cret.example' })).toThrow(
      'configuration: TOKEN_ISSUER stands beside TOKEN_ISSUERS, which says it all',
    );
  });
});
