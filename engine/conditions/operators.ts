import { Duration } from './library.ts';
import { charactersToSteps, EvaluationFault, type Meter } from './steps.ts';

/**
 * CEL's operators over values whose types are known when they are evaluated, as the specification and cel-go have
 * them: equality of different types is false, numbers compare across `int` and `double`, texts by code point.
 */
export type Operator = (left: unknown, right: unknown) => unknown;

const MAX_INT = 9_223_372_036_854_775_807n;
const MIN_INT = -9_223_372_036_854_775_808n;
/** Milliseconds of a duration as cel-go counts them: 64 bits of nanoseconds. */
const MAX_DURATION = 9_223_372_036_854;
const FIRST_INSTANT = -62_135_596_800_000;
const LAST_INSTANT = 253_402_300_799_999;

function toInt(value: bigint): bigint {
  if (value > MAX_INT || value < MIN_INT) throw new EvaluationFault('integer overflow');
  return value;
}

export function toDuration(milliseconds: number): Duration {
  if (Math.abs(milliseconds) > MAX_DURATION) throw new EvaluationFault('duration overflow');
  const seconds = Math.floor(milliseconds / 1_000);
  return new Duration(BigInt(seconds), (milliseconds - seconds * 1_000) * 1_000_000);
}

function toTimestamp(milliseconds: number): Date {
  if (!(milliseconds >= FIRST_INSTANT && milliseconds <= LAST_INSTANT))
    throw new EvaluationFault('timestamp overflow');
  return new Date(milliseconds);
}

const typeOf = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  if (value instanceof Map) return 'map';
  if (value instanceof Date) return 'timestamp';
  if (value instanceof Duration) return 'duration';
  const type = typeof value;
  return { bigint: 'int', number: 'double', boolean: 'bool' }[type as string] ?? type;
};

export const mismatch = (name: string, ...values: readonly unknown[]): EvaluationFault =>
  new EvaluationFault(`no such overload: ${name} of ${values.map(typeOf).join(' and ')}`);

/** Texts by code point: JavaScript compares halves of those above U+FFFF. */
function compareTexts(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let position = 0; position < length; position++) {
    const a = left.charCodeAt(position);
    const b = right.charCodeAt(position);
    if (a === b) continue;
    const isHigh = (unit: number) => unit >= 0xd8_00 && unit <= 0xdf_ff;
    return isHigh(a) === isHigh(b) ? a - b : isHigh(a) ? 1 : -1;
  }
  return left.length - right.length;
}

const isNumber = (value: unknown): value is number | bigint =>
  typeof value === 'bigint' || typeof value === 'number';

