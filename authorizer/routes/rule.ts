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
  /** Scopes that may stand above it, nearest first: read along and never believed. */
  readonly hints: readonly (readonly TemplatePart[])[];
  /**
   * Parameters of the path that permission or scope are made of. What the others hold means nothing here, nor does what
   * hints alone are made of: no request is refused for a hint.
   */
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
