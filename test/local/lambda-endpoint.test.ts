import { InvokeCommand, type InvokeCommandInput, LambdaClient } from '@aws-sdk/client-lambda';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createLambdaEndpoint, MAX_PAYLOAD_BYTES } from '../../local/lambda/endpoint.ts';
import type { LambdaContext, LambdaFunction } from '../../local/lambda/invocation.ts';
import { createDeferred } from '../support/deferred.ts';
import { listen } from '../support/listening.ts';
import { frozenClock } from './support.ts';

const ARN = 'arn:aws:lambda:us-east-1:000000000000:function:echo';

/** A real client of a real endpoint, with one function `echo`. */
async function setUp(
  echo: LambdaFunction = async (event) => event,
  options: { timeoutMs?: number; clock?: () => number } = {},
) {
  const endpoint = await listen(
    createLambdaEndpoint({ functions: { echo }, clock: frozenClock().now, ...options }),
  );
  const client = new LambdaClient({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
  });
  onTestFinished(() => client.destroy());
  const invoke = async (input: Partial<InvokeCommandInput>) => {
    const { Payload, ...output } = await client.send(new InvokeCommand({ FunctionName: 'echo', ...input }));
    const text = Payload?.transformToString() ?? '';
    return { ...output, payload: text === '' ? undefined : JSON.parse(text) };
  };
  return { endpoint, invoke };
}

describe('RequestResponse', () => {
  test('answers what the function returns', async () => {
    const { invoke } = await setUp(async (event) => ({ got: event }));
    expect(await invoke({ Payload: '{"a":[1,"é"]}' })).toMatchObject({
      StatusCode: 200,
      ExecutedVersion: '$LATEST',
      payload: { got: { a: [1, 'é'] } },
    });
  });

  test('gives an empty object in place of no payload, and answers null for nothing', async () => {
    expect((await (await setUp()).invoke({})).payload).toEqual({});
    const { invoke } = await setUp(async () => undefined);
    expect(await invoke({})).toMatchObject({ StatusCode: 200, payload: null });
  });

  // What else names it: function-name.test.ts. Region and account are not compared.
  test.each(['echo:$LATEST', 'arn:aws:lambda:eu-west-1:123456789012:function:echo'])(
    'finds the function as %s',
    async (FunctionName) => {
      const { invoke } = await setUp();
      expect(await invoke({ FunctionName, Payload: '1' })).toMatchObject({ StatusCode: 200, payload: 1 });
    },
  );

  test('passes a context like that of Lambda', async () => {
    const clock = frozenClock();
    let context: LambdaContext | undefined;
    const { invoke } = await setUp(
      async (_, given) => {
        context = given;
        const before = given.getRemainingTimeInMillis();
        clock.advance(1_200);
        const after = given.getRemainingTimeInMillis();
        clock.advance(60_000);
        return [before, after, given.getRemainingTimeInMillis()];
      },
      { clock: clock.now, timeoutMs: 5_000 },
    );
    const output = await invoke({});
    expect(output.payload).toEqual([5_000, 3_800, 0]);
    expect(context).toMatchObject({
      functionName: 'echo',
      functionVersion: '$LATEST',
      invokedFunctionArn: ARN,
      memoryLimitInMB: '1024',
      awsRequestId: output.$metadata.requestId,
      logGroupName: '/aws/lambda/echo',
      logStreamName: '2026/03/12/[$LATEST]local',
    });
  });
});

describe('a function that fails', () => {
  test.each<[string, LambdaFunction, object]>([
    [
      'is a 200 with its error as payload',
      async () => Promise.reject(new TypeError('no such thing')),
      {
        errorType: 'TypeError',
        errorMessage: 'no such thing',
        trace: expect.arrayContaining(['TypeError: no such thing']),
      },
    ],
    [
      'may throw a value that is no Error',
      async () => Promise.reject('plain text'),
      { errorType: 'string', errorMessage: 'plain text', trace: [] },
    ],
    [
      'may throw synchronously',
      () => {
        throw new Error('at once');
      },
      { errorMessage: 'at once' },
    ],
    ['may return a value that is not JSON', async () => ({ big: 1n }), { errorType: 'TypeError' }],
  ])('%s', async (_, echo, payload) => {
    const { invoke } = await setUp(echo);
    expect(await invoke({})).toMatchObject({ StatusCode: 200, FunctionError: 'Unhandled', payload });
  });

  test('may never end', async () => {
    const { invoke } = await setUp(() => new Promise(() => {}), { timeoutMs: 10 });
    expect(await invoke({})).toMatchObject({
      FunctionError: 'Unhandled',
      payload: { errorMessage: 'Task timed out after 0.01 seconds' },
    });
  });
});

