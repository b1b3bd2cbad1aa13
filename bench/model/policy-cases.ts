import { boundIn, type RouteRule } from '../../authorizer/routes/rule.ts';
import {
  parsePathTemplate,
  parseScopeTemplate,
  parseValueTemplate,
  routeShape,
} from '../../table/route-template.ts';
import type { Random } from '../../test/proof/oracle/random.ts';

/** What makes a table of routes expensive to compile into a policy. Shares are between 0 and 1. */
export interface PolicyTraits {
  readonly routes: number;
  readonly segments: number;
  /** Distinct literal segments: the fewer, the more routes overlap. */
  readonly literals: number;
  /** Of the segments: parameters. */
  readonly parameters: number;
  /** Of the routes: those that end in `{rest+}`, those for ANY, and those that the caller may use. */
  readonly rests: number;
  readonly any: number;
  readonly allowed: number;
  /** Of the routes with parameters: those whose scope, and whose permission, is taken from the path. */
  readonly scopes: number;
  readonly permissions: number;
  /** How many scopes and pages the caller may use. */
  readonly caller: { readonly scopes: number; readonly permissions: number };
}

/** Of callers. */
export const SIZES: readonly number[] = [1, 4, 20, 100];

const MAX_PATH_LENGTH = 400;

/** A number with a bias to both ends of the range, where the extremes are. */
const between = ({ next, oneIn }: Random, min: number, max: number): number =>
  min + Math.floor((oneIn(2) ? next() ** 3 : next()) * (max + 1 - min));

const share = ({ next }: Random): number => Math.min(1, Math.max(0, next() * 1.4 - 0.2));

export const drawTraits = (random: Random): PolicyTraits => ({
  routes: random.oneIn(5) ? between(random, 1, 500) : 500,
  segments: between(random, 1, 12),
  literals: between(random, 1, 100),
  parameters: share(random),
  rests: share(random) ** 2,
  any: share(random),
  allowed: share(random),
  scopes: share(random),
  permissions: share(random),
  caller: { scopes: random.pick(SIZES), permissions: random.pick(SIZES) },
});

/** The same traits with one or two drawn anew. */
export function mutate(random: Random, traits: PolicyTraits): PolicyTraits {
  const names = Object.keys(traits) as (keyof PolicyTraits)[];
  const chosen = new Set([random.pick(names), random.pick(names)]);
  const drawn = Object.entries(drawTraits(random)).filter(([name]) => chosen.has(name as keyof PolicyTraits));
  return { ...traits, ...Object.fromEntries(drawn) };
}

/** Routes with these traits. Their permission is the page `p0` or `denied`, their scope this location, or both from the path. */
export function drawRoutes(random: Random, traits: PolicyTraits, location: string): readonly RouteRule[] {
  const { next } = random;
  const rules = new Map<string, RouteRule>();
  for (let attempt = 0; rules.size < traits.routes && attempt < 4 * traits.routes; attempt++) {
    const length = random.oneIn(5) ? between(random, 0, traits.segments) : traits.segments;
    const segments = Array.from({ length }, (_, at) =>
      next() < traits.parameters ? `{p${at}}` : `s${random.below(traits.literals)}`,
    );
    if (next() < traits.rests) segments.push('{rest+}');
    const path = `/${segments.join('/')}`;
    if (path.length > MAX_PATH_LENGTH) continue;
    const method = next() < traits.any ? 'ANY' : 'GET';
    const names = segments.flatMap((each) => (/^\{(p\d+)\}$/.exec(each) ?? []).slice(1));
    const fixed = next() < traits.allowed ? 'p0' : 'denied';
    const isOpen = names.length > 0;
    const permission = parseValueTemplate(
      isOpen && next() < traits.permissions ? `{${names.at(-1)}}` : fixed,
      'permission',
    );
    const scope = parseScopeTemplate(
      isOpen && next() < traits.scopes ? `location:{${names[0]}}` : location,
      'scope',
    );
    const shape = `${method} ${routeShape(path, 'path')}`;
    if (rules.has(shape)) continue;
    rules.set(shape, {
      id: `route-${rules.size}`,
      method,
      permission,
      scope,
      segments: parsePathTemplate(path, 'path'),
      bound: boundIn(permission, scope),
    });
  }
  return [...rules.values()];
}
