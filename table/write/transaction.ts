import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { GatehouseError } from '../errors.ts';
import { type Action, keyOf } from './action.ts';
import { toTransactItem } from './expression.ts';

/** Actions of one TransactWriteItems (DynamoDB's limit). */
export const MAX_ACTIONS = 100;

/**
 * Refuses what is too much for one transaction, before anything is sent.
 *
 * @throws GatehouseError `limit_exceeded`
 */
export function assertFits(actions: readonly Action[]): void {
  if (actions.length <= MAX_ACTIONS) return;
  throw new GatehouseError(
    'limit_exceeded',
    `this change touches ${actions.length} items; one transaction holds ${MAX_ACTIONS}`,
  );
}

/**
 * Builds one TransactWriteItems from actions. Pure; the sender sends it.
 *
 * Two actions on one item are refused by DynamoDB, so they are a fault of the caller here. The client
 * request token is the sender's: every attempt of one sending carries the same.
 *
 * @throws GatehouseError `limit_exceeded` for more than 100 actions
 */
export function buildTransaction(
  actions: readonly Action[],
  table: string,
  token: string,
): TransactWriteCommandInput {
  assertFits(actions);
  const seen = new Set<string>();
  for (const action of actions) {
    const { PK, SK } = keyOf(action);
    const identity = `${PK}\n${SK}`;
    if (seen.has(identity))
      throw new GatehouseError('internal', `two actions of one transaction on ${PK} / ${SK}`);
    seen.add(identity);
  }
  const items = actions.map((action) => toTransactItem(action, table));
  return { TransactItems: items, ClientRequestToken: token };
}

/**
 * The same transaction as conditions only: what a dry run sends. It fails exactly where the real one
 * would, and changes nothing.
 */
export const asChecks = (actions: readonly Action[]): readonly Action[] =>
  actions.flatMap((action): Action[] =>
    action.when && action.failure
      ? [{ kind: 'check', key: keyOf(action), when: action.when, failure: action.failure }]
      : [],
  );