describe('Event', () => {
  test('answers 202 before the function has ended', async () => {
    const given = createDeferred<unknown>();
    const { invoke } = await setUp((event) => {
      given.resolve(event);
      return new Promise(() => {});
    });
    const output = await invoke({ InvocationType: 'Event', Payload: '{"a":1}' });
    expect(output).toMatchObject({ StatusCode: 202, payload: undefined });
    expect(await given.promise).toEqual({ a: 1 });
  });

  test('gives the caller no error of the function', async () => {
    const { invoke } = await setUp(async () => Promise.reject(new Error('later')));
    const output = await invoke({ InvocationType: 'Event' });
    expect(output.StatusCode).toBe(202);
    expect(output.FunctionError).toBeUndefined();
  });
});

test('DryRun answers 204 and runs nothing', async () => {
  const echo = vi.fn(async () => 1);
  const { invoke } = await setUp(echo);
  expect(await invoke({ InvocationType: 'DryRun' })).toMatchObject({ StatusCode: 204 });
  expect(echo).not.toHaveBeenCalled();
});

describe('an invocation is refused', () => {
  const refusal = (name: string, statusCode: number, message: string) => ({
    name,
    message: expect.stringContaining(message),
    $metadata: expect.objectContaining({ httpStatusCode: statusCode }),
  });

  const unknown = 'Function not found: arn:aws:lambda:us-east-1:000000000000:function:';
  const NOT_FOUND = ['ResourceNotFoundException', 404, unknown] as const;
  const NO_JSON = ['InvalidRequestContentException', 400, 'Could not parse request body into json'] as const;
  test.each<readonly [string, Partial<InvokeCommandInput>, string, number, string]>([
    ['a function that does not exist', { FunctionName: 'nope' }, ...NOT_FOUND],
    ['an alias that does not exist', { FunctionName: 'echo:prod' }, ...NOT_FOUND],
    ['a name of objects', { FunctionName: 'toString' }, ...NOT_FOUND],
    ['a version that does not exist', { FunctionName: `${ARN}:7` }, ...NOT_FOUND],
    ['a qualifier that does not exist', { Qualifier: 'prod' }, ...NOT_FOUND],
    ['a payload that is not JSON', { Payload: '{' }, ...NO_JSON],
    ['an event that is not JSON', { InvocationType: 'Event', Payload: '{' }, ...NO_JSON],
  ])('for %s', async (_, input, name, status, message) => {
    const echo = vi.fn(async () => 1);
    const { invoke } = await setUp(echo);
    await expect(invoke(input)).rejects.toMatchObject(refusal(name, status, message));
    expect(echo).not.toHaveBeenCalled();
  });

  test('for a payload above 6 MB', async () => {
    const { invoke } = await setUp(async (event) => String(event).length);
    const sized = (bytes: number) => invoke({ Payload: `"${'x'.repeat(bytes - 2)}"` });
    expect((await sized(MAX_PAYLOAD_BYTES)).payload).toBe(MAX_PAYLOAD_BYTES - 2);
    await expect(sized(MAX_PAYLOAD_BYTES + 1)).rejects.toMatchObject(
      refusal('RequestTooLargeException', 413, `smaller than ${MAX_PAYLOAD_BYTES} bytes`),
    );
  });

  const INVOCATIONS = '/2015-03-31/functions/echo/invocations';
  const LATER = { 'x-amz-invocation-type': 'Later' };
  test.each<[string, string, string, Record<string, string>, number, string]>([
    ['another type of invocation', 'POST', INVOCATIONS, LATER, 400, 'InvalidParameterValue'],
    ['another verb', 'GET', INVOCATIONS, {}, 404, 'UnknownOperation'],
    ['another path', 'POST', '/2015-03-31/functions', {}, 404, 'UnknownOperation'],
    ['a path that ends like it', 'POST', `/${INVOCATIONS}`, {}, 404, 'UnknownOperation'],
  ])('for %s', async (_, method, path, headers, status, error) => {
    const { endpoint } = await setUp();
    const answer = await fetch(endpoint + path, { method, headers });
    expect([answer.status, answer.headers.get('x-amzn-errortype')]).toEqual([status, `${error}Exception`]);
  });
});
