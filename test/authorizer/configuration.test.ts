import { describe, expect, it } from 'vitest';
import { parseConfiguration } from '../../authorizer/index.ts';

const NEEDED = {
  TABLE_NAME: 'gatehouse',
  TOKEN_ISSUER: 'https://issuer.example/',
  TOKEN_AUDIENCE: 'https://api.example, mobile',
};

const parse = (changes: Record<string, string | undefined> = {}) =>
  parseConfiguration({ ...NEEDED, ...changes });

describe('the configuration', () => {
  it('needs three variables and knows the rest', () => {
    expect(parse()).toEqual({
      table: 'gatehouse',
      endpoint: undefined,
      token: {
        issuer: 'https://issuer.example/',
        audience: ['https://api.example', 'mobile'],
        jwksUrl: new URL('https://issuer.example/.well-known/jwks.json'),
        algorithms: ['RS256'],
        maxBytes: 8_192,
      },
      subjectFrom: { kind: 'claim', name: 'sub' },
      revocation: undefined,
      api: 'default',
      httpAnswer: 'simple',
      metrics: undefined,
      policy: { covers: 'api', isClosed: false, maxBytes: 6_144 },
      cache: { ttlMs: 60_000, outageTtlMs: 0, maxBytes: 32 * 1024 * 1024 },
      hedging: { maxShare: 0 },
    });
  });

  it('takes every variable', () => {
    const configuration = parse({
      DYNAMODB_ENDPOINT: 'http://127.0.0.1:8000',
      TOKEN_ISSUER: 'http://localhost:3000/_dev',
      TOKEN_JWKS_URL: 'https://keys.example/set',
      TOKEN_ALGORITHMS: 'ES256,EdDSA',
      TOKEN_MAX_BYTES: '4096',
      SUBJECT_FROM: 'claim:https://example.com/user_id',
      API_NAME: 'back-office',
      HTTP_ANSWER: 'policy',
      CACHE_TTL_SECONDS: '0',
      CACHE_MAX_BYTES: '1048576',
      REVOCATION: 'session:sid',
      HEDGED_READS_PERCENT: '5',
      CACHE_OUTAGE_TTL_SECONDS: '600',
      METRICS_NAMESPACE: 'Gatehouse/Shop',
      POLICY_COVERS: 'route',
      UNMAPPED_PATHS: 'unreachable',
      POLICY_MAX_BYTES: '2048',
    });
    expect(configuration).toMatchObject({
      endpoint: 'http://127.0.0.1:8000',
      token: {
        algorithms: ['ES256', 'EdDSA'],
        maxBytes: 4_096,
        jwksUrl: new URL('https://keys.example/set'),
      },
      subjectFrom: { kind: 'claim', name: 'https://example.com/user_id' },
      api: 'back-office',
      httpAnswer: 'policy',
      cache: { ttlMs: 0, outageTtlMs: 600_000, maxBytes: 1_048_576 },
      metrics: { namespace: 'Gatehouse/Shop' },
      policy: { covers: 'route', isClosed: true, maxBytes: 2_048 },
      revocation: { kind: 'session', claim: 'sid' },
      hedging: { maxShare: 0.05 },
    });
    expect(parse({ SUBJECT_FROM: 'email' }).subjectFrom).toEqual({ kind: 'email' });
  });

  it('takes a variable that is set to nothing for one that is not set', () => {
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
    ['TOKEN_ALGORITHMS', 'HS256'],
    ['TOKEN_ALGORITHMS', 'RS256,none'],
    ['TOKEN_MAX_BYTES', '10241'],
    ['TOKEN_MAX_BYTES', '1e3'],
    ['SUBJECT_FROM', 'sub'],
    ['SUBJECT_FROM', 'claim:'],
    ['API_NAME', 'a#b'],
    ['HTTP_ANSWER', 'Simple'],
    ['CACHE_TTL_SECONDS', '3601'],
    ['CACHE_TTL_SECONDS', '-1'],
    ['CACHE_TTL_SECONDS', '1.5'],
    ['CACHE_MAX_BYTES', 'lots'],
    ['REVOCATION', 'sid'],
    ['REVOCATION', 'user:sid'],
    ['HEDGED_READS_PERCENT', '51'],
    ['HEDGED_READS_PERCENT', '0.5'],
    ['CACHE_OUTAGE_TTL_SECONDS', '86401'],
    ['METRICS_NAMESPACE', 'AWS/Lambda'],
    ['METRICS_NAMESPACE', 'a b'],
    ['POLICY_COVERS', 'all'],
    ['UNMAPPED_PATHS', 'no'],
    ['POLICY_MAX_BYTES', '511'],
  ])('fails at start and names %s when it is %j', (name, value) => {
    expect(() => parse({ [name]: value })).toThrow(new RegExp(`^configuration: ${name} [a-z]`));
  });

  it('names all that is wrong at once, and quotes no value', () => {
    const parsing = () => parse({ TABLE_NAME: '', TOKEN_ISSUER: 'https://u:s3cret@x.example' });
    expect(parsing).toThrow(/TABLE_NAME is missing; TOKEN_ISSUER is not/);
    expect(parsing).not.toThrow(/s3cret/);
  });

  it('accepts http for this machine only, in each of its spellings', () => {
    for (const host of ['localhost', '127.0.0.1', '127.9.9.9', '[::1]']) {
      expect(parse({ TOKEN_ISSUER: `http://${host}:3000` }).token.issuer).toBe(`http://${host}:3000`);
    }
  });
});
