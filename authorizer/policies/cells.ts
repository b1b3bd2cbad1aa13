import type { AccessBound, createAccessBound } from '../../engine/index.ts';
import { isId, isName } from '../../table/identifiers.ts';
import type { VerifiedClaims } from '../credentials/verify.ts';
import { isOfOneSpelling, type RouteRule, type TemplatePart } from '../routes/rule.ts';
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

const NO_BOUND: AccessBound = { scopes: [], permissions: [] };

const isWithin = (some: AccessBound, bound: AccessBound): boolean =>
  some.scopes.every((scope) => bound.scopes.includes(scope)) &&
  some.permissions.every((permission) => bound.permissions.includes(permission));

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
const isAmbiguous = (parts: readonly TemplatePart[]): boolean =>
  wordsOf(parts).some(({ open }) => open.length > 1);

/** Whether the rule's cells can be listed. */
export const isListable = (rule: RouteRule): boolean =>
  !isOutside(rule) && !bindsRest(rule) && !isAmbiguous(rule.permission) && !isAmbiguous(rule.scope);

/**
 * The cells that a caller may use: each route with each scope and permission in the caller's access bound
 * that the engine allows. Cells of paths with several spellings are left out: such a path gets an answer for
 * its route alone.
 *
 * @returns undefined if they cannot be listed: there is no access bound, it grew meanwhile, there are too many questions, or a
 *   route that the caller may use takes values from headers or the query, on which a cached policy must not
 *   depend
 */
export const createCellsOf =
  ({ accessBoundOf, mostQuestions }: CellsOptions) =>
  async ({ subject, claims, rules, at, decide }: CellsRequest): Promise<readonly Cell[] | undefined> => {
    const known = rules.flatMap((rule) => {
      const permission = withClaims(rule.permission, isName, claims);
      const scope = withClaims(rule.scope, isId, claims);
      return permission && scope ? [{ ...rule, permission, scope, original: rule }] : [];
    });
    const types = new Set(known.flatMap(({ scope }) => (scope.some(isOpen) ? [typeIn(scope)] : [])));
    const withPermissions = known.some(({ permission }) => permission.some(isOpen));
    const boundOf = async (): Promise<AccessBound | undefined> =>
      types.size > 0 || withPermissions ? accessBoundOf(subject, { types, withPermissions, at }) : NO_BOUND;
    const bound = await boundOf();
    if (!bound) return undefined;
    const asked: Asked[] = [];
    let pairs = 0;
    for (const { original, permission, scope } of known) {
      const permissions = fillings(permission, bound.permissions);
      const scopes = fillings(scope, bound.scopes);
      pairs += permissions.length * scopes.length;
      if (pairs > mostQuestions) return undefined;
      for (const [where, inScope] of scopes) {
        for (const [what, inPermission] of permissions) {
          const values = merged(inScope, inPermission);
          if (values) asked.push({ rule: original, values, permission: what, scope: where });
        }
      }
    }
    // What is not in the bound is denied without a question, and its reads are not a snapshot. So it is computed again: what
    // the second one adds was granted in between, or moved between roles while the first one was read.
    const [decided, again] = await Promise.all([decide(asked), boundOf()]);
    if (!again || !isWithin(again, bound)) return undefined;
    const allowed = decided && asked.filter((_, position) => decided[position]);
    if (!allowed?.every(({ rule }) => isListable(rule))) return undefined;
    return allowed.map(({ rule, values }) => ({ rule, values }));
  };

/**
 * The template with its claims filled in; undefined if one is missing or invalid: the route is then denied.
 */
function withClaims(
  parts: readonly TemplatePart[],
  isValue: (text: string) => boolean,
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

/** A template between two colons: the text before its first value, its values, the text after its last. */
interface Word {
  readonly before: string;
  readonly open: readonly TemplatePart[];
  readonly after: string;
}

/**
 * The candidates that match the template, each with the parameter values of the match. A value has no `:`, so
 * template and candidate are compared word by word, in time linear in their lengths.
 */
function fillings(
  parts: readonly TemplatePart[],
  candidates: readonly string[],
): readonly (readonly [string, Values])[] {
  if (!parts.some(isOpen)) return [[parts.map(textOf).join(''), NO_VALUES]];
  const words = wordsOf(parts);
  return candidates.flatMap((candidate) => {
    const texts = candidate.split(':');
    if (texts.length !== words.length) return [];
    let values: Values | undefined = NO_VALUES;
    for (const [position, word] of words.entries()) {
      const found = matchWord(word, texts[position] as string);
      values = values && found && merged(values, found);
    }
    return values ? [[candidate, values] as const] : [];
  });
}

function wordsOf(parts: readonly TemplatePart[]): readonly Word[] {
  const words: Word[] = [];
  let word: Word = { before: '', open: [], after: '' };
  for (const part of parts) {
    if (isOpen(part)) {
      word = { ...word, open: [...word.open, part], after: '' };
      continue;
    }
    for (const [position, text] of textOf(part).split(':').entries()) {
      if (position > 0) {
        words.push(word);
        word = { before: '', open: [], after: '' };
      }
      word =
        word.open.length === 0
          ? { ...word, before: word.before + text }
          : { ...word, after: word.after + text };
    }
  }
  return [...words, word];
}

/** The values of path parameters with which the word becomes this text; undefined if it cannot. */
function matchWord({ before, open, after }: Word, text: string): Values | undefined {
  const [part, second] = open;
  if (part === undefined) return text === before ? NO_VALUES : undefined;
  if (text.length < before.length + open.length + after.length) return undefined;
  if (!text.startsWith(before) || !text.endsWith(after)) return undefined;
  // Several values in one word can be divided in several ways. It only matters that some division may be
  // allowed: such a rule is not listable. The same holds for headers and the query.
  if (second !== undefined) return NO_VALUES;
  const value = text.slice(before.length, text.length - after.length);
  if (!isId(value)) return undefined;
  if (part.kind !== 'path') return NO_VALUES;
  return isOfOneSpelling(value) ? new Map([[part.name, value]]) : undefined;
}

/** All values; undefined if a parameter has a different value in both. */
function merged(some: Values, more: Values): Values | undefined {
  if (more.size === 0) return some;
  if (some.size === 0) return more;
  for (const [name, value] of more) if (some.has(name) && some.get(name) !== value) return undefined;
  return new Map([...some, ...more]);
}

const textOf = (part: TemplatePart): string => (part.kind === 'literal' ? part.text : '');
