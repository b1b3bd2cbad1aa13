import type { createAccessBound } from '../../engine/index.ts';
import type { VerifiedClaims } from '../credentials/verify.ts';
import { isValue, type RouteRule, type TemplatePart } from '../routes/rule.ts';
import type { Cell } from './compile.ts';

/** Decides questions of one caller; undefined where the caller is another one by now, or the routes are. */
export type Decide = (
  questions: readonly { readonly permission: string; readonly scope: string }[],
) => Promise<readonly boolean[] | undefined>;

export interface CellsOptions {
  /** What a subject can at most be allowed; undefined when that is too much to be told. */
  readonly accessBoundOf: ReturnType<typeof createAccessBound>;
  /** More questions than this are not asked. */
  readonly mostQuestions: number;
}

/** Whose cells are wanted. */
export interface CellsRequest {
  readonly subject: string;
  readonly claims: VerifiedClaims;
  readonly rules: readonly RouteRule[];
  /** The instant for which roles are in force, in epoch milliseconds. */
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

/** Parts that are not known from the caller's claims: they differ from request to request. */
const isOpen = (part: TemplatePart): boolean => part.kind !== 'literal' && part.kind !== 'claim';

/** What is neither in the path nor in the claims cannot stand in a policy. */
const isOutside = ({ permission, scope }: RouteRule): boolean =>
  [...permission, ...scope].some((part) => isOpen(part) && part.kind !== 'path');

/** Whether a rule binds all that is left of a path: several segments, of which one value can be made. */
const bindsRest = ({ segments, bound }: RouteRule): boolean =>
  segments.some((segment) => segment.kind === 'rest' && bound.has(segment.name));

/**
 * Whether two values stand in a permission's template with no `:` between them: then one text can come from several
 * paths. A scope's template holds one value at most.
 */
const isAmbiguous = (parts: readonly TemplatePart[]): boolean => {
  const open = parts.flatMap((part, position) => (isOpen(part) ? [position] : []));
  return open.some((position, which) => {
    const next = open[which + 1];
    return next !== undefined && !parts.slice(position, next).some((part) => textOf(part).includes(':'));
  });
};

/** Whether the rule's cells can be told one by one. */
const isTellable = (rule: RouteRule): boolean =>
  !isOutside(rule) && !bindsRest(rule) && !isAmbiguous(rule.permission);

/**
 * The cells of all routes that a caller may use: each route with each scope and permission in the caller's reach, as
 * the engine decides them.
 *
 * @returns undefined where they cannot be told: the reach has no bounds, there are too many questions, or a route that
 *   the caller may use reads what stands neither in the path nor in the claims (a decision that is cached must not)
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
    if (!allowed?.every(({ rule }) => isTellable(rule))) return undefined;
    return allowed.map(({ rule, values }) => ({ rule, values }));
  };

/** The template with its claims filled in; undefined when one is missing or no value: then nobody gets through. */
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

/** The texts among the candidates that the template can become, each with the values by which it does. */
function fillings(
  parts: readonly TemplatePart[],
  candidates: readonly string[],
  given: Values,
): readonly (readonly [string, Values])[] {
  if (!parts.some(isOpen)) return [[parts.map(textOf).join(''), given]];
  const names = parts.filter(isOpen).map((part) => ('name' in part ? `${part.kind} ${part.name}` : ''));
  const form = new RegExp(
    `^${parts.map((part) => (isOpen(part) ? '([A-Za-z0-9][A-Za-z0-9._-]*)' : escaped(textOf(part)))).join('')}$`,
  );
  return candidates.flatMap((candidate) => {
    const found = form.exec(candidate);
    if (!found) return [];
    const values = new Map(given);
    for (const [position, name] of names.entries()) {
      const value = found[position + 1] ?? '';
      const [kind, inPath = ''] = name.split(' ');
      if (!isValue(value)) return [];
      // Of what stands elsewhere it matters only that some value is allowed.
      if (kind !== 'path') continue;
      if (values.has(inPath) && values.get(inPath) !== value) return [];
      values.set(inPath, value);
    }
    return [[candidate, values] as const];
  });
}

const textOf = (part: TemplatePart): string => (part.kind === 'literal' ? part.text : '');
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
