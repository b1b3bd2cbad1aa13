import type { MatchedRoute } from './matched-route.ts';

/**
 * A request, in whatever framework it came. Its values are those that the framework hands to handlers:
 * nothing is read from the request line beside it. What a framework does not say is missing.
 */
export interface HttpRequest {
  /** As it was sent. */
  readonly method: string | undefined;
  /** The target of the request line, where the host shows it. */
  readonly target?: string | undefined;
  readonly route: MatchedRoute;
  /** The caller's address, as far as the framework is configured to trust proxies. */
  readonly ip: string | undefined;
  /** All values of a header, by its name in lower case. */
  readonly header: (name: string) => readonly string[];
  /** A query parameter, as handlers get it; it counts if it is one text. */
  readonly query: (name: string) => unknown;
  /** A path parameter, as handlers get it; it counts if it is one text. */
  readonly parameter: (name: string) => unknown;
}

/** An answer before a framework sends it. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * What frameworks parse of a request, typed by the application: a function may ask for the framework's own
 * request, and types other than these would contradict it.
 */
// biome-ignore lint/suspicious/noExplicitAny: see above
export type Parsed = any;

/** Headers as Node has them. */
export interface NodeHeaders {
  readonly headers: {
    readonly [name: string]: string | readonly string[] | undefined;
    readonly authorization?: string | undefined;
    readonly cookie?: string | undefined;
  };
  /** All values of each header: of one that comes twice, `headers` keeps the first or joins them. */
  readonly headersDistinct?: Readonly<Record<string, readonly string[] | undefined>> | undefined;
}

/** The headers of a request of Node, as handlers get them: middleware may have replaced what was sent. */
export const nodeHeader =
  ({ headers, headersDistinct }: NodeHeaders): HttpRequest['header'] =>
  (name) => {
    const sent = headersDistinct?.[name] ?? [];
    if (sent.length > 1) return sent;
    const values = headers[name];
    return values === undefined ? [] : typeof values === 'string' ? [values] : values;
  };

/** A value of an object that a framework made; undefined for what the object does not have itself. */
export const ownValue = (values: unknown, name: string): unknown =>
  typeof values === 'object' && values !== null && Object.hasOwn(values, name)
    ? (values as Readonly<Record<string, unknown>>)[name]
    : undefined;

/**
 * A query without its `?`: one that begins with another is part of a name, which `URLSearchParams` would
 * drop.
 */
export const parsedQuery = (query: string): URLSearchParams => new URLSearchParams(`&${query}`);
