import type { RouteMatch } from './match.ts';
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
export function resolve(
  { rule, parameters }: RouteMatch,
  { claims, header, query }: Sources,
): Question | undefined {
  const valueFor = (part: Exclude<TemplatePart, { kind: 'literal' }>): unknown => {
    if (part.kind === 'path') return parameters.get(part.name);
    if (part.kind === 'claim') return Object.hasOwn(claims, part.name) ? claims[part.name] : undefined;
    const values = new Set((part.kind === 'query' ? query : header)(part.name));
    return values.size === 1 ? [...values][0] : undefined;
  };
  const fill = (parts: readonly TemplatePart[]): string | undefined => {
    let text = '';
    for (const part of parts) {
      const value = part.kind === 'literal' ? part.text : valueFor(part);
      if (typeof value !== 'string' || (part.kind !== 'literal' && !isValue(value))) return undefined;
      text += value;
    }
    return text;
  };
  const permission = fill(rule.permission);
  const scope = fill(rule.scope);
  return permission === undefined || scope === undefined ? undefined : { permission, scope };
}
