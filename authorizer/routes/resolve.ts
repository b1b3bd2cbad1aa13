import { MAX_ANCESTORS, mayBeScopeType } from '../../table/entities/scope-types.ts';
import { isId, isName } from '../../table/identifiers.ts';
import { parameterOf, type RouteMatch, type RouteRule, type TemplatePart } from './rule.ts';

/** The permission and the scope that a request requires. */
export interface Resolved {
  readonly permission: string;
  readonly scope: string;
}

/** The sources of template values. */
export interface Sources {
  readonly claims: Readonly<Record<string, unknown>>;
  /** All values of a header, by lower-case name. */
  readonly header: (name: string) => readonly string[];
  /** All values of a query parameter, by case-sensitive name. */
  readonly query: (name: string) => readonly string[];
}

/**
 * Fills in a rule's templates. Undefined, which denies the request, if a value is missing, or is not a name in
 * a permission or an id in a scope: a claim that is not a string, a header or query parameter with several
 * different or comma-separated values.
 */
export function resolve(match: RouteMatch, sources: Sources): Resolved | undefined {
  const permission = fill(match.rule.permission, isName, match, sources);
  const scope = fill(match.rule.scope, isId, match, sources);
  return permission === undefined || scope === undefined ? undefined : { permission, scope };
}

/**
 * Probable ancestors of a scope, closest first, to be prefetched, never trusted. A path parameter that is
 * named after a scope type (`{building}`, `{buildingId}` or `{building_id}`) and contains an id names one.
 * Parameters after the one that fills in the scope are left out: paths go from the root down.
 *
 * @param scope the scope from `resolve`
 * @returns references (`building:01J…`), at most as many as a scope can have ancestors
 */
export function prefetchedScopes({ rule, given }: RouteMatch, scope: string): readonly string[] {
  const places = placesIn(rule);
  if (places.length === 0) return NO_SCOPES;
  const above = new Set<string>();
  for (const { position, type } of places) {
    const id = given[position];
    if (id !== undefined && isId(id)) above.add(`${type}:${id}`);
  }
  above.delete(scope);
  return [...above].reverse().slice(0, MAX_ANCESTORS);
}

const NO_SCOPES: readonly string[] = [];

/** A path parameter that is named after a scope type. */
interface Place {
  /** The position of its segment. */
  readonly position: number;
  readonly type: string;
}

/** Computed once for each rule; rules are immutable. */
const known = new WeakMap<RouteRule, readonly Place[]>();

function placesIn(rule: RouteRule): readonly Place[] {
  const found = known.get(rule);
  if (found) return found;
  const fills = (name: string) => rule.scope.some((part) => part.kind === 'path' && part.name === name);
  const end = rule.segments.findIndex((segment) => segment.kind === 'parameter' && fills(segment.name));
  const places = rule.segments.slice(0, end < 0 ? undefined : end).flatMap((segment, position) => {
    const type = segment.kind === 'parameter' ? typeIn(segment.name) : undefined;
    return type !== undefined && mayBeScopeType(type) ? [{ position, type }] : [];
  });
  known.set(rule, places);
  return places;
}

/**
 * The scope type that a parameter may be named after: `work-stream` for `workStreamId` and `work_stream_id`.
 */
const typeIn = (name: string): string =>
  name
    .replace(/(?:^id|_id|Id)$/, '')
    .replace(/(?<=[a-z0-9])(?=[A-Z])|_/g, '-')
    .toLowerCase();

function fill(
  parts: readonly TemplatePart[],
  isValue: (text: string) => boolean,
  match: RouteMatch,
  sources: Sources,
): string | undefined {
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
