import { type Filter, parse } from 'scim2-parse-filter';
import { badRequest } from './errors.ts';
import type { AttributePlace, ResourceType } from './schema.ts';

export type { Filter };
export type Compare = Extract<Filter, { readonly compValue: unknown }>;

/** Characters of the longest filter, and of the longest path. */
const MAX_LENGTH = 2_048;

/** Control characters are in no filter, and the library takes exponential time for line breaks in a text without an end. */
const UNSAFE = /\p{Cc}/u;

/** @throws ScimError with the given type for a text that is none */
function parsed(text: string, scimType: 'invalidFilter' | 'invalidPath'): Filter {
  if (text.length > MAX_LENGTH) throw badRequest(scimType, `longer than ${MAX_LENGTH} characters`);
  if (UNSAFE.test(text)) throw badRequest(scimType, 'holds a control character');
  try {
    return parse(text);
  } catch {
    throw badRequest(scimType, 'cannot be read (RFC 7644 section 3.4.2.2)');
  }
}

/** A filter without brackets: an attribute with several values has at most one here, or is compared by itself. */
export const readFilter = (text: string): Filter => flat(parsed(text, 'invalidFilter'));

/** Not that of the library, which does not end for `not`. */
function flat(filter: Filter, within = ''): Filter {
  if ('filters' in filter) return { ...filter, filters: filter.filters.map((each) => flat(each, within)) };
  if (filter.op === 'not') return { ...filter, filter: flat(filter.filter, within) };
  const attrPath = `${within}${filter.attrPath}`;
  return filter.op === '[]' ? flat(filter.valFilter, `${attrPath}.`) : { ...filter, attrPath };
}

/** Where a PATCH operation applies (RFC 7644 section 3.5.2). */
export interface Path {
  /** With the sub-attribute, as `emails.value`. */
  readonly attribute: string;
  /** Which values of it, by their sub-attributes. */
  readonly filter?: Filter;
}

const FORM = /^[^\s[\]]+(?:\[.*\](?:\.[^\s[\].]+)?)?$/;
/** The schema before an attribute: its version has a dot. */
const SCHEMA = /^urn:[\w.:-]*:(?=[^:]*$)/i;

/** @throws ScimError `invalidPath` */
export function readPath(text: string): Path {
  if (text.length > MAX_LENGTH || !FORM.test(text))
    throw badRequest('invalidPath', 'path cannot be read (RFC 7644 section 3.5.2)');
  if (!text.includes('[')) return { attribute: text };
  const [schema = ''] = SCHEMA.exec(text.slice(0, text.indexOf('['))) ?? [];
  const bare = text.slice(schema.length);
  // An expression `pr` makes a filter of a path that ends with a sub-attribute.
  const filter = parsed(bare.endsWith(']') ? bare : `${bare} pr`, 'invalidPath');
  const [ofValues, rest] = filter.op === 'and' ? filter.filters : [filter];
  if (ofValues?.op !== '[]') throw badRequest('invalidPath', 'path cannot be read (RFC 7644 section 3.5.2)');
  const attribute = rest && 'attrPath' in rest ? rest.attrPath : ofValues.attrPath;
  return { attribute: `${schema}${attribute}`, filter: ofValues.valFilter };
}

/** The values of an attribute that a filter names; it throws ScimError for one that it may not name. */
export type ValuesOf = (attribute: string, compare: Filter) => readonly unknown[];

/** Whether a filter holds, by the values of the attributes that it names. */
export function holds(
  filter: Filter,
  placeOf: (path: string) => AttributePlace,
  valuesOf: ValuesOf,
): boolean {
  const each = (of: Filter): boolean => holds(of, placeOf, valuesOf);
  if ('filters' in filter)
    return filter.op === 'and' ? filter.filters.every(each) : filter.filters.some(each);
  if (filter.op === 'not') return !each(filter.filter);
  if (filter.op === '[]') throw badRequest('invalidFilter', 'brackets within brackets');
  const { attribute } = placeOf(filter.attrPath);
  const values = valuesOf(filter.attrPath, filter).filter((value) => value !== undefined && value !== null);
  if (filter.op === 'pr') return values.length > 0;
  return compared(filter, attribute, values);
}

function compared(
  { op, compValue }: Compare,
  attribute: AttributePlace['attribute'],
  values: readonly unknown[],
): boolean {
  // What is not there equals null, and differs from all else.
  if (compValue === null) return (op === 'ne') === values.length > 0;
  if (op === 'ne') return !compared({ op: 'eq', attrPath: '', compValue }, attribute, values);
  const isOrder = op !== 'eq' && op !== 'co' && op !== 'sw' && op !== 'ew';
  if (attribute.type === 'boolean') {
    if (op !== 'eq') throw badRequest('invalidFilter', `${op} does not compare true and false`);
    return values.includes(typeof compValue === 'string' ? compValue.toLowerCase() === 'true' : compValue);
  }
  if (typeof compValue !== 'string') return false;
  if (isOrder && attribute.type === 'dateTime')
    return values.some((value) => ordered(op, Date.parse(String(value)), Date.parse(compValue)));
  const inCase = (text: string) => (attribute.caseExact ? text : text.toLowerCase());
  const wanted = inCase(compValue);
  return values.some((value) => {
    if (typeof value !== 'string') return false;
    const own = inCase(value);
    if (op === 'eq') return own === wanted;
    if (op === 'co') return own.includes(wanted);
    if (op === 'sw') return own.startsWith(wanted);
    if (op === 'ew') return own.endsWith(wanted);
    return ordered(op, own, wanted);
  });
}

function ordered<T extends string | number>(op: Compare['op'], a: T, b: T): boolean {
  if (op === 'gt') return a > b;
  if (op === 'ge') return a >= b;
  return op === 'lt' ? a < b : a <= b;
}

/** The place of an attribute that a filter may name. Throws ScimError `invalidFilter`. */
export const placesIn =
  (type: ResourceType) =>
  (path: string): AttributePlace => {
    const place = type.find(path);
    if (place === undefined) throw badRequest('invalidFilter', `${path} is no attribute of ${type.name}`);
    return place;
  };

/** All comparisons of a filter, however deep. */
export function comparisonsIn(filter: Filter): readonly Filter[] {
  if ('filters' in filter) return filter.filters.flatMap(comparisonsIn);
  return filter.op === 'not' ? comparisonsIn(filter.filter) : [filter];
}

/** The comparisons with `eq` of which each result of a filter meets all. */
export function mustEqual(filter: Filter): readonly Compare[] {
  if (filter.op === 'and') return filter.filters.flatMap(mustEqual);
  return filter.op === 'eq' ? [filter] : [];
}

/** The values of an attribute in a resource. */
export function valuesIn(
  resource: Readonly<Record<string, unknown>>,
  { at, attribute }: AttributePlace,
): readonly unknown[] {
  const [name, sub] = at;
  const whole = [resource[name]].flat();
  if (sub !== undefined)
    return whole.map((each) => (each as Readonly<Record<string, unknown>> | undefined)?.[sub]);
  // What several values are compared by, where no sub-attribute is named (RFC 7644 section 3.4.2.2).
  return attribute.multiValued && attribute.type === 'complex'
    ? whole.map((each) => (each as Readonly<Record<string, unknown>> | undefined)?.value)
    : whole;
}
