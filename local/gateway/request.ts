import { groupBy } from '../../table/group-by.ts';
/** Payload quota of HTTP and REST APIs: 10 MB, read here as 10 · 2^20 bytes (AG http-api-quotas, limits). */
export const MAX_BODY_BYTES = 10 * 1024 * 1024;

/** "Total combined size of request line and header values" (AG http-api-quotas). */
export const MAX_HEADER_BYTES = 10_240;

/** Longest method ARN that may reach an authorizer (AG api-gateway-lambda-authorizer-output). */
export const MAX_METHOD_ARN_BYTES = 1_600;

/** Settings of every kind of API. */
export interface ApiSettings {
  readonly name: string;
  /** Replaces the API's own host name and is stripped before routing; '' makes the API the fallback. */
  readonly basePath: string;
  readonly stage: string;
  readonly apiId: string;
  readonly accountId: string;
  readonly region: string;
  readonly stageVariables?: Readonly<Record<string, string>>;
}

/** A request as received: nothing decoded, merged or reordered. */
export interface GatewayRequest {
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  readonly protocol: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Undefined when longer than MAX_BODY_BYTES. */
  readonly body: Buffer | undefined;
  readonly sourceIp: string;
}

export interface HeaderGroup {
  /** The header's name as first received. */
  readonly name: string;
  readonly values: string[];
}

/** A request with its API and its route: the input of events, identity sources and policies. */
export interface MatchedRequest {
  readonly wire: GatewayRequest;
  readonly settings: ApiSettings;
  /** 'GET /pets/{id}' or '$default'. */
  readonly routeKey: string;
  /** '/pets/{id}' or '$default'. */
  readonly resourcePath: string;
  readonly path: string;
  readonly rawQueryString: string;
  readonly query: ReadonlyMap<string, readonly string[]>;
  /** By lower-cased name. */
  readonly headers: ReadonlyMap<string, HeaderGroup>;
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly arn: string;
  readonly requestId: string;
  readonly receivedAt: number;
}

/** Without percent-encoding; an invalid one stays as it is. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Splits a request target at its first question mark. */
export function splitTarget(target: string): { path: string; rawQueryString: string } {
  const mark = target.indexOf('?');
  return mark < 0
    ? { path: target, rawQueryString: '' }
    : { path: target.slice(0, mark), rawQueryString: target.slice(mark + 1) };
}

/** A request as an API gets it: under the API's own path, with its query and its headers read. */
export function atApi(settings: ApiSettings, wire: GatewayRequest) {
  const { path, rawQueryString } = splitTarget(wire.target);
  return {
    wire,
    settings,
    path: path.slice(settings.basePath.length) || '/',
    rawQueryString,
    query: groupQuery(rawQueryString),
    headers: groupHeaders(wire.headers),
  };
}

/** Header values by lower-cased name, duplicates in the order received. */
export function groupHeaders(headers: GatewayRequest['headers']): ReadonlyMap<string, HeaderGroup> {
  const groups = new Map<string, HeaderGroup>();
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    const group = groups.get(key);
    if (group) group.values.push(value);
    else groups.set(key, { name, values: [value] });
  }
  return groups;
}

/** Decoded query parameters, duplicates in the order received; names are case-sensitive. */
export function groupQuery(rawQueryString: string): ReadonlyMap<string, readonly string[]> {
  const groups = groupBy(new URLSearchParams(rawQueryString), ([name]) => name);
  return new Map([...groups].map(([name, pairs]) => [name, pairs.map(([, value]) => value)]));
}

/** Bytes that count towards MAX_HEADER_BYTES. Node decodes headers as Latin-1: one character is one byte. */
export function headerBytes(request: GatewayRequest): number {
  const line = `${request.method} ${request.target} ${request.protocol}`;
  return request.headers.reduce((sum, [, value]) => sum + value.length, line.length);
}

function partitionOf(region: string): string {
  if (region.startsWith('cn-')) return 'aws-cn';
  return region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws';
}

/**
 * The ARN of the called method: `methodArn`, or `routeArn` in format 2.0
 * (AG api-gateway-control-access-using-iam-policies-to-invoke-api).
 *
 * It has the concrete path, also for parameters, `{proxy+}` and `$default`. AWS does not document whether
 * percent-encoding and trailing slashes are kept: here the path is as received.
 */
export const methodArn = (settings: ApiSettings, verb: string, path: string): string =>
  `${stageArn(settings)}/${verb}${path}`;

/** `methodArn` of a WebSocket's request for a connection (AG apigateway-websocket-api-lambda-auth). */
export const connectArn = (settings: ApiSettings): string => `${stageArn(settings)}/$connect`;

const stageArn = ({ accountId, apiId, region, stage }: ApiSettings): string =>
  `arn:${partitionOf(region)}:execute-api:${region}:${accountId}:${apiId}/${stage}`;
