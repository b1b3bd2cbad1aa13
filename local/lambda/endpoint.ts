import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { readBody, sendJson } from '../gateway/http.ts';
import { ownOnly } from '../gateway/own-requests.ts';
import { decoded, splitTarget } from '../gateway/request.ts';
import { messageOf } from '../message-of.ts';
import { functionArn, LATEST, parseFunctionName } from './function-name.ts';
import { invokeFunction, type LambdaFunction } from './invocation.ts';

/** Payload quota of a synchronous invocation, 6 MB (Lambda gettingstarted-limits, API_Invoke). */
export const MAX_PAYLOAD_BYTES = 6 * 1024 * 1024;

export interface LambdaEndpointOptions {
  readonly functions: Readonly<Record<string, LambdaFunction>>;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** Time-out of every function; 30 s unless given. */
  readonly timeoutMs?: number;
}

/** An error in the form that the SDKs turn into exceptions. */
interface ServiceError {
  readonly statusCode: number;
  readonly type: string;
  readonly message: string;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const INVOCATION_TYPES: readonly unknown[] = ['RequestResponse', 'Event', 'DryRun'];

const notFound = (arn: string): ServiceError => ({
  statusCode: 404,
  type: 'ResourceNotFoundException',
  message: `Function not found: ${arn}`,
});

function sendError(outgoing: ServerResponse, error: ServiceError): void {
  // Both spellings: the Lambda API has exceptions with a `Message` and exceptions with a `message`.
  const body = { Type: 'User', Message: error.message, message: error.message };
  sendJson(outgoing, error.statusCode, body, { 'x-amzn-errortype': error.type });
}

/** An invocation without a payload gets an empty object as its event. */
function parsePayload(payload: Buffer): { event: unknown } | ServiceError {
  if (payload.length === 0) return { event: {} };
  try {
    return { event: JSON.parse(payload.toString('utf8')) };
  } catch (error) {
    const message = `Could not parse request body into json: ${messageOf(error)}`;
    return { statusCode: 400, type: 'InvalidRequestContentException', message };
  }
}

/**
 * The Invoke operation of the Lambda API (Lambda API_Invoke) for functions of this process, for the AWS CLI
 * and `@aws-sdk/client-lambda`. It checks neither signatures nor permissions: it is for programs on the
 * loopback interface only.
 *
 * `LogType: Tail` is accepted and no log returned; only $LATEST exists as a version.
 */
export function createLambdaEndpoint(options: LambdaEndpointOptions): RequestListener {
  const { functions, clock, timeoutMs = DEFAULT_TIMEOUT_MS } = options;

  function findTarget(pathText: string, queryQualifier: string | null) {
    const reference = parseFunctionName(decoded(pathText));
    if (!reference) return notFound(decoded(pathText));
    const { name } = reference;
    const qualifier = reference.qualifier ?? queryQualifier ?? undefined;
    const arn = functionArn({ name, qualifier });
    const run = Object.hasOwn(functions, name) ? functions[name] : undefined;
    if (!run || (qualifier !== undefined && qualifier !== LATEST)) return notFound(arn);
    return { name, arn, run };
  }

  type Target = Exclude<ReturnType<typeof findTarget>, ServiceError>;

  async function invoke(incoming: IncomingMessage, outgoing: ServerResponse, target: Target): Promise<void> {
    const payload = await readBody(incoming, MAX_PAYLOAD_BYTES);
    if (!payload) {
      const message = `Request must be smaller than ${MAX_PAYLOAD_BYTES} bytes for the InvokeFunction operation`;
      return sendError(outgoing, { statusCode: 413, type: 'RequestTooLargeException', message });
    }
    const invocationType = incoming.headers['x-amz-invocation-type'] ?? 'RequestResponse';
    if (typeof invocationType !== 'string' || !INVOCATION_TYPES.includes(invocationType)) {
      const message = 'InvocationType is none of RequestResponse, Event, DryRun';
      return sendError(outgoing, { statusCode: 400, type: 'InvalidParameterValueException', message });
    }
    const parsed = parsePayload(payload);
    if ('statusCode' in parsed) return sendError(outgoing, parsed);

    const requestId = randomUUID();
    const { run, ...called } = target;
    const invoked = () => invokeFunction(run, { ...called, ...parsed, requestId, timeoutMs, clock });
    outgoing.setHeader('x-amzn-requestid', requestId);
    if (invocationType === 'DryRun') {
      outgoing.writeHead(204).end();
    } else if (invocationType === 'Event') {
      outgoing.writeHead(202).end();
      // The caller does not wait, and learns of no failure.
      void invoked();
    } else {
      const outcome = await invoked();
      outgoing.writeHead(200, {
        'content-type': 'application/json',
        'x-amz-executed-version': LATEST,
        ...(!outcome.ok && { 'x-amz-function-error': 'Unhandled' }),
      });
      outgoing.end(outcome.ok ? outcome.payload : JSON.stringify(outcome.error));
    }
  }

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { path, rawQueryString } = splitTarget(incoming.url ?? '');
    const [, name] = /^\/2015-03-31\/functions\/([^/]+)\/invocations\/?$/.exec(path) ?? [];
    if (incoming.method !== 'POST' || name === undefined) {
      const message = `${incoming.method} ${path} is not an operation of this endpoint`;
      return sendError(outgoing, { statusCode: 404, type: 'UnknownOperationException', message });
    }
    const target = findTarget(name, new URLSearchParams(rawQueryString).get('Qualifier'));
    return 'statusCode' in target ? sendError(outgoing, target) : invoke(incoming, outgoing, target);
  }

  return ownOnly(
    (incoming, outgoing) => {
      // Only when the client disconnects while sending.
      serve(incoming, outgoing).catch(() => outgoing.destroy());
    },
    (outgoing, message) => sendError(outgoing, { statusCode: 403, type: 'AccessDeniedException', message }),
  );
}
