import type { ASTNode, Environment } from './library.ts';
import { partsOf } from './syntax.ts';

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

/** What clocks show, by zone. The database has some 600 names, and conditions hold none that is not in it. */
const CLOCKS = new Map<string, Intl.DateTimeFormat>();

function clockOf(timeZone: string): Intl.DateTimeFormat {
  const known = CLOCKS.get(timeZone);
  if (known) return known;
  const part = 'numeric';
  const clock = new Intl.DateTimeFormat('en-US-u-ca-gregory-nu-latn', {
    timeZone,
    hourCycle: 'h23',
    year: part,
    month: part,
    day: part,
    hour: part,
    minute: part,
    second: part,
  });
  CLOCKS.set(timeZone, clock);
  return clock;
}

/** A date whose parts in UTC are what clocks in the time zone show. The zone of this process plays no part. */
export function shownIn(timeZone: string, time: Date): Date {
  const parts: Record<string, number> = {};
  for (const { type, value } of clockOf(timeZone).formatToParts(time)) parts[type] = Number(value);
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = parts;
  return new Date(Date.UTC(year, month - 1, day, hour, minute, second, time.getUTCMilliseconds()));
}

/** The accessors of CEL that take a time zone, of what its clocks show. */
const PARTS: Readonly<Record<string, (shown: Date) => number>> = {
  getFullYear: (shown) => shown.getUTCFullYear(),
  getMonth: (shown) => shown.getUTCMonth(),
  getDate: (shown) => shown.getUTCDate(),
  getDayOfMonth: (shown) => shown.getUTCDate() - 1,
  getDayOfWeek: (shown) => shown.getUTCDay(),
  getHours: (shown) => shown.getUTCHours(),
  getMinutes: (shown) => shown.getUTCMinutes(),
  getSeconds: (shown) => shown.getUTCSeconds(),
  getMilliseconds: (shown) => shown.getUTCMilliseconds(),
};

/** The name under which an accessor is called with a time zone. */
const zonedName = (accessor: string): string => `${accessor}In`;

/**
 * Adds the accessors with a time zone as functions of their own. The library's read what clocks show there as a time of this
 * process's zone, which lacks an hour where its own clocks are put forward; and it lets nobody replace them.
 */
export function registerZonedAccessors(environment: Environment): Environment {
  for (const [name, partOf] of Object.entries(PARTS))
    environment.registerFunction(
      `google.protobuf.Timestamp.${zonedName(name)}(string): int`,
      (time: Date, timeZone: string) => BigInt(partOf(shownIn(timeZone, time))),
    );
  return environment;
}

/** Lets the accessors of an expression that name a time zone call ours. Its types must not have been checked yet. */
export function callZonedAccessors(node: ASTNode): void {
  for (const part of partsOf(node)) callZonedAccessors(part);
  if (node.op === 'rcall' && Object.hasOwn(PARTS, node.args[0]) && node.args[2].length > 0)
    (node.args as unknown as string[])[0] = zonedName(node.args[0]);
}
