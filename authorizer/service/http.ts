/** A request, wherever it came from. */
export interface HttpRequest {
  readonly method: string;
  /**
   * What its path may be, without the query: several where an event does not say what stands before it, of which at most
   * one is served here.
   */
  readonly paths: readonly string[];
  /** What comes after the path, decoded. */
  readonly query: () => URLSearchParams;
  /** All values of a header, by its name in lower case. */
  readonly header: (name: string) => readonly string[];
  /** Undefined for one that is larger than {@link MAX_BODY}. */
  readonly body: Uint8Array | undefined;
  /** Lambda's id of the invocation: in log lines, where the request has no X-Request-ID. */
  readonly invocationId?: string | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whoever answered has written the request's line to the log. */
  readonly isLogged?: true;
}

/** Answers requests to the API; never throws. */
export type Handle = (request: HttpRequest) => Promise<HttpAnswer>;

/** Bytes of the largest body. */
export const MAX_BODY = 256 * 1_024;

/** The deepest nesting of a body. Deeper values could exhaust the stack where they are compared. */
const MAX_DEPTH = 64;

export const text = (status: number, message: string, headers: HttpAnswer['headers'] = {}): HttpAnswer => ({
  status,
  headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store', ...headers },
  body: message,
});

/** Printable ASCII, and no more of it than a log line should hold. Another one is not echoed. */
const REQUEST_ID = /^[ -~]{1,256}$/;

export function requestIdOf({ header }: Pick<HttpRequest, 'header'>): string | undefined {
  const [id, ...more] = header('x-request-id');
  return id !== undefined && more.length === 0 && REQUEST_ID.test(id) ? id : undefined;
}

/** The answer with the id of its request. */
export const withId = (answer: HttpAnswer, requestId: string | undefined): HttpAnswer =>
  requestId === undefined ? answer : { ...answer, headers: { ...answer.headers, 'X-Request-ID': requestId } };

const decoder = new TextDecoder('utf-8', { fatal: true });

/** The value of a JSON text in UTF-8, or what is wrong with it. */
export function readJson(body: Uint8Array): { readonly value: unknown } | { readonly problem: string } {
  if (body.length === 0) return { problem: 'the body is empty' };
  let read: string;
  try {
    read = decoder.decode(body);
  } catch {
    return { problem: 'the body is not UTF-8' };
  }
  if (depthOf(read) > MAX_DEPTH) return { problem: `the body is nested deeper than ${MAX_DEPTH} levels` };
  try {
    return { value: JSON.parse(read) };
  } catch {
    return { problem: 'the body is not JSON' };
  }
}

/** How deep the brackets of a JSON text are nested. */
function depthOf(json: string): number {
  let [depth, deepest, isText] = [0, 0, false];
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (character === '\\' && isText) at++;
    else if (character === '"') isText = !isText;
    else if (isText) continue;
    else if (character === '{' || character === '[') deepest = Math.max(deepest, ++depth);
    else if (character === '}' || character === ']') depth--;
  }
  return deepest;
}
