import type { InvokeCommandOutput, LambdaClient } from '@aws-sdk/client-lambda';
import * as z from 'zod';
import { isLoopback, LOCAL_CREDENTIALS } from '../table/loopback.ts';
import { parseJson } from './json.ts';
import { readAnswer, type Transport, TransportError } from './transport.ts';

/** Provisioning as a deployed Lambda function, or that of the local stack. */
export interface FunctionOptions {
  /** Name, partial or full ARN; with `:ALIAS` that alias. */
  readonly name: string;
  readonly endpoint?: string;
  readonly region?: string;
  /** Milliseconds that one invocation may take. */
  readonly requestTimeoutMs?: number;
}

/** The deployed function times out after 30 s. */
const REQUEST_TIMEOUT_MS = 35_000;
/** The largest payload of a synchronous invocation (Lambda quotas). */
const MAX_PAYLOAD_MB = 6;

/** Invokes the function once; `deliverer` retries. */
export function functionTransport(options: FunctionOptions): Transport {
  const { name } = options;
  let loaded: Promise<(payload: string, signal: AbortSignal | undefined) => Promise<InvokeCommandOutput>>;
  return async (event, signal) => {
    loaded ??= load(options);
    const invoke = await loaded;
    const output = await invoke(JSON.stringify(event), signal).catch((error: unknown) => {
      throw toTransportError(error, name);
    });
    const payload = output.Payload?.transformToString() ?? '';
    if (output.FunctionError !== undefined) throw functionError(payload, name, requestOf(output));
    return readAnswer(name, payload);
  };
}

/** Loads the SDK's client on first use: only this needs it, and loading takes time. */
async function load({ name, endpoint, region, requestTimeoutMs = REQUEST_TIMEOUT_MS }: FunctionOptions) {
  const { InvokeCommand, LambdaClient: Client } = await import('@aws-sdk/client-lambda');
  const local = endpoint !== undefined && isLoopback(new URL(endpoint).hostname);
  const client: LambdaClient = new Client({
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(local ? { credentials: LOCAL_CREDENTIALS, region: region ?? 'us-east-1' } : region ? { region } : {}),
    maxAttempts: 1,
    requestHandler: {
      connectionTimeout: 3_000,
      requestTimeout: requestTimeoutMs,
      throwOnRequestTimeout: true,
    },
  });
  return (payload: string, signal: AbortSignal | undefined) =>
    client.send(
      new InvokeCommand({ FunctionName: name, Payload: payload }),
      signal === undefined ? {} : { abortSignal: signal },
    );
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
    `${name} failed: ${said}${request}; not retryable: see the log group /aws/lambda/${name.replace(/^.*function:/, '').replace(/:.*$/, '')}`,
    false,
  );
}

const THROTTLED = new Set(['TooManyRequestsException', 'ThrottlingException', 'EC2ThrottledException']);
const UNREACHED =
  /^(?:ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;
/** The function is being created or updated. */
const UPDATING = new Set(['ResourceConflictException', 'ResourceNotReadyException']);

const ADVICE: readonly (readonly [RegExp, (name: string) => string])[] = [
  [
    /^ResourceNotFoundException$/,
    (name) => `there is no function ${name}: check --function, --region and --lambda-endpoint`,
  ],
  [
    /^AccessDenied(?:Exception)?$/,
    (name) => `these AWS credentials may not invoke ${name}: they need lambda:InvokeFunction on it`,
  ],
  [
    /^(?:CredentialsProviderError|UnrecognizedClientException|InvalidSignatureException|ExpiredToken(?:Exception)?)$/,
    () => 'no valid AWS credentials: set AWS_PROFILE, or log in (aws sso login)',
  ],
  [
    /^RequestTooLargeException$/,
    () => `the input is larger than the limit of an invocation (${MAX_PAYLOAD_MB} MB)`,
  ],
];

/** Classifies errors of the SDK. Throttling, faults of the service and of the network are retryable. */
function toTransportError(error: unknown, name: string): TransportError {
  const fault = error as {
    name?: string;
    code?: string;
    message?: string;
    $metadata?: { httpStatusCode?: number };
  };
  const kind = fault.name ?? '';
  const transient = (what: string) => new TransportError(what, true, error);
  if (THROTTLED.has(kind)) return transient(`${name} was throttled`);
  if (UPDATING.has(kind)) return transient(`${name} is not ready (${kind})`);
  if (kind === 'TimeoutError' || kind === 'AbortError' || kind === 'RequestTimeout')
    return transient(`${name} did not answer in time`);
  if (UNREACHED.test(fault.code ?? '')) return transient(`${name} could not be reached (${fault.code})`);
  for (const [of, advice] of ADVICE) {
    if (of.test(kind)) return new TransportError(`${advice(name)}; not retryable`, false, error);
  }
  if (/\bRegion is missing\b/.test(fault.message ?? ''))
    return new TransportError('which region? Give --region, or set AWS_REGION; not retryable', false, error);
  if ((fault.$metadata?.httpStatusCode ?? 0) >= 500)
    return transient(`the Lambda service failed (${kind || 'no name'})`);
  return new TransportError(
    `${name} could not be invoked: ${kind}${fault.message ? `: ${fault.message}` : ''}; not retryable`,
    false,
    error,
  );
}
