import type { APIGatewayEventRequestContextV2 } from 'aws-lambda';
import { decodedParameters, domainName, encodedBody, type Grant, requestTime } from './event-parts.ts';
import type { HttpAuthorizerEventV2, HttpProxyEventV2 } from './event-shapes.ts';
import type { MatchedRequest } from './request.ts';

function requestContext(request: MatchedRequest): APIGatewayEventRequestContextV2 {
  const { settings, wire } = request;
  return {
    accountId: settings.accountId,
    apiId: settings.apiId,
    domainName: domainName(settings),
    domainPrefix: settings.apiId,
    http: {
      method: wire.method,
      path: request.path,
      protocol: wire.protocol,
      sourceIp: wire.sourceIp,
      userAgent: request.headers.get('user-agent')?.values.join(',') ?? '',
    },
    requestId: request.requestId,
    routeKey: request.routeKey,
    stage: settings.stage,
    time: requestTime(request.receivedAt),
    timeEpoch: request.receivedAt,
  };
}

/**
 * Names lower-cased, duplicates joined by commas, cookies in a field of their own. AWS does not say whether
 * `headers` keeps the cookie header as well; here it does not. Fields without content are left out.
 */
function commonFields(request: MatchedRequest) {
  const { pathParameters, query, settings } = request;
  const cookies = (request.headers.get('cookie')?.values ?? []).flatMap((header) => header.split(/;\s*/));
  const headers = [...request.headers].filter(([name]) => name !== 'cookie');
  return {
    version: '2.0',
    routeKey: request.routeKey,
    rawPath: request.path,
    rawQueryString: request.rawQueryString,
    ...(cookies.length > 0 && { cookies }),
    headers: Object.fromEntries(headers.map(([name, { values }]) => [name, values.join(',')])),
    ...(query.size > 0 && {
      queryStringParameters: Object.fromEntries([...query].map(([name, values]) => [name, values.join(',')])),
    }),
    ...(Object.keys(pathParameters).length > 0 && { pathParameters: decodedParameters(pathParameters) }),
    ...(settings.stageVariables && { stageVariables: { ...settings.stageVariables } }),
  };
}

/** The event of an HTTP API authorizer, format 2.0 (AG http-api-lambda-authorizer). */
export function httpAuthorizerEventV2(
  request: MatchedRequest,
  identity: readonly string[],
): HttpAuthorizerEventV2 {
  return {
    ...commonFields(request),
    type: 'REQUEST',
    routeArn: request.arn,
    identitySource: [...identity],
    requestContext: requestContext(request),
  };
}

/**
 * The event of an HTTP API's Lambda proxy integration, format 2.0 (AG http-api-develop-integrations-lambda).
 */
export function httpProxyEventV2(request: MatchedRequest, { context }: Grant): HttpProxyEventV2 {
  const { body, isBase64Encoded } = encodedBody(request);
  return {
    ...commonFields(request),
    requestContext: { ...requestContext(request), authorizer: { lambda: context ?? null } },
    ...(body !== null && { body }),
    isBase64Encoded,
  };
}
