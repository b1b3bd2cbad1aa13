import { compareBytes, isLongerThan } from '../../table/bytes.ts';
import { invalid, limitExceeded } from '../../table/errors.ts';
import type { Stored } from './codecs.ts';
import { EVERYTHING, NEVER, type RowCondition } from './condition.ts';
import type { Row, Rows } from './define-rows.ts';
import { type Filter, filterOf, sayable, withLeaves } from './dynamodb-filter.ts';
import { isExact, type Place } from './row-place.ts';
import type { RowsQuestion } from './visible-rows.ts';

/** Which rows stand under which keys of a table, or of one of its indexes. */
export interface KeyLayout {
  readonly table: string;
  readonly index?: string | undefined;
  /** The partition key, a text. */
  readonly partition: KeyPart;
  /** The sort key, a text or a number: the order of the list. Its keys are what texts begin with, delimiter included. */
  readonly sort: KeyPart & {
    /** What the sort keys of all rows begin with, where no column says more. */
    readonly prefix?: string | undefined;
  };
  /** The index has only some attributes: then an absent one is a fault. Otherwise it is NULL. */
  readonly isPartial?: boolean | undefined;
}

export interface KeyPart {
  readonly attribute: string;
  /** The column of texts that the key says. Default: the attribute itself. */
  readonly column?: string | undefined;
  /** The keys of rows whose column is a text: several where rows are spread. Default: the text. */
  readonly keys?: ((text: string) => string | readonly string[]) | undefined;
}

/** The input of a QueryCommand of `@aws-sdk/lib-dynamodb`. Placeholders: `#p`, `#s`, `#n0`, …, `:p`, `:s`, `:v0`, … */
export interface DynamoDbQuery {
  readonly TableName: string;
  readonly IndexName: string | undefined;
  readonly Select: 'ALL_ATTRIBUTES' | 'ALL_PROJECTED_ATTRIBUTES';
  readonly KeyConditionExpression: string;
  readonly FilterExpression: string | undefined;
  readonly ExpressionAttributeNames: Record<string, string>;
  readonly ExpressionAttributeValues: Record<string, Stored>;
  readonly ExclusiveStartKey: Readonly<Record<string, unknown>> | undefined;
  readonly ScanIndexForward: boolean;
  readonly Limit: number;
}

/** Rows of a partition whose sort keys begin with a text, and what of the condition is left to ask of them. */
interface Range {
  readonly partition: string;
  readonly prefix: string;
  readonly condition: RowCondition;
}

/** The most ranges that a page is merged from. */
const MAX_RANGES = 100;

/** Queries under way together. */
const AT_ONCE = 20;

/** Queries of a range and a page that leave rows out. Those that follow leave out none, so that a page ends. */
const MAX_FILTERED = 6;

/** The most rows that one Query looks at. */
const MAX_LIMIT = 1_000;

/**
 * The `fetch` of a page over a DynamoDB table: a Query for each range of keys that the condition names, merged in the
 * order of the sort key, and of partition keys where sort keys are equal. Never a Scan.
 *
 * @param rows ordered by the sort key alone; `key` has the attributes of the table's primary key and the index's
 *   partition key, and no others
 * @param query sends a Query; it may add conditions of the application to the filter
 * @returns a function that throws GatehouseError on `within`: `invalid` for a condition that does not say the partition
 *   key, `limit_exceeded` for one that says more than 100 ranges
 * @throws GatehouseError `invalid` for rows of another order or key
 */
