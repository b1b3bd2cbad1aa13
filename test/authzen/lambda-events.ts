/** Events as AWS makes them of a request (AG http-api-develop-integrations-lambda, Lambda urls-invocation, ELB lambda-functions). */
export interface RequestParts {
  readonly method: string;
  readonly path: string;
  /** Names in the case that the client sent. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whether AWS took the body for binary. */
  readonly isBase64Encoded?: boolean;
}

const bodyOf = ({ body, isBase64Encoded = false }: RequestParts) =>
  body === ''
    ? { isBase64Encoded: false }
    : { body: isBase64Encoded ? Buffer.from(body).toString('base64') : body, isBase64Encoded };

const lowered = (headers: RequestParts['headers']) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

const listed = (headers: RequestParts['headers']) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));

export function httpApi2Event(request: RequestParts, stage = '$default') {
  const { method, path, headers } = request;
  const rawPath = stage === '$default' ? path : `/${stage}${path}`;
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath,
    rawQueryString: '',
    headers: lowered(headers),
    requestContext: {
      accountId: '123456789012',
      apiId: 'abcdef1234',
      domainName: 'abcdef1234.execute-api.eu-central-1.amazonaws.com',
      domainPrefix: 'abcdef1234',
      http: { method, path: rawPath, protocol: 'HTTP/1.1', sourceIp: '203.0.113.9', userAgent: 'test' },
      requestId: 'JKJaXmPLvHcESHA=',
      routeKey: '$default',
      stage,
      time: '10/Mar/2026:12:00:00 +0000',
      timeEpoch: 1_773_144_000_000,
    },
    ...bodyOf(request),
  };
}

export function functionUrlEvent(request: RequestParts) {
  const event = httpApi2Event(request);
  const domainName = 'abcdef1234.lambda-url.eu-central-1.on.aws';
  return { ...event, requestContext: { ...event.requestContext, accountId: 'anonymous', domainName } };
}

export const httpApi1Event = (request: RequestParts) => ({
  version: '1.0',
  resource: '/{proxy+}',
  path: request.path,
  httpMethod: request.method,
  headers: request.headers,
  multiValueHeaders: listed(request.headers),
  queryStringParameters: null,
  multiValueQueryStringParameters: null,
  requestContext: {
    accountId: '123456789012',
    apiId: 'abcdef1234',
    httpMethod: request.method,
    path: request.path,
    stage: '$default',
    requestId: 'JKJaXmPLvHcESHA=',
  },
  pathParameters: null,
  stageVariables: null,
  body: null,
  ...bodyOf(request),
});

export const albEvent = (request: RequestParts, isMulti: boolean) => ({
  requestContext: {
    elb: { targetGroupArn: 'arn:aws:elasticloadbalancing:eu-central-1:123456789012:targetgroup/pdp/1' },
  },
  httpMethod: request.method,
  path: request.path,
  ...(isMulti
    ? { multiValueQueryStringParameters: {}, multiValueHeaders: listed(request.headers) }
    : { queryStringParameters: {}, headers: lowered(request.headers) }),
  body: '',
  ...bodyOf(request),
});
