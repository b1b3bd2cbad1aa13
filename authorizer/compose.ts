import { type Clock, systemClock } from '../engine/clock.ts';
// Not from engine/index.ts, which would pull the searches into the bundle.
import { createEngine } from '../engine/engine.ts';
import { GLOBAL, GLOBAL_ID, type ItemId } from '../engine/items.ts';
import { createLog } from '../engine/log.ts';
import type { Observe } from '../engine/observation.ts';
import { createAccessBound } from '../engine/search/access-bound.ts';
import { defined } from '../table/defined.ts';
import { createClient } from '../table/dynamodb/client.ts';
import { createReader } from '../table/dynamodb/reader.ts';
import type { Reader } from '../table/reader.ts';
import { type Authorizer, createAuthorizer } from './authorizer.ts';
import { createCallerVerification } from './caller-verification.ts';
import { type Configuration, type Environment, parseConfiguration } from './configuration.ts';
import type { Fetch } from './credentials/fetch.ts';
import type { RemoteIssuer } from './credentials/issuers.ts';
import { createGroupsOfIssuers } from './credentials/token-groups.ts';
import { createDecisionLog } from './decision-log.ts';
import { createRequestMetrics } from './metrics.ts';
import { createIsCached, createOutsideKey } from './outside-key.ts';
import { createCellsOf } from './policies/cells.ts';
import { createWholePolicy, POLICY_LIMITS } from './policies/whole.ts';
import { apiRoutesId, createApiRoutes } from './routes/api-routes.ts';
import { createTrace, type Trace, withDecideSpans, withReadSpans, withTokenSpans } from './trace.ts';

type TableReader = Pick<Reader, 'getMany' | 'getSnapshot' | 'list' | 'listAll'>;

/** Shares of CACHE_MAX_BYTES: decision items, verified tokens, issuers' keys, policies for the whole API. */
const SHARES = { items: 0.6, tokens: 0.2, keys: 0.05, policies: 0.15 } as const;

/** Replacements for the real dependencies, for tests and for several authorizers in one process. */
export interface Overrides {
  readonly reader?: TableReader;
  readonly clock?: Clock;
  /** Writes one log line of JSON. Default: standard output. */
  readonly log?: (line: string) => void;
  /** Writes one line of metrics. Default: as `log` does. */
  readonly writeMetrics?: (line: string) => void;
  /** Takes every decision of the engine. */
  readonly observe?: Observe;
  /** Fetches the issuers' keys. */
  readonly fetch?: Fetch;
  /** Random number in [0, 1). */
  readonly random?: () => number;
  /** Resolves after the given milliseconds. */
  readonly wait?: (milliseconds: number) => Promise<void>;
}

/** An authorizer, and what of it can be loaded before there is a request. */
export interface Composed {
  readonly configuration: Configuration;
  readonly authorizer: Authorizer;
  readonly issuers: readonly RemoteIssuer[];
  /** Loads the items that every decision looks at: the routes, and what holds everywhere. Never rejects. */
  readonly prefetch: () => Promise<void>;
}

const writeLine = (line: string): void => void process.stdout.write(`${line}\n`);

/**
 * Creates an authorizer from environment variables (configuration.ts). It also starts to load what every
 * decision looks at, which opens the connection to DynamoDB before the first request.
 *
 * @throws GatehouseError `invalid`, naming the variables that are missing or invalid
 */
export function createHandlerFrom(env: Environment, overrides: Overrides = {}): Authorizer {
  const { authorizer, prefetch } = composeFrom(env, overrides);
  void prefetch();
  return authorizer;
}

/** @throws GatehouseError `invalid`, naming the variables that are missing or invalid */
export const composeFrom = (env: Environment, overrides: Overrides = {}): Composed =>
  compose(
    parseConfiguration(env),
    createTrace(() => env._X_AMZN_TRACE_ID),
    overrides,
  );

/** The composition root. */
export function compose(configuration: Configuration, trace: Trace, overrides: Overrides): Composed {
  const { table, endpoint, region, token, revocation, api, httpAnswer, policy, cache, logging, metrics } =
    configuration;
  const {
    clock = systemClock,
    log: writeLog = writeLine,
    writeMetrics = writeLog,
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
    metrics && createRequestMetrics({ ...metrics, service: api, write: writeMetrics, now: clock.now });
  const traced = withReadSpans(tableReader, trace);
  const reader = counting ? counting.withCounts(traced) : traced;
  const log = createLog({ service: 'authorizer', level: logging.level, write: writeLog });
  const bytesOf = (share: number): number => Math.max(1, Math.floor(cache.maxBytes * share));
  const checks = createEngine({
    reader,
    clock,
    ttlMs: cache.ttlMs,
    outageTtlMs: cache.outageTtlMs,
    maxBytes: bytesOf(SHARES.items),
    keepDecisions: cache.keepDecisions,
    observe: overrides.observe ?? counting?.observe,
    ...defined({ random: overrides.random, wait: overrides.wait }),
  });
  const engine = withDecideSpans(checks, trace);
  const { issuers, identify, subjectOf } = createCallerVerification(token, {
    ...overrides,
    credentialsFrom: token.credentialsFrom,
    revocation,
    groupsOf: createGroupsOfIssuers(token.issuers, log),
    cacheBytes: { keys: bytesOf(SHARES.keys), tokens: bytesOf(SHARES.tokens) },
    clock,
    log,
  });
  const apiRoutes = createApiRoutes(reader);
  const accessBoundOf = createAccessBound({ reader, engine, most: POLICY_LIMITS.bound, now: clock.now });
  const wholePolicy = createWholePolicy({
    engine,
    subjectOf,
    apiRoutes,
    routesId: apiRoutesId(api),
    cellsOf: createCellsOf({ accessBoundOf, mostQuestions: POLICY_LIMITS.questions }),
    now: clock.now,
    // `maxBytes` is in both: the policy's size limit, not that of the caches, applies here.
    ...cache,
    ...policy,
    cacheBytes: bytesOf(SHARES.policies),
    maxComparisons: POLICY_LIMITS.comparisons,
  });
  const authorizer = createAuthorizer({
    wholePolicy: policy.covers === 'api' ? wholePolicy : undefined,
    ...(counting && { counted: counting.counted }),
    identify: withTokenSpans(identify, trace),
    basePaths: configuration.basePaths,
    outsideKey: createOutsideKey({ ...configuration, credentialsFrom: token.credentialsFrom }),
    subjectOf,
    api,
    apiRoutes,
    engine,
    now: clock.now,
    log,
    decisionLog: createDecisionLog({
      ...logging.decisions,
      service: 'authorizer',
      api,
      write: writeLog,
      now: clock.now,
      random: overrides.random,
    }),
    isCached: createIsCached(configuration.resultCaches),
    httpAnswer,
    trace,
  });
  const inEveryDecision: readonly ItemId[] = [
    { kind: apiRoutes, id: apiRoutesId(api) },
    { kind: GLOBAL, id: GLOBAL_ID },
  ];
  return { configuration, authorizer, issuers, prefetch: () => engine.prefetch(inEveryDecision) };
}
