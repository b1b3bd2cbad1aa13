import type { IndexName } from './entities/entity.ts';
import type { Item } from './item.ts';
import type { Key } from './keys.ts';

/** A range of one partition: all of it, the sort keys that begin with `prefix`, or those in `between`. */
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
  /** Each range from its last sort key to its first. */
  readonly descending?: boolean | undefined;
}

/** A page of a list. A cursor is there exactly when there may be more. */
export type Page<T> = {
  readonly items: readonly T[];
  readonly cursor?: string;
};

export const DEFAULT_PAGE = 100;
export const MAX_PAGE = 1_000;

/** A list that is spread over several partitions and shown as one, in the order of its sort keys. */
export interface MergedQuery {
  readonly partitions: readonly string[];
  /** First and last sort key, both included. */
  readonly between: readonly [first: string, last: string];
  readonly index?: IndexName;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  /** From the last sort key to the first. */
  readonly descending?: boolean | undefined;
}

/** What a read counts for its caller. */
export interface ReadNotes {
  /** Calls to DynamoDB; the SDK's own second attempts are not counted. */
  calls: number;
  /** Read units spent, as DynamoDB states them (4 KB each); undefined: not asked for. */
  units: number | undefined;
}

/** Notes that no caller reads. */
export const noNotes = (): ReadNotes => ({ calls: 0, units: undefined });

/**
 * Everything Gatehouse ever reads with: GetItem, BatchGetItem, TransactGetItems and Query. There is no Scan.
 */
export interface Reader {
  /** GetItem, strongly consistent. */
  readonly get: (key: Key) => Promise<Item | undefined>;
  /** BatchGetItem, strongly consistent; answers in the order of the keys. */
  readonly getMany: (keys: readonly Key[], notes?: ReadNotes) => Promise<readonly (Item | undefined)[]>;
  /** TransactGetItems: as they stood at one instant, up to 100 items, in the order of the keys. */
  readonly getSnapshot: (keys: readonly Key[], notes?: ReadNotes) => Promise<readonly (Item | undefined)[]>;
  /** Query: one page. */
  readonly list: (query: ListQuery, notes?: ReadNotes) => Promise<Page<Item>>;
  /** Query: one page of a list that is spread over several partitions, in the order of its sort keys. */
  readonly listMerged: (query: MergedQuery) => Promise<Page<Item>>;
  /** Query: all of it, page after page. For partitions that are known to be small. */
  readonly listAll: (
    query: Omit<ListQuery, 'limit' | 'cursor'>,
    notes?: ReadNotes,
  ) => Promise<readonly Item[]>;
}

/** All of them, a few at a time. */
export const batchesOf = <T>(all: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, n) => all.slice(n * size, (n + 1) * size));
