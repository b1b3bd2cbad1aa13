import { parameterOf, type RouteMatch } from './match.ts';
import { isValue, type TemplatePart } from './rule.ts';

/** What a request asks for: arguments of the engine's `check`. */
export interface Question {
  readonly permission: string;
  readonly scope: string;
}

/** Where the values of a template come from. */
export interface Sources {
  readonly claims: Readonly<Record<string, unknown>>;
  /** All values of a header, by its lower-case name. */
  readonly header: (name: string) => readonly string[];
  /** All values of a query parameter, by its name as it stands. */
  readonly query: (name: string) => readonly string[];
}

/**
 * Fills a rule's templates. Undefined, and then denied, when a value is missing or is no name or id: a claim
 * that is not a string, a header or query parameter that came twice with different values or joined by a comma.
 */
export function resolve(match: RouteMatch, sources: Sources): Question | undefined {
  const permission = fill(match.rule.permission, match, sources);
  const scope = fill(match.rule.scope, match, sources);
  return permission === undefined || scope === undefined ? undefined : { permission, scope };
}

/** The scopes that may stand above, as far as the request says them; no text of it that is no name or id. */
export const hintsFor = (match: RouteMatch, sources: Sources): readonly string[] =>
  match.rule.hints.flatMap((hint) => fill(hint, match, sources) ?? []);

function fill(parts: readonly TemplatePart[], match: RouteMatch, sources: Sources): string | undefined {
  let text = '';
  for (const part of parts) {
    const value = part.kind === 'literal' ? part.text : valueFor(part, match, sources);
    if (typeof value !== 'string' || (part.kind !== 'literal' && !isValue(value))) return undefined;
    text += value;
  }
  return text;
}

function valueFor(
  { kind, name }: Exclude<TemplatePart, { kind: 'literal' }>,
  match: RouteMatch,
  { claims, header, query }: Sources,
): unknown {
  if (kind === 'path') return parameterOf(match, name);
  if (kind === 'claim') return Object.hasOwn(claims, name) ? claims[name] : undefined;
  const values = new Set((kind === 'query' ? query : header)(name));
  return values.size === 1 ? [...values][0] : undefined;
}
