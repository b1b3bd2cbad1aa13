import { invalid } from './errors.ts';
import { isId, isType } from './identifiers.ts';

/**
 * The little language of routes (ADR 0006).
 *
 *   path        /locations/{locationId}/pages/{page}     {rest+} as the last segment takes what is left
 *   permission  dashboard · {page} · tickets:{action}:ticket
 *   scope       location:{locationId} · tenant:{claim:tenant_id} · location:{header:x-location} ·
 *   location:{query:at}
 *
 * A gateway's result cache knows the path, a header or a query parameter only where they are identity
 * sources: whoever turns it on makes them so, or a cached answer stands for a request that it was not made
 * for.
 *
 * Literals compare as they are. A value that fills a `{…}` of a permission must be a name, and one that fills
 * that of a scope an id, so nothing from a request can change what a template means.
 */
export type Segment =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'parameter' | 'rest'; readonly name: string };

export type TemplatePart =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'path' | 'claim' | 'header' | 'query'; readonly name: string };

const LITERAL_SEGMENT = /^[A-Za-z0-9._~$@-]+$/;
const PARAMETER = /^\{([A-Za-z][A-Za-z0-9_]*)(\+?)\}$/;

/** Reads a path template. Throws `invalid` naming `field`. */
export function parsePathTemplate(text: string, field: string): readonly Segment[] {
  if (!text.startsWith('/')) throw invalid(field, `${field} does not begin with /`);
  if (text === '/') return [];
  const names = new Set<string>();
  const parts = text.slice(1).split('/');
  return parts.map((segment, position): Segment => {
    const [, name, plus] = PARAMETER.exec(segment) ?? [];
    if (name === undefined) {
      if (!LITERAL_SEGMENT.test(segment)) {
        throw invalid(
          field,
          `${field} has an empty segment or one with characters that paths here may not hold`,
        );
      }
      return { kind: 'literal', text: segment };
    }
    if (names.has(name)) throw invalid(field, `${field} names {${name}} twice`);
    names.add(name);
    if (plus === '') return { kind: 'parameter', name };
    if (position !== parts.length - 1)
      throw invalid(field, `${field} has {${name}+} before its last segment`);
    return { kind: 'rest', name };
  });
}

/** A path as it is written. */
export const formatPathTemplate = (segments: readonly Segment[]): string =>
  `/${segments
    .map((segment) =>
      segment.kind === 'literal' ? segment.text : `{${segment.name}${segment.kind === 'rest' ? '+' : ''}}`,
    )
    .join('/')}`;

/** A template as it is written. */
export const formatTemplate = (parts: readonly TemplatePart[]): string =>
  parts
    .map((part) => {
      if (part.kind === 'literal') return part.text;
      return part.kind === 'path' ? `{${part.name}}` : `{${part.kind}:${part.name}}`;
    })
    .join('');

/** The path with its parameter names taken out: two templates of one shape match the same requests. */
export const routeShape = (text: string, field: string): string =>
  `/${parsePathTemplate(text, field)
    .map((segment) => (segment.kind === 'literal' ? segment.text : segment.kind === 'rest' ? '{+}' : '{}'))
    .join('/')}`;

const VALUE_PART =
  /\{(?:(?<path>[A-Za-z][A-Za-z0-9_]*)|claim:(?<claim>[A-Za-z][A-Za-z0-9_.:/-]*)|header:(?<header>[A-Za-z][A-Za-z0-9_-]*)|query:(?<query>[A-Za-z][A-Za-z0-9_.-]*))\}/g;
/** What names, patterns and the words between them may hold. */
const PERMISSION_LITERAL = /^[A-Za-z0-9._:-]+$/;
/** A type, a colon, and an id. */
const SCOPE_LITERAL = /^[A-Za-z0-9._~|@=+:-]+$/;

/** Reads a permission template into its parts. Throws `invalid` naming `field`. */
export const parseValueTemplate = (text: string, field: string): readonly TemplatePart[] =>
  parseParts(text, field, PERMISSION_LITERAL);

function parseParts(text: string, field: string, allowed: RegExp): readonly TemplatePart[] {
  const parts: TemplatePart[] = [];
  let end = 0;
  const literal = (upTo: number) => {
    const between = text.slice(end, upTo);
    if (between === '') return;
    if (!allowed.test(between)) {
      throw invalid(field, `${field} holds characters outside of {…} that no name may hold`);
    }
    parts.push({ kind: 'literal', text: between });
  };
  for (const match of text.matchAll(VALUE_PART)) {
    literal(match.index);
    const { path, claim, query, header = '' } = match.groups ?? {};
    if (path !== undefined) parts.push({ kind: 'path', name: path });
    else if (claim !== undefined) parts.push({ kind: 'claim', name: claim });
    else if (query !== undefined) parts.push({ kind: 'query', name: query });
    else parts.push({ kind: 'header', name: header.toLowerCase() });
    end = match.index + match[0].length;
  }
  literal(text.length);
  if (parts.length === 0) throw invalid(field, `${field} is empty`);
  return parts;
}

/** Reads a scope template, `type:` and then one id, into its parts. Throws `invalid` naming `field`. */
export function parseScopeTemplate(text: string, field: string): readonly TemplatePart[] {
  const type = text.slice(0, Math.max(text.indexOf(':'), 0));
  if (!isType(type))
    throw invalid(field, `${field} does not begin with a scope type, as in location:{locationId}`);
  const parts = parseParts(text, field, SCOPE_LITERAL);
  const [first, second, ...more] = parts;
  const literal = first?.kind === 'literal' ? first.text.slice(type.length + 1) : '';
  const isOneId = second === undefined ? isId(literal) : literal === '' && more.length === 0;
  if (!isOneId) throw invalid(field, `${field} is not of the form type:{id}`);
  return parts;
}

/** Names of the path parameters that a template uses. */
export const pathParametersOf = (template: string): readonly string[] =>
  [...template.matchAll(VALUE_PART)].flatMap(({ groups }) => groups?.path ?? []);

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
  // Without iterators: a policy for the whole API compares each of its routes with all others.
  for (let at = 0; at < a.segments.length && at < b.segments.length; at++) {
    const byKind = RANK[(a.segments[at] as Segment).kind] - RANK[(b.segments[at] as Segment).kind];
    if (byKind !== 0) return byKind;
  }
  const byMethod = Number(a.method === 'ANY') - Number(b.method === 'ANY');
  return byMethod || (a.id < b.id ? -1 : 1);
}
