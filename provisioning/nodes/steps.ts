import type { Action } from '../../table/write/action.ts';
import { mergeActions } from '../../table/write/merge.ts';
import { MAX_ACTIONS } from '../../table/write/transaction.ts';

/**
 * Every step carries its audit record, the count of it and perhaps a key of pseudonyms, and writes or checks the
 * record of the operation.
 */
const OVERHEAD = 4;

/** Whether actions fit into the transaction of one step. */
export const fits = (actions: readonly Action[]): boolean =>
  mergeActions(actions).length <= MAX_ACTIONS - OVERHEAD;

/** As many portions from the front as fit into one step, each of them whole. */
export function asManyAsFit(portions: readonly (readonly Action[])[]): {
  readonly actions: readonly Action[];
  readonly taken: number;
} {
  let actions: readonly Action[] = [];
  for (const [taken, portion] of portions.entries()) {
    const more = [...actions, ...portion];
    if (!fits(more)) return { actions, taken };
    actions = mergeActions(more);
  }
  return { actions, taken: portions.length };
}
