/**
 * What an attribute of an item may hold: the values that DynamoDB and its client keep exactly. One rule for
 * inputs, plans, dry runs and both writers.
 */

/** Levels of maps and lists that one attribute may nest (DynamoDB's limit). */
const MAX_LEVELS = 32;

/** The smallest positive number of DynamoDB. */
const MIN_POSITIVE = 1e-130;

/** Names that the client of DynamoDB refuses or drops in a map. */
const LOST_NAMES: ReadonlySet<string> = new Set(['constructor', '__proto__']);

/** What is wrong with a value, and where in it. */
export interface Misfit {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Whether the table keeps a number exactly. The client refuses what is beyond the safe integers. */
export const isExact = (value: number): boolean =>
  Math.abs(value) <= Number.MAX_SAFE_INTEGER && (value === 0 || Math.abs(value) >= MIN_POSITIVE);

export const NOT_EXACT = 'is a number that the table cannot keep exactly: beyond 2^53 - 1 or below 1e-130';

/** A map as JSON and object literals make them. */
export const isMap = (value: unknown): value is Readonly<Record<string, unknown>> => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // Compared by its own prototype: a map of another realm is a map too.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
};

/**
 * What keeps a value out of an item: a number that would change, a lone surrogate, an empty set, a name that
 * would get lost, too many levels, a value of a type that the table does not have. Undefined where there is
 * nothing; undefined values are left out of items.
 *
 * @param levels how many levels of maps and lists it may nest; it looks no deeper
 */
export function misfitOf(value: unknown, levels: number = MAX_LEVELS): Misfit | undefined {
  return misfitIn(value, levels, levels);
}

const misfit = (message: string): Misfit => ({ path: [], message });

function misfitIn(value: unknown, levels: number, left: number): Misfit | undefined {
  if (value === undefined || value === null || typeof value === 'boolean') return undefined;
  if (typeof value === 'string')
    return value.isWellFormed() ? undefined : misfit('holds half a character (a lone surrogate)');
  if (typeof value === 'number') return isExact(value) ? undefined : misfit(NOT_EXACT);
  if (value instanceof Set) {
    if (value.size === 0) return misfit('is an empty set');
    for (const each of value) {
      const found = misfitIn(each, levels, 0);
      if (found) return found;
    }
    return undefined;
  }
  const entries = Array.isArray(value) ? value.entries() : isMap(value) ? Object.entries(value) : undefined;
  if (!entries) return misfit('is of a type that the table does not have');
  if (left === 0) return misfit(`is nested more than ${levels} levels deep`);
  for (const [key, each] of entries) {
    const found =
      (typeof key === 'string' ? misfitOfName(key) : undefined) ?? misfitIn(each, levels, left - 1);
    if (found) return { ...found, path: [key, ...found.path] };
  }
  return undefined;
}

function misfitOfName(name: string): Misfit | undefined {
  if (name === '') return misfit('is an empty name');
  if (LOST_NAMES.has(name)) return misfit('is a name that the table cannot keep');
  return name.isWellFormed() ? undefined : misfit('is a name with half a character (a lone surrogate)');
}
