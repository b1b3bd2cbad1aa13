import type { InvokeCommandOutput, LambdaClient } from '@aws-sdk/client-lambda';
import * as z from 'zod';
import { defined } from '../table/defined.ts';
import { parseJson } from '../table/json.ts';
import { isLoopback, LOCAL_CREDENTIALS } from '../table/loopback.ts';
import { sdkFaultOf, sentenceOf } from './faults.ts';
import { readAnswer, type Transport, TransportError } from './transport.ts';

/** Provisioning as a deployed Lambda function, or that of the local stack. */
export interface FunctionOptions {
  /** Name, partial or full ARN; with `:ALIAS` that alias. */
  readonly name: string;
  readonly endpoint?: string;
  readonly region?: string;
  /** The operator's token, sent with each event. */
  readonly token?: string;
}

/** The deployed function times out after 30 s. */
const REQUEST_TIMEOUT_MS = 35_000;
/** The largest payload of a synchronous invocation (Lambda quotas). */
const MAX_PAYLOAD_MB = 6;

/** Invokes the function once; `deliverer` retries. */
export function functionTransport(options: FunctionOptions): Transport {
  const { name, token } = options;
  let hasAnswered = false;
  let loading: Promise<LambdaClient> | undefined;
  return async (event, signal) => {
    const { InvokeCommand } = await import('@aws-sdk/client-lambda');
    loading ??= clientFor(options);
    const client = await loading;
    const Payload = JSON.stringify(token === undefined ? event : { ...event, token });
    const invoke = new InvokeCommand({ FunctionName: name, Payload });
    const output = await client.send(invoke, defined({ abortSignal: signal })).catch((error: unknown) => {
      throw toTransportError(error, options, hasAnswered);
    });
    hasAnswered = true;
    const payload = output.Payload?.transformToString() ?? '';
    if (output.FunctionError !== undefined) throw functionError(payload, name, requestOf(output));
    return readAnswer(name, payload);
  };
}

/**
 * The environment variables of a deployed function (Lambda API_GetFunctionConfiguration).
 *
 * @throws TransportError as an invocation does
 */
export async function variablesOf(
  options: FunctionOptions,
): Promise<Readonly<Record<string, string | undefined>>> {
  const { GetFunctionConfigurationCommand } = await import('@aws-sdk/client-lambda');
  const client = await clientFor(options);
  const found = await client
    .send(new GetFunctionConfigurationCommand({ FunctionName: options.name }))
    .catch((error: unknown) => {
      throw toTransportError(error, options, false, 'lambda:GetFunctionConfiguration');
    });
  return found.Environment?.Variables ?? {};
}

/** Loads the SDK's client on first use: only this needs it, and loading takes time. */
async function clientFor({ endpoint, region }: FunctionOptions): Promise<LambdaClient> {
  const { LambdaClient: Client } = await import('@aws-sdk/client-lambda');
  const local = endpoint !== undefined && isLoopback(new URL(endpoint).hostname);
  return new Client({
    ...defined({ endpoint }),
    ...(local ? { credentials: LOCAL_CREDENTIALS, region: region ?? 'us-east-1' } : region ? { region } : {}),
    maxAttempts: 1,
    requestHandler: {
      connectionTimeout: 3_000,
      requestTimeout: REQUEST_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    },
  });
}

const requestOf = ({ $metadata }: InvokeCommandOutput): string =>
  $metadata.requestId === undefined ? '' : ` (request ${$metadata.requestId})`;

const thrown = z.object({ errorType: z.string().optional(), errorMessage: z.string().optional() });

/** The error of a function that has thrown, exited or timed out. */
function functionError(payload: string, name: string, request: string): TransportError {
  const { errorType = '', errorMessage = '' } = thrown.safeParse(parseJson(payload)).data ?? {};
  if (errorType === 'Sandbox.Timedout' || /\bTask timed out\b/.test(errorMessage))
    return new TransportError(`${name} timed out${request}`, true);
  const said = [errorType, errorMessage].filter((text) => text !== '').join(': ') || 'no message';
  // Another process may succeed.
  if (errorType === 'Runtime.ExitError' || errorType === 'Runtime.OutOfMemory')
    return new TransportError(`${name} exited: ${said}${request}`, true);
  return new TransportError(
    `${name} failed: ${said}${request}: see the log group /aws/lambda/${name.replace(/^.*function:/, '').replace(/:.*$/, '')}`,
    false,
  );
}

const THROTTLED = new Set(['TooManyRequestsException', 'ThrottlingException', 'EC2ThrottledException']);
/** The function is being created or updated. */
const UPDATING = new Set(['ResourceConflictException', 'ResourceNotReadyException']);

/**
 * Sorts errors of the SDK. Throttling, faults of the service and of the network are retryable, but for an address
 * where nothing has ever answered.
 */
function toTransportError(
  error: unknown,
  { name, endpoint }: FunctionOptions,
  hasAnswered: boolean,
  right = 'lambda:InvokeFunction',
): TransportError {
  const { name: kind = '', message = '' } = error as { readonly name?: string; readonly message?: string };
  const transient = (what: string) => new TransportError(what, true, error);
  const final = (what: string) => new TransportError(what, false, error);
  if (THROTTLED.has(kind)) return transient(`${name} was throttled`);
  if (UPDATING.has(kind)) return transient(`${name} is not ready (${kind})`);
  if (kind === 'RequestTooLargeException')
    return final(`the input is larger than the limit of an invocation (${MAX_PAYLOAD_MB} MB)`);
  const sentence = sentenceOf(error, {
    service: 'Lambda',
    endpoint,
    endpointOption: '--lambda-endpoint',
    missing: `there is no function ${name}: check --function, --region and --lambda-endpoint`,
    forbidden: `these AWS credentials may not ${right === 'lambda:InvokeFunction' ? 'invoke' : 'describe'} ${name}: they need ${right} on it`,
    slow: `${name} did not answer in time`,
  });
  if (sentence === undefined)
    return final(`${name} could not be invoked: ${kind}${message === '' ? '' : `: ${message}`}`);
  const fault = sdkFaultOf(error);
  return new TransportError(
    sentence,
    fault === 'transient' || (fault === 'unreachable' && hasAnswered),
    error,
  );
}
