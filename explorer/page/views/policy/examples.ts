import { isObject, parseJson } from '../../json.ts';

/** A request to try. */
export interface Request {
  readonly method: string;
  readonly path: string;
}

/** What stands for a value that may be anything. */
const ANY = 'example';

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
