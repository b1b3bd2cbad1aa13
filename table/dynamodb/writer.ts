import { randomUUID } from 'node:crypto';
import type { CancellationReason } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { GatehouseError, invalid } from '../errors.ts';
import type { Item } from '../item.ts';
import { createPacing, type Pacing } from '../read/pacing.ts';
import { WRITE_DEADLINE_MS } from '../timing.ts';
import type { Action } from '../write/action.ts';
import { assertFits, assertOnePerItem, ITEM_TOO_LARGE } from '../write/transaction.ts';
import type { Writer } from '../writer.ts';
import { toTransactItem } from './expression.ts';
import { cancellationReasons, hasCode, THROTTLED_REASONS, toTableError } from './service-errors.ts';

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
      assertFits(actions);
      assertOnePerItem(actions);
      const input = {
        TransactItems: actions.map((action) => toTransactItem(action, table)),
        // One token for all attempts of this call: the service recognises an attempt whose response was lost,
        // while a second call with the same actions is carried out again.
        ClientRequestToken: randomUUID(),
      };
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

/**
 * Cancellation reasons come in the order of the actions. A failed condition outranks the rest: it is
 * certain, while a conflict or throttling beside it may pass. Of several failed conditions the first
 * action's speaks.
 */
function toWriteError(error: unknown, actions: readonly Action[]): GatehouseError {
  const reasons = cancellationReasons(error);
  if (!reasons) return toTableError(error, 'TransactWriteItems');
  // Each failed condition is asked, because some note what they found (table/decision/split.ts).
  const [failure] = reasons.flatMap((reason, position) =>
    reason.Code === 'ConditionalCheckFailed' ? (actions[position]?.failure?.(oldItem(reason)) ?? []) : [],
  );
  if (failure) return failure;
  if (hasCode(reasons, 'ItemCollectionSizeLimitExceeded', 'ValidationError')) {
    return new GatehouseError('limit_exceeded', ITEM_TOO_LARGE, { cause: error });
  }
  if (hasCode(reasons, ...THROTTLED_REASONS)) {
    return new GatehouseError('throttled', 'TransactWriteItems was throttled', { cause: error });
  }
  if (hasCode(reasons, 'TransactionConflict')) {
    return new GatehouseError('contended', 'another change to the same items was under way', {
      cause: error,
    });
  }
  return new GatehouseError('internal', 'TransactWriteItems was cancelled', { cause: error });
}

/** The old item comes back unmarshalled even through the document client. */
const oldItem = (reason: CancellationReason | undefined): Item | undefined =>
  reason?.Item ? (unmarshall(reason.Item) as Item) : undefined;
