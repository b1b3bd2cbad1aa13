import type { Item } from '../table/item.ts';

/** Estimated bytes: of an entry with its name and place in the cache, of an attribute, of a member of a list. */
const ENTRY = 200;
const ATTRIBUTE = 130;
const MEMBER = 16;

/** The attributes that every decision item has, and of which nothing is kept but numbers. */
const OF_ALL: ReadonlySet<string> = new Set(['PK', 'SK', 'Type', 'v', 'writtenAt', 'status']);

/** Estimated bytes of a cached entry, rather too many (`npm run bench -- memory` holds what is really used to the bound). */
export function weigh(id: string, item: Item | undefined): number {
  let weight = ENTRY + id.length;
  for (const [name, value] of Object.entries(item ?? {})) {
    if (OF_ALL.has(name)) continue;
    weight += ATTRIBUTE + name.length;
    if (typeof value === 'string') weight += value.length;
    else if (value instanceof Set) weight += MEMBER * value.size;
    else if (Array.isArray(value)) weight += MEMBER * value.length;
  }
  return weight;
}
