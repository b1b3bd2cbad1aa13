import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { IndexName } from '../entities/entity.ts';
import { invalid } from '../errors.ts';
import type { Item } from '../item.ts';
import { toTableError } from '../service-errors.ts';
import { decodeCursor, encodeCursor, keyAttributes, listName, type Position, placeOf } from './cursor.ts';
import type { Pacing } from './pacing.ts';

/** A stretch of one partition: all of it, the sort keys that begin with `prefix`, or those in `between`. */
export interface Range {
  readonly partition: string;
  readonly prefix?: string;
  /** First and last sort key, both included. */
  readonly between?: readonly [first: string, last: string];
}

/** One list: the ranges that make it up, one after the other (several where it is sharded). */
export interface ListQuery {
  readonly ranges: readonly Range[];
  /** The index to read; the base table, strongly consistent, when left out. */
  readonly index?: IndexName;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  /** Which items belong to the list, where keys alone cannot say it: by date, by scope. */
  readonly keep?: (item: Item) => boolean;
}

/** A page of a list. A cursor is there exactly when there may be more. */
export type Page<T> = {
  readonly items: readonly T[];
  readonly cursor?: string;
};

export const DEFAULT_PAGE = 100;
export const MAX_PAGE = 1_000;

/**
 * One page of a list. Ranges are read one after the other; a page is filled to its limit unless the
 * list ends, so an empty page with a cursor never happens. Of a filtered list more is read at a time, and
 * the page ends at the last item that it keeps.
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
  const list = listName(query.index ?? '', query.ranges);
  let position: Position =
    query.cursor === undefined ? { range: 0 } : decodeCursor(list, query.cursor, query.ranges.length);
  refuseForeign(position, query);
  const signal = pacing.deadline();
  const { keep } = query;
  const items: Item[] = [];
  for (;;) {
    const range = query.ranges[position.range];
    if (range === undefined) return { items };
    if (endsBeforeItBegins(range)) {
      position = { range: position.range + 1 };
      continue;
    }
    if (items.length === limit) return { items, cursor: encodeCursor(list, position) };
    if (isEmpty(range)) {
      position = { range: position.range + 1 };
      continue;
    }
    const room = limit - items.length;
    const command = toCommand(
      table,
      query.index,
      range,
      keep ? Math.max(room, DEFAULT_PAGE) : room,
      position.after,
    );
    const answer = await client.send(command, { abortSignal: signal }).catch((error: unknown) => {
      // The only part of a Query that a caller can have forged is the place to go on from.
      const forged =
        position.after !== undefined && (error as { name?: unknown }).name === 'ValidationException';
      throw forged ? invalid('cursor', 'cursor does not belong to this list') : toTableError(error, 'Query');
    });
    const found = (answer.Items ?? []) as Item[];
    const kept = keep ? found.filter(keep) : found;
    items.push(...kept.slice(0, room));
    const last = kept[room - 1];
    const after =
      last !== undefined && kept.length > room
        ? placeOf(last, query.index)
        : (answer.LastEvaluatedKey as Record<string, string> | undefined);
    position = after ? { range: position.range, after } : { range: position.range + 1 };
  }
}

/** A period that ends before it begins. DynamoDB would refuse it. */
const isEmpty = ({ between }: Range): boolean => between !== undefined && between[0] > between[1];

/** A place to go on from lies in its range. DynamoDB refuses others too; not every engine does. */
function refuseForeign({ range, after }: Position, { ranges, index }: ListQuery): void {
  if (after === undefined) return;
  const [hash, sort] = keyAttributes(index);
  const { partition, prefix = '', between } = ranges[range] ?? {};
  const key = after[sort] ?? '';
  const within = key.startsWith(prefix) && (!between || (between[0] <= key && key <= between[1]));
  if (after[hash] !== partition || !within) throw invalid('cursor', 'cursor does not belong to this list');
}

/** From an instant on until before an earlier one, say: nothing is there, and DynamoDB refuses to look. */
const endsBeforeItBegins = ({ between }: Range): boolean => between !== undefined && between[0] > between[1];

/** The part of the key condition that speaks of the sort key, with its values. */
function sortCondition({
  prefix,
  between,
}: Range): readonly [condition: string, values: Record<string, string>] {
  if (between) return [' AND #sk BETWEEN :first AND :last', { ':first': between[0], ':last': between[1] }];
  if (prefix !== undefined) return [' AND begins_with(#sk, :prefix)', { ':prefix': prefix }];
  return ['', {}];
}

function toCommand(
  table: string,
  index: ListQuery['index'],
  range: Range,
  limit: number,
  after: Position['after'],
): QueryCommand {
  const [hash, sort] = keyAttributes(index);
  const [condition, values] = sortCondition(range);
  return new QueryCommand({
    TableName: table,
    ...(index === undefined ? { ConsistentRead: true } : { IndexName: index }),
    KeyConditionExpression: `#pk = :pk${condition}`,
    ExpressionAttributeNames: condition === '' ? { '#pk': hash } : { '#pk': hash, '#sk': sort },
    ExpressionAttributeValues: { ':pk': range.partition, ...values },
    Limit: limit,
    ...(after === undefined ? {} : { ExclusiveStartKey: { ...after } }),
  });
}
