import type { AuthorizerContext } from './event-shapes.ts';
import { type ApiSettings, decoded, type HeaderGroup, type MatchedRequest } from './request.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** '12/Mar/2020:19:03:58 +0000', as in `$context.requestTime` (AG http-api-logging-variables). */
export function requestTime(epochMs: number): string {
  const iso = new Date(epochMs).toISOString();
  return `${iso.slice(8, 10)}/${MONTHS[Number(iso.slice(5, 7)) - 1]}/${iso.slice(0, 4)}:${iso.slice(11, 19)} +0000`;
}

/**
 * "API Gateway decodes URL-encoded request parameters before passing them to your backend integration"
 * (AG http-api-develop-routes). The authorizer gets the same values. Invalid encodings stay as received.
 */
export function decodedParameters(parameters: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, decoded(value)]));
}

/** The host name that AWS would have given the API. */
export const domainName = (settings: ApiSettings): string =>
  `${settings.apiId}.execute-api.${settings.region}.amazonaws.com`;

const TEXT_TYPE = /^(text\/|application\/([\w.-]+\+)?(json|xml|javascript)\b)/i;

/**
 * The body as an HTTP API hands it to a backend; null when there is none.
 *
 * AWS does not list which media types it encodes; here all but text, JSON, XML and JavaScript are base64.
 */
export function encodedBody(request: MatchedRequest): { body: string | null; isBase64Encoded: boolean } {
  const { body } = request.wire;
  if (!body?.length) return { body: null, isBase64Encoded: false };
  const mediaType = request.headers.get('content-type')?.values[0] ?? 'text/plain';
  const isBase64Encoded = !TEXT_TYPE.test(mediaType);
  return { body: body.toString(isBase64Encoded ? 'base64' : 'utf8'), isBase64Encoded };
}

type Values = Iterable<readonly [name: string, values: readonly string[]]>;

export const lastOf = (values: Values): Record<string, string> =>
  Object.fromEntries([...values].map(([name, list]) => [name, list.at(-1) ?? '']));

const listsOf = (values: Values): Record<string, string[]> =>
  Object.fromEntries([...values].map(([name, list]) => [name, [...list]]));

/** All kinds but format 2.0 keep the case of header names. */
export const spelled = (headers: ReadonlyMap<string, HeaderGroup>): Values =>
  [...headers.values()].map(({ name, values }) => [name, values]);

/** Who sent a request. */
export const callerOf = ({ wire, headers }: MatchedRequest) => ({
  sourceIp: wire.sourceIp,
  userAgent: headers.get('user-agent')?.values.at(-1) ?? null,
});

/** Headers and query as all kinds but format 2.0 have them: the last of several values, and all of them. */
export const valueFields = ({ headers, query }: MatchedRequest) => ({
  headers: lastOf(spelled(headers)),
  multiValueHeaders: listsOf(spelled(headers)),
  queryStringParameters: lastOf(query),
  multiValueQueryStringParameters: listsOf(query),
});

/** The authorizer's answer as the backend gets it. */
export interface Grant {
  readonly principalId: string | undefined;
  readonly context: AuthorizerContext | undefined;
}

/** `principalId` comes last: a context key of that name must not speak for the caller. */
export const flatten = <Value>(context: Record<string, Value>, principalId: string | undefined) => ({
  ...context,
  ...(principalId !== undefined && { principalId }),
});

/** "The returned values are all stringified" (AG api-gateway-lambda-authorizer-output). */
export const stringified = ({ context, principalId }: Grant) =>
  flatten(
    Object.fromEntries(Object.entries(context ?? {}).map(([name, value]) => [name, String(value)])),
    principalId,
  );
