import { Fault } from '../errors.ts';
import { CONNECT, GRAPHQL } from '../routes/rule.ts';
import { calledIn, parseConnectArn, parseMethodArn, verbOf } from './arn.ts';
import {
  type Fields,
  field,
  fieldsIn,
  isFields,
  NO_VALUES,
  optionalTextIn,
  readAppSyncHeaders,
  readCaller,
  readCookies,
  readHeaders,
  readQuery,
  textIn,
  type Values,
} from './fields.ts';
import type { GatewayRequest } from './request.ts';
import { type BasePaths, servedPath } from './served-path.ts';

/**
 * Reads an authorizer event: HTTP API 2.0 and 1.0, REST REQUEST and TOKEN, WebSocket `$connect`, AppSync.
 *
 * @param basePaths of custom domains of HTTP APIs
 * @throws Fault `event_unsupported` for another kind of event, `event_malformed` for fields that AWS does not
 *   send so
 */
export function readEvent(event: unknown, basePaths: BasePaths = NO_BASE_PATHS): GatewayRequest {
  if (!isFields(event)) throw new Fault('event_malformed', 'the event is not an object');
  const type = field(event, 'type');
  const version = field(event, 'version');
  if (type === 'REQUEST' && version === '2.0') return readHttpEvent(event, basePaths);
  if (type === 'REQUEST' && version === '1.0') return readHttpEventV1(event);
  if (type === 'REQUEST' && version === undefined) {
    return isWebSocketEvent(event) ? readWebSocketEvent(event) : readRestEvent(event);
  }
  // serverless-offline says `version: "1.0"` of these too.
  if (type === 'TOKEN' && (version === undefined || version === '1.0')) return readRestTokenEvent(event);
  if (type === undefined && version === undefined && Object.hasOwn(event, 'authorizationToken')) {
    return readAppSyncEvent(event);
  }
  throw new Fault('event_unsupported', 'the event is not from a supported kind of API');
}

/** API Gateway's id of the request, for the log. Accepts malformed events. */
export function requestIdOf(event: unknown): string | undefined {
  const context = isFields(event) ? field(event, 'requestContext') : undefined;
  const id = isFields(context) ? field(context, 'requestId') : undefined;
  return typeof id === 'string' && /^[\w=+/-]{1,64}$/.test(id) ? id : undefined;
}

/** The headers of an event, for what decides nothing. Accepts malformed events; the values are those of a caller. */
export const headersOf =
  (event: unknown): Values =>
  (name) => {
    if (!isFields(event)) return [];
    const isAppSync = Object.hasOwn(event, 'requestHeaders');
    return (isAppSync ? readAppSyncHeaders : readHeaders)(event)(name);
  };

const NO_BASE_PATHS: BasePaths = new Map();
const NOTHING_ELSE = { header: NO_VALUES, query: NO_VALUES, cookies: NO_VALUES };

/** HTTP API, format 2.0 (AG http-api-lambda-authorizer). */
function readHttpEvent(event: Fields, basePaths: BasePaths): GatewayRequest {
  const arn = textIn(event, 'routeArn');
  if (parseMethodArn(arn) === undefined)
    throw new Fault('event_malformed', "the event's routeArn is not an ARN");
  const context = fieldsIn(event, 'requestContext');
  // If it is missing, path and verb count as outside the cache key, which is safe.
  const routeKey = optionalTextIn(context, 'routeKey');
  const method = textIn(fieldsIn(context, 'http'), 'method');
  const parameters = field(event, 'pathParameters');
  const header = readHeaders(event);
  return {
    kind: 'http',
    arn,
    method: verbOf(method),
    path: servedPath(
      {
        rawPath: textIn(event, 'rawPath'),
        stage: textIn(context, 'stage'),
        domainName: optionalTextIn(context, 'domainName'),
        parameters: isFields(parameters) ? parameters : {},
        method,
        routeKey,
      },
      basePaths,
    ),
    parameters: parametersIn(event),
    routeKey,
    authorization: header('authorization'),
    header,
    query: readQuery(event),
    cookies: readCookies(event, header),
    caller: readCaller(event, 'http'),
  };
}

/**
 * The values of path parameters, with that of a greedy one divided into segments. "API Gateway decodes
 * URL-encoded request parameters" of HTTP APIs (AG http-api-develop-routes).
 */
function parametersIn(event: Fields): readonly string[] {
  const parameters = field(event, 'pathParameters');
  if (!isFields(parameters)) return [];
  return Object.values(parameters).flatMap((value) => (typeof value === 'string' ? value.split('/') : []));
}

