/**
 * What conditions may look at of the route that was matched. What could be said in several ways is missing.
 */
export interface MatchedRoute {
  /**
   * The method that the handler is registered for: GET where it answers HEAD. One for all methods has the
   * request's.
   */
  readonly method: string | undefined;
  /** The template with its decoded parameters, see {@link routePath}. */
  readonly path: string | undefined;
}

/**
 * The method that the handler is registered for, where one of several may answer. Only for HEAD they may
 * differ: then it is undefined.
 *
 * @param registered the method of each, undefined for all methods; none if the handlers are not known
 */
export function handledMethod(
  registered: readonly (string | undefined)[],
  sent: string | undefined,
): string | undefined {
  const methods = new Set(registered.map((method) => method ?? sent));
  return methods.size === 1 ? [...methods][0] : sent === 'HEAD' ? undefined : sent;
}

/** A part of a template that stands in a path as it is. Everything else means something to some framework. */
const LITERAL = /^[^:*?+(){}[\]\\"%^|$#;\p{Cc}]*$/u;

/** `:id`, and `:id(\\d+)` with an expression without groups of its own. */
const PARAMETER = /^:([\w.-]+)(?:\([^()]*\))?$/;

/** `*` and `*rest`, as the last part. */
const REST = /^\*([\w.-]*)$/;

/**
 * One segment of a path in every reading: not empty, `.` or `..`, and without what others decode or split by.
 */
const SEGMENT = /^(?!\.{1,2}$)[^/\\%;?#\p{Cc}]+$/u;

const isSegment = (value: unknown): value is string => typeof value === 'string' && SEGMENT.test(value);

/**
 * The path of the route that was matched: its template with the decoded parameters, in one spelling whatever
 * the caller wrote, without a slash at the end.
 *
 * @param template with parameters as `:id` and a rest as `*` or `*rest`; anything else is no template
 * @param valueFor a parameter as handlers get it, by name (`*` for a rest without one) and position; of a
 *   rest, its segments or a text that holds them
 * @returns undefined where the path cannot be said in one spelling: an optional part, a regular expression, a
 *   value that is missing or is not one segment, a name that comes twice
 */
export function routePath(
  template: unknown,
  valueFor: (name: string, position: number) => unknown,
): string | undefined {
  if (typeof template !== 'string' || !template.startsWith('/')) return undefined;
  const parts = template.slice(1).split('/');
  const filled: string[] = [];
  const names = new Set<string>();
  for (const [position, part] of parts.entries()) {
    if (LITERAL.test(part)) {
      filled.push(part);
      continue;
    }
    const [, parameter] = PARAMETER.exec(part) ?? [];
    const [, rest] = position === parts.length - 1 ? (REST.exec(part) ?? []) : [];
    const name = parameter ?? rest;
    if (name === undefined || names.has(name)) return undefined;
    names.add(name);
    const value = valueFor(name || '*', position);
    const values = rest === undefined ? [value] : typeof value === 'string' ? value.split('/') : value;
    if (!Array.isArray(values) || values.length === 0 || !values.every(isSegment)) return undefined;
    filled.push(...values);
  }
  const path = `/${filled.join('/')}`;
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

/** A path that no route was matched by, if it is of one spelling. */
export function plainPath(path: string | undefined): string | undefined {
  if (path === '/') return path;
  return path?.startsWith('/') ? routePath('/*', () => path.slice(1)) : undefined;
}

/** A text of a path or a query, percent-decoded once; undefined for one that does not decode. */
export function decodedOnce(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
