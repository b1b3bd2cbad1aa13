import { Attribute } from '../table/decision/attributes.ts';
import type { Item } from '../table/item.ts';
import type { Reader } from '../table/reader.ts';

/**
 * A reader of a table in this process, for an engine whose clock stands still or is set back. The engine reads an item
 * again that was written a moment ago, until its clock is past that write: it would wait for ever. In memory a write is
 * committed when it returns, so the time of the write says nothing.
 */
export const asWrittenLongAgo = (reader: Reader): Reader => ({
  ...reader,
  getMany: async (keys, notes) => (await reader.getMany(keys, notes)).map((item) => item && longAgo(item)),
});

/** The first instant that JavaScript knows. */
const LONG_AGO = -8_640_000_000_000_000;

const longAgo = (item: Item): Item =>
  Object.hasOwn(item, Attribute.writtenAt) ? { ...item, [Attribute.writtenAt]: LONG_AGO } : item;
