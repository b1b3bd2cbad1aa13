/** Date and time of an instant in a time zone; `month` from 0, `weekday` from Sunday, which is 0. */
export interface Calendar {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly weekday: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/** Formatters are slow to make, and expressions name few zones. */
const FORMATTERS = new Map<string, Intl.DateTimeFormat>();

/** Names as the time zone database writes them: Intl takes `europe/berlin` too, CEL's other libraries do not. */
const ALIAS =
  /^(?:Africa|America|Asia|Atlantic|Australia|Europe|Indian|Pacific)(?:\/[A-Z][a-z]+(?:[_-][A-Z][a-z]+)*){1,2}$/;

/** Whether `name` is `UTC` or a name of the time zone database, as `Europe/Berlin`. */
export function isTimeZone(name: string): boolean {
  if (name === 'UTC') return true;
  if (!name.includes('/')) return false;
  try {
    const resolved = new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone;
    return resolved === name || (resolved.toLowerCase() !== name.toLowerCase() && ALIAS.test(name));
  } catch {
    return false;
  }
}

function formatterOf(zone: string): Intl.DateTimeFormat {
  const kept = FORMATTERS.get(zone);
  if (kept) return kept;
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    era: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  FORMATTERS.set(zone, made);
  return made;
}

/** @throws RangeError for a zone that this process does not know */
export function calendarIn(zone: string, time: Date): Calendar {
  let local = time;
  if (zone !== 'UTC') {
    const parts: Record<string, number> = {};
    for (const { type, value } of formatterOf(zone).formatToParts(time)) parts[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    local = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
  }
  return {
    year: local.getUTCFullYear(),
    month: local.getUTCMonth(),
    day: local.getUTCDate(),
    weekday: local.getUTCDay(),
    hour: local.getUTCHours(),
    minute: local.getUTCMinutes(),
    second: local.getUTCSeconds(),
  };
}

const DAY = 86_400_000;

/** From 0, the 1st of January. */
export const dayOfYear = ({ year, month, day }: Calendar): number =>
  Math.round((Date.UTC(year, month, day) - Date.UTC(year, 0, 1)) / DAY);
