import { createHash } from 'node:crypto';
import {
  callerOf,
  decodedParameters,
  domainName,
  encodedBody,
  flatten,
  type Grant,
  lastOf,
  requestTime,
  spelled,
  stringified,
  valueFields,
} from './event-parts.ts';
import type {
  HttpProxyEventV1,
  RestAuthorizerEvent,
  RestProxyEvent,
  TokenAuthorizerEvent,
} from './event-shapes.ts';
import type { MatchedRequest } from './request.ts';

/** Empty fields are null in proxy events and {} in authorizer events. */
const orNull = <Fields extends object>(fields: Fields): Fields | null =>
  Object.keys(fields).length > 0 ? fields : null;

/** Six characters that depend on the resource path only, like AWS's ids. */
const resourceId = (resourcePath: string): string =>
  createHash('sha256').update(resourcePath).digest('hex').slice(0, 6);

function identityOf(request: MatchedRequest) {
  const { sourceIp, userAgent } = callerOf(request);
  return {
    accessKey: null,
    accountId: null,
    apiKey: null,
    apiKeyId: null,
    caller: null,
    clientCert: null,
    cognitoAuthenticationProvider: null,
    cognitoAuthenticationType: null,
    cognitoIdentityId: null,
    cognitoIdentityPoolId: null,
    principalOrgId: null,
    sourceIp,
    user: null,
    userAgent,
    userArn: null,
  };
}

function requestContext(request: MatchedRequest) {
  const { settings, wire } = request;
  return {
    accountId: settings.accountId,
    apiId: settings.apiId,
    domainName: domainName(settings),
    domainPrefix: settings.apiId,
    extendedRequestId: request.requestId,
    httpMethod: wire.method,
    identity: identityOf(request),
    path: request.path,
    protocol: wire.protocol,
    requestId: request.requestId,
    requestTime: requestTime(request.receivedAt),
    requestTimeEpoch: request.receivedAt,
    resourcePath: request.resourcePath,
    stage: settings.stage,
  };
}

function resourceFields(request: MatchedRequest) {
  return { resource: request.resourcePath, path: request.path, httpMethod: request.wire.method };
}

export type HttpAuthorizerEventV1 = ReturnType<typeof httpAuthorizerEventV1>;

/** The event of an HTTP API authorizer, format 1.0 (AG http-api-lambda-authorizer). */
export function httpAuthorizerEventV1(request: MatchedRequest, identity: readonly string[]) {
  const { settings, wire } = request;
  const identitySource = identity.join(',');
  return {
    version: '1.0' as const,
    type: 'REQUEST' as const,
    methodArn: request.arn,
    identitySource,
    authorizationToken: identitySource,
    ...resourceFields(request),
    headers: lastOf(spelled(request.headers)),
    queryStringParameters: lastOf(request.query),
    pathParameters: decodedParameters(request.pathParameters),
    stageVariables: { ...settings.stageVariables },
    requestContext: {
      path: request.path,
      accountId: settings.accountId,
      resourceId: null,
      stage: settings.stage,
      requestId: request.requestId,
      identity: callerOf(request),
      resourcePath: request.resourcePath,
      httpMethod: wire.method,
      apiId: settings.apiId,
    },
  };
}

/**
 * The event of a REST API's REQUEST authorizer (AG api-gateway-lambda-authorizer-input).
 *
 * `httpMethod` is the verb on the wire, the ARN's verb the one that was routed: they differ under
 * X-HTTP-Method-Override. Path parameters are not decoded: AWS says that they are for HTTP APIs only.
 */
export function restAuthorizerEvent(request: MatchedRequest): RestAuthorizerEvent {
  return {
    type: 'REQUEST',
    methodArn: request.arn,
    ...resourceFields(request),
    ...valueFields(request),
    pathParameters: { ...request.pathParameters },
    stageVariables: { ...request.settings.stageVariables },
    requestContext: {
      ...requestContext(request),
      resourceId: resourceId(request.resourcePath),
      authorizer: undefined,
    },
  };
}

/**
 * The event of a TOKEN authorizer: these fields and nothing else (AG api-gateway-lambda-authorizer-input).
 */
export function tokenAuthorizerEvent(
  request: MatchedRequest,
  [token = '']: readonly string[],
): TokenAuthorizerEvent {
  return { type: 'TOKEN', authorizationToken: token, methodArn: request.arn };
}

function proxyFields(request: MatchedRequest, pathParameters: Record<string, string>) {
  const { queryStringParameters, multiValueQueryStringParameters, ...headers } = valueFields(request);
  return {
    ...resourceFields(request),
    ...headers,
    queryStringParameters: orNull(queryStringParameters),
    multiValueQueryStringParameters: orNull(multiValueQueryStringParameters),
    pathParameters: orNull(pathParameters),
    stageVariables: orNull({ ...request.settings.stageVariables }),
  };
}

/**
 * The event of an HTTP API's Lambda proxy integration, format 1.0 (AG http-api-develop-integrations-lambda).
 */
export function httpProxyEventV1(request: MatchedRequest, grant: Grant): HttpProxyEventV1 {
  return {
    version: '1.0',
    ...proxyFields(request, decodedParameters(request.pathParameters)),
    ...encodedBody(request),
    requestContext: {
      ...requestContext(request),
      resourceId: null,
      authorizer: flatten({ ...grant.context }, grant.principalId),
    },
  };
}

/**
 * The event of a REST API's Lambda proxy integration (AG set-up-lambda-proxy-integrations). "The returned
 * values are all stringified" (AG api-gateway-lambda-authorizer-output); the body is text, as it is without
 * binary media types.
 */
export function restProxyEvent(request: MatchedRequest, grant: Grant): RestProxyEvent {
  return {
    ...proxyFields(request, { ...request.pathParameters }),
    body: request.wire.body?.length ? request.wire.body.toString('utf8') : null,
    isBase64Encoded: false,
    requestContext: {
      ...requestContext(request),
      resourceId: resourceId(request.resourcePath),
      authorizer: stringified(grant),
    },
  };
}
