import { DEFAULT_TTL_MS } from '../../engine/index.ts';
import { DYNAMODB } from '../harness/draws.ts';
import { MB_OF_ONE_PROCESSOR } from '../harness/prices.ts';
import { rowOf } from '../harness/table.ts';

/**
 * Everything that the simulation takes for given, where it is from, and what docs/performance/fleet.md says of it.
 * AWS documents it, a benchmark of this repository measures it, or it is assumed.
 */
const ASSUMPTIONS = {
  users: [5_000_000, 'assumed', 'users'],
  largeTenantUsers: [250_000, 'assumed', 'of them in one large tenant'],
  tenants: [20_000, 'assumed', 'other tenants, of falling sizes'],
  exponent: [0.8, 'assumed', 'the k-th user sends 1 / k to this power of what the first sends'],
  largeShare: [0.05, 'assumed', 'share of the requests from the large tenant'],
  memoryMb: [512, '`serverless.yml`', 'MB of the function'],
  processorMb: [MB_OF_ONE_PROCESSOR, 'AWS', 'MB that bring a whole processor'],
  // `npm run bench -- cost`: 0.15, 1.53 with a call of 1 unit, 2.44 with a call of 5; an item of 100 units takes
  // 28 ms to parse and decode.
  processorMs: [
    { answer: 0.15, call: 1.1, unit: 0.28 },
    'measured',
    'ms of a processor: an answer, a call, a read unit',
  ],
  // Lambda, "Scaling behavior".
  starts: [{ most: 1_000, perSecond: 100 }, 'AWS', 'environments that start at once, then per second'],
  concurrency: [3_000, 'assumed', 'environments at work; the default of an account is 1,000'],
  // Log-normal.
  init: [{ medianMs: 300, p99Ms: 800 }, 'assumed', 'ms from a start to the first request: median, p99'],
  idleMs: [600_000, 'assumed', 'ms after which an idle environment ends'],
  sampleOneIn: [32, 'assumed', 'environments for each that runs the engine, at the highest rate'],
  // What they read of the same kind.
  echoMs: [500, 'assumed', 'ms over which the reads of the others spread, after its read'],
  ttlMs: [DEFAULT_TTL_MS, 'the default', 'ms for which items are cached'],
  // 60 % of the 32 MiB of `CACHE_MAX_BYTES`.
  cacheBytes: [Math.floor(32 * 1024 * 1024 * 0.6), 'the default', 'bytes of cached items'],
  // As in `npm run bench -- cold`.
  call: [DYNAMODB, 'assumed', 'ms of a call to DynamoDB: median, p99'],
  // The SDK draws it.
  retryMs: [500, 'assumed', 'ms before the second attempt of a throttled call, at most'],
  // "Read and write operations".
  readUnitBytes: [4_096, 'AWS', 'bytes of a read unit'],
  partitions: [32, 'assumed', 'partitions of the table'],
  // DynamoDB developer guide, "Burst and adaptive capacity".
  partitionReadUnits: [3_000, 'AWS', 'read units of a partition per second, without burst capacity'],
  // Twice the units that the fleet reads, as on demand keeps for a peak that it has seen. "Quotas": AWS raises it.
  tableReadUnits: [120_000, 'assumed', 'read units of the table per second; the default quota is 40,000'],
} as const;

type Assumed = { readonly [Name in keyof typeof ASSUMPTIONS]: (typeof ASSUMPTIONS)[Name][0] };
export const ASSUMED = Object.fromEntries(
  Object.entries(ASSUMPTIONS).map(([name, [value]]) => [name, value]),
) as Assumed;

/** The table of docs/performance/fleet.md. */
export function assumptionsAsMarkdown(): string {
  const rows = Object.values(ASSUMPTIONS).map(([value, from, what]) => {
    const values: readonly number[] = typeof value === 'number' ? [value] : Object.values(value);
    return rowOf(values.map((each) => each.toLocaleString('en-US')).join(', '), what, from);
  });
  return [rowOf('', 'what', 'from'), rowOf('---:', '---', '---'), ...rows].join('\n');
}

/** Milliseconds by the function's share of a processor. */
export const onFunction = (processorMs: number): number =>
  (processorMs * ASSUMED.processorMb) / ASSUMED.memoryMb;
