/** A request, in whatever framework it came. What a framework does not say is missing. */
export interface HttpRequest {
  readonly method: string | undefined;
  /** As it was sent, without the query. */
  readonly path: string | undefined;
  /** The caller's address, as far as the framework is configured to trust proxies. */
  readonly ip: string | undefined;
  /** All values of a header, by its name in lower case. */
  readonly header: (name: string) => readonly string[];
  /** All values of a query parameter, decoded. */
  readonly query: (name: string) => readonly string[];
  /** A path parameter, as the framework gives it to handlers. */
  readonly parameter: (name: string) => unknown;
}

/** An answer before a framework sends it. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * What frameworks parse of a request, typed by the application: a function may ask for the framework's own request,
 * and types other than these would contradict it.
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

/** The headers of a request of Node. */
export const nodeHeader =
  ({ headers, headersDistinct }: NodeHeaders): HttpRequest['header'] =>
  (name) => {
    const values = headersDistinct?.[name] ?? headers[name];
    return values === undefined ? [] : typeof values === 'string' ? [values] : values;
  };

/** The path of a URL or of a request's target, and its query. */
export function targetOf(url: string): Pick<HttpRequest, 'path' | 'query'> {
  const end = url.indexOf('?');
  return {
    path: end < 0 ? url : url.slice(0, end),
    query: (name) => (end < 0 ? [] : valuesIn(new URLSearchParams(url.slice(end + 1)), name)),
  };
}

/**
 * All values of a parameter. To a parser of nested names (qs, Express's `extended`) `at[]=…` is one more value of `at`, and
 * to others it is none: with it there are always several, so that no value is the one.
 */
function valuesIn(query: URLSearchParams, name: string): readonly string[] {
  const values = query.getAll(name);
  const isNested = [...query.keys()].some((key) => key.startsWith(`${name}[`));
  return isNested ? [...values, '', ''] : values;
}

/** A value of an object that a framework made; undefined for what the object does not have itself. */
export const ownValue = (values: unknown, name: string): unknown =>
  typeof values === 'object' && values !== null && Object.hasOwn(values, name)
    ? (values as Readonly<Record<string, unknown>>)[name]
    : undefined;
