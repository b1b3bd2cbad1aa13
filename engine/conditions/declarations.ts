import { isObject, type JsonObject } from '../../table/json.ts';
import type { Declaration, Declarations, Properties, ValueType } from '../../table/properties.ts';
import { addressIn } from './ip-ranges.ts';

/** A value of CEL: `int` is a bigint, `double` a number, `timestamp` a Date in whole milliseconds. */
export type Value = string | boolean | bigint | number | null | Date | readonly Value[] | ValueMap;
/** Maps, never objects: no key of a Map reaches a prototype. */
export type ValueMap = ReadonlyMap<string, Value>;

/** What an expression looks at. */
export interface Variables {
  /** `type`, `id`, `properties`. */
  readonly subject: ValueMap;
  /** `type`, `id`, `properties`. */
  readonly resource: ValueMap;
  /** `name`, `properties`. */
  readonly action: ValueMap;
  readonly context: ValueMap;
}

export interface EntityInput {
  readonly type: string;
  readonly id: string;
  readonly stored?: Properties | undefined;
  readonly passed?: Properties | undefined;
}

/** What is left out stays empty: to make it takes longer than to evaluate most expressions. */
export interface VariablesInput {
  readonly subject?: EntityInput | undefined;
  readonly resource?: EntityInput | undefined;
  readonly action?: { readonly name: string; readonly passed?: Properties | undefined } | undefined;
  readonly context?: Properties | undefined;
}

const passed = (type: ValueType): Declaration => ({ type, source: 'passed' });

/** What is declared of the context without anybody declaring it. */
export const BUILT_IN: ReadonlyMap<string, Declaration> = new Map([
  ['ip', passed('string')],
  ['time', passed('timestamp')],
  ['method', passed('string')],
  ['path', passed('string')],
  ['userAgent', passed('string')],
  ['claims', passed('map')],
]);

/** Bounds of what a caller passes. A value beyond them counts as missing. */
export const PASSED_BOUNDS = { bytes: 65_536, string: 8_192, list: 1_000, levels: 4 } as const;

const NOTHING: ReadonlyMap<string, Declaration> = new Map();

/** Of the properties that are passed in one decision, in bytes: 8 for each value and each key, 1 for each character. */
export interface Allowance {
  /** What is left that they may have together. */
  bytes: number;
  /** What was converted, also of values that do not fit and count as missing. */
  converted: number;
}

export const newAllowance = (): Allowance => ({ bytes: PASSED_BOUNDS.bytes, converted: 0 });

