import type { CoveredRoute } from '../../../service/index.ts';
import { isObject, parseJson } from '../../json.ts';

/** A request to try. */
export interface Request {
  readonly method: string;
  readonly path: string;
}

/** What stands for a value that may be anything. */
const ANY = 'example';

/** A request that a route takes; one that the policy allows, if it allows some. */
export function exampleOfRoute({ method, path, allowed }: CoveredRoute): Request {
  const [first] = allowed;
  const knownOf = (name: string): string | undefined =>
    first && Object.hasOwn(first.values, name) ? first.values[name] : undefined;
  return {
    method: method === 'ANY' ? 'GET' : method,
    path: path.replaceAll(
      /\{([^{}+]+)(\+?)\}/g,
      (_, name: string, rest: string) =>
        encodeURIComponent(knownOf(name) ?? (rest === '' ? ANY : `${ANY}-1`)) +
        (rest === '' ? '' : `/${ANY}-2`),
    ),
  };
}

/**
 * A request that a resource of a policy matches.
 *
 * @param base what the ARNs of the API begin with
 */
export function exampleOfResource(resource: string, base: string): Request {
  const pattern = resource.startsWith(base) ? resource.slice(base.length) : '*';
  // A pattern may leave the verb open, too.
  const whole = pattern
    .replace(/^\*/, `GET/${ANY}`)
    .replaceAll('?*', ANY)
    .replaceAll('*', ANY)
    .replaceAll('?', 'x');
  const slash = whole.indexOf('/');
  return { method: whole.slice(0, slash), path: whole.slice(slash) };
}

/** The scope of a route with values of its parameters; undefined where it takes more than these. */
export function scopeOf(
  { scope }: Pick<CoveredRoute, 'scope'>,
  values: Readonly<Record<string, string>>,
): string | undefined {
  const filled = scope.replaceAll(/\{([^{}:]+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? whole) : whole,
  );
  return filled.includes('{') ? undefined : filled;
}

/** What a text of the address holds, if there is one, or what is wrong with it. */
export type Read<T> = { readonly value?: T; readonly problem?: string };

/** Claims, as a JSON object. */
export function readClaims(text: string | undefined): Read<Readonly<Record<string, unknown>>> {
  if (text === undefined) return {};
  const parsed = parseJson(text);
  if ('value' in parsed && isObject(parsed.value)) return { value: parsed.value };
  return { problem: 'claims are a JSON object, such as {"tenant":"acme"}' };
}

/** Headers, as lines `name: value`. */
export function readHeaders(text: string | undefined): Read<Readonly<Record<string, string>>> {
  if (text === undefined) return {};
  const headers: Record<string, string> = {};
  for (const line of text.split('\n').filter((each) => each.trim() !== '')) {
    const [, name, value] = /^\s*([!#$%&'*+.^_`|~\w-]+)\s*:(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined)
      return { problem: `headers are lines of name: value, unlike ${line.trim()}` };
    headers[name] = value.trim();
  }
  return { value: headers };
}

/** The claims that routes take, by name. */
export const claimsOf = (routes: readonly CoveredRoute[]): readonly string[] => valuesOf(routes, 'claim');

/** The headers that routes take, by name. */
export const headersOf = (routes: readonly CoveredRoute[]): readonly string[] => valuesOf(routes, 'header');

const valuesOf = (routes: readonly CoveredRoute[], kind: 'claim' | 'header'): readonly string[] => [
  ...new Set(
    routes.flatMap(({ permission, scope }) =>
      [...`${permission} ${scope}`.matchAll(/\{(\w+):([^{}]+)\}/g)].flatMap(([, of, name = '']) =>
        of === kind ? [name] : [],
      ),
    ),
  ),
];
