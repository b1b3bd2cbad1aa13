import type { Item } from '../item.ts';
import type { Update } from './action.ts';

/** Updates of items that may be of two forms. Which one an item is of is settled when the update is sent. */

/** The update as it is for an item of the other form: itself where both are the same. */
export const otherwise = (update: Update): Update => update.otherForm?.update ?? update;

/** The update as it is for this item. */
export function updateFor(item: Item | undefined, update: Update): Update {
  const { otherForm } = update;
  return otherForm && item?.[otherForm.attribute] === otherForm.value ? otherForm.update : update;
}
