import type { Item } from '../../../table/item.ts';
import type { Reader } from '../../../table/reader.ts';
import type { Action } from '../../../table/write/action.ts';

/**
 * Faults that are planted, to show that the simulation finds them. Each stands between the product and its table: the
 * product itself is as it is.
 */
export interface Plant {
  /** What an engine reads; a new one for each engine. */
  readonly read?: () => (item: Item) => Item;
  /** What a transaction is sent as. */
  readonly send?: (actions: readonly Action[]) => readonly Action[];
}

export const PLANTS = {
  /** Every item looks as if it had been written long ago: its span begins before every other one ends. */
  coherence: { read: () => (item) => (item.writtenAt === undefined ? item : { ...item, writtenAt: 1 }) },
  /** What was made of a permission's item is kept when the item is another. */
  memo: {
    read: () => {
      const first = new Map<string, Item>();
      return (item) => {
        if (!OF_PERMISSION.test(`${item.PK} ${item.SK}`)) return item;
        const known = first.get(`${item.PK} ${item.SK}`) ?? item;
        first.set(`${item.PK} ${item.SK}`, known);
        return { ...known, ...stampOf(item) };
      };
    },
  },
  /** A value is taken without looking whether it is taken. */
  guard: {
    send: (actions) =>
      actions.map((action) =>
        action.kind === 'put' && action.item.Type === 'Guard' ? { kind: 'put', item: action.item } : action,
      ),
  },
  /** Whoever has read a node writes to any other one of its id, too. */
  reuse: {
    send: (actions) =>
      actions.map((action) => {
        const { createdAt, ...equals } = action.when?.equals ?? {};
        return createdAt === undefined ? action : { ...action, when: { ...action.when, equals } };
      }),
  },
} as const satisfies Readonly<Record<string, Plant>>;

export type PlantName = keyof typeof PLANTS;

const OF_PERMISSION = /^(?:PAGE|PERMISSION)#/;
const stampOf = ({ writtenAt, writeId }: Item) => ({ writtenAt, writeId });

/** A reader of which every item is as it was planted. */
export function withPlant(reader: Reader, plant: Plant | undefined): Reader {
  const change = plant?.read?.();
  if (!change) return reader;
  const all = (items: readonly (Item | undefined)[]) => items.map((item) => item && change(item));
  return {
    ...reader,
    getMany: async (...input) => all(await reader.getMany(...input)),
    getSnapshot: async (...input) => all(await reader.getSnapshot(...input)),
  };
}
