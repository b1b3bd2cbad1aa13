import type { RoleFacts, RoleTable } from '../table/decision/facts.ts';

/** The roles that one owner lists, numbered from 0, so that what they may do is a row of bits. */
export interface Numbered {
  readonly numbers: ReadonlyMap<string, number>;
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
    patterned: [...table.values()].flatMap(({ patterns }, number) =>
      patterns.size > 0 ? [{ number, patterns }] : [],
    ),
  };
  known.set(table, made);
  return made;
}

/** A set of small numbers, 32 to a word. */
export type Bits = readonly number[];

/** Whether the two have a number in common. */
export function meet(a: Bits, b: Bits): boolean {
  const words = a.length < b.length ? a.length : b.length;
  for (let i = 0; i < words; i++) if (((a[i] as number) & (b[i] as number)) !== 0) return true;
  return false;
}

export function setBit(bits: number[], number: number): void {
  while (bits.length <= number >> 5) bits.push(0);
  (bits[number >> 5] as number) |= 1 << (number & 31);
}
