import type { Segment, TemplatePart } from './route-template.ts';

/** A provisioned route: which requests it matches, and which permission at which scope they require. */
export interface RouteRule {
  readonly id: string;
  /** A verb in upper case, ANY, CONNECT or GRAPHQL. */
  readonly method: string;
  readonly segments: readonly Segment[];
  readonly permission: readonly TemplatePart[];
  readonly scope: readonly TemplatePart[];
  /**
   * Names of the path parameters that the permission or the scope uses. The others do not affect the
   * decision.
   */
  readonly bound: ReadonlySet<string>;
}

/** Names of the path parameters that these templates use. */
export const boundIn = (...templates: readonly (readonly TemplatePart[])[]): ReadonlySet<string> =>
  new Set(templates.flat().flatMap((part) => (part.kind === 'path' ? [part.name] : [])));

export const endsInRest = (segments: readonly Segment[]): boolean => segments.at(-1)?.kind === 'rest';

const RANK = { literal: 0, parameter: 1, rest: 2 } as const;

/** Negative if `a` precedes `b`. Never 0, so that the order in which rules were read does not matter. */
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
