import type { Ref } from '../../table/identifiers.ts';
import { logOf, type Period } from '../../table/index-queries.ts';
import { countPartitions, type Key, logCountKey, parseKey } from '../../table/keys.ts';
import type { Reader } from '../../table/reader.ts';
import { AUDIT_LIFETIME_MS, monthOf } from '../audit.ts';
import { mergedPagesOf } from '../list-pages.ts';
import { type Fault, fault } from './relation.ts';

/**
 * Compares the records of a log with their counts. A count goes up in the transaction of its records, so a record
 * that somebody took away, or put there by another way, shows as a difference.
 *
 * @param owner whose log; the global one when left out
 * @param spend is told how many items were read
 */
export async function checkLog(
  reader: Reader,
  owner: Ref | undefined,
  now: number,
  spend: (items: number) => Promise<void>,
): Promise<readonly Fault[]> {
  // Records that come meanwhile are counted in the second reading, and perhaps not in the first.
  const least = await countsOf(reader, owner, spend);
  const found = await recordsOf(reader, owner, {}, spend);
  const most = await countsOf(reader, owner, spend);
  const faults: Fault[] = [];
  for (const name of new Set([...least.keys(), ...found.keys()])) {
    const [month = '', counter] = name.split(' ');
    const age = ageOf(month, now);
    const [few, many, there] = [least.get(name) ?? 0, most.get(name) ?? 0, found.get(name) ?? 0];
    const key: Key = logCountKey(owner, month, Number(counter));
    const more = { attribute: 'records' };
    if (there < few && age === 'kept')
      faults.push(fault('log_missing', key, `${few} records of ${month}; ${there} are there`, more));
    if (there > many && age !== 'gone')
      faults.push(fault('log_surplus', key, `${many} records of ${month}; ${there} are there`, more));
  }
  return faults;
}

/** Whether the records of a month are all kept, go one after the other by their time-to-live, or may all be gone. */
export function ageOf(month: string, now: number): 'kept' | 'going' | 'gone' {
  const [year = 0, number = 1] = month.split('-').map(Number);
  if (Date.UTC(year, number - 1, 1) + AUDIT_LIFETIME_MS > now) return 'kept';
  return Date.UTC(year, number, 1) + AUDIT_LIFETIME_MS > now ? 'going' : 'gone';
}

type Spend = (items: number) => Promise<void>;

/** How many records each counter of a log has counted, by `MONTH COUNTER`. */
export async function countsOf(
  reader: Reader,
  owner: Ref | undefined,
  spend: Spend = async () => {},
): Promise<ReadonlyMap<string, number>> {
  const ranges = countPartitions(owner).map((partition) => ({ partition }));
  const items = await reader.listAll({ ranges });
  await spend(items.length);
  return new Map(
    items.flatMap((item): [string, number][] => {
      const key = parseKey(item);
      return key?.form === 'log-count' ? [[`${key.month} ${key.counter}`, Number(item.records)]] : [];
    }),
  );
}

/** How many records of a time there are of each count. Those from before counts have none, and are left out. */
export async function recordsOf(
  reader: Reader,
  owner: Ref | undefined,
  period: Period,
  spend: Spend = async () => {},
): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  for await (const records of mergedPagesOf(reader, logOf(owner, period))) {
    await spend(records.length);
    for (const { timestamp, counter } of records) {
      if (typeof counter !== 'number' || typeof timestamp !== 'string') continue;
      const name = `${monthOf(timestamp)} ${counter}`;
      found.set(name, (found.get(name) ?? 0) + 1);
    }
  }
  return found;
}
