import type { CheckRequest, Decision } from '../../engine/index.ts';
import type { Manifest } from '../../provisioning/apply/schema.ts';
import { isScopeName } from '../../provisioning/routes/fields.ts';
import { DEFAULT_API, ruleOf } from '../../provisioning/routes/route.ts';
import type { RouteRule, TemplatePart } from '../../table/route-template.ts';
import type { ManifestNames } from '../../testing/manifest-names.ts';
import { basePathOf, isOfHttpApi } from './apis.ts';

/** A request that somebody of the manifest can make, and what becomes of it. */
export interface ExampleRequest {
  /** The name of a user or a program. */
  readonly caller: string;
  readonly permission: string;
  /** The name of the scope. */
  readonly scope: string;
  readonly subjectRef: string;
  readonly scopeRef: string;
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Examples {
  readonly allowed?: ExampleRequest;
  readonly refused?: ExampleRequest & { readonly reason: string };
}

/** Who is asked for the answers. */
export interface Judges {
  readonly decide: (requests: readonly CheckRequest[]) => Promise<readonly Decision[]>;
  /** The status with which the gateway answers. */
  readonly statusOf: (request: ExampleRequest) => Promise<number>;
}

/** Bounds on the questions: people, scopes and permissions that one route is tried with, and requests that are sent. */
const MAX_PEOPLE = 12;
const MAX_SCOPES = 12;
const MAX_PERMISSIONS = 6;
const MAX_SENT = 10;

/** A refusal for one of these says nothing about roles. */
const UNTYPICAL: ReadonlySet<string> = new Set(['subject_unknown', 'scope_unknown', 'permission_unknown']);

/**
 * Finds a request that is allowed and one that is refused: of one route and, if there are any, at one scope for two
 * people, or else for one person at two scopes. The engine decides which; the gateway has to answer accordingly.
 */
export async function findExamples(
  manifest: Manifest,
  names: ManifestNames,
  { decide, statusOf }: Judges,
): Promise<Examples> {
  let sent = 0;
  const isAnsweredBy = async (status: number, request: ExampleRequest): Promise<boolean> =>
    sent++ < MAX_SENT && (await statusOf(request)) === status;
  let found: Examples = {};
  for (const candidates of candidatesIn(manifest, names)) {
    const decisions = await decide(
      candidates.map(({ subjectRef, permission, scopeRef }) => ({
        subject: subjectRef,
        permission,
        scope: scopeRef,
      })),
    );
    const allowed = candidates.filter((_, position) => decisions[position]?.allowed === true);
    const refused = candidates.flatMap((candidate, position) => {
      const { allowed: isAllowed, reason } = decisions[position] as Decision;
      return isAllowed || UNTYPICAL.has(reason) ? [] : [{ ...candidate, reason }];
    });
    for (const [yes, no] of pairsOf(allowed, refused)) {
      if (sent >= MAX_SENT) return found;
      if (yes && !found.allowed && (await isAnsweredBy(200, yes))) found = { ...found, allowed: yes };
      if (no && !found.refused && (await isAnsweredBy(403, no))) found = { ...found, refused: no };
      if (found.allowed && found.refused) return found;
    }
  }
  return found;
}

type Refused = ExampleRequest & { readonly reason: string };
type Pair = readonly [ExampleRequest | undefined, Refused | undefined];

/** The pairs of one route, the most telling first. */
function pairsOf(allowed: readonly ExampleRequest[], refused: readonly Refused[]): readonly Pair[] {
  if (allowed.length === 0 || refused.length === 0)
    return [
      ...allowed.map((each): Pair => [each, undefined]),
      ...refused.map((each): Pair => [undefined, each]),
    ];
  const differences = ({ permission, scopeRef, subjectRef }: ExampleRequest, no: Refused): number =>
    Number(permission !== no.permission) * 4 +
    Number(scopeRef !== no.scopeRef) * 2 +
    Number(subjectRef !== no.subjectRef);
  return allowed
    .flatMap((yes) => refused.map((no) => ({ pair: [yes, no] as const, rank: differences(yes, no) })))
    .sort((a, b) => a.rank - b.rank)
    .map(({ pair }) => pair);
}

/** For each route, reading ones first, the requests that the people of the manifest can make by it. */
function candidatesIn(manifest: Manifest, names: ManifestNames): readonly (readonly ExampleRequest[])[] {
  const isProgram = (ref: string) => ref.startsWith('technical-user:');
  const people = [...names.of('subject')]
    .filter(([, ref]) => ref.startsWith('user:') || isProgram(ref))
    .sort(([, a], [, b]) => Number(isProgram(a)) - Number(isProgram(b)))
    .slice(0, MAX_PEOPLE);
  const permissions = [...Object.keys(manifest.pages), ...Object.keys(manifest.permissions)];
  const isReading = ({ method }: { readonly method: string }) => method === 'GET' || method === 'ANY';
  return manifest.routes
    .filter(isOfHttpApi)
    .flatMap((route, position) => {
      // A scope of the table alone is none that the examples are about.
      const scope = isScopeName(route.scope) ? names.of('scope').get(route.scope) : route.scope;
      return scope === undefined ? [] : [{ route, rule: ruleOf(String(position), { ...route, scope }) }];
    })
    .sort(({ route: a }, { route: b }) => Number(isReading(b)) - Number(isReading(a)))
    .map(({ route: { api = DEFAULT_API }, rule }) =>
      [...placesOf(rule, permissions, names)].flatMap((place) =>
        people.map(([caller, subjectRef]) => ({
          caller,
          subjectRef,
          ...place,
          path: `${basePathOf(api)}${place.path}`,
        })),
      ),
    );
}

type Values = ReadonlyMap<string, string>;

/** What a route can be asked about: each permission at each scope that fits its templates. */
function* placesOf(
  rule: RouteRule,
  permissions: readonly string[],
  names: ManifestNames,
): Generator<Omit<ExampleRequest, 'caller' | 'subjectRef'>> {
  const scopes = [...names.of('scope')].flatMap(([name, ref]) => {
    const values = valuesIn(rule.scope, ref);
    return values ? [{ name, ref, values }] : [];
  });
  const named = permissions.flatMap((permission) => {
    const values = valuesIn(rule.permission, permission);
    return values ? [{ permission, values }] : [];
  });
  for (const { permission, values } of named.slice(0, MAX_PERMISSIONS))
    for (const { name, ref, values: ofScope } of scopes.slice(0, MAX_SCOPES)) {
      const all = new Map([...values, ...ofScope]);
      // A parameter of both has one value.
      if ([...values].every(([key, value]) => all.get(key) === value))
        yield { permission, scope: name, scopeRef: ref, ...requestFor(rule, all) };
    }
}

/**
 * The values with which a template becomes a text; undefined where it cannot, or needs a claim, which no token of the
 * local stack has.
 */
function valuesIn(parts: readonly TemplatePart[], text: string): Values | undefined {
  if (parts.some(({ kind }) => kind === 'claim')) return undefined;
  const pattern = parts
    .map((part) => (part.kind === 'literal' ? part.text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&') : '([^:]+)'))
    .join('');
  const found = new RegExp(`^${pattern}$`).exec(text);
  if (!found) return undefined;
  const open = parts.filter((part) => part.kind !== 'literal');
  return new Map(open.map(({ kind, name }, position) => [`${kind}:${name}`, found[position + 1] ?? '']));
}

/** The request that gives a route these values; parameters that decide nothing are `1`. */
function requestFor({ method, segments }: RouteRule, values: Values) {
  const of = (kind: string) =>
    [...values].flatMap(([key, value]) =>
      key.startsWith(`${kind}:`) ? [[key.slice(kind.length + 1), value] as const] : [],
    );
  const path = segments.map((segment) =>
    segment.kind === 'literal' ? segment.text : encodeURIComponent(values.get(`path:${segment.name}`) ?? '1'),
  );
  const query = new URLSearchParams(Object.fromEntries(of('query'))).toString();
  return {
    method: method === 'ANY' ? 'GET' : method,
    path: `/${path.join('/')}${query === '' ? '' : `?${query}`}`,
    headers: Object.fromEntries(of('header')),
  };
}
