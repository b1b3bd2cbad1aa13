import { describe, expect, test } from 'vitest';
import { createGateway } from '../../local/gateway/gateway.ts';
import { frozenClock, httpApiV1, httpApiV2, policy, request, restApi, restTokenApi } from './support.ts';
import { body, events, key, RESOURCE, uuid } from './support-events.ts';

describe('REST API', () => {
  const api: Parameters<typeof events>[0] = ({ invoke, integration }) =>
    restApi({ routes: [{ key, integration }], stageVariables: { colour: 'blue' }, authorizer: { invoke } });

  const common = {
    ...RESOURCE,
    multiValueHeaders: {
      Host: ['localhost:3000'],
      Authorization: ['Bearer t'],
      'User-Agent': ['curl/8'],
      'X-Tag': ['one', 'two'],
      Cookie: ['a=1; b=2'],
      'Content-Type': ['application/json'],
    },
    multiValueQueryStringParameters: { tag: ['x', 'y z'], flag: [''] },
    // Not decoded: AWS documents decoding for HTTP APIs only.
    pathParameters: { locationId: 'L%201' },
  };
  const requestContext = {
    accountId: '123456789012',
    apiId: 'abc123',
    domainName: 'abc123.execute-api.eu-central-1.amazonaws.com',
    domainPrefix: 'abc123',
    extendedRequestId: uuid,
    httpMethod: 'POST',
    identity: {
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
      sourceIp: '203.0.113.9',
      user: null,
      userAgent: 'curl/8',
      userArn: null,
    },
    path: '/locations/L%201/pages',
    protocol: 'HTTP/1.1',
    requestId: uuid,
    requestTime: '12/Mar/2026:19:03:58 +0000',
    requestTimeEpoch: Date.UTC(2026, 2, 12, 19, 3, 58),
    resourceId: expect.stringMatching(/^[0-9a-f]{6}$/),
    resourcePath: '/locations/{locationId}/pages',
    stage: 'prod',
  };

  test('gives a REQUEST authorizer the documented event', async () => {
    const { toAuthorizer } = await events(api);
    expect(toAuthorizer).toEqual({
      type: 'REQUEST',
      methodArn: 'arn:aws:execute-api:eu-central-1:123456789012:abc123/prod/POST/locations/L%201/pages',
      ...common,
      requestContext,
    });
  });

  test('gives a TOKEN authorizer three fields only', async () => {
    const { toAuthorizer } = await events(({ invoke, integration }) =>
      restTokenApi({ routes: [{ key, integration }], authorizer: { invoke } }),
    );
    expect(toAuthorizer).toEqual({
      type: 'TOKEN',
      authorizationToken: 'Bearer t',
      methodArn: 'arn:aws:execute-api:eu-central-1:123456789012:abc123/prod/POST/locations/L%201/pages',
    });
  });

  test('gives the backend the context as strings beside principalId', async () => {
    const { toBackend } = await events(api);
    expect(toBackend).toEqual({
      ...common,
      requestContext: {
        ...requestContext,
        authorizer: { principalId: 'user-1', tenant: 'T1', level: '7', admin: 'true' },
      },
      body,
      isBase64Encoded: false,
    });
  });

  test('does not let the context replace the principal', async () => {
    const { toBackend } = await events(
      api,
      undefined,
      policy('Allow', '*', { context: { principalId: 'somebody' } }),
    );
    expect(toBackend).toMatchObject({ requestContext: { authorizer: { principalId: 'user-1' } } });
  });

  test('gives empty fields as null to the backend and as {} to the authorizer', async () => {
    const bare = await events(
      ({ invoke, integration }) =>
        restApi({ routes: [{ key: 'GET /', integration }], authorizer: { invoke } }),
      request('GET /'),
    );
    const query = ['queryStringParameters', 'multiValueQueryStringParameters'];
    for (const field of [...query, 'pathParameters', 'stageVariables']) {
      expect(bare.toAuthorizer).toHaveProperty(field, {});
      expect(bare.toBackend).toHaveProperty(field, null);
    }
    expect(bare.toBackend).toHaveProperty('body', null);
    expect(bare.toAuthorizer).toHaveProperty('methodArn', expect.stringMatching(/abc123\/prod\/GET\/$/));
  });

  test('routes by X-HTTP-Method-Override: the ARN has the verb that runs, httpMethod the one that was sent', async () => {
    const make: Parameters<typeof events>[0] = ({ invoke, integration }) =>
      restApi({ routes: [{ key: 'DELETE /pets/{id}', integration }], authorizer: { invoke } });
    const override = (verb: string) =>
      request('POST /pets/1', [
        ['Authorization', 'Bearer t'],
        ['X-HTTP-Method-Override', verb],
      ]);
    const { toAuthorizer } = await events(make, override('DELETE'));
    expect(toAuthorizer).toMatchObject({
      methodArn: expect.stringContaining('/prod/DELETE/pets/1'),
      httpMethod: 'POST',
    });
    for (const verb of ['*', 'ANY', 'delete', '']) {
      expect(await events(make, override(verb))).toMatchObject({ statusCode: 403, toAuthorizer: undefined });
    }
    const http: typeof make = ({ invoke, integration }) =>
      httpApiV1({ routes: [{ key: 'DELETE /pets/{id}', integration }], authorizer: { invoke } });
    expect(await events(http, override('DELETE'))).toMatchObject({
      statusCode: 404,
      toAuthorizer: undefined,
    });
  });
});

test.each([
  ['eu-central-1', 'aws'],
  ['cn-north-1', 'aws-cn'],
  ['us-gov-west-1', 'aws-us-gov'],
])('an ARN in %s is in the partition %s', async (region, partition) => {
  const { toAuthorizer } = await events(
    ({ invoke, integration }) =>
      restApi({ region, routes: [{ key: 'GET /pets', integration }], authorizer: { invoke } }),
    request('GET /pets'),
  );
  expect(toAuthorizer).toMatchObject({
    methodArn: `arn:${partition}:execute-api:${region}:123456789012:abc123/prod/GET/pets`,
  });
});

describe('events and answers are copied:', () => {
  test('a backend that changes its event does not change the cached answer', async () => {
    const tenants: unknown[] = [];
    const api = httpApiV2({
      routes: [
        {
          key: 'GET /pets/{id}',
          integration: async ({ requestContext: { authorizer } }) => {
            tenants.push(authorizer.lambda?.tenant);
            Object.assign(authorizer.lambda ?? {}, { tenant: 'T2' });
            return { statusCode: 200 };
          },
        },
      ],
      authorizer: {
        invoke: async () => ({ isAuthorized: true, context: { tenant: 'T1' } }),
        resultTtlSeconds: 300,
      },
    });
    const gateway = createGateway({ apis: [api], clock: frozenClock().now });
    await gateway(request('GET /pets/1'));
    await gateway(request('GET /pets/1'));
    expect(tenants).toEqual(['T1', 'T1']);
  });

  test('an answer arrives as JSON represents it', async () => {
    const answer = policy('Allow', '*', { context: { since: new Date(0), gone: undefined } });
    const { toBackend } = await events(
      ({ invoke, integration }) => restApi({ routes: [{ key, integration }], authorizer: { invoke } }),
      undefined,
      answer,
    );
    expect(toBackend).toHaveProperty('requestContext.authorizer', {
      principalId: 'user-1',
      since: '1970-01-01T00:00:00.000Z',
    });
  });
});
