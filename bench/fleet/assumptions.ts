import { DEFAULT_TTL_MS } from '../../engine/index.ts';
import { DYNAMODB } from '../harness/draws.ts';

/**
 * Everything that the simulation takes for given. `documented` is what AWS states, with its page; `measured` comes
 * from a benchmark of this repository; `assumed` is neither.
 */
export const DOCUMENTED = {
  /**
   * Read units of a partition per second, without what it may keep of unused capacity (DynamoDB
   * developer guide, "Burst and adaptive capacity").
   */
  partitionReadUnits: 3_000,
  /** Bytes that one read unit covers ("Read and write operations"). */
  readUnitBytes: 4_096,
  /** Default quota of a table on demand ("Quotas"): AWS raises it on request. */
  tableReadUnits: 40_000,
  /** New instances of a function: 1,000 every 10 s, refilled continuously (Lambda, "Scaling behavior"). */
  starts: { most: 1_000, perSecond: 100 },
} as const;

export const MEASURED = {
  /**
   * Milliseconds of a whole processor: an answer from the cache, more for each call, more for each read unit
   * (`npm run bench -- cost`: 0.15, 1.53 with a call of 1 unit, 2.44 with a call of 5; an item of 100 units
   * takes 28 ms to parse and decode).
   */
  processorMs: { answer: 0.15, call: 1.1, unit: 0.28 },
} as const;

export const ASSUMED = {
  /** From the start of a new instance to its first request, in milliseconds, log-normal. */
  init: { medianMs: 300, p99Ms: 800 },
  /** A call to DynamoDB: as in `npm run bench -- cold`. */
  call: DYNAMODB,
  /** The SDK's second attempt of a call that was throttled waits up to so long (random). */
  retryMs: 500,
  /** Concurrent executions that the account may have. The default of AWS is 1,000. */
  concurrency: 3_000,
  /** Milliseconds after which Lambda ends an idle instance. */
  idleMs: 600_000,
  /** Memory of the function in MB, as in serverless.yml, and MB of a whole processor (Lambda). */
  memoryMb: 512,
  processorMb: 1_769,
  /** Bytes of memory for decision items: 60 % of the 32 MiB of `CACHE_MAX_BYTES`. */
  cacheBytes: Math.floor(32 * 1024 * 1024 * 0.6),
  ttlMs: DEFAULT_TTL_MS,
  /** What other instances read of the same kind is spread over about so long after a sampled read. */
  echoMs: 500,
} as const;

/** Milliseconds by the function's share of a processor. */
export const onFunction = (processorMs: number): number =>
  (processorMs * ASSUMED.processorMb) / ASSUMED.memoryMb;
