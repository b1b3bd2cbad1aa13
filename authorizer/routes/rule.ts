import { isId } from '../../table/identifiers.ts';
import {
  boundIn,
  endsInRest,
  order,
  type RouteRule,
  type Segment,
  type TemplatePart,
} from '../../table/route-template.ts';

export { boundIn, type RouteRule, type Segment, type TemplatePart };

/** The verbs that API Gateway routes and for which ANY stands (AG API_PutMethod). */
export const VERBS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

const HAS_VERB: ReadonlySet<string> = new Set(VERBS);
export const isVerb = (method: string): boolean => HAS_VERB.has(method);

/** The methods of requests without a verb. */
export const CONNECT = 'CONNECT';
export const GRAPHQL = 'GRAPHQL';

/** Whether a rule is about a connection, which may outlive the token that opens it: a WebSocket's, and AppSync's. */
export const isConnection = (method: string): boolean => method === CONNECT || method === GRAPHQL;

/** The methods of rules: a verb or ANY; CONNECT for `$connect` of a WebSocket API; GRAPHQL for AppSync. */
export const METHODS: ReadonlySet<string> = new Set([...VERBS, 'ANY', CONNECT, GRAPHQL]);

const FREE = /^[^.%\\;/\p{Cc}][^%\\;/\p{Cc}]*$/u;

/**
 * Whether a text may be the value of a parameter that is not bound: no leading dot, no control character, and
 * no `%`, `\\` or `;`, which a backend may decode or interpret differently.
 */
export const isFree = (text: string): boolean => FREE.test(text);

/**
 * The id in a segment of a path, percent-decoded once (RFC 3986 section 2.1); undefined for any other text.
 * No id holds a `%`, `/` or control character, so `%2F`, `%00`, an escape within an escape and a malformed
 * one are refused. Names are ids as well.
 */
