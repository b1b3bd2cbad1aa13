import { stale } from '../errors.ts';
import type { Item } from '../item.ts';
import { identityOf } from '../keys.ts';
import type { Action, Update } from './action.ts';

/**
 * Updates of items that may be of two forms. Which one an item is of is a condition of the write, so nothing is read
 * before: the usual form is tried first. Where it fails for that reason alone, the same transaction is sent again.
 */

/** How often one transaction is sent: an item changes its form once, or once and back. */
const MAX_TRIES = 4;

/** The update as it is for an item of the other form: itself where both are the same. */
export const otherwise = (update: Update): Update => update.otherForm?.update ?? update;

/** The update as it is for this item. */
export function updateFor(item: Item | undefined, update: Update): Update {
  const { otherForm } = update;
  return otherForm && item?.[otherForm.attribute] === otherForm.value ? otherForm.update : update;
}

/**
 * Sends a transaction, each update in the form that its item is of.
 *
 * @param known the items of the other form, by identity: where to begin. What is learnt is noted there.
 * @param send is given the actions as they are to be sent, and called again after a failure because of a form
 * @throws what `send` throws
 */
export async function sendInForm<T>(
  actions: readonly Action[],
  known: Set<string>,
  send: (actions: readonly Action[]) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    let isOfOther = false;
    const chosen = actions.map((action) =>
      action.kind === 'update' && action.otherForm
        ? inFormOf(action, known, () => {
            isOfOther = true;
          })
        : action,
    );
    try {
      return await send(chosen);
    } catch (error) {
      if (!isOfOther || tries >= MAX_TRIES) throw error;
    }
  }
}

/** The update in one form, on condition that the item is of it. */
function inFormOf({ otherForm, ...usual }: Update, known: Set<string>, onOther: () => void): Action {
  if (!otherForm) return usual;
  const { attribute, value, update } = otherForm;
  const identity = identityOf(usual.key);
  const isOther = known.has(identity);
  const chosen: Omit<Update, 'otherForm'> = isOther ? update : usual;
  const expected = isOther ? value : undefined;
  const failure = (found: Item | undefined) => {
    if (!found || found[attribute] === expected)
      return chosen.failure?.(found) ?? stale(`${usual.key.PK} / ${usual.key.SK}`);
    if (isOther) known.delete(identity);
    else known.add(identity);
    onOther();
    return stale(`${usual.key.PK} / ${usual.key.SK}`);
  };
  return {
    ...chosen,
    when: { ...chosen.when, equals: { ...chosen.when?.equals, [attribute]: expected } },
    failure,
  };
}
