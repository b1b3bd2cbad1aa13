import { mix } from '../harness/draws.ts';
import { ASSUMED } from './assumptions.ts';

export interface PartitionsOptions {
  readonly count: number;
  /** Read units of the whole table in a second. */
  readonly tableReadUnits: number;
  /** In milliseconds. */
  readonly now: () => number;
  /** When the simulation began: seconds of the record count from here. */
  readonly start: number;
}

const newBucket = (perSecond: number, at: number) => ({
  perMs: perSecond / 1_000,
  most: perSecond,
  /** Units that may be spent at once. Below 0 after a request that took more than was left. */
  left: perSecond,
  /** Units of others that are still to be spent. */
  echo: 0,
  at,
});
type Bucket = ReturnType<typeof newBucket>;

function refill(bucket: Bucket, now: number): void {
  const passed = now - bucket.at;
  if (passed <= 0) return;
  const spent = bucket.echo === 0 ? 0 : bucket.echo * -Math.expm1(-passed / ASSUMED.echoMs);
  bucket.echo -= spent;
  bucket.left = Math.min(bucket.most, bucket.left + passed * bucket.perMs - spent);
  bucket.at = now;
}

/**
 * The partitions of a table: keys are spread by hash, each partition has its own units per second, and the table
 * has a quota of its own. A request is served while anything is left; what it takes beyond that is missing from
 * the next one, so that large items pay in full.
 */
export function createPartitions({ count, tableReadUnits, now, start }: PartitionsOptions) {
  const buckets = Array.from({ length: count }, () => newBucket(ASSUMED.partitionReadUnits, start));
  const table = newBucket(tableReadUnits, start);
  /** Read units by second, then by partition. */
  const spent: Float64Array[] = [];
  const throttled = { read: 0, table: 0 };

  const spentNow = (): Float64Array => {
    const second = Math.floor((now() - start) / 1_000);
    while (spent.length <= second) spent.push(new Float64Array(count));
    return spent[second] as Float64Array;
  };

  return {
    /** The partition of a partition key. */
    of: (partitionKey: string): number => hashText(partitionKey) % count,
    /**
     * Spends read units of a partition, if it and the table have any left.
     *
     * @param others how many more are spent soon after, by requests that are not simulated
     * @returns false when the request is throttled
     */
    take: (partition: number, units: number, others = 0): boolean => {
      const instant = now();
      const bucket = buckets[partition] as Bucket;
      refill(bucket, instant);
      if (bucket.left <= 0) {
        throttled.read += 1 + others;
        return false;
      }
      refill(table, instant);
      if (table.left <= 0) {
        throttled.table += 1 + others;
        return false;
      }
      table.left -= units;
      table.echo += units * others;
      bucket.left -= units;
      bucket.echo += units * others;
      const row = spentNow();
      row[partition] = (row[partition] as number) + units * (1 + others);
      return true;
    },
    /** Requests for a key that were throttled: by a partition, or by the table's quota. */
    throttled: (): Readonly<typeof throttled> => ({ ...throttled }),
    /** By second: the read units of the partition that spent most. */
    hottest: (): readonly number[] => spent.map((row) => Math.max(...row)),
  };
}

export type Partitions = ReturnType<typeof createPartitions>;

/** FNV-1a, mixed so that all bits count. */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return mix(hash);
}

export const readUnitsOf = (bytes: number): number => Math.max(1, Math.ceil(bytes / ASSUMED.readUnitBytes));
