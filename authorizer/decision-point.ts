import { type Clock, systemClock } from '../engine/clock.ts';
import type { WriteLater } from '../engine/embedded-metrics.ts';
// Not from engine/index.ts, which would pull the searches into the bundle.
import { createEngine } from '../engine/engine.ts';
import { createLog, writeLine } from '../engine/log.ts';
import type { Observe } from '../engine/observation.ts';
import { defined } from '../table/defined.ts';
import { createClient } from '../table/dynamodb/client.ts';
import { createReader } from '../table/dynamodb/reader.ts';
import type { Reader } from '../table/reader.ts';
import type { Common, Logging } from './configuration.ts';
import type { Fetch } from './credentials/fetch.ts';
import { createDecisionLog } from './decision-log.ts';
import { createRequestMetrics } from './metrics.ts';
import { type Trace, withDecideSpans, withReadSpans } from './trace.ts';

/** Replacements for the real dependencies, for tests and where one process runs several functions. */
export interface Overrides {
  readonly reader?: Pick<Reader, 'getMany' | 'getSnapshot' | 'list' | 'listAll'>;
  readonly clock?: Clock;
  /** Writes one log line of JSON. Default: standard output. */
  readonly log?: (line: string) => void;
  /** Writes one line of metrics. Default: as `log` does. */
  readonly writeMetrics?: (line: string) => void;
  /** Instead: takes a line of metrics that is made when it is written. */
  readonly writeMetricsLater?: WriteLater;
  /** Takes every decision of the engine. */
  readonly observe?: Observe;
  /** Fetches the issuers' keys. */
  readonly fetch?: Fetch;
  /** Random number in [0, 1). */
  readonly random?: () => number;
  /** Resolves after the given milliseconds. */
  readonly wait?: (milliseconds: number) => Promise<void>;
}

/**
 * What every function that decides is put together from: the table's reader and the engine, traced and counted, and its logs.
 *
 * @param api whose routes apply, if any do: metrics go by its name
 * @param share of CACHE_MAX_BYTES for decision items
 */
export function createDecisionPoint(
  { table, endpoint, region, cache, logging, metrics }: Common & { readonly logging: Logging },
  trace: Trace,
  overrides: Overrides,
  { service, api, share }: { service: string; api?: string; share: number },
) {
  const {
    clock = systemClock,
    log: writeLog = writeLine,
    writeMetrics: write = writeLog,
    writeMetricsLater: writeLater,
    // Lambda puts the credentials of the function's role into the environment.
    reader: tableReader = createReader({
      client: createClient({ credentialsFrom: 'environment', ...defined({ endpoint, region }) }),
      table,
    }),
  } = overrides;
  const counting =
    metrics &&
    createRequestMetrics({ ...metrics, service: api ?? service, write, now: clock.now }, writeLater);
  const traced = withReadSpans(tableReader, trace);
  const reader = counting ? counting.withCounts(traced) : traced;
  const bytesOf = (part: number): number => Math.max(1, Math.floor(cache.maxBytes * part));
  const loading = {
    reader,
    clock,
    ttlMs: cache.ttlMs,
    ...defined({ random: overrides.random, wait: overrides.wait }),
  };
  const checks = createEngine({
    ...loading,
    outageTtlMs: cache.outageTtlMs,
    maxBytes: bytesOf(share),
    keepDecisions: cache.keepDecisions,
    observe: overrides.observe ?? counting?.observe,
  });
  const log = createLog({ service, level: logging.level, write: writeLog });
  const decisionLog = createDecisionLog({
    ...logging.decisions,
    service,
    api,
    write: writeLog,
    now: clock.now,
    random: overrides.random,
  });
  const engine = withDecideSpans(checks, trace);
  return { reader, clock, loading, engine, log, decisionLog, counting, bytesOf };
}
