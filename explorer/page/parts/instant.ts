import { readInstant as readIso } from '../../../table/index.ts';

/** Instants as the page reads and writes them: UTC, and epoch milliseconds within. */

export const DAY = 86_400_000;

/** Whole days, in epoch milliseconds. */
export interface Days {
  readonly start: number;
  readonly end: number;
}

/** The days that hold both instants. */
export const daysOf = (start: number, end: number): Days => ({
  start: Math.floor(start / DAY) * DAY,
  end: Math.ceil(end / DAY) * DAY,
});

/** Half a year before and after an instant. */
export const yearAround = (at: number): Days => daysOf(at - 183 * DAY, at + 183 * DAY);

/**
 * Reads `2026-03-01`, `2026-03-01T12:00` or `2026-03-01T12:00:30Z`, in UTC.
 *
 * @returns epoch milliseconds; undefined if it is no such instant
 */
export function readInstant(text: string): number | undefined {
  const whole = /T[\d:.]+$/.test(text) ? `${text}Z` : text;
  return /[-+]\d\d:\d\d$/.test(whole) ? undefined : readIso(whole);
}

/** As in an address: `2026-03-01T12:00Z`, with seconds only where there are some. */
export const formatInstant = (at: number): string =>
  new Date(at)
    .toISOString()
    .replace(/\.000Z$/, 'Z')
    .replace(/:00Z$/, 'Z');

const DATE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
const TIME = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'UTC' });
const SECONDS = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium', timeZone: 'UTC' });

/** For people: `1 Mar 2026`. */
export const dateText = (at: number): string => DATE.format(at);

/** For people: `1 Mar 2026, 12:00 UTC`. */
export const instantText = (at: number): string =>
  `${DATE.format(at)}, ${(at % 60_000 === 0 ? TIME : SECONDS).format(at)} UTC`;

/** A date where it is a whole day, with the time otherwise. */
const startText = (at: number): string => (at % DAY === 0 ? dateText(at) : instantText(at));
/** The last day, where it ends with one: manifests say ends so. */
const endText = (at: number): string => startText(at % DAY === 0 ? at - DAY : at);

interface Period {
  readonly start?: string | undefined;
  readonly end?: string | undefined;
}

/** A period in words, with its last day: `1 Mar 2026 – 31 Mar 2026`, `until 31 Mar 2026`. */
export function periodText({ start, end }: Period): string {
  const from = start && startText(Date.parse(start));
  const until = end && endText(Date.parse(end));
  if (from && until) return `${from} – ${until}`;
  if (from) return `from ${from}`;
  return until ? `until ${until}` : 'at any time';
}

/** The instant `at` of an address, or what is wrong with it: then nothing may be asked, least of all for now. */
export function askedInstant(text: string | undefined): { readonly at?: number; readonly problem?: string } {
  if (text === undefined) return {};
  const at = readInstant(text);
  return at === undefined
    ? { problem: `${text.slice(0, 40)} is not an instant: write one as 2026-03-01T12:00Z` }
    : { at };
}
