import type { InvokeCommandOutput, LambdaClient } from '@aws-sdk/client-lambda';
import * as z from 'zod';
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

/** The function as it is deployed ends after 30 s; its answer needs a moment to arrive. */
const REQUEST_TIMEOUT_MS = 35_000;
/** What a synchronous invocation may carry (Lambda quotas). */
const MAX_PAYLOAD_MB = 6;

/** The local stack looks at no signature, and these open nothing. */
const LOCAL_CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' };

const isLoopback = (endpoint: string): boolean =>
  /^(?:localhost|\[::1\]|127(?:\.\d{1,3}){3})$/.test(new URL(endpoint).hostname);

/** Invokes the function; one attempt: sending again is for `persistent`. */
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

/** The SDK's client takes a while to load, and only this needs it. */
async function load({ name, endpoint, region, requestTimeoutMs = REQUEST_TIMEOUT_MS }: FunctionOptions) {
  const { InvokeCommand, LambdaClient: Client } = await import('@aws-sdk/client-lambda');
  const local = endpoint !== undefined && isLoopback(endpoint);
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

/** What the runtime says of a function that has thrown, ended or run out of its time. */
function functionError(payload: string, name: string, request: string): TransportError {
  let data: unknown;
  try {
    data = JSON.parse(payload);
  } catch {
    data = {};
  }
  const { errorType = '', errorMessage = '' } = thrown.safeParse(data).data ?? {};
  if (errorType === 'Sandbox.Timedout' || /\bTask timed out\b/.test(errorMessage))
    return new TransportError(`${name} ran out of its time${request}`, true);
  const said = [errorType, errorMessage].filter((text) => text !== '').join(': ') || 'it does not say why';
  // The process has ended: another one may be luckier, as when it ran out of memory.
  if (errorType === 'Runtime.ExitError' || errorType === 'Runtime.OutOfMemory')
    return new TransportError(`${name} ended in the middle: ${said}${request}`, true);
  return new TransportError(
    `${name} failed: ${said}${request}; not retryable: see the log group /aws/lambda/${name.replace(/^.*function:/, '').replace(/:.*$/, '')}`,
    false,
  );
}

const THROTTLED = new Set(['TooManyRequestsException', 'ThrottlingException', 'EC2ThrottledException']);
const UNREACHED =
  /^(?:ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;
/** The function is being made or changed. */
const UPDATING = new Set(['ResourceConflictException', 'ResourceNotReadyException']);

const ADVICE: readonly (readonly [RegExp, (name: string) => string])[] = [
  [
    /^ResourceNotFoundException$/,
    (name) => `there is no function ${name} there: see --function, --region and --lambda-endpoint`,
  ],
  [
    /^AccessDenied(?:Exception)?$/,
    (name) => `these AWS credentials may not invoke ${name}: they need lambda:InvokeFunction on it`,
  ],
  [
    /^(?:CredentialsProviderError|UnrecognizedClientException|InvalidSignatureException|ExpiredToken(?:Exception)?)$/,
    () => 'no AWS credentials that are good: set AWS_PROFILE, or log in (aws sso login)',
  ],
  [
    /^RequestTooLargeException$/,
    () => `the input is larger than an invocation may be (${MAX_PAYLOAD_MB} MB)`,
  ],
];

/** Sorts what the SDK throws. Throttling, faults of the service and of the way there may pass. */
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
