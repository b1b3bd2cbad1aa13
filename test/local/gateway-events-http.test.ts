import { describe, expect, test } from 'vitest';
import { httpApiV1, httpApiV2, policy, request } from './support.ts';
import { body, events, headers, key, line, RESOURCE, uuid } from './support-events.ts';

describe('HTTP API, format 2.0', () => {
  const api: Parameters<typeof events>[0] = ({ invoke, integration }) =>
    httpApiV2({
      routes: [{ key, integration }],
      stageVariables: { colour: 'blue' },
      authorizer: {
        invoke,
        simpleResponses: false,
        identitySources: [
          '$request.header.authorization',
          '$request.header.X-Tag',
          '$request.querystring.tag',
        ],
      },
    });

  const common = {
    version: '2.0',
    routeKey: key,
    rawPath: '/locations/L%201/pages',
    rawQueryString: 'tag=x&tag=y%20z&flag',
    cookies: ['a=1', 'b=2'],
    headers: {
      host: 'localhost:3000',
      authorization: 'Bearer t',
      'user-agent': 'curl/8',
      'x-tag': 'one,two',
      'content-type': 'application/json',
    },
    queryStringParameters: { tag: 'x,y z', flag: '' },
    pathParameters: { locationId: 'L 1' },
    stageVariables: { colour: 'blue' },
  };
  const requestContext = {
    accountId: '123456789012',
    apiId: 'abc123',
    domainName: 'abc123.execute-api.eu-central-1.amazonaws.com',
    domainPrefix: 'abc123',
    http: {
      method: 'POST',
      path: '/locations/L%201/pages',
      protocol: 'HTTP/1.1',
      sourceIp: '203.0.113.9',
      userAgent: 'curl/8',
    },
    requestId: uuid,
    routeKey: key,
    stage: '$default',
    time: '12/Mar/2026:19:03:58 +0000',
    timeEpoch: Date.UTC(2026, 2, 12, 19, 3, 58),
  };

  test('gives the authorizer the documented event', async () => {
    const { toAuthorizer } = await events(api);
    expect(toAuthorizer).toEqual({
      ...common,
      type: 'REQUEST',
      routeArn: 'arn:aws:execute-api:eu-central-1:123456789012:abc123/$default/POST/locations/L%201/pages',
      identitySource: ['Bearer t', 'one,two', 'x,y z'],
      requestContext,
    });
  });

  test('gives the backend the event with the context under authorizer.lambda', async () => {
    const answer = policy('Allow', '*', {
      context: { tenant: 'T1', level: 7, roles: ['a'], map: { b: null } },
    });
    const { toBackend } = await events(api, undefined, answer);
    expect(toBackend).toEqual({
      ...common,
      requestContext: {
        ...requestContext,
        authorizer: { lambda: { tenant: 'T1', level: 7, roles: ['a'], map: { b: null } } },
      },
      body,
      isBase64Encoded: false,
    });
  });

  test('gives the backend null when the authorizer gave no context', async () => {
    const { toBackend } = await events(api, undefined, policy('Allow', '*'));
    expect(toBackend).toMatchObject({ requestContext: { authorizer: { lambda: null } } });
  });

  test('leaves out what the request does not have', async () => {
    const bare = await events(
      ({ invoke, integration }) =>
        httpApiV2({
          routes: [{ key: '$default', integration }],
          authorizer: { invoke, simpleResponses: false },
        }),
      request('GET /anything/at%2Fall/'),
    );
    expect(bare.toAuthorizer).toEqual({
      version: '2.0',
      type: 'REQUEST',
      routeArn: 'arn:aws:execute-api:eu-central-1:123456789012:abc123/$default/GET/anything/at%2Fall/',
      identitySource: ['Bearer t'],
      routeKey: '$default',
      rawPath: '/anything/at%2Fall/',
      rawQueryString: '',
      headers: { authorization: 'Bearer t' },
      requestContext: expect.objectContaining({
        routeKey: '$default',
        http: expect.objectContaining({ userAgent: '' }),
      }),
    });
    expect(bare.toBackend).not.toHaveProperty('body');
  });

  test.each([
    ['application/octet-stream', true],
    ['application/x-www-form-urlencoded', true],
    ['image/svg+xml', true],
    ['application/vnd.api+json; charset=utf-8', false],
    ['text/plain', false],
  ])('hands over a body of %s as base64: %s', async (type, isBase64Encoded) => {
    const sent = request(line, [...headers.slice(0, -1), ['Content-Type', type]], 'é');
    const { toBackend } = await events(api, sent);
    expect(toBackend).toMatchObject({ body: isBase64Encoded ? 'w6k=' : 'é', isBase64Encoded });
  });

  test('keeps a path parameter that does not decode', async () => {
    const { toBackend } = await events(api, request('POST /locations/50%/pages?tag=1', headers));
    expect(toBackend).toMatchObject({ pathParameters: { locationId: '50%' } });
  });
});

describe('HTTP API, format 1.0', () => {
  const api: Parameters<typeof events>[0] = ({ invoke, integration }) =>
    httpApiV1({
      routes: [{ key, integration }],
      stageVariables: { colour: 'blue' },
      authorizer: { invoke, identitySources: ['$request.header.Authorization', '$context.routeKey'] },
    });
  const resource = { ...RESOURCE, pathParameters: { locationId: 'L 1' } };

  test('gives the authorizer the documented event', async () => {
    const { toAuthorizer } = await events(api);
    expect(toAuthorizer).toEqual({
      version: '1.0',
      type: 'REQUEST',
      methodArn: 'arn:aws:execute-api:eu-central-1:123456789012:abc123/$default/POST/locations/L%201/pages',
      identitySource: `Bearer t,${key}`,
      authorizationToken: `Bearer t,${key}`,
      ...resource,
      requestContext: {
        path: '/locations/L%201/pages',
        accountId: '123456789012',
        resourceId: null,
        stage: '$default',
        requestId: uuid,
        identity: { sourceIp: '203.0.113.9', userAgent: 'curl/8' },
        resourcePath: '/locations/{locationId}/pages',
        httpMethod: 'POST',
        apiId: 'abc123',
      },
    });
  });

  test('gives the backend the context beside principalId, values as they are', async () => {
    const { toBackend } = await events(api);
    expect(toBackend).toMatchObject({
      version: '1.0',
      ...resource,
      multiValueHeaders: { 'X-Tag': ['one', 'two'], Authorization: ['Bearer t'] },
      multiValueQueryStringParameters: { tag: ['x', 'y z'], flag: [''] },
      body,
      isBase64Encoded: false,
      requestContext: {
        authorizer: { principalId: 'user-1', tenant: 'T1', level: 7, admin: true },
        resourceId: null,
        requestTime: '12/Mar/2026:19:03:58 +0000',
      },
    });
  });
});
