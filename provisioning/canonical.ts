/**
 * A text that is equal for equal values, whatever the order of names and members; what is undefined is left
 * out.
 *
 * A whole number that JSON does not have (`5n`) is written as text: callers in the process may pass one.
 */
export const canonical = (value: unknown): string => JSON.stringify(sorted(value)) ?? '';

const sorted = (value: unknown): unknown => {
  if (value instanceof Set) return { set: [...value].sort() };
  if (typeof value === 'bigint') return `${value}n`;
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, each]) => [name, sorted(each)]);
};

/** The names of attributes in which two items differ. */
export const differences = (a: object, b: object): readonly string[] => {
  const [one, other] = [a as Record<string, unknown>, b as Record<string, unknown>];
  return [...new Set([...Object.keys(one), ...Object.keys(other)])]
    .filter((name) => one[name] !== other[name] && canonical(one[name]) !== canonical(other[name]))
    .sort();
};

/** The order of texts, for `sort`. */
export const byText = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);
