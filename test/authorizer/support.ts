import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { CredentialsError } from '../../authorizer/errors.ts';
import {
  type AuthorizerParts,
  candidatesIn,
  createAuthentication,
  createIdentify,
  createKeySet,
  createReadCredentials,
  type Identify,
  type KeySource,
  type RouteRule,
} from '../../authorizer/index.ts';
import { boundIn } from '../../authorizer/routes/rule.ts';
import { FORMS } from '../../table/form.ts';
import type { Item } from '../../table/item.ts';
import type { Key } from '../../table/keys.ts';
import { createMemoryTable } from '../../table/memory/index.ts';
import type { Range } from '../../table/reader.ts';
import { parsePathTemplate, parseScopeTemplate, parseValueTemplate } from '../../table/route-template.ts';
import { watchReads } from '../support/watched-reader.ts';

export const ISSUER = 'https://issuer.example';
export const AUDIENCE = 'https://api.example';
export const NOW = Date.UTC(2026, 0, 15, 12);

/** A RESULT_CACHE for APIs that cache nothing. */
export const TTL_0 = JSON.stringify({ default: { ttl: 0 } });

export const ALICE = '01J8Z0E2Z8D2A3J7A7Y2H9GQ9C';
export const PLACE = '01J8X2W3Y4Z5A6B7C8D9E0F1G2';

/** Who sends, as API Gateway sees it. */
export const IP = '203.0.113.9';
export const USER_AGENT = 'test/1.0';

type Claims = Record<string, unknown>;

/** Claims of a good token; `undefined` in `changes` leaves one out. */
export function goodClaims(changes: Claims = {}): Claims {
  const seconds = NOW / 1_000;
  const claims = { iss: ISSUER, aud: AUDIENCE, sub: ALICE, iat: seconds, exp: seconds + 600, ...changes };
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
}

/** A key that is there, and never changes. */
async function createFixedKey(jwk: JWK): Promise<KeySource> {
  const set = await createKeySet({ keys: [jwk] }, ['RS256']);
  return {
    find: async (alg, kid) => {
      const candidates = candidatesIn(set, alg, kid);
      if (candidates.length === 0) throw new CredentialsError('key_unknown');
      return candidates;
    },
    findMore: async () => [],
    holds: async (key) => set.has(key.print),
  };
}

