import { instantOf } from './declarations.ts';
import { containsAddress, type IpRange, parseAddress, parseRange } from './ip-ranges.ts';
import type { Duration } from './library.ts';
import { mismatch, toDuration } from './operators.ts';
import { charactersToSteps, EvaluationFault, type Meter } from './steps.ts';
import { type Calendar, calendarIn, dayOfYear, isTimeZone } from './time-zones.ts';

/** A function of CEL. `read` makes a constant of the literal that it takes, when the expression is parsed. */
export interface CelFunction {
  /** Of the receiver, if it has one, and of the arguments; a literal that was read stands for its text. */
  readonly call: (...values: unknown[]) => unknown;
  /** Position of the argument that must be a literal, and what is made of it; undefined if it is wrong. */
  readonly literal?: {
    readonly position: number;
    readonly read: (text: string) => unknown;
    readonly of: string;
  };
}

/** How many arguments. */
type Table = ReadonlyMap<string, CelFunction>;

const HOUR = 3_600_000;
const UNITS: Readonly<Record<string, number>> = { h: HOUR, m: 60_000, s: 1_000, ms: 1 };
const DURATION = /^(-?)((?:\d{1,9}(?:h|ms|m|s))+)$/;

/** As `1h30m`, in whole milliseconds. */
function readDuration(text: string): Duration | undefined {
  const [, sign, parts = ''] = DURATION.exec(text) ?? [];
  if (sign === undefined) return undefined;
  let milliseconds = 0;
  for (const [, count, unit = ''] of parts.matchAll(/(\d+)(h|ms|m|s)/g))
    milliseconds += Number(count) * (UNITS[unit] ?? Number.NaN);
  try {
    return toDuration(sign === '-' ? -milliseconds : milliseconds);
  } catch {
    return undefined;
  }
}

/** RFC 3339, from 1970 on, in whole milliseconds. */
function readTimestamp(text: string): Date | undefined {
  const instant = /\.\d{4,}/.test(text) ? undefined : instantOf(text);
  return instant === undefined ? undefined : new Date(instant);
}

/** Accessors of a timestamp; each takes a time zone, UTC if none is given. */
const ACCESSORS: Readonly<Record<string, (calendar: Calendar, time: Date) => number>> = {
  getFullYear: ({ year }) => year,
  getMonth: ({ month }) => month,
  getDate: ({ day }) => day,
  getDayOfMonth: ({ day }) => day - 1,
  getDayOfWeek: ({ weekday }) => weekday,
  getDayOfYear: dayOfYear,
  getHours: ({ hour }) => hour,
  getMinutes: ({ minute }) => minute,
  getSeconds: ({ second }) => second,
  getMilliseconds: (_, time) => time.getUTCMilliseconds(),
};

const upperAscii = (text: string): string => text.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
const lowerAscii = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** The functions that expressions may call, by form: `size(1)`, `.startsWith(1)`. */
export function createFunctions({ spend }: Meter): Table {
  function size(value: unknown): bigint {
    if (typeof value === 'string') {
      spend(charactersToSteps(value.length));
      let count = 0;
      for (const _ of value) count++;
      return BigInt(count);
    }
    if (Array.isArray(value)) return BigInt(value.length);
    if (value instanceof Map) return BigInt(value.size);
    throw mismatch('size', value);
  }

  /** A question about two texts. The search of V8 may look at each character of one for each of the other. */
  const ofTexts =
    (name: string, holds: (text: string, part: string) => boolean) =>
    (text: unknown, part: unknown): boolean => {
      if (typeof text !== 'string' || typeof part !== 'string') throw mismatch(name, text, part);
      spend(charactersToSteps(text.length + part.length) + Math.ceil((text.length * part.length) / 10_000));
      return holds(text, part);
    };

  const ofText =
    (name: string, change: (text: string) => string) =>
    (text: unknown): string => {
      if (typeof text !== 'string') throw mismatch(name, text);
      spend(charactersToSteps(text.length));
      return change(text);
    };

  const accessor =
    (name: string, read: (calendar: Calendar, time: Date) => number) =>
    (time: unknown, zone: unknown = 'UTC'): bigint => {
      if (!(time instanceof Date) || typeof zone !== 'string') throw mismatch(name, time);
      // A formatter takes as long as a hundred steps.
      spend(zone === 'UTC' ? 1 : 100);
      return BigInt(read(calendarIn(zone, time), time));
    };

  function containsIp(range: unknown, text: unknown): boolean {
    if (typeof text !== 'string') throw mismatch('containsIP', text);
    const address = parseAddress(text);
    if (address === undefined) throw new EvaluationFault('containsIP: it is no IP address');
    return containsAddress(range as IpRange, address);
  }

  const timeZone = (text: string) => (isTimeZone(text) ? text : undefined);
  const same = (value: unknown) => value;
  return new Map<string, CelFunction>([
    ['size(1)', { call: size }],
    ['.size(0)', { call: size }],
    ['.startsWith(1)', { call: ofTexts('startsWith', (text, part) => text.startsWith(part)) }],
    ['.endsWith(1)', { call: ofTexts('endsWith', (text, part) => text.endsWith(part)) }],
    ['.contains(1)', { call: ofTexts('contains', (text, part) => text.includes(part)) }],
    ['.lowerAscii(0)', { call: ofText('lowerAscii', lowerAscii) }],
    ['.upperAscii(0)', { call: ofText('upperAscii', upperAscii) }],
    [
      'timestamp(1)',
      { call: same, literal: { position: 0, read: readTimestamp, of: 'a time as RFC 3339 has it' } },
    ],
    ['duration(1)', { call: same, literal: { position: 0, read: readDuration, of: 'a duration as 1h30m' } }],
    ['cidr(1)', { call: same, literal: { position: 0, read: parseRange, of: 'an IP range as 10.0.0.0/8' } }],
    ['.containsIP(1)', { call: containsIp }],
    ...Object.entries(ACCESSORS).flatMap(([name, read]): [string, CelFunction][] => [
      [`.${name}(0)`, { call: accessor(name, read) }],
      [
        `.${name}(1)`,
        {
          call: accessor(name, read),
          literal: { position: 0, read: timeZone, of: 'a time zone as Europe/Berlin' },
        },
      ],
    ]),
  ]);
}
