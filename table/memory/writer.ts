import { GatehouseError, limitExceeded } from '../errors.ts';
import type { Item } from '../item.ts';
import { MAX_ITEM_BYTES, MAX_TRANSACTION_BYTES } from '../size.ts';
import { WRITE_DEADLINE_MS } from '../timing.ts';
import { type Action, keyOf, type Update } from '../write/action.ts';
import { after, meets } from '../write/sequence.ts';
import { assertFits, assertOnePerItem, ITEM_TOO_LARGE } from '../write/transaction.ts';
import type { WriteNotes, Writer } from '../writer.ts';
import { type Mishaps, throttled } from './faults.ts';
import type { Rows } from './rows.ts';
import { copyAction, sizeOfRow } from './values.ts';

export interface MemoryWriterOptions {
  /** The current item. */
  readonly rows: Pick<Rows, 'get'>;
  /** What an action makes of its item: nothing where it is deleted. */
  readonly change: (action: Action, item: Item | undefined) => void;
  readonly mishaps: Mishaps;
  /** What a failed condition is told of an item: a copy, or the item itself. */
  readonly copied: (item: Item) => Item;
  readonly onCommit: ((actions: readonly Action[]) => void) | undefined;
}

/** A transaction as it was given, and a copy of it that nobody changes any more. */
interface Sent {
  readonly actions: readonly Action[];
  readonly given: readonly Action[];
  readonly notes?: WriteNotes | undefined;
}

/**
 * Writing to memory as to DynamoDB: the same limits, and conditions that fail in the order of the actions.
 */
export function createMemoryWriter({ rows, change, mishaps, copied, onCommit }: MemoryWriterOptions): Writer {
  /** All or nothing, at one instant. Answers the failure of the first condition that does not hold. */
  function carryOut({ actions, given, notes }: Sent): GatehouseError | undefined {
    const failure = failureOf(actions, notes);
    if (failure) return failure;
    const results = actions.map((action) => [action, after(rows.get(keyOf(action)), action)] as const);
    const sizes = results.map(([{ kind }, item]) =>
      item && (kind === 'put' || kind === 'update') ? sizeOfRow(item) : 0,
    );
    if (sizes.some((size) => size > MAX_ITEM_BYTES)) return limitExceeded(ITEM_TOO_LARGE);
    if (sizes.reduce((sum, size) => sum + size, 0) > MAX_TRANSACTION_BYTES)
      return limitExceeded('the items of one transaction take more than 4 MB');
    for (const [action, item] of results) if (action.kind !== 'check') change(action, item);
    onCommit?.(given);
    return undefined;
  }

  function failureOf(actions: readonly Action[], notes: WriteNotes | undefined): GatehouseError | undefined {
    const failures: GatehouseError[] = [];
    for (const action of actions) {
      const found = rows.get(keyOf(action));
      if (action.when && action.failure && !meets(found, action.when))
        failures.push(action.failure(found && copied(found)));
      const misfit = action.kind === 'update' ? misfitOf(found, action) : undefined;
      if (misfit && failures.length === 0) return misfit;
    }
    if (notes && failures.length > 0) notes.failures = failures;
    return failures[0];
  }

  async function attempt(sent: Sent): Promise<GatehouseError | undefined> {
    const isThrottled = mishaps.throttles();
    const isConflict = mishaps.conflicts();
    const { instants, takes } = mishaps.spread(1);
    const [instant = 0] = instants;
    await mishaps.wait(instant);
    if (isThrottled) return throttled('TransactWriteItems');
    // A failed condition is certain; a conflict beside it may pass.
    const failure = isConflict ? failureOf(sent.actions, sent.notes) : carryOut(sent);
    await mishaps.wait(takes - instant);
    if (failure) throw failure;
    return isConflict
      ? new GatehouseError('contended', 'another change to the same items was under way')
      : undefined;
  }

  return {
    send: async (given, notes) => {
      assertFits(given);
      assertOnePerItem(given);
      const sent = { actions: given.map(copyAction), given, notes };
      if (!mishaps.isLate()) return mishaps.persistently(WRITE_DEADLINE_MS, () => attempt(sent));
      mishaps.later(() => void carryOut(sent));
      await mishaps.giveUp();
      throw new GatehouseError('transient', 'TransactWriteItems did not get an answer in time');
    },
  };
}

/** DynamoDB adds numbers to numbers and sets to sets only. */
function misfitOf(found: Item | undefined, { add, takeOut }: Update): GatehouseError | undefined {
  for (const [name, value] of Object.entries({ ...add, ...takeOut })) {
    const known = found?.[name];
    const isSame = typeof value === 'number' ? typeof known === 'number' : known instanceof Set;
    if (known !== undefined && !isSame)
      return new GatehouseError('internal', `${name} is of another type than what is added or taken out`);
  }
  return undefined;
}
