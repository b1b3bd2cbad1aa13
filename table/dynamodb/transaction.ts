import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Action } from '../write/action.ts';
import { assertFits, assertOnePerItem } from '../write/transaction.ts';
import { toTransactItem } from './expression.ts';

/**
 * Builds one TransactWriteItems from actions. Pure; the sender sends it.
 *
 * Two actions on one item are refused by DynamoDB, so they are a fault of the caller here. The client
 * request token is the sender's: every attempt of one sending carries the same.
 *
 * @throws GatehouseError `limit_exceeded` for more than 100 actions, or more bytes than a transaction holds
 */
export function buildTransaction(
  actions: readonly Action[],
  table: string,
  token: string,
): TransactWriteCommandInput {
  assertFits(actions);
  assertOnePerItem(actions);
  return { TransactItems: actions.map((action) => toTransactItem(action, table)), ClientRequestToken: token };
}
