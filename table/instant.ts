const DAY = /^\d{4}-\d{2}-\d{2}$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;

export const NOT_AN_INSTANT =
  'is neither an instant such as 2026-03-01T08:00:00Z nor a day such as 2026-03-01';

/**
 * Reads an instant as people write it: ISO 8601 with its offset, or a day, which stands for its first instant in UTC.
 *
 * @returns epoch milliseconds; undefined for anything else, the 30th of February included
 */
export function readInstant(text: string): number | undefined {
  if (!DAY.test(text) && !INSTANT.test(text)) return undefined;
  const day = text.slice(0, 10);
  const midnight = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day) return undefined;
  const instant = Date.parse(text);
  return Number.isNaN(instant) ? undefined : instant;
}

const ONE_DAY = 86_400_000;
/** The last instant that four digits of a year can say. */
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Reads an end as people write it: as {@link readInstant}, but a day is meant with all of it. Ends are not part of what they
 * end, so that it stands for the first instant of the next day in UTC.
 */
export function readEnd(text: string): number | undefined {
  const at = readInstant(text);
  return at !== undefined && DAY.test(text) ? Math.min(at + ONE_DAY, LAST) : at;
}
