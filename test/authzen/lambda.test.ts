import { describe, expect, test } from 'vitest';
import { MAX_BODY } from '../../authorizer/service/http.ts';
import {
  createLambdaHandler,
  type LambdaAnswer,
  type LambdaHandler,
} from '../../authorizer/service/lambda.ts';
import {
  albEvent,
  functionUrlEvent,
  httpApi1Event,
  httpApi2Event,
  type RequestParts,
} from './lambda-events.ts';
import { createFixture, QUESTION, serve } from './support.ts';

const fixture = await createFixture();
const handler: LambdaHandler = createLambdaHandler(serve(fixture));

const parts = (more: Partial<RequestParts> = {}): RequestParts => ({
  method: 'POST',
  path: '/access/v1/evaluation',
  headers: {
    'Content-Type': 'application/json',
    Authorization: `Bearer ${fixture.token.a}`,
    'X-Request-ID': 'id-1',
  },
  body: JSON.stringify(QUESTION),
  ...more,
});

const EVENTS = {
  'HTTP API 2.0': httpApi2Event,
  'HTTP API 2.0 with a stage': (request: RequestParts) => httpApi2Event(request, 'prod'),
  'HTTP API 1.0': httpApi1Event,
  'function URL': functionUrlEvent,
  'load balancer': (request: RequestParts) => albEvent(request, false),
  'load balancer with multi-value headers': (request: RequestParts) => albEvent(request, true),
} as const;

const headersOf = (answer: LambdaAnswer): Readonly<Record<string, string | undefined>> =>
  answer.headers ??
  Object.fromEntries(Object.entries(answer.multiValueHeaders ?? {}).map(([name, [value]]) => [name, value]));

describe.each(Object.entries(EVENTS))('%s', (name, eventOf) => {
  test('decides, and echoes the id of the request', async () => {
    const answer = await handler(eventOf(parts()));
    expect(answer).toMatchObject({ statusCode: 200, isBase64Encoded: false });
    expect(headersOf(answer)).toMatchObject({ 'Content-Type': 'application/json', 'X-Request-ID': 'id-1' });
    expect(JSON.parse(answer.body)).toEqual({ decision: true, context: { reason: 'role' } });
    expect(answer.multiValueHeaders !== undefined).toBe(name.endsWith('multi-value headers'));
  });

  test.each([null, { Authorization: '' }])('headers %j are without a credential: 401', async (headers) => {
    const answer = await handler({ ...eventOf(parts()), headers, multiValueHeaders: null });
    expect(answer.statusCode).toBe(401);
  });

  test('takes a body in base64', async () => {
    const answer = await handler(eventOf(parts({ isBase64Encoded: true })));
    expect(answer.statusCode).toBe(200);
  });

  test.each([true, false])('a body that is too large, in base64 %s: 413', async (isBase64Encoded) => {
    const body = 'x'.repeat(MAX_BODY + 1);
    expect((await handler(eventOf(parts({ body, isBase64Encoded })))).statusCode).toBe(413);
  });
});

describe('what stands before the path of an HTTP API', () => {
  const statusOf = async (rawPath: string, stage: string, domainName: string) => {
    const event = httpApi2Event(parts(), stage);
    const requestContext = { ...event.requestContext, domainName };
    return (await handler({ ...event, rawPath, requestContext })).statusCode;
  };
  const [AWS, OWN] = ['abcdef1234.execute-api.eu-central-1.amazonaws.com', 'pdp.example.com'];

  test.each([
    ['/access/access/v1/evaluation', 'access', AWS, 200],
    ['/access/v1/evaluation', 'access', AWS, 404],
    ['/access/v1/evaluation', 'prod', AWS, 404],
    ['/access/v1/evaluation', 'access', OWN, 200],
    ['/access/access/v1/evaluation', 'access', OWN, 200],
    ['/access/v1/evaluation', 'prod', OWN, 200],
    ['/prod/access/v1/evaluation', 'prod', OWN, 200],
    ['/other/access/v1/evaluation', 'prod', OWN, 404],
  ])('%s in stage %s at %s: %i', async (rawPath, stage, domainName, status) => {
    expect(await statusOf(rawPath, stage, domainName)).toBe(status);
  });
});

test('two credentials are none', async () => {
  const event = albEvent(parts(), true) as { multiValueHeaders: Record<string, string[]> };
  const { Authorization = [] } = event.multiValueHeaders;
  const twice = {
    ...event,
    multiValueHeaders: { ...event.multiValueHeaders, Authorization: [...Authorization, 'Bearer x'] },
  };
  expect((await handler(twice)).statusCode).toBe(401);
  const inTwoCases = {
    ...event,
    multiValueHeaders: { authorization: ['Bearer x'], ...event.multiValueHeaders },
  };
  expect((await handler(inTwoCases)).statusCode).toBe(401);
});

test.each([[undefined], [null], [{}], ['text'], [{ version: '2.0' }], [{ path: 7, httpMethod: 'GET' }]])(
  'the event %j is no request: 400',
  async (event) => {
    expect(await handler(event)).toMatchObject({ statusCode: 400 });
  },
);
