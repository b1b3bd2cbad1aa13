import type { SplitThresholds } from '../../table/decision/split.ts';
import type { Item } from '../../table/item.ts';
import type { Reader } from '../../table/reader.ts';
import { MAX_ITEM_BYTES } from '../../table/size.ts';
import type { Action } from '../../table/write/action.ts';

/** The bytes of an item into which a part is brought back: it leaves room for some more. */
export const MOST_JOINED = MAX_ITEM_BYTES * 0.9;

/** What a part is brought out of an item with. */
export interface SplitTable {
  readonly reader: Reader;
  /**
   * Sends one transaction. It leaves the table whole, and is refused when what it was made from has changed.
   *
   * @throws GatehouseError `stale`, `contended`; as the service fails
   */
  readonly send: (actions: readonly Action[]) => Promise<void>;
  readonly clock: { readonly now: () => number };
  /** Fresh ULIDs. */
  readonly newId: () => string;
}

/**
 * A part of a decision item that can stand in items of its own (ADR 0003). Both ways are sequences of transactions: what
 * one that was stopped has done is found again in the table.
 */
export interface Splitting {
  /** Whether the part of this item, which holds it itself, has outgrown the item. */
  readonly isDue: (item: Item, thresholds: SplitThresholds) => boolean;
  /** Whether this item says that a part stands apart, or is on its way there. */
  readonly isSplit: (item: Item) => boolean;
  /**
   * Brings the part out of the item; answers whether that is possible. A transaction that is refused ends it (`stale`,
   * `contended`): then it is begun anew with what is there. One of them sets the marker: what it stands for has to be
   * there by then.
   */
  readonly split: (table: SplitTable, item: Item) => Promise<boolean>;
  /** The same for the way back into the item, which is not possible either where the part does not fit into it. */
  readonly join: Splitting['split'];
}
