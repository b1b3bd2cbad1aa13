/** Names as the time zone database writes them: Intl takes `europe/berlin` too, CEL's other libraries do not. */
const ALIAS =
  /^(?:Africa|America|Asia|Atlantic|Australia|Europe|Indian|Pacific)(?:\/[A-Z][a-z]+(?:[_-][A-Z][a-z]+)*){1,2}$/;

/** Whether `name` is `UTC` or a name of the time zone database, as `Europe/Berlin`. */
export function isTimeZone(name: string | undefined): boolean {
  if (name === 'UTC' || !name?.includes('/')) return name === 'UTC';
  try {
    const resolved = new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone;
    return resolved === name || (resolved.toLowerCase() !== name.toLowerCase() && ALIAS.test(name));
  } catch {
    return false;
  }
}

const TWO_DAYS = 172_800_000;

/**
 * Whether the library may be asked for an hour of the time in another time zone. It reads what clocks show there as a
 * time of this process's zone, which has no such time where its own clocks are put forward.
 */
export function isFarFromChange(time: Date): boolean {
  const offsetAt = (milliseconds: number) => new Date(milliseconds).getTimezoneOffset();
  return offsetAt(time.getTime() - TWO_DAYS) === offsetAt(time.getTime() + TWO_DAYS);
}
