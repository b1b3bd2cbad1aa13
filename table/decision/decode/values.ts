import { GatehouseError } from '../../errors.ts';
import type { Item } from '../../item.ts';
import { Attribute, DECISION_VERSION, splitAttribute } from '../attributes.ts';
import type { Interval } from '../facts.ts';
import { oneOf } from '../one-of.ts';

/**
 * Decision items into facts. Whatever is not exactly as the writer makes it throws `damaged_item`:
 * a fault, and every fault ends in "not allowed". An attribute that is not known here was written by a
 * newer version and throws as well, since it may restrict.
 */
export const damaged = (item: Item, attribute: string): GatehouseError =>
  new GatehouseError(
    'damaged_item',
    `decision item ${item.PK} / ${item.SK} holds a damaged ${splitAttribute(attribute)[0]}`,
    {
      field: attribute,
    },
  );

/** The plain attributes of one kind of item. */
export const plain = (...own: readonly string[]): ReadonlySet<string> =>
  new Set(['PK', 'SK', 'Type', Attribute.version, Attribute.writtenAt, ...own]);

export interface Compound {
  readonly name: string;
  readonly value: unknown;
  readonly parts: readonly string[];
}

/** The compound attributes of an item, once its version and the names of its attributes are found good. */
export function compoundsOf(item: Item, known: ReadonlySet<string>): readonly Compound[] {
  if (item[Attribute.version] !== DECISION_VERSION) throw damaged(item, Attribute.version);
  const compounds: Compound[] = [];
  for (const [name, value] of Object.entries(item)) {
    if (known.has(name)) continue;
    const parts = splitAttribute(name);
    if (parts.length === 1 || parts.includes('')) throw damaged(item, name);
    compounds.push({ name, value, parts });
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

/** Milliseconds of the item's last write; the engine compares it with the time of its reads. */
export function decodeWrittenAt(item: Item): number {
  const time = item[Attribute.writtenAt];
  if (typeof time !== 'number') throw damaged(item, Attribute.writtenAt);
  return time;
}
