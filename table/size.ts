import { byteLength } from './bytes.ts';
import type { Item } from './item.ts';

/** What one item may take (DynamoDB's limit): 400 KB, names of attributes included. */
export const MAX_ITEM_BYTES = 400 * 1024;

/** What all items of one transaction may take together, reading or writing (DynamoDB's limit): 4 MB. */
export const MAX_TRANSACTION_BYTES = 4 * 1024 * 1024;

/**
 * The bytes of an item as DynamoDB counts them (AWS, "DynamoDB item sizes and formats"): names and texts in
 * UTF-8, a number about a byte for two digits, a list or map 3 bytes and one for each element. An estimate:
 * AWS says of numbers only "approximately".
 */
export const sizeOf = (item: Item): number => sizeOfMap(item);

const sizeOfMap = (map: object): number =>
  Object.entries(map).reduce(
    (sum, [name, value]) => (value === undefined ? sum : sum + byteLength(name) + sizeOfValue(value)),
    0,
  );

function sizeOfValue(value: unknown): number {
  if (typeof value === 'string') return byteLength(value);
  if (typeof value === 'number') return sizeOfNumber(value);
  if (value instanceof Set) return [...value].reduce((sum: number, each) => sum + sizeOfValue(each), 0);
  if (Array.isArray(value)) return value.reduce((sum: number, each) => sum + 1 + sizeOfValue(each), 3);
  if (typeof value === 'object' && value !== null) return 3 + Object.keys(value).length + sizeOfMap(value);
  return 1;
}

/** A byte for two significant digits, one for the exponent, one for a minus. */
function sizeOfNumber(value: number): number {
  const [digits = ''] = Math.abs(value).toString().replace('.', '').split('e');
  const significant = digits.replace(/^0+|0+$/g, '').length;
  return Math.ceil(significant / 2) + 1 + (value < 0 ? 1 : 0);
}
