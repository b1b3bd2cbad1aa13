import { isLongerThan } from './bytes.ts';
import { isType } from './identifiers.ts';
import { isExact, isMap, type Misfit, NOT_EXACT } from './value.ts';

/**
 * Properties of subjects, resources, actions and the context, over which conditions are evaluated (ADR
 * 0022, Conditions, properties and declarations in the table).
 */
export const VALUE_TYPES = ['string', 'bool', 'int', 'double', 'timestamp', 'list<string>', 'map'] as const;
export type ValueType = (typeof VALUE_TYPES)[number];

/** `stored`: the table keeps it and a passed value is ignored. `passed`: the caller gives it. */
export const SOURCES = ['stored', 'passed'] as const;
export type Source = (typeof SOURCES)[number];

export interface Declaration {
  readonly type: ValueType;
  readonly source: Source;
}

/** What a property is of: `subject:user`, `resource:record`, `action`, `context`. Then its name. */
export type Declarations = ReadonlyMap<string, ReadonlyMap<string, Declaration>>;

/** Values by name. */
export type Properties = Readonly<Record<string, unknown>>;

export const NO_PROPERTIES: Properties = Object.freeze(Object.create(null) as Properties);

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
/** Names that mean something in JavaScript, and are refused wherever a property is named. */
const RESERVED: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Whether `value` can name a property. */
export const isPropertyName = (value: string): boolean => NAME.test(value) && !RESERVED.has(value);

/** What a property is of, as text: its category, and for a subject or a resource its type. */
const OF = /^(?:(?:subject|resource):(?<type>.+)|action|context)$/;

/** Whether `value` says what a property can be of. */
export function isPropertyOwner(value: string): boolean {
  const match = OF.exec(value);
  return match !== null && (match.groups?.type === undefined || isType(match.groups.type));
}

/** `subject`, `resource`, `action` or `context`. */
export const categoryOf = (of: string): string => of.split(':', 1)[0] as string;

/** Whether the table can keep such properties. Actions and the context are known to the caller only. */
export const isStorable = (of: string): boolean => of.includes(':');

/** Bytes of the stored properties of one subject or scope, as JSON. */
export const MAX_PROPERTIES_BYTES = 4_096;

/** Levels of maps that the value of one stored property may nest. */
export const MAX_PROPERTY_LEVELS = 3;

/** Why a value cannot be the stored properties of a subject or scope; undefined if it can. */
export function misfitOfProperties(value: unknown): Misfit | undefined {
  if (!isMap(value)) return { path: [], message: 'must be a map' };
  for (const [name, each] of Object.entries(value)) {
    if (!isPropertyName(name))
      return {
        path: [name],
        message: 'is no name of a property (letters, digits and underscore, at most 64, the first no digit)',
      };
    const misfit = misfitOfValue(each, MAX_PROPERTY_LEVELS);
    if (misfit) return { ...misfit, path: [name, ...misfit.path] };
  }
  return isLongerThan(JSON.stringify(value), MAX_PROPERTIES_BYTES)
    ? { path: [], message: `is larger than ${MAX_PROPERTIES_BYTES} bytes as JSON` }
    : undefined;
}

const misfit = (message: string): Misfit => ({ path: [], message });

function misfitOfValue(value: unknown, levels: number): Misfit | undefined {
  if (typeof value === 'boolean') return undefined;
  if (typeof value === 'string')
    return value.isWellFormed() ? undefined : misfit('holds half a character (a lone surrogate)');
  if (typeof value === 'number') return isExact(value) ? undefined : misfit(NOT_EXACT);
  if (Array.isArray(value))
    return value.every((each) => typeof each === 'string' && each.isWellFormed())
      ? undefined
      : misfit('is a list of something other than text');
  if (!isMap(value)) return misfit('is no text, no number, not true or false, no list and no map');
  if (levels === 0) return misfit(`is nested more than ${MAX_PROPERTY_LEVELS} levels deep`);
  for (const [name, each] of Object.entries(value)) {
    if (name === '' || !name.isWellFormed() || RESERVED.has(name))
      return { path: [name], message: 'is a name that cannot be kept' };
    const found = misfitOfValue(each, levels - 1);
    if (found) return { ...found, path: [name, ...found.path] };
  }
  return undefined;
}

/** Characters of a condition. */
export const MAX_CONDITION_LENGTH = 1_000;