const RFC_3339 =
  /^(\d{4})-(\d\d)-(\d\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** Milliseconds of a date and time as RFC 3339 has them, cut to whole milliseconds; undefined for all else. */
export function instantOf(text: string): number | undefined {
  const parts = RFC_3339.exec(text);
  if (!parts) return undefined;
  const [, year, month, day] = parts;
  // Date takes the 30th of February for a day in March.
  const days = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  if (Number(day) > days) return undefined;
  const instant = Date.parse(text.replace(/(\.\d{3})\d+/, '$1'));
  return Number.isNaN(instant) || instant < 0 ? undefined : instant;
}

/**
 * A JSON value as a value of CEL.
 *
 * @returns undefined if it does not fit the type or exceeds PASSED_BOUNDS
 */
export function convert(
  value: unknown,
  type: ValueType,
  allowance: Allowance = newAllowance(),
): Value | undefined {
  switch (type) {
    case 'string':
      return typeof value === 'string' ? convertAny(value, allowance, 0) : undefined;
    case 'bool':
      return typeof value === 'boolean' ? value : undefined;
    case 'int':
      return Number.isSafeInteger(value) ? BigInt(value as number) : undefined;
    case 'double':
      // Plus 0: minus 0 is 0.
      return typeof value === 'number' && Number.isFinite(value) ? value + 0 : undefined;
    case 'timestamp': {
      const instant =
        value instanceof Date ? value.getTime() : instantOf(typeof value === 'string' ? value : '');
      return instant === undefined || !(instant >= 0) ? undefined : new Date(instant);
    }
    case 'list<string>':
      if (!Array.isArray(value) || value.length > PASSED_BOUNDS.list) return undefined;
      if (!value.every((each) => typeof each === 'string')) return undefined;
      return convertAny(value, allowance, 0);
    case 'map':
      return isAttributes(value) ? convertAny(value, allowance, 0) : undefined;
  }
}

const isAttributes = (value: unknown): value is JsonObject => isObject(value) && !(value instanceof Date);

function convertAny(value: unknown, allowance: Allowance, level: number): Value | undefined {
  allowance.bytes -= typeof value === 'string' ? 8 + value.length : 8;
  if (allowance.bytes < 0) return undefined;
  switch (typeof value) {
    case 'string':
      return value.length <= PASSED_BOUNDS.string && value.isWellFormed() ? value : undefined;
    case 'boolean':
      return value;
    case 'number':
      if (Number.isSafeInteger(value)) return BigInt(value);
      return Number.isFinite(value) ? value : undefined;
    case 'object':
      break;
    default:
      return undefined;
  }
  if (value === null) return null;
  if (level >= PASSED_BOUNDS.levels) return undefined;
  if (Array.isArray(value)) {
    if (value.length > PASSED_BOUNDS.list) return undefined;
    const list: Value[] = [];
    for (const each of value) {
      const converted = convertAny(each, allowance, level + 1);
      if (converted === undefined) return undefined;
      list.push(converted);
    }
    return list;
  }
  if (!isAttributes(value)) return undefined;
  const entries = Object.entries(value);
  if (entries.length > PASSED_BOUNDS.list) {
    // To list them took as long as to convert as many.
    allowance.bytes -= 8 * entries.length;
    return undefined;
  }
  const map = new Map<string, Value>();
  for (const [key, each] of entries) {
    allowance.bytes -= 8 + key.length;
    const converted = convertAny(each, allowance, level + 1);
    if (converted === undefined || !key.isWellFormed()) return undefined;
    map.set(key, converted);
  }
  return map;
}

/** The declared values among those given; what is not declared is ignored, what does not fit is missing. */
function declaredValues(
  declared: ReadonlyMap<string, Declaration>,
  stored: Properties | undefined,
  given: Properties | undefined,
  allowance: Allowance,
): Map<string, Value> {
  if (declared.size === 0 || (stored === undefined && given === undefined)) return NO_VALUES;
  const values = new Map<string, Value>();
  for (const [name, { type, source }] of declared) {
    const from = source === 'stored' ? stored : given;
    if (from === undefined || !Object.hasOwn(from, name)) continue;
    const { bytes } = allowance;
    // The table has a bound of its own, which is lower.
    const value = source === 'stored' ? convert(from[name], type) : convert(from[name], type, allowance);
    allowance.converted += bytes - allowance.bytes;
    if (value === undefined) allowance.bytes = bytes;
    else values.set(name, value);
  }
  return values;
}

/** Stays empty: nothing is found in it that would be replaced. */
const NO_VALUES: Map<string, Value> = new Map();

/** What everything has. A text beyond the bound is missing. */
function setText(values: Map<string, Value>, name: string, text: string): void {
  if (text.length <= PASSED_BOUNDS.string && text.isWellFormed()) values.set(name, text);
}

/** What expressions look at in one decision. */
export const variablesOf = (
  { subject, resource, action, context }: VariablesInput,
  declarations: Declarations,
  allowance: Allowance = newAllowance(),
): Variables => ({
  subject: subject ? entityIn('subject', subject, declarations, allowance) : NO_VALUES,
  resource: resource ? entityIn('resource', resource, declarations, allowance) : NO_VALUES,
  action: action ? actionIn(action, declarations, allowance) : NO_VALUES,
  context: context ? contextIn(context, declarations, allowance) : NO_VALUES,
});

// A Map that is made of a list of entries takes several times as long.
function entityIn(
  kind: 'subject' | 'resource',
  { type, id, stored, passed }: EntityInput,
  declarations: Declarations,
  allowance: Allowance,
): ValueMap {
  const declared = declarations.get(`${kind}:${type}`) ?? NOTHING;
  const values = new Map<string, Value>();
  setText(values, 'type', type);
  setText(values, 'id', id);
  return values.set('properties', declaredValues(declared, stored, passed, allowance));
}

function actionIn(
  { name, passed }: NonNullable<VariablesInput['action']>,
  declarations: Declarations,
  allowance: Allowance,
): ValueMap {
  const values = new Map<string, Value>();
  setText(values, 'name', name);
  const declared = declarations.get('action') ?? NOTHING;
  return values.set('properties', declaredValues(declared, undefined, passed, allowance));
}

/** The context, with the address in its one form; what is no address is missing. */
function contextIn(given: Properties, declarations: Declarations, allowance: Allowance): ValueMap {
  const values = declaredValues(contextOf(declarations), undefined, given, allowance);
  const ip = values.get('ip');
  if (typeof ip !== 'string') return values;
  const address = addressIn(ip);
  if (address === undefined) values.delete('ip');
  else values.set('ip', address);
  return values;
}

/** The context's declarations, built-in ones included; those cannot be declared otherwise. */
export function contextOf(declarations: Declarations): ReadonlyMap<string, Declaration> {
  const own = declarations.get('context');
  return own === undefined || own.size === 0 ? BUILT_IN : new Map([...own, ...BUILT_IN]);
}