/** As cel-go: an `int` beside a `double` is compared as a double. */
function compareNumbers(left: number | bigint, right: number | bigint): number {
  if (typeof left === 'bigint' && typeof right === 'bigint') return left < right ? -1 : left > right ? 1 : 0;
  const a = Number(left);
  const b = Number(right);
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Operators by their sign. Unary minus is `-_`. */
export function createOperators({ spend }: Meter): ReadonlyMap<string, Operator> {
  function isEqual(left: unknown, right: unknown): boolean {
    spend(1);
    if (isNumber(left) && isNumber(right))
      return !Number.isNaN(left) && !Number.isNaN(right) && compareNumbers(left, right) === 0;
    if (typeof left === 'string' && typeof right === 'string') {
      if (left.length !== right.length) return false;
      spend(charactersToSteps(left.length));
      return left === right;
    }
    if (Array.isArray(left) && Array.isArray(right))
      return left.length === right.length && left.every((each, position) => isEqual(each, right[position]));
    if (left instanceof Map && right instanceof Map) {
      if (left.size !== right.size) return false;
      for (const [key, value] of left) if (!right.has(key) || !isEqual(value, right.get(key))) return false;
      return true;
    }
    if (left instanceof Date && right instanceof Date) return left.getTime() === right.getTime();
    if (left instanceof Duration && right instanceof Duration) return left.valueOf() === right.valueOf();
    return left === right;
  }

  function compare(sign: string, left: unknown, right: unknown): number {
    if (isNumber(left) && isNumber(right)) {
      // No comparison with NaN holds.
      if (Number.isNaN(left) || Number.isNaN(right)) return Number.NaN;
      return compareNumbers(left, right);
    }
    if (typeof left === 'string' && typeof right === 'string') {
      spend(charactersToSteps(Math.min(left.length, right.length)));
      return compareTexts(left, right);
    }
    if (typeof left === 'boolean' && typeof right === 'boolean') return Number(left) - Number(right);
    if (left instanceof Date && right instanceof Date) return left.getTime() - right.getTime();
    if (left instanceof Duration && right instanceof Duration) return left.valueOf() - right.valueOf();
    throw mismatch(sign, left, right);
  }

  function isIn(value: unknown, container: unknown): boolean {
    if (Array.isArray(container)) return container.some((each) => isEqual(value, each));
    if (container instanceof Map) return typeof value === 'string' && container.has(value);
    throw mismatch('in', value, container);
  }

  function add(left: unknown, right: unknown): unknown {
    if (typeof left === 'bigint' && typeof right === 'bigint') return toInt(left + right);
    if (typeof left === 'number' && typeof right === 'number') return left + right;
    if (typeof left === 'string' && typeof right === 'string') {
      spend(charactersToSteps(left.length + right.length));
      return left + right;
    }
    if (Array.isArray(left) && Array.isArray(right)) {
      spend(left.length + right.length);
      return [...left, ...right];
    }
    if (left instanceof Duration && right instanceof Duration)
      return toDuration(left.valueOf() + right.valueOf());
    if (left instanceof Date && right instanceof Duration)
      return toTimestamp(left.getTime() + right.valueOf());
    throw mismatch('+', left, right);
  }

  function subtract(left: unknown, right: unknown): unknown {
    if (typeof left === 'bigint' && typeof right === 'bigint') return toInt(left - right);
    if (typeof left === 'number' && typeof right === 'number') return left - right;
    if (left instanceof Date && right instanceof Date) return toDuration(left.getTime() - right.getTime());
    if (left instanceof Date && right instanceof Duration)
      return toTimestamp(left.getTime() - right.valueOf());
    if (left instanceof Duration && right instanceof Duration)
      return toDuration(left.valueOf() - right.valueOf());
    throw mismatch('-', left, right);
  }

  function multiply(left: unknown, right: unknown): unknown {
    if (typeof left === 'bigint' && typeof right === 'bigint') return toInt(left * right);
    if (typeof left === 'number' && typeof right === 'number') return left * right;
    throw mismatch('*', left, right);
  }

  function divide(left: unknown, right: unknown): unknown {
    if (typeof left === 'number' && typeof right === 'number') return left / right;
    if (typeof left !== 'bigint' || typeof right !== 'bigint') throw mismatch('/', left, right);
    if (right === 0n) throw new EvaluationFault('division by zero');
    return toInt(left / right);
  }

  function modulo(left: unknown, right: unknown): unknown {
    if (typeof left !== 'bigint' || typeof right !== 'bigint') throw mismatch('%', left, right);
    if (right === 0n) throw new EvaluationFault('modulus by zero');
    if (right === -1n && left === MIN_INT) throw new EvaluationFault('integer overflow');
    return left % right;
  }

  function negate(value: unknown): unknown {
    if (typeof value === 'bigint') return toInt(-value);
    if (typeof value === 'number') return -value;
    throw mismatch('-', value);
  }

  return new Map<string, Operator>([
    ['==', isEqual],
    ['!=', (left, right) => !isEqual(left, right)],
    ['<', (left, right) => compare('<', left, right) < 0],
    ['<=', (left, right) => compare('<=', left, right) <= 0],
    ['>', (left, right) => compare('>', left, right) > 0],
    ['>=', (left, right) => compare('>=', left, right) >= 0],
    ['in', isIn],
    ['+', add],
    ['-', subtract],
    ['*', multiply],
    ['/', divide],
    ['%', modulo],
    ['-_', negate],
  ]);
}

/** `left.name` and `left[key]`. */
export function valueAt(left: unknown, key: unknown): unknown {
  if (left instanceof Map) {
    const value = typeof key === 'string' ? left.get(key) : undefined;
    if (value === undefined) throw new EvaluationFault(`no such key: ${String(key)}`);
    return value;
  }
  if (!Array.isArray(left)) throw mismatch('field or index', left);
  const position = typeof key === 'bigint' || Number.isInteger(key) ? Number(key) : Number.NaN;
  if (!(position >= 0 && position < left.length)) throw new EvaluationFault(`no such index: ${String(key)}`);
  return left[position];
}
