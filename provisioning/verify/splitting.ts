import type { SplitThresholds } from '../../table/decision/split.ts';
import type { Item } from '../../table/item.ts';
import type { Reader } from '../../table/reader.ts';
import type { Action } from '../../table/write/action.ts';

/**
 * A part of a decision item that can stand in items of its own (ADR 0024). Both ways are sequences of transactions: what
 * one that was stopped has done is found again in the table.
 */
export interface Splitting {
  /** Whether the part of this item, which holds it itself, has outgrown the item. */
  readonly isDue: (item: Item, thresholds: SplitThresholds) => boolean;
  /** Whether the part of this item stands apart. */
  readonly isSplit: (item: Item) => boolean;
  /**
   * The transactions that bring the part out of the item, in their order, as things are; undefined when that is not
   * possible. Each leaves the table whole, and is refused (`stale`) when what all were made from has changed; then they are
   * planned anew. One of them sets the marker: what it stands for has to be there by then.
   *
   * @param now epoch milliseconds
   */
  readonly split: (
    reader: Reader,
    item: Item,
    now: number,
  ) => Promise<readonly (readonly Action[])[] | undefined>;
  /** The same for the way back into the item; undefined as well when the part does not fit into it. */
  readonly join: Splitting['split'];
}
