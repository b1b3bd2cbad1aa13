import { GatehouseError, invalid, limitExceeded } from '../errors.ts';
import { identityOf } from '../keys.ts';
import { MAX_ITEM_BYTES, MAX_TRANSACTION_BYTES, sizeOf } from '../size.ts';
import { misfitOf } from '../value.ts';
import { type Action, keyOf } from './action.ts';

/** Actions of one TransactWriteItems (DynamoDB's limit). */
export const MAX_ACTIONS = 100;

export const ITEM_TOO_LARGE =
  'an item would grow beyond what the table can hold (400 KB); gatehouse migrate splits what has outgrown an item';

/**
 * Refuses what the table cannot take, before anything is sent: a value that no item can hold, more than 100
 * actions, an item of more than 400 KB, items of more than 4 MB together. Of an update only the table knows
 * how large the item becomes.
 *
 * @throws GatehouseError `invalid` naming the attribute; `limit_exceeded`
 */
export function assertFits(actions: readonly Action[]): void {
  if (actions.length > MAX_ACTIONS) {
    throw limitExceeded(`this change touches ${actions.length} items; one transaction holds ${MAX_ACTIONS}`);
  }
  for (const action of actions) assertValues(action);
  const sizes = actions.map((action) => (action.kind === 'put' ? sizeOf(action.item) : 0));
  if (sizes.some((size) => size > MAX_ITEM_BYTES)) throw limitExceeded(ITEM_TOO_LARGE);
  if (sizes.reduce((sum, size) => sum + size, 0) > MAX_TRANSACTION_BYTES)
    throw limitExceeded('this change is larger than one transaction holds (4 MB)');
}

function assertValues(action: Action): void {
  if (action.kind !== 'put' && action.kind !== 'update') return;
  const written = action.kind === 'put' ? [action.item] : [action.set, action.add, action.takeOut];
  for (const values of written) {
    for (const attribute of Object.keys(values ?? {})) {
      const misfit = misfitOf((values as Readonly<Record<string, unknown>>)[attribute]);
      if (!misfit) continue;
      const field = [attribute, ...misfit.path].join('.');
      throw invalid(field, `${field} ${misfit.message}`);
    }
  }
}

/**
 * A transaction is of at least one action, and has at most one for each item.
 *
 * @throws GatehouseError `internal`: DynamoDB refuses others, so it is a fault of the caller
 */
export function assertOnePerItem(actions: readonly Action[]): void {
  if (actions.length === 0) throw new GatehouseError('internal', 'a transaction without an action');
  const seen = new Set<string>();
  for (const action of actions) {
    const key = keyOf(action);
    const identity = identityOf(key);
    if (seen.has(identity))
      throw new GatehouseError('internal', `two actions of one transaction on ${key.PK} / ${key.SK}`);
    seen.add(identity);
  }
}

/**
 * The same transaction as conditions only: what a dry run sends. It fails exactly where the real one
 * would, and changes nothing.
 *
 * @throws GatehouseError as {@link assertFits} of the real one
 */
export function asChecks(actions: readonly Action[]): readonly Action[] {
  assertFits(actions);
  return actions.flatMap((action): Action[] =>
    action.when && action.failure
      ? [{ kind: 'check', key: keyOf(action), when: action.when, failure: action.failure }]
      : [],
  );
}
