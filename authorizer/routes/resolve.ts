import { MAX_ANCESTORS, mayBeScopeType } from '../../table/entities/scope-types.ts';
import { isId } from '../../table/identifiers.ts';
import { isValue, parameterOf, type RouteMatch, type RouteRule, type TemplatePart } from './rule.ts';

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

/**
 * Scopes that may stand above the one asked about, nearest first: prefetched, never trusted. A parameter of the path
 * that is named after a scope type (`{building}`, `{buildingId}` or `{building_id}`) names one where its value is an id.
 * The scope itself is left out, and so is what stands to the right of the parameter that fills it: paths go from the
 * root down.
 *
 * @param scope the one asked about, as `resolve` has it
 * @returns references (`building:01J…`), at most as many as can stand above a scope
 */
export function prefetchedScopes({ rule, given }: RouteMatch, scope: string): readonly string[] {
  const above = new Set<string>();
  for (const { position, type } of placesIn(rule)) {
    const id = given[position];
    if (id !== undefined && isId(id)) above.add(`${type}:${id}`);
  }
  above.delete(scope);
  return [...above].reverse().slice(0, MAX_ANCESTORS);
}

/** A parameter of a path that is named after a scope type. */
interface Place {
  /** Of its segment. */
  readonly position: number;
  readonly type: string;
}

/** Found once for each rule: a rule is never changed, only followed by another. */
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

/** The scope type that a parameter may be named after: `workStreamId` and `work_stream_id` are of `work-stream`. */
const typeIn = (name: string): string =>
  name
    .replace(/(?:^id|_id|Id)$/, '')
    .replace(/(?<=[a-z0-9])(?=[A-Z])|_/g, '-')
    .toLowerCase();

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
