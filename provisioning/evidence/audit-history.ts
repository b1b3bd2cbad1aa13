import { isScopeType } from '../../table/entities/registry.ts';
import { limitExceeded } from '../../table/errors.ts';
import { formatRef, type Ref } from '../../table/identifiers.ts';
import { logOf } from '../../table/index-queries.ts';
import type { Reader } from '../../table/reader.ts';
import { COHERENCE_MARGIN_MS } from '../../table/timing.ts';
import { monthOf } from '../audit.ts';
import { inTurns } from '../in-turns.ts';
import { mergedPagesOf } from '../list-pages.ts';
import { createCounts, gapsIn } from '../replay/counts.ts';
import { byTime, type ChangeRecord, changeOf, type Line } from '../replay/record.ts';
import { MAX_RECORDS } from '../replay/replay.ts';
import { ageOf, countsOf } from '../verify/logs.ts';

/** What audit logs say of the time since an instant. */
export interface History {
  /** Changes from the margin before the instant on, in the order of their times. */
  readonly records: readonly ChangeRecord[];
  /** What was counted and is not there, and months of which nothing is: `3 of tenant:ID in 2026-03`, `all of 2026-03`. */
  readonly missing: readonly string[];
  /** When the first record was made; undefined where there is none. */
  readonly oldest: string | undefined;
  /** Whose logs were read; undefined: the one of what concerns no tenant. */
  readonly owners: readonly (Ref | undefined)[];
  /** Changes with every record that is written: what was read meanwhile may be of two states. */
  readonly stamp: string;
}

export interface HistoryOptions {
  readonly reader: Reader;
  /** The tenants that are there, whose logs are read beside the one of what concerns none. */
  readonly roots: readonly Ref[];
  /** Epoch milliseconds. */
  readonly at: number;
  readonly now: number;
  /** Lines of the log outside the table, which has what is older than the table keeps. */
  readonly lines?: AsyncIterable<Line> | undefined;
}

/**
 * Reads the logs from the month of the instant on: counts are by month.
 *
 * @throws GatehouseError `limit_exceeded` for more records than memory should hold
 */
export async function readHistory({ reader, roots, at, now, lines }: HistoryOptions): Promise<History> {
  const margin = new Date(at - COHERENCE_MARGIN_MS).toISOString();
  const month = monthOf(margin);
  const records = new Map<string, ChangeRecord>();
  const ids = new Set<string>();
  const counts = createCounts();
  /** Of which there are lines. */
  const months = new Set<string>();
  let oldest: string | undefined;

  function take(record: ChangeRecord): void {
    if (oldest === undefined || record.at < oldest) oldest = record.at;
    if (monthOf(record.at) < month || ids.has(record.id)) return;
    if (ids.size >= MAX_RECORDS)
      throw limitExceeded(`more than ${MAX_RECORDS} records since then: give a later instant`, 'at');
    ids.add(record.id);
    if (record.counter) counts.find(record.counter);
    if (record.at >= margin) records.set(record.id, record);
  }

  for await (const line of lines ?? []) {
    if (line.kind === 'change') {
      months.add(monthOf(line.record.at));
      take(line.record);
    }
    if (line.kind === 'count' && line.image.month >= month) counts.count(line.image, line.image.records);
  }
  async function readLog(owner: Ref | undefined): Promise<number> {
    // Counts are read before records: what comes in between is found, and not missed.
    const counted = await countsOf(reader, owner);
    for (const [name, number] of counted) {
      const [of = '', counter] = name.split(' ');
      if (of >= month) counts.count({ owner, month: of, counter: Number(counter) }, number);
    }
    const [first] = (await reader.listMerged({ ...logOf(owner, {}), limit: 1 })).items;
    const found = first && changeOf(first, owner);
    if (found?.kind === 'change') take(found.record);
    for await (const items of mergedPagesOf(reader, logOf(owner, { from: `${month}-01T00:00:00.000Z` })))
      for (const item of items) {
        const line = changeOf(item, owner);
        if (line?.kind === 'change') take(line.record);
      }
    return sumOf(counted);
  }

  const global = await readLog(undefined);
  // Of a tenant that is gone the global log has a notice.
  const gone = [...records.values()].map(({ entity }) => entity).filter(({ type }) => isScopeType(type));
  const all = new Map([...roots, ...gone].map((root) => [formatRef(root), root]));
  const owners = [undefined, ...all.values()];
  const stamps = [global, ...(await inTurns([...all.values()], readLog))];
  const unsaid: string[] = [];
  // What the table had of a month may be gone, with its counts, even if a record is still there: DynamoDB deletes
  // days late, in no order. Without a line nobody knows what it was.
  for (let of = later(month, monthOf(oldest ?? margin)); ageOf(of, now) === 'gone'; of = after(of))
    if (!months.has(of)) unsaid.push(`all of ${of}`);
  const gaps = gapsIn(counts.all()).map(({ log, month, missing }) => `${missing} of ${log} in ${month}`);
  return {
    owners,
    records: [...records.values()].sort(byTime),
    missing: [...gaps, ...unsaid],
    oldest,
    stamp: stamps.join(),
  };
}

const later = (one: string, other: string): string => (one > other ? one : other);
/** The next month. */
const after = (month: string): string =>
  monthOf(new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 1)).toISOString());

const sumOf = (counted: ReadonlyMap<string, number>): number =>
  [...counted.values()].reduce((sum, each) => sum + each, 0);

/** Whether any record came since. */
export const hasChanged = async ({ stamp, owners }: History, reader: Reader): Promise<boolean> =>
  (await inTurns(owners, async (owner) => sumOf(await countsOf(reader, owner)))).join() !== stamp;