export function rowsInDynamoDb<R extends Row>(
  rows: Rows,
  layout: KeyLayout,
  query: (input: DynamoDbQuery) => Promise<{
    readonly Items?: readonly R[] | undefined;
    readonly LastEvaluatedKey?: DynamoDbQuery['ExclusiveStartKey'];
  }>,
): RowsQuestion<R>['fetch'] {
  const { table, index, partition, sort, isPartial = false } = layout;
  const [order, ...others] = rows.order;
  if (order?.column !== sort.attribute || others.length > 0)
    throw invalid('rows.order', `rows.order must be the sort key ${sort.attribute} alone`);
  if (!rows.key.includes(partition.attribute))
    throw invalid('rows.key', `rows.key must name the partition key ${partition.attribute}`);
  const isAscending = order.direction === 'asc';
  const columns = [rows.scope, ...rows.path].map(({ column }) => column);
  columns.push(...Object.values(rows.properties).map(({ name }) => name));
  const absent = isPartial ? {} : Object.fromEntries(columns.map((name) => [name, null]));

  const compare = (a: unknown, b: unknown): number =>
    (typeof a === 'string' ? compareBytes(a, String(b)) : Number(a) - Number(b)) * (isAscending ? 1 : -1);
  const sortKeyOf = (row: Row | undefined): unknown => row?.[sort.attribute];

  async function* rowsOf(
    { partition: key, prefix, condition }: Range,
    after: Place | undefined,
    count: number,
  ) {
    const isIn = (at: unknown) => prefix === '' || String(at).startsWith(prefix);
    const at = after?.[sort.attribute];
    const isEntered = at !== undefined && isIn(at);
    if (at !== undefined && !isEntered && compare(prefix, at) < 0) return;
    const last = after?.[partition.attribute] as string;
    let start: DynamoDbQuery['ExclusiveStartKey'] = isEntered && key === last ? after : undefined;
    let keys = '#p = :p';
    const names: Record<string, string> = { '#p': partition.attribute };
    const values: Record<string, Stored> = { ':p': key };
    const isBehind = isEntered && start === undefined;
    if (isBehind || prefix !== '') {
      // Of equal sort keys, those of lower partition keys have been before.
      const operator = (isAscending ? '>' : '<') + (key > last ? '=' : '');
      keys += isBehind ? ` AND #s ${operator} :s` : ' AND begins_with(#s, :s)';
      names['#s'] = sort.attribute;
      values[':s'] = isBehind ? at : prefix;
    }
    const filter = filterOf(condition);
    for (let queries = 0; ; queries++) {
      const { expression, ...more }: Filter = queries < MAX_FILTERED ? filter : {};
      const { Items = [], LastEvaluatedKey } = await query({
        TableName: table,
        IndexName: index,
        Select: isPartial ? 'ALL_PROJECTED_ATTRIBUTES' : 'ALL_ATTRIBUTES',
        KeyConditionExpression: keys,
        FilterExpression: expression,
        ExpressionAttributeNames: { ...names, ...more.names },
        ExpressionAttributeValues: { ...values, ...more.values },
        ExclusiveStartKey: start,
        ScanIndexForward: isAscending,
        Limit: queries === MAX_FILTERED ? count : Math.min(count * 2 ** queries, MAX_LIMIT),
      });
      for (const row of Items) {
        if (typeof sortKeyOf(row) !== 'string' && !isExact(sortKeyOf(row)))
          throw invalid(`row.${sort.attribute}`, 'a sort key must be a text, or a number within 2^53');
        if (isIn(sortKeyOf(row))) yield { ...absent, ...row };
      }
      start = LastEvaluatedKey;
      if (start === undefined || !isIn(sortKeyOf(start))) return;
    }
  }

  return async (condition, after, count) => {
    const ranges = rangesOf(layout, condition).map((range) => ({
      rows: rowsOf(range, after, count),
      first: undefined as R | undefined,
    }));
    const advance = async (range: (typeof ranges)[number]) => {
      range.first = (await range.rows.next()).value ?? undefined;
    };
    for (let from = 0; from < ranges.length; from += AT_ONCE)
      await Promise.all(ranges.slice(from, from + AT_ONCE).map(advance));
    const found: R[] = [];
    for (;;) {
      const [least, ...more] = ranges.filter(({ first }) => first !== undefined);
      if (least === undefined) return found;
      const next = more.reduce(
        (a, b) => (compare(sortKeyOf(b.first), sortKeyOf(a.first)) < 0 ? b : a),
        least,
      );
      found.push(next.first as R);
      if (found.length === count) return found;
      await advance(next);
    }
  };
}

/** The ranges of all rows that fulfil a condition, without an overlap, in the order of partition keys. */
function rangesOf({ partition, sort }: KeyLayout, condition: RowCondition): readonly Range[] {
  const isKey = new Set([partition.attribute, sort.attribute]);
  const partitions = keysIn(condition, partition);
  if (partitions === undefined)
    throw invalid(
      'within',
      `nothing says the partition key ${partition.attribute}: name roots, or list another index`,
    );
  const ranges: Range[] = [];
  for (const key of [...partitions].sort()) {
    if (key === '' || !isStorable(key, 2_048)) continue;
    const there = fold(condition, partition, (other) => other === key);
    const prefixes = [...(keysIn(there, sort) ?? [sort.prefix ?? ''])].sort();
    for (const [position, prefix] of prefixes.entries()) {
      const isAsked = prefixes.slice(0, position).some((other) => prefix.startsWith(other));
      if (isAsked || !isStorable(prefix, 1_024)) continue;
      const left = fold(there, sort, (other) => other.startsWith(prefix) || prefix.startsWith(other));
      const said = withLeaves(left, (leaf) => (isKey.has(leaf.column.name) ? EVERYTHING : sayable(leaf)));
      if (said !== NEVER) ranges.push({ partition: key, prefix, condition: said });
    }
    if (ranges.length > MAX_RANGES)
      throw limitExceeded(`a page is merged from at most ${MAX_RANGES} ranges of keys: name roots`, 'within');
  }
  return ranges;
}

/** Whether an item can have a key of so many bytes: no row has another. */
const isStorable = (key: string, bytes: number): boolean => key.isWellFormed() && !isLongerThan(key, bytes);

/** The keys that a leaf names, if it is one of the key's column. */
function keysOf(leaf: RowCondition, { attribute, column = attribute, keys = (text) => text }: KeyPart) {
  if ((leaf.kind !== 'equals' && leaf.kind !== 'oneOf') || leaf.column.name !== column) return undefined;
  const values = leaf.kind === 'equals' ? [leaf.value] : leaf.values;
  return values.every((value) => typeof value === 'string')
    ? values.flatMap((value) => keys(value))
    : undefined;
}

/** Keys one of which every row has that fulfils a condition; undefined if it may have any. */
function keysIn(condition: RowCondition, part: KeyPart): ReadonlySet<string> | undefined {
  if (!('parts' in condition)) {
    const keys = condition.kind === 'never' ? [] : keysOf(condition, part);
    return keys && new Set(keys);
  }
  const all = condition.parts.map((each) => keysIn(each, part));
  const known = all.filter((keys) => keys !== undefined);
  if (condition.kind === 'and') return known[0];
  return known.length === all.length ? new Set(known.flatMap((keys) => [...keys])) : undefined;
}

/** A condition where the key is known: leaves that name it hold, or fail. */
const fold = (condition: RowCondition, part: KeyPart, isThere: (key: string) => boolean): RowCondition =>
  withLeaves(condition, (leaf) => {
    const keys = keysOf(leaf, part);
    return keys === undefined ? leaf : keys.some(isThere) ? EVERYTHING : NEVER;
  });
