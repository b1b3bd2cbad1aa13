import { byteLength } from './bytes.ts';
import type { Item } from './item.ts';

/** What one item may take (DynamoDB's limit): 400 KB, names of attributes included. */
export const MAX_ITEM_BYTES = 400 * 1024;

/** What all items of one transaction may take together, reading or writing (DynamoDB's limit): 4 MB. */
export const MAX_TRANSACTION_BYTES = 4 * 1024 * 1024;

/** Characters of a cursor: it holds the keys of an item in the table and in an index, with ids of any length. */
export const MAX_CURSOR_LENGTH = 6_144;

/**
 * The bytes of an item as DynamoDB counts them (AWS, "DynamoDB item sizes and formats"): names and texts in
 * UTF-8, a number about a byte for two digits, a list or map 3 bytes and one for each element. An estimate:
 * AWS says of numbers only "approximately".
 */
export const sizeOf = (item: Item): number => sizeOfMap(item);

// Items are measured at every read and write: no lists are made of their attributes.
function sizeOfMap(map: object): number {
  let sum = 0;
  for (const name of Object.keys(map)) {
    const value = (map as Readonly<Record<string, unknown>>)[name];
    if (value !== undefined) sum += byteLength(name) + sizeOfValue(value);
  }
  return sum;
}

function sizeOfValue(value: unknown): number {
  if (typeof value === 'string') return byteLength(value);
  if (typeof value === 'number') return sizeOfNumber(value);
  if (value instanceof Set) {
    let sum = 0;
    for (const each of value) sum += sizeOfValue(each);
    return sum;
  }
  if (Array.isArray(value)) return value.reduce((sum: number, each) => sum + 1 + sizeOfValue(each), 3);
  if (typeof value === 'object' && value !== null) return 3 + Object.keys(value).length + sizeOfMap(value);
  return 1;
}

/** A byte for two significant digits, one for the exponent, one for a minus. */
const sizeOfNumber = (value: number): number =>
  Math.ceil(significantDigits(Math.abs(value)) / 2) + 1 + (value < 0 ? 1 : 0);

/** How many digits of a number are neither leading nor trailing zeros. */
function significantDigits(value: number): number {
  if (!Number.isSafeInteger(value)) {
    const [digits = ''] = value.toString().replace('.', '').split('e');
    return digits.replace(/^0+|0+$/g, '').length;
  }
  let count = 0;
  for (let left = value; left > 0; left = Math.floor(left / 10)) if (count > 0 || left % 10 !== 0) count += 1;
  return count;
}
