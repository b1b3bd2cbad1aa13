import * as z from 'zod/mini';
import { readingsOf } from '../events/served-path.ts';
import { type Handle, type HttpAnswer, type HttpRequest, MAX_BODY, text } from './http.ts';

/**
 * The events of a function behind an HTTP API (payload formats 2.0 and 1.0), a REST API, a function URL or an
 * Application Load Balancer, and the answers that these take (AG http-api-develop-integrations-lambda, ELB
 * lambda-functions).
 */
const singleValues = z.optional(z.nullable(z.record(z.string(), z.optional(z.string()))));
const multiValues = z.optional(z.nullable(z.record(z.string(), z.optional(z.array(z.string())))));
const headers = singleValues;
const body = { body: z.optional(z.nullable(z.string())), isBase64Encoded: z.optional(z.boolean()) };

const VERSION_2 = z.object({
  ...body,
  version: z.literal('2.0'),
  rawPath: z.string(),
  rawQueryString: z.optional(z.string()),
  headers,
  requestContext: z.object({
    http: z.object({ method: z.string() }),
    stage: z.optional(z.string()),
    domainName: z.optional(z.string()),
  }),
});

const VERSION_1 = z.object({
  ...body,
  path: z.string(),
  httpMethod: z.string(),
  headers,
  multiValueHeaders: multiValues,
  queryStringParameters: singleValues,
  multiValueQueryStringParameters: multiValues,
  requestContext: z.optional(z.object({ elb: z.optional(z.unknown()) })),
});

/** An answer in the form that the caller of the function takes. */
export interface LambdaAnswer {
  readonly statusCode: number;
  readonly headers?: HttpAnswer['headers'];
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[]>>;
  readonly body: string;
  readonly isBase64Encoded: false;
}

/** The part of Lambda's context that is used. */
interface Invocation {
  readonly awsRequestId?: string;
}

export type LambdaHandler = (event: unknown, invocation?: Invocation) => Promise<LambdaAnswer>;

/**
 * The API as a Lambda function. It never throws: what cannot be read is answered with 400.
 *
 * @param end called before each answer: afterwards Lambda may stop the process at any time
 */
export const createLambdaHandler =
  (handle: Handle, end?: () => void): LambdaHandler =>
  async (event, invocation) => {
    const invocationId = invocation?.awsRequestId;
    const answered = (request: HttpRequest) => handle({ ...request, invocationId }).finally(end);
    const second = VERSION_2.safeParse(event);
    if (second.success) return inHeaders(await answered(requestOf2(second.data)));
    const first = VERSION_1.safeParse(event);
    if (!first.success) return inHeaders(text(400, 'the event is not that of an HTTP request'));
    const answer = await answered(requestOf1(first.data));
    // A load balancer takes the one or the other, as it sends them.
    const isMulti = first.data.headers === undefined || first.data.headers === null;
    return isMulti ? inMultiValueHeaders(answer) : inHeaders(answer);
  };

/** What a base URL has before the path is left out by whoever answers. */
const NO_BASE_PATHS: ReadonlyMap<string, string> = new Map();

function requestOf2(event: z.output<typeof VERSION_2>): HttpRequest {
  const { http, stage = '$default', domainName } = event.requestContext;
  return {
    method: http.method,
    paths: readingsOf({ rawPath: event.rawPath, stage, domainName }, NO_BASE_PATHS),
    query: () => new URLSearchParams(event.rawQueryString),
    header: headerIn(Object.entries(event.headers ?? {}).map(([name, value]) => [name, value && [value]])),
    body: bodyOf(event),
  };
}

function requestOf1(event: z.output<typeof VERSION_1>): HttpRequest {
  return {
    method: event.httpMethod,
    paths: [event.path],
    query: () => queryOf(event),
    header: headerIn(valuesIn(event.headers, event.multiValueHeaders)),
    body: bodyOf(event),
  };
}

type Values<V> = Readonly<Record<string, V | undefined>> | null | undefined;

/** Names with their values, from the form with all values where the event has it. */
function valuesIn(single: Values<string>, multi: Values<string[]>) {
  const all = Object.entries(multi ?? {});
  return all.length > 0
    ? all
    : Object.entries(single ?? {}).map(([name, value]) => [name, value && [value]] as const);
}

/** Of an Application Load Balancer names and values come as they were sent, otherwise decoded. */
function queryOf(event: z.output<typeof VERSION_1>): URLSearchParams {
  const pairs = valuesIn(event.queryStringParameters, event.multiValueQueryStringParameters).flatMap(
    ([name, values]) => (values || []).map((value) => [name, value] as [string, string]),
  );
  return new URLSearchParams(
    event.requestContext?.elb ? pairs.map((pair) => pair.join('=')).join('&') : pairs,
  );
}

/** Names in any case; one name in two cases is one header with two values. */
function headerIn(
  entries: readonly (readonly [string, readonly string[] | '' | undefined])[],
): HttpRequest['header'] {
  const values = new Map<string, readonly string[]>();
  for (const [name, own] of entries) {
    const key = name.toLowerCase();
    values.set(key, [...(values.get(key) ?? []), ...(own || [])]);
  }
  return (name) => values.get(name) ?? [];
}

/** The bytes of a body; undefined for one that is too large. */
function bodyOf({
  body: given,
  isBase64Encoded,
}: Pick<z.output<typeof VERSION_1>, 'body' | 'isBase64Encoded'>) {
  // A character takes at least one byte, and four of base64 take three.
  if ((given?.length ?? 0) > (isBase64Encoded ? Math.ceil(MAX_BODY / 3) * 4 : MAX_BODY)) return undefined;
  const bytes = Uint8Array.from(Buffer.from(given ?? '', isBase64Encoded ? 'base64' : 'utf8'));
  return bytes.length > MAX_BODY ? undefined : bytes;
}

const inHeaders = ({ status, headers, body }: HttpAnswer): LambdaAnswer => ({
  statusCode: status,
  headers,
  body,
  isBase64Encoded: false,
});

const inMultiValueHeaders = ({ status, headers, body }: HttpAnswer): LambdaAnswer => ({
  statusCode: status,
  multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
  body,
  isBase64Encoded: false,
});
