/**
 * Properties of subjects, resources, actions and the context, over which conditions are evaluated (SPEC
 * section 8, ADR 0033).
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

/** Bytes of the stored properties of one subject or scope, as JSON. */
export const MAX_PROPERTIES_BYTES = 4_096;

/** Characters of a condition. */
export const MAX_CONDITION_LENGTH = 1_000;
