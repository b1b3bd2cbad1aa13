import { GatehouseError } from '../errors.ts';
import { assertReadable, saysForm } from '../form.ts';
import type { Item } from '../item.ts';
import { Attribute, type ParsedAttribute, parseAttribute } from './attributes.ts';
import type { Interval } from './items.ts';

/**
 * Attributes of decision items as they are read. Whatever is not exactly as the writer makes it throws `damaged_item`, and
 * a form that a later release made `newer_form`: faults, and every fault ends in "not allowed".
 */
export const damaged = (item: Item, attribute: string): GatehouseError =>
  new GatehouseError(
    'damaged_item',
    `decision item ${item.PK} / ${item.SK} holds a damaged ${parseAttribute(attribute)?.kind ?? attribute}`,
    {
      field: attribute,
    },
  );

/** The plain attributes of one kind of item. */
export const plain = (...own: readonly string[]): ReadonlySet<string> =>
  new Set(['PK', 'SK', 'Type', Attribute.version, Attribute.writtenAt, Attribute.writeId, ...own]);

export interface Compound {
  readonly name: string;
  readonly value: unknown;
  readonly parsed: ParsedAttribute;
}

/** The compound attributes of an item, once its version and the names of its attributes are found good. */
export function compoundsOf(item: Item, known: ReadonlySet<string>): readonly Compound[] {
  assertReadable(item);
  // Decision items have always said their form.
  if (!saysForm(item)) throw damaged(item, Attribute.version);
  const compounds: Compound[] = [];
  for (const [name, value] of Object.entries(item)) {
    if (known.has(name)) continue;
    const parsed = parseAttribute(name);
    if (!parsed) throw damaged(item, name);
    compounds.push({ name, value, parsed });
  }
  return compounds;
}

export const NONE: readonly string[] = [];

export function idSet(item: Item, attribute: string): readonly string[] {
  const value = item[attribute];
  if (value === undefined) return NONE;
  if (!(value instanceof Set)) throw damaged(item, attribute);
  const ids: string[] = [];
  for (const id of value) {
    if (typeof id !== 'string') throw damaged(item, attribute);
    ids.push(oneOf(id));
  }
  // What was pushed to has room for more; a copy has not.
  return ids.slice();
}

/** Epoch milliseconds of a date as the writer puts it; `Date.parse` takes others, some in local time. */
export function instant(item: Item, attribute: string, text: unknown): number {
  const time = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time) || new Date(time).toISOString() !== text) throw damaged(item, attribute);
  return time;
}

/** `start/end`, either side empty. */
export function interval(item: Item, attribute: string): Interval {
  const value = item[attribute];
  const [start, end, ...more] = typeof value === 'string' ? value.split('/') : [];
  if (start === undefined || end === undefined || more.length > 0) throw damaged(item, attribute);
  return {
    start: start === '' ? Number.NEGATIVE_INFINITY : instant(item, attribute, start),
    end: end === '' ? Number.POSITIVE_INFINITY : instant(item, attribute, end),
  };
}

export function isActive(item: Item): boolean {
  const status = item[Attribute.status];
  if (typeof status !== 'string') throw damaged(item, Attribute.status);
  return status === 'active';
}

/** So many texts are known at once; then it begins anew. */
const MOST = 20_000;

const texts = new Map<string, string>();

/**
 * The one copy of a text that many items hold, such as the id of a group: each item that is read brings its own, and they
 * would all be kept. It is the same text either way, but V8 finds the very copy in a map several times faster than another
 * one, and than a part of a longer text by far.
 */
export function oneOf(text: string): string {
  const before = texts.get(text);
  if (before !== undefined) return before;
  if (texts.size >= MOST) texts.clear();
  texts.set(text, text);
  return text;
}