export function idIn(segment: string): string | undefined {
  try {
    const id = decodeURIComponent(segment);
    return isId(id) ? id : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether no segment of a path spells an id with escapes, or holds the one character of ids that needs one (`|`
 * is no `pchar`, RFC 3986 section 3.3). A policy for the whole API cannot name all spellings of such a path, and
 * leaves it out. Other escapes match no route, and such a policy refuses them too.
 */
export const isOfOneSpelling = (path: string): boolean =>
  !segmentsOf(path).some((segment) => /[%|]/.test(segment) && idIn(segment) !== undefined);

/**
 * A longer path matches no route. API Gateway passes none: request line and headers have at most 10,240 bytes
 * together (AG limits).
 */
const MAX_PATH_LENGTH = 10_240;

export interface RouteMatch {
  readonly rule: RouteRule;
  /** The segments of the path, decoded. */
  readonly given: readonly string[];
}

/**
 * The rule for a request; undefined if none matches, which denies the request.
 *
 * The path is compared as received, segment by segment. It is not decoded, case-folded or normalised, because
 * the backend may do that differently: `/pages/`, `//pages`, `/Pages` and `/p%61ges` are not `/pages`. Only the
 * value of a parameter may hold escapes, if it is an id once they are decoded; and the decoded path must go to
 * the same route, because the backend may choose its route after decoding.
 *
 * Among several matching rules the order of API Gateway decides (AG http-api-develop-routes), so that both
 * choose the same route: full matches before greedy ones; from the left, a literal before a parameter; on one
 * path, the verb before ANY. Then the values of the chosen rule's parameters are checked: a bound one must be
 * an id (or a name, which is one), any other must not be ambiguous to a backend. An invalid value denies the request; a wider
 * rule is not tried.
 */
export function match(rules: readonly RouteRule[], method: string, path: string): RouteMatch | undefined {
  if (!path.startsWith('/') || path.length > MAX_PATH_LENGTH) return undefined;
  const received = segmentsOf(path);
  const { exact, greedy } = inOrder(rules, method);
  const bestFor = (given: readonly string[]) =>
    firstThatFits(exact.get(given.length), given) ?? firstThatFits(greedy, given);
  const best = bestFor(received);
  const given = path.includes('%') ? decodedSegments(received) : received;
  if (best === undefined || given === undefined || !isUsable(best, given)) return undefined;
  return given === received || bestFor(given) === best ? { rule: best, given } : undefined;
}

/** The segments with the ids in those that hold escapes; undefined if one of these is no id. */
function decodedSegments(received: readonly string[]): readonly string[] | undefined {
  const given: string[] = [];
  for (const segment of received) {
    const text = segment.includes('%') ? idIn(segment) : segment;
    if (text === undefined) return undefined;
    given.push(text);
  }
  return given;
}

/**
 * The value of the parameter `{name}` in a matched path; for `{name+}` the rest of the path with its slashes.
 */
export function parameterOf({ rule: { segments }, given }: RouteMatch, wanted: string): string | undefined {
  for (let position = 0; position < segments.length; position++) {
    const segment = segments[position];
    if (segment === undefined || segment.kind === 'literal' || segment.name !== wanted) continue;
    return segment.kind === 'rest' ? given.slice(position).join('/') : given[position];
  }
  return undefined;
}

/**
 * Whether a path that API Gateway has decoded holds escapes still: an id in it was encoded twice. Its own
 * parameters show which: HTTP APIs decode them, and whether they decode the path as well is not documented.
 *
 * @param parameters the decoded values; none if the event has none
 */
export const isEncodedTwice = (path: string, { given }: RouteMatch, parameters: readonly string[]): boolean =>
  parameters.length > 0 &&
  segmentsOf(path).some(
    (segment, position) => segment.includes('%') && !parameters.includes(given[position] ?? ''),
  );

/**
 * The path of a matched route in its one spelling: the template with its decoded parameters (`context.path` of
 * conditions). No decoded value holds a slash, so that its segments are those of the route.
 */
export const pathOf = ({ given }: RouteMatch): string => `/${given.join('/')}`;

/** All parameters of a matched path, by name. */
export const parametersOf = (match: RouteMatch): Readonly<Record<string, string>> =>
  Object.fromEntries(
    match.rule.segments.flatMap((segment) =>
      segment.kind === 'literal' ? [] : [[segment.name, parameterOf(match, segment.name) ?? '']],
    ),
  );

/** The segments of a path. Twice as fast as `split` for a typical path. */
function segmentsOf(path: string): readonly string[] {
  const segments: string[] = [];
  if (path === '/') return segments;
  let start = 1;
  for (let end = path.indexOf('/', start); end >= 0; end = path.indexOf('/', start)) {
    segments.push(path.slice(start, end));
    start = end + 1;
  }
  segments.push(path.slice(start));
  return segments;
}

/** The rules for one method, in order of precedence. */
interface InOrder {
  /** By the number of segments of the path. */
  readonly exact: ReadonlyMap<number, readonly RouteRule[]>;
  readonly greedy: readonly RouteRule[];
}

/** Computed once for each list of rules; lists are immutable. */
const known = new WeakMap<readonly RouteRule[], Map<string, InOrder>>();

function inOrder(rules: readonly RouteRule[], method: string): InOrder {
  const byMethod = known.get(rules) ?? new Map<string, InOrder>();
  const found = byMethod.get(method);
  if (found) return found;
  const mine = rules.filter((rule) => rule.method === method || (rule.method === 'ANY' && isVerb(method)));
  const exact = new Map<number, RouteRule[]>();
  for (const rule of mine.filter(({ segments }) => !endsInRest(segments))) {
    const { length } = rule.segments;
    exact.set(length, [...(exact.get(length) ?? []), rule]);
  }
  // `order` is transitive only among rules that can match the same path.
  for (const alike of exact.values()) alike.sort(order);
  const made = { exact, greedy: mine.filter(({ segments }) => endsInRest(segments)).sort(order) };
  // Do not cache arbitrary methods from clients.
  if (METHODS.has(method)) known.set(rules, byMethod.set(method, made));
  return made;
}

const firstThatFits = (rules: readonly RouteRule[] | undefined, given: readonly string[]) => {
  for (const rule of rules ?? []) if (fits(rule.segments, given)) return rule;
  return undefined;
};

function fits(segments: readonly Segment[], given: readonly string[]): boolean {
  if (given.length < segments.length) return false;
  for (let position = 0; position < given.length; position++) {
    const segment = segments[position];
    if (segment?.kind === 'literal' ? segment.text !== given[position] : given[position] === '') return false;
  }
  return true;
}

/** Whether the values of the rule's parameters are valid. */
function isUsable({ segments, bound }: RouteRule, given: readonly string[]): boolean {
  for (let position = 0; position < given.length; position++) {
    const segment = segments[position] ?? segments.at(-1);
    if (segment === undefined || segment.kind === 'literal') continue;
    const text = given[position] as string;
    if (!(bound.has(segment.name) ? isId(text) : isFree(text))) return false;
  }
  return true;
}

/** Whether a request that matches both rules goes to `a`. */
export const precedes = (a: RouteRule, b: RouteRule): boolean => order(a, b) < 0;
