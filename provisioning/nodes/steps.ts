import { inPlace } from '../../table/decision/apart.ts';
import type { KnownSplits } from '../../table/decision/split.ts';
import type { Action } from '../../table/write/action.ts';
import { mergeActions } from '../../table/write/merge.ts';
import { MAX_ACTIONS } from '../../table/write/transaction.ts';

/**
 * Every step carries its audit record, the count of it and perhaps a key of pseudonyms, writes or checks the record
 * of the operation, and writes the revision of what invariants rest on in its tenant.
 */
const OVERHEAD = 5;

/**
 * Whether actions fit into the transaction of one step.
 *
 * @param splits which items are known to have parts that stand apart: they take more actions
 * @param more further actions that the step carries
 */
export const fits = (actions: readonly Action[], splits?: KnownSplits, more = 0): boolean =>
  placed(mergeActions(actions), splits).length + more <= MAX_ACTIONS - OVERHEAD;

const placed = (actions: readonly Action[], splits: KnownSplits | undefined): readonly Action[] =>
  splits ? inPlace(actions, splits) : actions;

/** As many portions from the front as fit into one step, each of them whole. */
export function asManyAsFit(
  portions: readonly (readonly Action[])[],
  splits?: KnownSplits,
): {
  readonly actions: readonly Action[];
  readonly taken: number;
} {
  let actions: readonly Action[] = [];
  for (const [taken, portion] of portions.entries()) {
    const more = [...actions, ...portion];
    if (!fits(more, splits)) return { actions, taken };
    actions = mergeActions(more);
  }
  return { actions, taken: portions.length };
}