/**
 * HTTP API, format 1.0 (AG http-api-lambda-authorizer). Its maps hold one value of each name, however many the
 * request holds, and a backend may use another one. So only Authorization is read, whose duplicates show in
 * `identitySource`, where values are joined by commas.
 */
function readHttpEventV1(event: Fields): GatewayRequest {
  const authorization = readHeaders(event)('authorization');
  const joined = field(event, 'identitySource');
  const isToken = (part: string) => part.trimStart().toLowerCase().startsWith('bearer ');
  const isOne = typeof joined !== 'string' || joined.split(',').filter(isToken).length < 2;
  return {
    kind: 'http-1.0',
    ...calledIn(event),
    parameters: parametersIn(event),
    authorization: isOne ? authorization : [...authorization, joined],
    ...NOTHING_ELSE,
    caller: readCaller(event, 'identity'),
  };
}

/** REST API, REQUEST authorizer (AG api-gateway-lambda-authorizer-input). */
function readRestEvent(event: Fields): GatewayRequest {
  const header = readHeaders(event);
  return {
    kind: 'rest-request',
    ...calledIn(event),
    authorization: header('authorization'),
    header,
    query: readQuery(event),
    cookies: readCookies(event, header),
    caller: readCaller(event, 'identity'),
  };
}

/** The text of a token; empty where there is none. */
function tokenIn(event: Fields): string {
  const token = field(event, 'authorizationToken') ?? '';
  if (typeof token !== 'string') {
    throw new Fault('event_malformed', "the event's authorizationToken is not a text");
  }
  return token;
}

/** REST API, TOKEN authorizer: the event contains only type, token and ARN. */
function readRestTokenEvent(event: Fields): GatewayRequest {
  const token = tokenIn(event);
  return {
    kind: 'rest-token',
    ...calledIn(event),
    authorization: [token],
    ...NOTHING_ELSE,
  };
}

/** The path in rules for the route of a WebSocket API that has an authorizer. */
const CONNECT_PATH = '/$connect';

const OWN_FIELDS = ['eventType', 'connectionId', 'routeKey'] as const;

/** Whether any part of an event indicates a WebSocket API; `readWebSocketEvent` then requires all of them. */
function isWebSocketEvent(event: Fields): boolean {
  const arn = field(event, 'methodArn');
  if (typeof arn === 'string' && parseConnectArn(arn) !== undefined) return true;
  const context = field(event, 'requestContext');
  if (!isFields(context)) return false;
  for (const name of OWN_FIELDS) if (Object.hasOwn(context, name)) return true;
  return false;
}

/**
 * WebSocket API, `$connect` (AG apigateway-websocket-api-lambda-auth): without verb, path and path
 * parameters. The scope can come from the query or a header.
 */
function readWebSocketEvent(event: Fields): GatewayRequest {
  const arn = textIn(event, 'methodArn');
  const context = fieldsIn(event, 'requestContext');
  textIn(context, 'connectionId');
  if (
    parseConnectArn(arn) === undefined ||
    textIn(context, 'eventType') !== 'CONNECT' ||
    textIn(context, 'routeKey') !== '$connect'
  ) {
    throw new Fault('event_malformed', 'the event is of a WebSocket API and not of its $connect');
  }
  const header = readHeaders(event);
  return {
    kind: 'websocket',
    arn,
    method: CONNECT,
    path: CONNECT_PATH,
    authorization: header('authorization'),
    header,
    query: readQuery(event),
    cookies: readCookies(event, header),
    caller: readCaller(event, 'identity'),
  };
}

/** AppSync forbids the prefix `Bearer` for Lambda authorization; some clients send it anyway. */
const WITH_SCHEME = /^Bearer /i;

/**
 * AppSync, Lambda authorization (AppSync security-authz). One rule, `GRAPHQL /`, decides who may use the API.
 * `operationName` is ignored: callers choose it freely, whatever fields they query.
 */
function readAppSyncEvent(event: Fields): GatewayRequest {
  const token = tokenIn(event);
  const context = fieldsIn(event, 'requestContext');
  for (const name of ['apiId', 'accountId', 'requestId']) textIn(context, name);
  // Empty when a client connects for subscriptions. Events of AppSync Event APIs (channels) lack it.
  if (typeof field(context, 'queryString') !== 'string') {
    throw new Fault('event_malformed', "the event's queryString is not a text");
  }
  const header = readAppSyncHeaders(event);
  return {
    kind: 'appsync',
    arn: '',
    method: GRAPHQL,
    path: '/',
    authorization: [token === '' || WITH_SCHEME.test(token) ? token : `Bearer ${token}`],
    header,
    query: NO_VALUES,
    cookies: readCookies({}, header),
  };
}
