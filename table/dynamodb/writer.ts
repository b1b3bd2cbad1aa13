import { randomUUID } from 'node:crypto';
import type { CancellationReason } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { GatehouseError, invalid } from '../errors.ts';
import type { Item } from '../item.ts';
import { createPacing, type Pacing } from '../read/pacing.ts';
import { WRITE_DEADLINE_MS } from '../timing.ts';
import type { Action } from '../write/action.ts';
import type { Writer } from '../writer.ts';
import { toTableError } from './service-errors.ts';
import { buildTransaction } from './transaction.ts';

export interface WriterOptions {
  readonly client: DynamoDBDocumentClient;
  readonly table: string;
  /** Milliseconds for one transaction, retries included: {@link WRITE_DEADLINE_MS} and nothing else. */
  readonly deadlineMs?: number;
  /** For tests, whose transactions may take longer because nothing is decided on the margin there. */
  readonly pacing?: Pacing;
}

/**
 * @throws GatehouseError `invalid` for a deadline other than {@link WRITE_DEADLINE_MS}: every reader takes a
 *   write
 *   for certain after the margin that is made of it
 */
export function createWriter({
  client,
  table,
  deadlineMs = WRITE_DEADLINE_MS,
  pacing = createPacing({ deadlineMs }),
}: WriterOptions): Writer {
  if (deadlineMs !== WRITE_DEADLINE_MS)
    throw invalid('deadlineMs', `a writer tries for ${WRITE_DEADLINE_MS} ms: readers count on it`);
  return {
    send: async (actions) => {
      // One token for all attempts of this sending: a lost answer is recognised by the service, while the
      // same actions sent again on purpose are carried out again.
      const input = buildTransaction(actions, table, randomUUID());
      const signal = pacing.deadline();
      // When the time is up in the middle of an attempt, what the one before came to says more.
      let known: GatehouseError | undefined;
      for (let attempt = 1; ; attempt++) {
        const failure = await client.send(new TransactWriteCommand(input), { abortSignal: signal }).then(
          () => undefined,
          (error: unknown) => toWriteError(error, actions),
        );
        if (!failure) return;
        if (!failure.retryable || failure.code === 'stale') throw failure;
        if (signal.aborted) throw known ?? failure;
        known = failure;
        await pacing.pause(attempt, signal);
        if (signal.aborted) throw failure;
      }
    },
  };
}

const reasonsOf = (error: unknown): readonly CancellationReason[] | undefined => {
  if (typeof error !== 'object' || error === null || !('CancellationReasons' in error)) return undefined;
  return Array.isArray(error.CancellationReasons) ? error.CancellationReasons : undefined;
};

/**
 * Cancellation reasons come in the order of the actions. A failed condition outranks the rest: it is
 * certain, while a conflict or throttling beside it may pass. Of several failed conditions the first
 * action's speaks.
 */
function toWriteError(error: unknown, actions: readonly Action[]): GatehouseError {
  const reasons = reasonsOf(error);
  if (!reasons) return toTableError(error, 'TransactWriteItems');
  const failed = reasons.findIndex((reason) => reason.Code === 'ConditionalCheckFailed');
  const action = actions[failed];
  if (action?.failure) return action.failure(oldItem(reasons[failed]));
  const codes = new Set(reasons.map((reason) => reason.Code));
  if (codes.has('ItemCollectionSizeLimitExceeded') || codes.has('ValidationError')) {
    return new GatehouseError(
      'limit_exceeded',
      'an item would grow beyond what the table can hold (400 KB)',
      {
        cause: error,
      },
    );
  }
  if (codes.has('ThrottlingError') || codes.has('ProvisionedThroughputExceeded')) {
    return new GatehouseError('throttled', 'TransactWriteItems was throttled', { cause: error });
  }
  if (codes.has('TransactionConflict')) {
    return new GatehouseError('contended', 'another change to the same items was under way', {
      cause: error,
    });
  }
  return new GatehouseError('internal', 'TransactWriteItems was cancelled', { cause: error });
}

/** The old item comes back unmarshalled even through the document client. */
const oldItem = (reason: CancellationReason | undefined): Item | undefined =>
  reason?.Item ? (unmarshall(reason.Item) as Item) : undefined;
