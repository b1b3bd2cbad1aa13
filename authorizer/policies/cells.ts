import type { createAccessBound } from '../../engine/index.ts';
import type { VerifiedClaims } from '../credentials/verify.ts';
import { isValue, type RouteRule, type TemplatePart } from '../routes/rule.ts';
import type { Cell } from './compile.ts';

/** Decides questions of one caller; undefined if the caller's subject or the routes have changed. */
export type Decide = (
  questions: readonly { readonly permission: string; readonly scope: string }[],
) => Promise<readonly boolean[] | undefined>;

export interface CellsOptions {
  /** An upper bound on what a subject may be allowed; undefined if there is none, or a too wide one. */
  readonly accessBoundOf: ReturnType<typeof createAccessBound>;
  /** Limit on the questions for one policy. */
  readonly mostQuestions: number;
}

/** The caller and the routes whose cells are requested. */
export interface CellsRequest {
  readonly subject: string;
  readonly claims: VerifiedClaims;
  readonly rules: readonly RouteRule[];
  /** The instant for the effective roles, in epoch milliseconds. */
  readonly at: number;
  readonly decide: Decide;
}

export type CellsOf = ReturnType<typeof createCellsOf>;

type Values = ReadonlyMap<string, string>;
const NO_VALUES: Values = new Map();

/** A question that decides a cell. */
interface Asked {
  readonly rule: RouteRule;
  readonly values: Values;
  readonly permission: string;
  readonly scope: string;
}

/** Whether a part differs from request to request: neither a literal nor from the claims. */
const isOpen = (part: TemplatePart): boolean => part.kind !== 'literal' && part.kind !== 'claim';

/** Whether a rule uses headers or the query, which a policy cannot express. */
const isOutside = ({ permission, scope }: RouteRule): boolean =>
  [...permission, ...scope].some((part) => isOpen(part) && part.kind !== 'path');

/** Whether a rule uses the rest of a path as a value: it may be several segments, a value is only one. */
const bindsRest = ({ segments, bound }: RouteRule): boolean =>
  segments.some((segment) => segment.kind === 'rest' && bound.has(segment.name));

/** Whether a template has two values without a `:` in between: several paths can then give the same text. */
const isAmbiguous = (parts: readonly TemplatePart[]): boolean => {
  const open = parts.flatMap((part, position) => (isOpen(part) ? [position] : []));
  return open.some((position, which) => {
    const next = open[which + 1];
    return next !== undefined && !parts.slice(position, next).some((part) => textOf(part).includes(':'));
  });
};

/** Whether the rule's cells can be listed. */
const isListable = (rule: RouteRule): boolean =>
  !isOutside(rule) && !bindsRest(rule) && !isAmbiguous(rule.permission) && !isAmbiguous(rule.scope);

/**
 * The cells that a caller may use: each route with each scope and permission in the caller's access bound
 * that the engine allows.
 *
 * @returns undefined if they cannot be listed: there is no access bound, there are too many questions, or a
 *   route that the caller may use takes values from headers or the query, on which a cached policy must not
 *   depend
 */
export const createCellsOf =
  ({ accessBoundOf, mostQuestions }: CellsOptions) =>
  async ({ subject, claims, rules, at, decide }: CellsRequest): Promise<readonly Cell[] | undefined> => {
    const known = rules.flatMap((rule) => {
      const permission = withClaims(rule.permission, claims);
      const scope = withClaims(rule.scope, claims);
      return permission && scope ? [{ ...rule, permission, scope, original: rule }] : [];
    });
    const types = new Set(known.flatMap(({ scope }) => (scope.some(isOpen) ? [typeIn(scope)] : [])));
    const withPermissions = known.some(({ permission }) => permission.some(isOpen));
    const bound =
      types.size > 0 || withPermissions
        ? await accessBoundOf(subject, { types, withPermissions, at })
        : { scopes: [], permissions: [] };
    if (!bound) return undefined;
    const asked: Asked[] = [];
    for (const { original, permission, scope } of known) {
      for (const [where, inScope] of fillings(scope, bound.scopes, NO_VALUES)) {
        for (const [what, values] of fillings(permission, bound.permissions, inScope)) {
          asked.push({ rule: original, values, permission: what, scope: where });
        }
      }
      if (asked.length > mostQuestions) return undefined;
    }
    const decided = await decide(asked);
    const allowed = decided && asked.filter((_, position) => decided[position]);
    if (!allowed?.every(({ rule }) => isListable(rule))) return undefined;
    return allowed.map(({ rule, values }) => ({ rule, values }));
  };

/**
 * The template with its claims filled in; undefined if one is missing or invalid: the route is then denied.
 */
function withClaims(
  parts: readonly TemplatePart[],
  claims: VerifiedClaims,
): readonly TemplatePart[] | undefined {
  const filled: TemplatePart[] = [];
  for (const part of parts) {
    if (part.kind !== 'claim') {
      filled.push(part);
      continue;
    }
    const value = Object.hasOwn(claims, part.name) ? claims[part.name] : undefined;
    if (typeof value !== 'string' || !isValue(value)) return undefined;
    filled.push({ kind: 'literal', text: value });
  }
  return filled;
}

/** The type of scope that a template names. */
function typeIn([first]: readonly TemplatePart[]): string {
  const text = first?.kind === 'literal' ? first.text : '';
  return text.slice(0, text.indexOf(':'));
}

/** The candidates that match the template, each with the parameter values of the match. */
function fillings(
  parts: readonly TemplatePart[],
  candidates: readonly string[],
  given: Values,
): readonly (readonly [string, Values])[] {
  if (!parts.some(isOpen)) return [[parts.map(textOf).join(''), given]];
  const names = parts.filter(isOpen).map((part) => ('name' in part ? `${part.kind} ${part.name}` : ''));
  const patterns = parts.map((part) =>
    isOpen(part) ? '([A-Za-z0-9][A-Za-z0-9._-]*)' : escaped(textOf(part)),
  );
  const form = new RegExp(`^${patterns.join('')}$`);
  return candidates.flatMap((candidate) => {
    const found = form.exec(candidate);
    if (!found) return [];
    const values = new Map(given);
    for (const [position, name] of names.entries()) {
      const value = found[position + 1] ?? '';
      const [kind, inPath = ''] = name.split(' ');
      if (!isValue(value)) return [];
      // For headers and the query it only matters that some value is allowed: such a rule is not listable.
      if (kind !== 'path') continue;
      if (values.has(inPath) && values.get(inPath) !== value) return [];
      values.set(inPath, value);
    }
    return [[candidate, values] as const];
  });
}

const textOf = (part: TemplatePart): string => (part.kind === 'literal' ? part.text : '');
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
