import { createCallerVerification } from '../authorizer/caller-verification.ts';
import type { Environment } from '../authorizer/configuration.ts';
import type { Fetch } from '../authorizer/credentials/fetch.ts';
import { createDecisionLog } from '../authorizer/decision-log.ts';
import { CredentialsError, codeOf, fieldsOfFault } from '../authorizer/errors.ts';
import { createRequestMetrics } from '../authorizer/metrics.ts';
import type { Handle } from '../authorizer/service/http.ts';
import {
  createTrace,
  type Trace,
  withDecideSpans,
  withReadSpans,
  withTokenSpans,
} from '../authorizer/trace.ts';
import { type Clock, systemClock } from '../engine/clock.ts';
import type { WriteLater } from '../engine/embedded-metrics.ts';
import { createEngine } from '../engine/engine.ts';
import { createExplainer } from '../engine/explain/explainer.ts';
import { GLOBAL, GLOBAL_ID } from '../engine/items.ts';
import { createLog } from '../engine/log.ts';
import type { Observe } from '../engine/observation.ts';
import { defined } from '../table/defined.ts';
import { createClient } from '../table/dynamodb/client.ts';
import { createReader } from '../table/dynamodb/reader.ts';
import type { Reader } from '../table/reader.ts';
import { createCallerOf } from './caller.ts';
import { type AuthzenConfiguration, parseAuthzenConfiguration } from './configuration.ts';
import { createEvaluate } from './evaluate.ts';
import { createHandle } from './http.ts';
import { metadataOf } from './metadata.ts';
import { createRootsOf } from './roots.ts';
import { createSearches } from './search.ts';

type TableReader = Pick<Reader, 'getMany' | 'getSnapshot' | 'list' | 'listAll'>;

/** Shares of CACHE_MAX_BYTES: decision items, explanations, verified tokens, issuers' keys, callers' roots. */
const SHARES = { items: 0.65, explained: 0.05, tokens: 0.2, keys: 0.05, roots: 0.05 } as const;

/** Replacements for the real dependencies. */
export interface Overrides {
  readonly reader?: TableReader;
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

const writeLine = (line: string): void => void process.stdout.write(`${line}\n`);

/** The API, and what of it can be loaded before there is a request. */
export type Composed = ReturnType<typeof compose>;

/**
 * The Authorization API from environment variables (configuration.ts).
 *
 * @throws GatehouseError `invalid`, naming the variables that are missing or invalid
 */
export const createHandleFrom = (env: Environment, overrides: Overrides = {}): Handle =>
  composeFrom(env, overrides).handle;

/** @throws GatehouseError `invalid`, naming the variables that are missing or invalid */
export const composeFrom = (env: Environment, overrides: Overrides = {}): Composed =>
  compose(
    parseAuthzenConfiguration(env),
    createTrace(() => env._X_AMZN_TRACE_ID),
    overrides,
  );

/** The composition root. */
export function compose(configuration: AuthzenConfiguration, trace: Trace, overrides: Overrides) {
  const { table, endpoint, region, publicUrl, token, revocation, cache, logging, metrics } = configuration;
  const {
    clock = systemClock,
    log: writeLog = writeLine,
    writeMetrics: write = writeLog,
    writeMetricsLater: writeLater,
    // Lambda puts the credentials of the function's role into the environment.
    reader: tableReader = createReader({
      client: createClient({
        credentialsFrom: 'environment',
        ...defined({ endpoint, region }),
      }),
      table,
    }),
  } = overrides;
  const counting =
    metrics && createRequestMetrics({ ...metrics, service: 'authzen', write, now: clock.now }, writeLater);
  const traced = withReadSpans(tableReader, trace);
  const reader = counting ? counting.withCounts(traced) : traced;
  const log = createLog({ service: 'authzen', level: logging.level, write: writeLog });
  const bytesOf = (share: number): number => Math.max(1, Math.floor(cache.maxBytes * share));
  const loading = {
    reader,
    clock,
    ttlMs: cache.ttlMs,
    ...defined({ random: overrides.random, wait: overrides.wait }),
  };
  const checks = createEngine({
    ...loading,
    outageTtlMs: cache.outageTtlMs,
    maxBytes: bytesOf(SHARES.items),
    keepDecisions: cache.keepDecisions,
    observe: overrides.observe ?? counting?.observe,
  });
  const engine = withDecideSpans(checks, trace);
  const rootsOf = createRootsOf({
    reader,
    engine,
    clock,
    ttlMs: cache.ttlMs,
    maxBytes: bytesOf(SHARES.roots),
  });
  const { issuers, identify, subjectOf } = createCallerVerification(token, {
    ...overrides,
    revocation,
    cacheBytes: { keys: bytesOf(SHARES.keys), tokens: bytesOf(SHARES.tokens) },
    clock,
    log,
  });
  const decisionLog = createDecisionLog({
    ...logging.decisions,
    service: 'authzen',
    write: writeLog,
    now: clock.now,
    random: overrides.random,
  });
  const logDecision = decisionLog?.log;
  const handle = createHandle({
    callerOf: createCallerOf({ identify: withTokenSpans(identify, trace), subjectOf }),
    evaluate: createEvaluate({
      engine,
      explainer: createExplainer({ ...loading, maxBytes: bytesOf(SHARES.explained) }),
      rootsOf,
      logDecision,
    }),
    searches: createSearches({ reader, engine, clock, rootsOf, logDecision }),
    trace,
    counted: counting?.counted,
    metadata: publicUrl === undefined ? undefined : metadataOf(publicUrl),
    note: (error, requestId) =>
      error instanceof CredentialsError
        ? log.info('credentials refused', { requestId, ...codeOf(error) })
        : log.error('request failed', { requestId, ...fieldsOfFault(error) }),
  });
  /** Connects to DynamoDB, and loads what every decision looks at. Never rejects. */
  const prefetch = () => engine.prefetch([{ kind: GLOBAL, id: GLOBAL_ID }]);
  return { configuration, handle, decisionLog, issuers, prefetch };
}
