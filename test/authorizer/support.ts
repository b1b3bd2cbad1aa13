import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { CredentialsError } from '../../authorizer/errors.ts';
import { createKeySet, type KeySource, type RouteRule } from '../../authorizer/index.ts';
import { boundIn } from '../../authorizer/routes/rule.ts';
import type { Decision, Engine } from '../../engine/index.ts';
import {
  parseHintTemplates,
  parsePathTemplate,
  parseScopeTemplate,
  parseValueTemplate,
} from '../../table/route-template.ts';

export const ISSUER = 'https://issuer.example';
export const AUDIENCE = 'https://api.example';
export const NOW = Date.UTC(2026, 0, 15, 12);

export const ALICE = '01J8Z0E2Z8D2A3J7A7Y2H9GQ9C';
export const PLACE = '01J8X2W3Y4Z5A6B7C8D9E0F1G2';
export const TENANT = 'tenant:01J8Z3Q3TQ6T0C9J2W0G7N2B6V';

/** A clock that stands still until it is told to move. */
export function createClock(start = NOW) {
  let time = start;
  return {
    now: () => time,
    advance: (milliseconds: number) => {
      time += milliseconds;
    },
  };
}

type Claims = Record<string, unknown>;

/** Claims of a good token; `undefined` in `changes` leaves one out. */
export function goodClaims(changes: Claims = {}): Claims {
  const seconds = NOW / 1_000;
  const claims = { iss: ISSUER, aud: AUDIENCE, sub: ALICE, iat: seconds, exp: seconds + 600, ...changes };
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
}

/** Keys that are there, and never change. */
export async function createFixedKeys(jwks: readonly JWK[], algorithms = ['RS256']): Promise<KeySource> {
  const set = await createKeySet({ keys: jwks }, algorithms);
  return {
    find(alg, kid) {
      const [key, ...others] = set.candidates(alg, kid);
      if (key === undefined || others.length > 0) throw new CredentialsError('key_unknown');
      return key;
    },
    holds: set.holds,
  };
}

/** An issuer with one RSA key, and its tokens. */
export async function createIssuer(kid = 'key-1') {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk: JWK = { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' };
  return {
    jwk,
    publicKey,
    privateKey,
    keys: await createFixedKeys([jwk]),
    token: (changes: Claims = {}, header: Claims = {}) =>
      new SignJWT(goodClaims(changes))
        .setProtectedHeader({ alg: 'RS256', kid, typ: 'JWT', ...header })
        .sign(privateKey),
  };
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
  hints: readonly string[] = [],
) =>
  ({
    id,
    method,
    segments: parsePathTemplate(path, 'path'),
    permission: parseValueTemplate(permission, 'permission'),
    scope: parseScopeTemplate(scope, 'scope'),
    hints: parseHintTemplates(hints, 'hints'),
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
      http: { method, path: rawPath, protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: 'test' },
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
      identity: { apiKey: 'x', sourceIp: '203.0.113.9' },
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
      identity: { sourceIp: '203.0.113.9' },
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

type FakeEngine = Pick<Engine, 'check' | 'isGood' | 'rolesOf'>;

const STANDING = { root: TENANT, roles: ['01J8X2W3Y4Z5A6B7C8D9E0F1R1', '01J8X2W3Y4Z5A6B7C8D9E0F1R2'] };

/** An engine that says yes to everything, and what was asked of it. Of who is denied it tells no standing. */
export function createFakeEngine(answers: Partial<FakeEngine> = {}) {
  const asked: string[] = [];
  const { check = () => ({ allowed: true, reason: 'role' }) as const } = answers;
  const { rolesOf = () => STANDING, isGood = () => true } = answers;
  const engine: Pick<Engine, 'admit' | 'isGood'> = {
    admit: (...question) => {
      asked.push(question.slice(0, 3).join(' '));
      const [subject, , scope, options] = question;
      const standingWith = (decision: Decision) => {
        const standing = decision.allowed ? rolesOf(subject, scope, options) : undefined;
        return standing instanceof Promise
          ? standing.then((found) => ({ decision, standing: found }))
          : { decision, standing };
      };
      const decision = check(...question);
      return decision instanceof Promise ? decision.then(standingWith) : standingWith(decision);
    },
    isGood,
  };
  return { engine, asked };
}

/** A promise, and its two ends. */
export function createDeferred<T>() {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  return { promise, resolve, reject };
}

/** Lets everything run that waits for nothing but its turn. */
export const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
