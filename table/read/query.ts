import { createHash } from 'node:crypto';
import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { IndexName } from '../entities/entity.ts';
import { invalid } from '../errors.ts';
import type { Item } from '../item.ts';
import { toTableError } from '../service-errors.ts';
import { decodeCursor, encodeCursor, type Position } from './cursor.ts';
import type { Pacing } from './pacing.ts';

/** A stretch of one partition: all of it, or the sort keys that begin with `prefix`. */
export interface Range {
  readonly partition: string;
  readonly prefix?: string;
}

/** One list: the ranges that make it up, one after the other (several where it is sharded). */
export interface ListQuery {
  readonly ranges: readonly Range[];
  /** The index to read; the base table, strongly consistent, when left out. */
  readonly index?: IndexName;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** A page of a list. A cursor is there exactly when there may be more. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly cursor?: string;
}

export const DEFAULT_PAGE = 100;
export const MAX_PAGE = 1_000;

/**
 * One page of a list. Ranges are read one after the other; a page is filled to its limit unless the
 * list ends, so an empty page with a cursor never happens.
 *
 * @throws GatehouseError `invalid` for a bad cursor or limit, otherwise as the service fails
 */
export async function queryPage(
  client: DynamoDBDocumentClient,
  table: string,
  query: ListQuery,
  pacing: Pacing,
): Promise<Page<Item>> {
  const limit = query.limit ?? DEFAULT_PAGE;
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE) {
    throw invalid('limit', `limit must be a whole number from 1 to ${MAX_PAGE}`);
  }
  const list = nameOf(query);
  let position: Position =
    query.cursor === undefined ? { range: 0 } : decodeCursor(list, query.cursor, query.ranges.length);
  refuseForeign(position, query);
  const signal = pacing.deadline();
  const items: Item[] = [];
  for (;;) {
    const range = query.ranges[position.range];
    if (range === undefined) return { items };
    if (items.length === limit) return { items, cursor: encodeCursor(list, position) };
    const command = toCommand(table, query.index, range, limit - items.length, position.after);
    const answer = await client.send(command, { abortSignal: signal }).catch((error: unknown) => {
      // The only part of a Query that a caller can have forged is the place to go on from.
      const forged =
        position.after !== undefined && (error as { name?: unknown }).name === 'ValidationException';
      throw forged ? invalid('cursor', 'cursor does not belong to this list') : toTableError(error, 'Query');
    });
    items.push(...((answer.Items ?? []) as Item[]));
    const after = answer.LastEvaluatedKey as Record<string, string> | undefined;
    position = after ? { range: position.range, after } : { range: position.range + 1 };
  }
}

/** A short name of the list, so that its cursors are refused by every other list. */
const nameOf = ({ index, ranges }: ListQuery): string =>
  createHash('sha256')
    .update(JSON.stringify([index ?? '', ranges.map(({ partition, prefix = '' }) => [partition, prefix])]))
    .digest('base64url')
    .slice(0, 12);

const keyAttributes = (index: ListQuery['index']): readonly [hash: string, sort: string] =>
  index === undefined ? ['PK', 'SK'] : [`${index}PK`, `${index}SK`];

/** A place to go on from lies in its range. DynamoDB refuses others too; not every engine does. */
function refuseForeign({ range, after }: Position, { ranges, index }: ListQuery): void {
  if (after === undefined) return;
  const [hash, sort] = keyAttributes(index);
  const { partition, prefix = '' } = ranges[range] ?? {};
  if (after[hash] !== partition || !after[sort]?.startsWith(prefix)) {
    throw invalid('cursor', 'cursor does not belong to this list');
  }
}

function toCommand(
  table: string,
  index: ListQuery['index'],
  { partition, prefix }: Range,
  limit: number,
  after: Position['after'],
): QueryCommand {
  const [hash, sort] = keyAttributes(index);
  return new QueryCommand({
    TableName: table,
    ...(index === undefined ? { ConsistentRead: true } : { IndexName: index }),
    KeyConditionExpression: prefix === undefined ? '#pk = :pk' : '#pk = :pk AND begins_with(#sk, :prefix)',
    ExpressionAttributeNames: prefix === undefined ? { '#pk': hash } : { '#pk': hash, '#sk': sort },
    ExpressionAttributeValues:
      prefix === undefined ? { ':pk': partition } : { ':pk': partition, ':prefix': prefix },
    Limit: limit,
    ...(after === undefined ? {} : { ExclusiveStartKey: { ...after } }),
  });
}
