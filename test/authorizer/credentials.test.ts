import { describe, expect, it } from 'vitest';
import { type CredentialSources, createReadCredentials, parseConfiguration } from '../../authorizer/index.ts';

interface Request {
  readonly kind?: string;
  readonly authorization?: readonly string[];
  readonly query?: Record<string, readonly string[]>;
  readonly cookies?: Record<string, readonly string[]>;
}

/** Reads a request's credentials as a variable of the environment says; the code where they are refused. */
function read(
  from: string,
  { kind = 'http', authorization = [], query = {}, cookies = {} }: Request,
): string {
  const { token } = parseConfiguration({
    TABLE_NAME: 'gatehouse',
    TOKEN_ISSUER: 'https://issuer.example',
    TOKEN_AUDIENCE: 'api',
    CREDENTIALS_FROM: from,
  });
  const request: CredentialSources = {
    kind,
    authorization,
    query: (name) => query[name] ?? [],
    cookies: (name) => cookies[name] ?? [],
  };
  try {
    return createReadCredentials(token.credentialsFrom)(request);
  } catch (error) {
    return (error as { code: string }).code;
  }
}

const HEADER = { authorization: ['Bearer T'] };
const QUERY = { query: { access_token: ['T'] } };
const COOKIE = { cookies: { session: ['T'] } };
const ALL = 'header,query:access_token,cookie:session';

describe('credentials', () => {
  it('come from the header, and unless configured from nowhere else', () => {
    expect(read('', HEADER)).toBe('T');
    for (const request of [QUERY, COOKIE, {}]) expect(read('', request)).toBe('credentials_missing');
    expect(read('', { ...HEADER, ...QUERY, ...COOKIE })).toBe('T');
  });

  it('come from a cookie or a query parameter that is named', () => {
    expect(read('query:access_token', QUERY)).toBe('T');
    expect(read('cookie:session', COOKIE)).toBe('T');
    expect(read('cookie:session', { cookies: { Session: ['T'] } })).toBe('credentials_missing');
    expect(read('cookie:session', HEADER)).toBe('credentials_missing');
    for (const request of [HEADER, QUERY, COOKIE]) expect(read(ALL, request)).toBe('T');
  });

  it.each<[string, Request]>([
    ['a header that came twice', { authorization: ['Bearer T', 'Bearer T'] }],
    ['header and cookie', { ...HEADER, ...COOKIE }],
    ['header and query', { ...HEADER, ...QUERY }],
    ['query and cookie', { ...QUERY, ...COOKIE }],
    ['one query parameter twice', { query: { access_token: ['T', 'T'] } }],
    ['one cookie twice', { cookies: { session: ['T', 'U'] } }],
    ['an empty one beside a good one', { ...COOKIE, authorization: [''] }],
    ['one of another scheme beside a good one', { ...COOKIE, authorization: ['Basic dTpw'] }],
  ])('are one: %s is two', (_, request) => {
    expect(read(ALL, request)).toBe('credentials_ambiguous');
  });

  it.each<[string, Request]>([
    ['nothing', {}],
    ['an empty header', { authorization: [''] }],
    ['an empty parameter', { query: { access_token: [''] } }],
    ['an empty cookie', { cookies: { session: [''] } }],
  ])('are missing when there is %s', (_, request) => {
    expect(read(ALL, request)).toBe('credentials_missing');
  });

  it.each(['Bearer', 'Bearer ', 'Basic T', ' Bearer T', 'T', 'Bearer\tT'])('are none in %j', (value) => {
    expect(read(ALL, { authorization: [value] })).toBe('credentials_malformed');
  });

  it('carry no scheme but in the header', () => {
    expect(read(ALL, { cookies: { session: ['Bearer T'] } })).toBe('Bearer T');
  });

  it('are refused for their length first, wherever they stand', () => {
    const long = 'x'.repeat(10_241);
    for (const request of [
      { authorization: [long] },
      { query: { access_token: [long] } },
      { ...HEADER, cookies: { session: [long] } },
    ]) {
      expect(read(ALL, request)).toBe('token_too_long');
    }
  });
});

describe('a place for one kind of API', () => {
  const from = 'header,websocket:query:access_token,rest:cookie:session';

  it.each([
    ['websocket', 'T'],
    ['websocket-connect', 'T'],
    ['http', 'credentials_missing'],
    ['rest-request', 'credentials_missing'],
  ])('counts there and nowhere else: a query parameter in %s', (kind, outcome) => {
    expect(read(from, { ...QUERY, kind })).toBe(outcome);
    expect(read(from, { ...HEADER, kind })).toBe('T');
  });

  it('is the same for both authorizers of REST', () => {
    expect(read(from, { ...COOKIE, kind: 'rest-request' })).toBe('T');
    expect(read(from, { ...COOKIE, ...HEADER, kind: 'rest-request' })).toBe('credentials_ambiguous');
    expect(read(from, { ...HEADER, kind: 'rest-token' })).toBe('T');
  });

  it('may be the only one: then the header counts elsewhere only', () => {
    expect(read('http:header,websocket:cookie:session', { ...HEADER, kind: 'websocket' })).toBe(
      'credentials_missing',
    );
  });

  it('may be one that a kind of request does not have', () => {
    const readCookie = createReadCredentials([{ api: undefined, place: 'cookie', name: 'session' }]);
    expect(() => readCookie({ kind: 'rest-token', authorization: ['Bearer T'] })).toThrow(
      'credentials_missing',
    );
  });
});
