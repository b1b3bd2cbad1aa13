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
}

/** The verbs that API Gateway routes, and all that ANY stands for (AG API_PutMethod). */
export const VERBS: ReadonlySet<string> = new Set([
  ...['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
]);

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
