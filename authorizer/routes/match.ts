import { isFree, isValue, isVerb, type RouteRule, type Segment } from './rule.ts';

export interface RouteMatch {
  readonly rule: RouteRule;
  /** What the path holds where the rule has `{name}`; all that is left, with its slashes, for `{name+}`. */
  readonly parameters: ReadonlyMap<string, string>;
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
  if (!path.startsWith('/') || !isVerb(method)) return undefined;
  const given = path === '/' ? [] : path.slice(1).split('/');
  let best: RouteRule | undefined;
  for (const rule of rules) {
    if (rule.method !== method && rule.method !== 'ANY') continue;
    if (fits(rule.segments, given) && (best === undefined || precedes(rule, best))) best = rule;
  }
  if (best === undefined || !isUsable(best, given)) return undefined;
  return { rule: best, parameters: parametersOf(best.segments, given) };
}

function fits(segments: readonly Segment[], given: readonly string[]): boolean {
  const isGreedy = endsInRest(segments);
  if (isGreedy ? given.length < segments.length : given.length !== segments.length) return false;
  return given.every((text, position) => {
    const segment = segments[position];
    return segment?.kind === 'literal' ? segment.text === text : text !== '';
  });
}

/** Whether what stands where the rule has parameters may stand there. */
const isUsable = ({ segments, bound }: RouteRule, given: readonly string[]): boolean =>
  given.every((text, position) => {
    const segment = segments[position] ?? segments.at(-1);
    if (segment === undefined || segment.kind === 'literal') return true;
    return bound.has(segment.name) ? isValue(text) : isFree(text);
  });

function parametersOf(segments: readonly Segment[], given: readonly string[]): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  segments.forEach((segment, position) => {
    if (segment.kind === 'parameter') parameters.set(segment.name, given[position] ?? '');
    if (segment.kind === 'rest') parameters.set(segment.name, given.slice(position).join('/'));
  });
  return parameters;
}

const endsInRest = (segments: readonly Segment[]): boolean => segments.at(-1)?.kind === 'rest';

const RANK = { literal: 0, parameter: 1, rest: 2 } as const;

/** Whether a request that fits both goes to `a`. */
export const precedes = (a: RouteRule, b: RouteRule): boolean => order(a, b) < 0;

/** Negative when `a` goes before `b`. Total, so that the order in which rules were read changes nothing. */
function order(a: RouteRule, b: RouteRule): number {
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
