import { ulid } from 'ulid';
import { type Finding, type VerifyOptions, verify } from '../../provisioning/verify/index.ts';
import type { Item } from '../../table/item.ts';
import { createMemoryTable } from '../../table/memory/index.ts';

export const linesOf = (findings: readonly Finding[]): readonly string[] =>
  findings.map(
    ({ code, key, attribute, expected }) =>
      `${code} ${key.PK} / ${key.SK} ${attribute ?? ''}: expected ${expected}`,
  );

type Seen = Pick<VerifyOptions, 'reader' | 'clock'> & { readonly items?: () => readonly Item[] };

/**
 * What `gatehouse verify --no-log` says of the table: the log has all that a test did (verify-logs.test.ts). A world in
 * memory is read past the record of its calls.
 */
export const findingsOn = async ({ reader, clock, items }: Seen): Promise<readonly string[]> =>
  items
    ? findingsIn(items(), clock)
    : linesOf((await verify({ reader, clock, graceMs: 0, logs: false })).open);

/** What it says of a table with these items. */
export const findingsIn = (
  items: readonly Item[],
  clock: VerifyOptions['clock'],
): Promise<readonly string[]> => findingsOn({ reader: createMemoryTable({ items }).reader, clock });

type Table = Pick<VerifyOptions, 'reader' | 'clock'> & Pick<NonNullable<VerifyOptions['repair']>, 'writer'>;

/** `gatehouse verify --no-log --repair`. */
export const repairOn = (table: Table) => verifyOn(table, true, { logs: false });

/** `gatehouse verify`, or with `--repair`. */
export const verifyOn = (
  { reader, clock, writer }: Table,
  isRepairing = false,
  more: Partial<VerifyOptions> = {},
) =>
  verify({
    reader,
    clock,
    graceMs: 0,
    ...(isRepairing ? { repair: { writer, newId: () => ulid() } } : {}),
    ...more,
  });
