import { isValue, type RouteRule, type Segment } from './rule.ts';

export interface RouteMatch {
  readonly rule: RouteRule;
  /** What the path holds where the rule has `{name}`; all that is left, with its slashes, for `{name+}`. */
  readonly parameters: ReadonlyMap<string, string>;
}

/**
 * The rule for a request, or undefined: then the request is unmapped, and denied.
 *
 * The path is compared as it came, segment by segment. Nothing is decoded, folded or cleaned, because the
 * backend may do it differently: `/pages/`, `//pages`, `/Pages` and `/p%61ges` are not `/pages`. What stands
 * where a rule has a parameter must be a name or an id, in `{rest+}` every segment of it.
 *
 * Of several rules that fit, the order of API Gateway decides (AG http-api-develop-routes), so that both mean
 * the same route: full matches before greedy ones; from the left, a literal before a parameter; on one path,
 * the verb before ANY.
 */
export function match(rules: readonly RouteRule[], method: string, path: string): RouteMatch | undefined {
  if (!path.startsWith('/')) return undefined;
  const given = path === '/' ? [] : path.slice(1).split('/');
  let best: RouteRule | undefined;
  for (const rule of rules) {
    if (rule.method !== method && rule.method !== 'ANY') continue;
    if (fits(rule.segments, given) && (best === undefined || order(rule, best) < 0)) best = rule;
  }
  return best && { rule: best, parameters: parametersOf(best.segments, given) };
}

function fits(segments: readonly Segment[], given: readonly string[]): boolean {
  const isGreedy = endsInRest(segments);
  if (isGreedy ? given.length < segments.length : given.length !== segments.length) return false;
  return given.every((text, position) => {
    const segment = segments[position];
    return segment?.kind === 'literal' ? segment.text === text : isValue(text);
  });
}

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

/** Of two rules that fit one request: negative when `a` goes before `b`. Total, so that the order in which rules were read changes nothing. */
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