/** An issuer with one RSA key of its own, and its tokens. */
export async function newIssuer(kid: string) {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk: JWK = { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' };
  return {
    jwk,
    publicKey,
    privateKey,
    keys: await createFixedKey(jwk),
    token: (changes: Claims = {}, header: Claims = {}) =>
      new SignJWT(goodClaims(changes))
        .setProtectedHeader({ alg: 'RS256', kid, typ: 'JWT', ...header })
        .sign(privateKey),
  };
}

const issuers = new Map<string, ReturnType<typeof newIssuer>>();
/** The issuer whose key has this id: one for all tests of a process, as a key takes longer to make than most of them. */
export function createIssuer(kid = 'key-1') {
  const issuer = issuers.get(kid) ?? newIssuer(kid);
  issuers.set(kid, issuer);
  return issuer;
}

export type Issuer = Awaited<ReturnType<typeof createIssuer>>;

export const base64url = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** A rule out of its texts, as they are provisioned. */
export const rule = (
  id: string,
  method: string,
  path: string,
  permission = 'page',
  scope = 'location:{id}',
) =>
  ({
    id,
    method,
    segments: parsePathTemplate(path, 'path'),
    permission: parseValueTemplate(permission, 'permission'),
    scope: parseScopeTemplate(scope, 'scope'),
    bound: boundIn(parseValueTemplate(permission, 'permission'), parseScopeTemplate(scope, 'scope')),
  }) satisfies RouteRule;

export const ARN = 'arn:aws:execute-api:eu-central-1:123456789012:abcdef1234';

/** An event of an HTTP API, format 2.0, as AG http-api-lambda-authorizer shows it. */
export function httpEvent(
  method: string,
  path: string,
  headers: Record<string, unknown> = {},
  stage = '$default',
) {
  const rawPath = stage === '$default' ? path : `/${stage}${path}`;
  return {
    version: '2.0',
    type: 'REQUEST',
    routeArn: `${ARN}/${stage}/${method}${path}`,
    identitySource: ['ignored'],
    routeKey: '$default',
    rawPath,
    rawQueryString: '',
    headers,
    requestContext: {
      accountId: '123456789012',
      apiId: 'abcdef1234',
      http: { method, path: rawPath, protocol: 'HTTP/1.1', sourceIp: IP, userAgent: USER_AGENT },
      requestId: 'JKJaXmPLvHcESHA=',
      routeKey: '$default',
      stage,
    },
  };
}

/** An event of a REST REQUEST authorizer, as AG api-gateway-lambda-authorizer-input shows it. */
export function restRequestEvent(method: string, path: string, multi: Record<string, string[]> = {}) {
  return {
    type: 'REQUEST',
    methodArn: `${ARN}/prod/${method}${path}`,
    resource: '/{proxy+}',
    path,
    httpMethod: method,
    headers: Object.fromEntries(Object.entries(multi).map(([name, values]) => [name, values.at(-1)])),
    multiValueHeaders: multi,
    queryStringParameters: {},
    pathParameters: {},
    stageVariables: {},
    requestContext: {
      path: `/prod${path}`,
      stage: 'prod',
      requestId: 'c6af9ac6-7b61-11e6-9a41-93e8deadbeef',
      identity: { sourceIp: IP, userAgent: USER_AGENT },
    },
  };
}

export const restTokenEvent = (method: string, path: string, authorizationToken: unknown) => ({
  type: 'TOKEN',
  authorizationToken,
  methodArn: `${ARN}/prod/${method}${path}`,
});

/** An event of an HTTP API, format 1.0, as AG http-api-lambda-authorizer shows it: no lists of several values. */
export function httpV1Event(method: string, path: string, headers: Record<string, string> = {}) {
  return {
    version: '1.0',
    type: 'REQUEST',
    methodArn: `${ARN}/test/${method}${path}`,
    identitySource: 'user1,123',
    authorizationToken: 'user1,123',
    resource: '/{proxy+}',
    path,
    httpMethod: method,
    headers,
    queryStringParameters: { QueryString1: 'queryValue1' },
    pathParameters: {},
    stageVariables: { StageVar1: 'stageValue1' },
    requestContext: {
      path,
      accountId: '123456789012',
      resourceId: '05c7jb',
      stage: 'test',
      requestId: '1b4e28ba-2fa1-11d2-883f-0016d3cca427',
      identity: { sourceIp: IP, userAgent: USER_AGENT },
      resourcePath: '/{proxy+}',
      httpMethod: method,
      apiId: 'abcdef1234',
    },
  };
}

/** An event of a WebSocket API's $connect, as AG apigateway-websocket-api-lambda-auth shows it. */
export function webSocketEvent(
  headers: Record<string, string[]> = {},
  query: Record<string, string[]> = {},
  stage = 'default',
) {
  const last = (lists: Record<string, string[]>) =>
    Object.fromEntries(Object.entries(lists).map(([name, values]) => [name, values.at(-1)]));
  const all = {
    ...headers,
    Connection: ['upgrade'],
    Upgrade: ['websocket'],
    'Sec-WebSocket-Version': ['13'],
  };
  return {
    type: 'REQUEST',
    methodArn: `${ARN}/${stage}/$connect`,
    headers: last(all),
    multiValueHeaders: all,
    queryStringParameters: last(query),
    multiValueQueryStringParameters: query,
    stageVariables: {},
    requestContext: {
      routeKey: '$connect',
      eventType: 'CONNECT',
      extendedRequestId: 'FAyXlGSJoAMFfDg=',
      requestTime: '19/Jan/2023:21:13:26 +0000',
      messageDirection: 'IN',
      stage,
      connectedAt: 1674162806344,
      requestTimeEpoch: 1674162806345,
      identity: { sourceIp: IP, userAgent: USER_AGENT },
      requestId: 'FAyXlGSJoAMFfDg=',
      domainName: 'abcdef1234.execute-api.eu-central-1.amazonaws.com',
      connectionId: 'FAyXlcLxIAMCIwA=',
      apiId: 'abcdef1234',
    },
  };
}

/** An event of AppSync's Lambda authorization, as AppSync security-authz shows it. */
export const appSyncEvent = (authorizationToken: unknown, requestHeaders: Record<string, string> = {}) => ({
  authorizationToken,
  requestContext: {
    apiId: 'aaaaaa123123123example123',
    accountId: '123456789012',
    requestId: 'f4081827-1111-4444-5555-5cf4695f339f',
    queryString: 'mutation CreateEvent {...}\n\nquery MyQuery {...}\n',
    operationName: 'MyQuery',
    variables: {},
  },
  requestHeaders,
});

/** Routes as the fake engine has them: they are read from nowhere. */
export const NO_API: Pick<AuthorizerParts, 'api' | 'apiRoutes'> = {
  api: 'default',
  apiRoutes: { keyOf: () => undefined, decode: () => [] },
};

/** Who comes with a JWT of an issuer that cannot be revoked, in the Authorization header. */
export const identifyByIssuer = (
  { keys }: Pick<Awaited<ReturnType<typeof createIssuer>>, 'keys'>,
  clock: Parameters<typeof createAuthentication>[0]['clock'],
): Identify =>
  createIdentify({
    readCredentials: createReadCredentials(),
    authenticate: createAuthentication({
      issuers: [{ keys, issuer: ISSUER, audience: [AUDIENCE], algorithms: ['RS256'] }],
      maxBytes: 4_096,
      ttlMs: 0,
      cacheBytes: 65_536,
      clock,
    }),
    revocation: undefined,
    actorOf: undefined,
  });

/**
 * A table in memory that notes what is read of it: each call with the partitions that it asks for. `failures` are thrown
 * by the next calls, one each.
 */
export function createReadTable(items: readonly Item[] = []) {
  const table = createMemoryTable({ items });
  const reads: string[] = [];
  const failures: Error[] = [];
  type Asked = readonly Key[] | { readonly ranges: readonly Range[] };
  const reader = watchReads(table.reader, (method, asked: Asked) => {
    const partitions =
      'ranges' in asked
        ? asked.ranges.map(({ partition, prefix = '' }) => [partition, prefix].join(' '))
        : asked.map(({ PK }) => PK);
    reads.push([method, ...partitions].join(' '));
    const failure = failures.shift();
    if (failure) throw failure;
  });
  return { ...table, reader, reads, failures };
}

let writes = 0;

/** A decision item that was written long ago, unless the values say otherwise. */
export const decisionItem = (key: Key, values: Readonly<Record<string, unknown>> = {}): Item => ({
  ...key,
  v: FORMS.usual,
  writtenAt: NOW - 3_600_000,
  writeId: `write-${++writes}`,
  ...values,
});

/** Lets everything run that waits for nothing but its turn. */
export const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
