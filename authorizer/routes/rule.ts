import type { Segment, TemplatePart } from '../../table/route-template.ts';

export type { Segment, TemplatePart };

/** One route as it was provisioned: which requests it covers, and which permission at which scope they need. */
export interface RouteRule {
  readonly id: string;
  /** A verb in upper case, ANY of them, CONNECT or GRAPHQL. */
  readonly method: string;
  readonly segments: readonly Segment[];
  readonly permission: readonly TemplatePart[];
  readonly scope: readonly TemplatePart[];
  /** Parameters of the path that permission or scope are made of. What the others hold means nothing to the decision. */
  readonly bound: ReadonlySet<string>;
}

/** Names of the path's parameters that these templates use. */
export const boundIn = (...templates: readonly (readonly TemplatePart[])[]): ReadonlySet<string> =>
  new Set(templates.flat().flatMap((part) => (part.kind === 'path' ? [part.name] : [])));

/** The verbs that API Gateway routes, and all that ANY stands for (AG API_PutMethod). */
export const VERBS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

const HAS_VERB: ReadonlySet<string> = new Set(VERBS);
export const isVerb = (method: string): boolean => HAS_VERB.has(method);

/** What stands for a verb where a request has none. */
export const CONNECT = 'CONNECT';
export const GRAPHQL = 'GRAPHQL';

/** What a rule may name: a verb or ANY; `CONNECT /$connect` of a WebSocket API; `GRAPHQL /` of AppSync. */
export const METHODS: ReadonlySet<string> = new Set([...VERBS, 'ANY', CONNECT, GRAPHQL]);

const VALUE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/**
 * Whether a text out of a request may fill a `{…}`: a name or an id, as the table's grammar has them. No
 * `%`, `*`, `/`, `:` or `#` gets through, nor `.` and `..`, so a value cannot change what a template means.
 */
export const isValue = (text: string): boolean => VALUE.test(text);

/** What no segment may hold that is not bound: what a backend may decode, or read as something else than we do. */
export const UNUSABLE = '%\\;';

const FREE = /^[^.%\\;/\p{Cc}][^%\\;/\p{Cc}]*$/u;

/** Whether a text may stand where a rule binds nothing: anything that begins with no dot and holds nothing unusable. */
export const isFree = (text: string): boolean => FREE.test(text);

export interface RouteMatch {
  readonly rule: RouteRule;
  /** The segments of the path that it matches. */
  readonly given: readonly string[];
}

/**
 * The rule for a request, or undefined: then the request is unmapped, and denied.
 *
 * The path is compared as it came, segment by segment. Nothing is decoded, folded or cleaned, because the
 * backend may do it differently: `/pages/`, `//pages`, `/Pages` and `/p%61ges` are not `/pages`.
 *
 * Of several rules that fit, the order of API Gateway decides (AG http-api-develop-routes), so that both mean
 * the same route: full matches before greedy ones; from the left, a literal before a parameter; on one path,
 * the verb before ANY. Only then is looked at what stands where the rule has parameters: one that permission or
 * scope are made of must be a name or an id, any other must not be what a backend could read in two ways. Where it is
 * not, the request is denied, and goes to no wider rule.
 */
export function match(rules: readonly RouteRule[], method: string, path: string): RouteMatch | undefined {
  if (!path.startsWith('/')) return undefined;
  const given = path === '/' ? [] : segmentsOf(path);
  const { exact, greedy } = inOrder(rules, method);
  const best = firstThatFits(exact.get(given.length), given) ?? firstThatFits(greedy, given);
  if (best === undefined || !isUsable(best, given)) return undefined;
  return { rule: best, given };
}

/** What a path that was matched holds where its rule has `{name}`; all that is left, with its slashes, for `{name+}`. */
export function parameterOf({ rule: { segments }, given }: RouteMatch, wanted: string): string | undefined {
  for (let position = 0; position < segments.length; position++) {
    const segment = segments[position];
    if (segment === undefined || segment.kind === 'literal' || segment.name !== wanted) continue;
    return segment.kind === 'rest' ? given.slice(position).join('/') : given[position];
  }
  return undefined;
}

/** All of them, by name. */
export const parametersOf = (match: RouteMatch): Readonly<Record<string, string>> =>
  Object.fromEntries(
    match.rule.segments.flatMap((segment) =>
      segment.kind === 'literal' ? [] : [[segment.name, parameterOf(match, segment.name) ?? '']],
    ),
  );

/** What stands behind and between the slashes. Twice as fast as a split, for the few that a path has. */
function segmentsOf(path: string): readonly string[] {
  const segments: string[] = [];
  let start = 1;
  for (let end = path.indexOf('/', start); end >= 0; end = path.indexOf('/', start)) {
    segments.push(path.slice(start, end));
    start = end + 1;
  }
  segments.push(path.slice(start));
  return segments;
}

/** The rules for one method, those that go before others first. */
interface InOrder {
  /** By the number of segments that a path must have. */
  readonly exact: ReadonlyMap<number, readonly RouteRule[]>;
  readonly greedy: readonly RouteRule[];
}

/** Found once for each list of rules: a list is never changed, only followed by another. */
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
  // Only among rules that can fit the same path is there an order that a sort can rest on.
  for (const alike of exact.values()) alike.sort(order);
  const made = { exact, greedy: mine.filter(({ segments }) => endsInRest(segments)).sort(order) };
  // What a client wrote as a method is remembered only where a rule may name it.
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

/** Whether what stands where the rule has parameters may stand there. */
function isUsable({ segments, bound }: RouteRule, given: readonly string[]): boolean {
  for (let position = 0; position < given.length; position++) {
    const segment = segments[position] ?? segments.at(-1);
    if (segment === undefined || segment.kind === 'literal') continue;
    const text = given[position] as string;
    if (!(bound.has(segment.name) ? isValue(text) : isFree(text))) return false;
  }
  return true;
}

const endsInRest = (segments: readonly Segment[]): boolean => segments.at(-1)?.kind === 'rest';

const RANK = { literal: 0, parameter: 1, rest: 2 } as const;

/** Whether a request that fits both goes to `a`. */
export const precedes = (a: RouteRule, b: RouteRule): boolean => order(a, b) < 0;

/** Negative when `a` goes before `b`. Total, so that the order in which rules were read changes nothing. */
export function order(a: RouteRule, b: RouteRule): number {
  const byGreed = Number(endsInRest(a.segments)) - Number(endsInRest(b.segments));
  if (byGreed !== 0) return byGreed;
  for (const [position, segment] of a.segments.entries()) {
    const other = b.segments[position];
    const byKind = other ? RANK[segment.kind] - RANK[other.kind] : 0;
    if (byKind !== 0) return byKind;
  }
  const byMethod = Number(a.method === 'ANY') - Number(b.method === 'ANY');
  return byMethod || (a.id < b.id ? -1 : 1);
}
