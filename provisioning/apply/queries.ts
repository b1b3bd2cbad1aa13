import { defined } from '../../table/defined.ts';
import { GatehouseError } from '../../table/errors.ts';
import type { Reader } from '../../table/reader.ts';
import { createBatchedReads } from '../batched-reads.ts';
import type { Command } from '../command.ts';
import { inTurns } from '../in-turns.ts';
import type { Row } from './entry.ts';

/** Reading by the read commands of provisioning. */
export interface Queries {
  /** What a read command answers; undefined for what does not exist. */
  readonly read: (command: string, input: Row) => Promise<Row | undefined>;
  /** Every row of a list, page after page. */
  readonly list: (command: string, by: Row) => Promise<readonly Row[]>;
}

type Run = (command: string, input: Row) => Promise<Row | undefined>;

const PAGE = 1_000;

/** Queries by whatever runs one read command and answers undefined for what does not exist. */
export const queriesBy = (run: Run): Queries => ({
  read: run,
  list: async (command, by) => (await listUpTo(run, command, by)).rows,
});

/** The rows of the lists of many owners, one after the other. */
export async function listOfMany(
  queries: Queries,
  { kind, by }: { readonly kind: string; readonly by?: string },
  owners: Iterable<unknown>,
  more: Row = {},
): Promise<readonly Row[]> {
  const lists = await inTurns([...owners], (owner) =>
    queries.list(`${kind}.list`, { [String(by)]: owner, ...more }),
  );
  return lists.flat();
}

/** The rows of a list, page after page, until there are more than `most`: then it may not be whole. */
export async function listUpTo(
  read: Run,
  command: string,
  by: Row,
  most = Number.POSITIVE_INFINITY,
): Promise<{ readonly rows: readonly Row[]; readonly isWhole: boolean }> {
  const rows: Row[] = [];
  let cursor: unknown;
  do {
    const page = await read(command, { ...by, limit: PAGE, ...defined({ cursor }) });
    rows.push(...((page?.items ?? []) as readonly Row[]));
    cursor = page?.cursor;
    if (rows.length > most) return { rows, isWhole: false };
  } while (cursor !== undefined);
  return { rows, isWhole: true };
}

/** More rows than this are not compared at once: a manifest can leave out sections. */
const MAX_ROWS = 200_000;

/** What is compared does not depend on the time. */
const NO_TIME = new Date(0).toISOString();

/**
 * Queries on a reader for one comparison, by the commands themselves. Those that go on side by side read items in few
 * calls, and each item once. Throws `limit_exceeded` beyond {@link MAX_ROWS} rows.
 */
export function queriesOn(reader: Reader, commands: ReadonlyMap<string, Command>): Queries {
  let rows = 0;
  const reads = createBatchedReads(reader);
  return queriesBy(async (name, input) => {
    const command = commands.get(name);
    if (command?.kind !== 'read') throw new GatehouseError('internal', `${name} is no read command`);
    const parsed = command.input.safeParse(input);
    // A value that cannot be looked up does not exist; the write command says what is wrong with it.
    if (!parsed.success) return undefined;
    const answer = await reads
      .work((own) => command.run({ reader: own, now: NO_TIME }, parsed.data as never))
      .catch((error: unknown) => {
        if (error instanceof GatehouseError && error.code === 'not_found') return undefined;
        throw error;
      });
    rows += Array.isArray(answer?.items) ? answer.items.length : 1;
    if (rows > MAX_ROWS)
      throw new GatehouseError(
        'limit_exceeded',
        `more than ${MAX_ROWS} entries of the table would be compared: leave sections out of the manifest`,
        { field: 'manifest' },
      );
    return answer;
  });
}
