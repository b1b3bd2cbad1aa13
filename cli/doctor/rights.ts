import {
  BatchGetItemCommand,
  GetItemCommand,
  QueryCommand,
  TransactGetItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { nodeKey, partitionOf, secretKey } from '../../table/keys.ts';
import type { OpenTable } from '../connection.ts';
import { sdkFaultOf } from '../faults.ts';
import { type Result, reporter } from './result.ts';

const { ok, failed, warning } = reporter('rights');

/** Names nothing: whether a read is allowed does not depend on what it finds. */
const NOBODY = { type: 'user', id: '0' };
const marshalled = ({ PK, SK }: { readonly PK: string; readonly SK: string }) => ({
  PK: { S: PK },
  SK: { S: SK },
});

/**
 * Tries each call that the functions make, as the credentials in use. It reads only.
 *
 * @param isAuthorizer whether these are the authorizer's credentials, which must not see secrets or indexes
 */
export async function checkRights(
  { client, table }: OpenTable,
  isAuthorizer: boolean,
): Promise<readonly Result[]> {
  const Key = marshalled(nodeKey(NOBODY));
  const query = (IndexName?: string) =>
    new QueryCommand({
      TableName: table,
      KeyConditionExpression: '#pk = :pk',
      ExpressionAttributeNames: { '#pk': IndexName === undefined ? 'PK' : `${IndexName}PK` },
      ExpressionAttributeValues: { ':pk': { S: partitionOf(NOBODY) } },
      Limit: 1,
      IndexName,
    });
  const may = (send: () => Promise<unknown>): Promise<boolean> =>
    send().then(
      () => true,
      (error: unknown) => {
        if (sdkFaultOf(error) === 'forbidden') return false;
        throw error;
      },
    );
  const reads: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['dynamodb:GetItem', () => client.send(new GetItemCommand({ TableName: table, Key }))],
    [
      'dynamodb:BatchGetItem',
      () => client.send(new BatchGetItemCommand({ RequestItems: { [table]: { Keys: [Key] } } })),
    ],
    ['dynamodb:Query', () => client.send(query())],
    [
      'dynamodb:GetItem in a transaction',
      () => client.send(new TransactGetItemsCommand({ TransactItems: [{ Get: { TableName: table, Key } }] })),
    ],
  ];
  const denied: string[] = [];
  for (const [name, send] of reads) if (!(await may(send))) denied.push(name);
  const results = [
    denied.length === 0 ? ok('the base table may be read') : failed(`denied: ${denied.join(', ')}`),
  ];
  const indexes = ['GSI1', 'GSI2', 'GSI3'];
  const seen: string[] = [];
  for (const index of indexes) if (await may(() => client.send(query(index)))) seen.push(index);
  const secret = marshalled(secretKey(NOBODY));
  const sees = await may(() => client.send(new GetItemCommand({ TableName: table, Key: secret })));
  if (isAuthorizer) {
    if (sees) results.push(failed('secrets (SECRET#…) may be read: the authorizer must not'));
    if (seen.length > 0)
      results.push(warning(`${seen.join(', ')} may be queried: the authorizer does not use them`));
  } else if (seen.length < indexes.length)
    results.push(
      failed(`dynamodb:Query is denied on ${indexes.filter((each) => !seen.includes(each)).join(', ')}`),
    );
  return results;
}
