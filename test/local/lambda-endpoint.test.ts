import { InvokeCommand, type InvokeCommandInput, LambdaClient } from '@aws-sdk/client-lambda';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createLambdaEndpoint, type LambdaLogEntry, MAX_PAYLOAD_BYTES } from '../../local/lambda/endpoint.ts';
import type { LambdaContext, LambdaFunction } from '../../local/lambda/invocation.ts';
import { listen } from '../support/listening.ts';
import { FOREIGN, OWN, send } from './foreign.ts';
import { deferred, frozenClock } from './support.ts';

const ARN = 'arn:aws:lambda:us-east-1:000000000000:function:echo';

/** A real client of a real endpoint, with one function `echo`. */
async function setUp(
  echo: LambdaFunction = async (event) => event,
  options: { log?: (entry: LambdaLogEntry) => void; timeoutMs?: number; clock?: () => number } = {},
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

describe('a web page', () => {
  test.each(FOREIGN)('is not served: %s', async (_, headersAt) => {
    const echo = vi.fn(async (event: unknown) => event);
    const { endpoint } = await setUp(echo);
    const url = `${endpoint}/2015-03-31/functions/echo/invocations`;
    const { status, body } = await send(url, headersAt(new URL(endpoint).port), '{}');
    expect([status, JSON.parse(body).message]).toEqual([
      403,
      expect.stringMatching(/^(?:Host|Origin): only programs/),
    ]);
    expect(echo).not.toHaveBeenCalled();
  });

  test.each(OWN)('%s is', async (_, headersAt) => {
    const { endpoint } = await setUp();
    const url = `${endpoint}/2015-03-31/functions/echo/invocations`;
    expect(await send(url, headersAt(new URL(endpoint).port), '{}')).toEqual({ status: 200, body: '{}' });
  });
});

describe('RequestResponse', () => {
  test('answers what the function returns', async () => {
    const { invoke } = await setUp(async (event) => ({ got: event }));
    expect(await invoke({ Payload: '{"a":[1,"é"]}' })).toMatchObject({
      StatusCode: 200,
      ExecutedVersion: '$LATEST',
      payload: { got: { a: [1, 'é'] } },
    });
  });

  test('gives an empty object to a function that is invoked without a payload', async () => {
    const { invoke } = await setUp();
    expect((await invoke({})).payload).toEqual({});
  });

  test('answers null for a function that returns nothing', async () => {
    const { invoke } = await setUp(async () => undefined);
    expect(await invoke({})).toMatchObject({ StatusCode: 200, payload: null });
  });

  test.each([
    'echo',
    'echo:$LATEST',
    '000000000000:function:echo',
    ARN,
    `${ARN}:$LATEST`,
    // Region and account are not compared.
    'arn:aws:lambda:eu-west-1:123456789012:function:echo',
  ])('finds the function as %s', async (FunctionName) => {
    const { invoke } = await setUp();
    expect(await invoke({ FunctionName, Payload: '1' })).toMatchObject({ StatusCode: 200, payload: 1 });
  });

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
  const failure = (thrown: unknown) => setUp(async () => Promise.reject(thrown));

  test('is a 200 with its error as payload', async () => {
    const { invoke } = await failure(new TypeError('no such thing'));
    expect(await invoke({})).toMatchObject({
      StatusCode: 200,
      FunctionError: 'Unhandled',
      payload: {
        errorType: 'TypeError',
        errorMessage: 'no such thing',
        trace: expect.arrayContaining(['TypeError: no such thing']),
      },
    });
  });

  test('may throw a value that is no Error', async () => {
    const { invoke } = await failure('plain text');
    expect(await invoke({})).toMatchObject({
      FunctionError: 'Unhandled',
      payload: { errorType: 'string', errorMessage: 'plain text', trace: [] },
    });
  });

  test('may throw synchronously', async () => {
    const { invoke } = await setUp(() => {
      throw new Error('at once');
    });
    expect(await invoke({})).toMatchObject({
      FunctionError: 'Unhandled',
      payload: { errorMessage: 'at once' },
    });
  });

  test('may return a value that is not JSON', async () => {
    const { invoke } = await setUp(async () => ({ big: 1n }));
    expect(await invoke({})).toMatchObject({
      FunctionError: 'Unhandled',
      payload: { errorType: 'TypeError' },
    });
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
    const end = deferred();
    const logged = deferred<LambdaLogEntry>();
    const { invoke } = await setUp(() => end.promise, { log: logged.resolve });
    const output = await invoke({ InvocationType: 'Event', Payload: '{"a":1}' });
    expect(output).toMatchObject({ StatusCode: 202, payload: undefined });
    end.resolve();
    expect(await logged.promise).toEqual({
      functionName: 'echo',
      requestId: output.$metadata.requestId,
      invocationType: 'Event',
    });
  });

  test('logs an error, which the caller does not get', async () => {
    const logged = deferred<LambdaLogEntry>();
    const { invoke } = await setUp(async () => Promise.reject(new Error('later')), { log: logged.resolve });
    const output = await invoke({ InvocationType: 'Event' });
    expect(output.StatusCode).toBe(202);
    expect(output.FunctionError).toBeUndefined();
    expect(await logged.promise).toMatchObject({ error: { errorType: 'Error', errorMessage: 'later' } });
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

  test.each(['nope', 'echo:prod', 'toString', `${ARN}:7`])(
    'for %s, which does not exist',
    async (FunctionName) => {
      const { invoke } = await setUp();
      const message = 'Function not found: arn:aws:lambda:us-east-1:000000000000:function:';
      await expect(invoke({ FunctionName })).rejects.toMatchObject(
        refusal('ResourceNotFoundException', 404, message),
      );
    },
  );

  test('for a Qualifier that does not exist', async () => {
    const { invoke } = await setUp();
    expect(await invoke({ Qualifier: '$LATEST' })).toMatchObject({ StatusCode: 200 });
    await expect(invoke({ Qualifier: 'prod' })).rejects.toMatchObject(
      refusal('ResourceNotFoundException', 404, `${ARN}:prod`),
    );
  });

  test.each(['Event', 'RequestResponse'] as const)(
    'for a %s whose payload is not JSON',
    async (InvocationType) => {
      const echo = vi.fn(async () => 1);
      const { invoke } = await setUp(echo);
      await expect(invoke({ InvocationType, Payload: '{' })).rejects.toMatchObject(
        refusal('InvalidRequestContentException', 400, 'Could not parse request body into json'),
      );
      expect(echo).not.toHaveBeenCalled();
    },
  );

  test('for a payload above 6 MB', async () => {
    const { invoke } = await setUp(async (event) => String(event).length);
    const sized = (bytes: number) => invoke({ Payload: `"${'x'.repeat(bytes - 2)}"` });
    expect((await sized(MAX_PAYLOAD_BYTES)).payload).toBe(MAX_PAYLOAD_BYTES - 2);
    await expect(sized(MAX_PAYLOAD_BYTES + 1)).rejects.toMatchObject(
      refusal('RequestTooLargeException', 413, `smaller than ${MAX_PAYLOAD_BYTES} bytes`),
    );
  });

  test('for a type of invocation that does not exist', async () => {
    const { endpoint } = await setUp();
    const response = await fetch(`${endpoint}/2015-03-31/functions/echo/invocations`, {
      method: 'POST',
      headers: { 'x-amz-invocation-type': 'Later' },
    });
    expect([response.status, response.headers.get('x-amzn-errortype')]).toEqual([
      400,
      'InvalidParameterValueException',
    ]);
  });

  test.each([
    ['GET', '/2015-03-31/functions/echo/invocations'],
    ['POST', '/2015-03-31/functions'],
    ['POST', '//2015-03-31/functions/echo/invocations'],
  ])('for %s %s, which is another operation', async (method, path) => {
    const { endpoint } = await setUp();
    const response = await fetch(endpoint + path, { method });
    expect([response.status, response.headers.get('x-amzn-errortype')]).toEqual([
      404,
      'UnknownOperationException',
    ]);
  });
});
