import type { RoleFacts, RoleTable } from '../table/decision/facts.ts';

/** The roles that one owner lists, numbered from 0, so that what they may do is a row of bits. */
export interface Numbered {
  readonly numbers: ReadonlyMap<string, number>;
  /** The other way round. */
  readonly ids: readonly string[];
  /** Those of them that hold wildcards. */
  readonly patterned: readonly { readonly number: number; readonly patterns: RoleFacts['patterns'] }[];
}

const known = new WeakMap<RoleTable, Numbered>();

/** The numbers of a table's roles: worked out once for each table that was read. */
export function numbered(table: RoleTable): Numbered {
  const before = known.get(table);
  if (before) return before;
  const ids = [...table.keys()];
  const made = {
    numbers: new Map(ids.map((id, number) => [id, number])),
    ids,
    patterned: [...table.values()].flatMap(({ patterns }, number) =>
      patterns.size > 0 ? [{ number, patterns }] : [],
    ),
  };
  known.set(table, made);
  return made;
}

/** A set of small numbers: in one word, unless there is one above 31; then in as many words as it takes. */
export type Bits = number | readonly number[];

export function bitsOf(numbers: Iterable<number>): Bits {
  const words = [0];
  for (const number of numbers) {
    while (words.length <= number >> 5) words.push(0);
    (words[number >> 5] as number) |= 1 << (number & 31);
  }
  return words.length === 1 ? (words[0] as number) : words;
}

/** Adds what stands in a list at these numbers, the lowest first. */
export function pick<T>(bits: Bits, from: readonly T[], to: T[]): void {
  const words = wordsOf(bits);
  for (let i = 0; i < words.length; i++)
    for (let left = words[i] as number; left !== 0; left &= left - 1)
      to.push(from[(i << 5) + 31 - Math.clz32(left & -left)] as T);
}

/** Whether the two have a number in common. */
export const meet = (a: Bits, b: Bits): boolean =>
  typeof a === 'number' && typeof b === 'number' ? (a & b) !== 0 : meetInWords(wordsOf(a), wordsOf(b));

const wordsOf = (bits: Bits): readonly number[] => (typeof bits === 'number' ? [bits] : bits);

function meetInWords(a: readonly number[], b: readonly number[]): boolean {
  const words = Math.min(a.length, b.length);
  for (let i = 0; i < words; i++) if (((a[i] as number) & (b[i] as number)) !== 0) return true;
  return false;
}
