import { type Clock, systemClock } from '../engine/clock.ts';
// Not from engine/index.ts, which would pull the searches into the bundle.
import { createEngine } from '../engine/engine.ts';
import { createLog } from '../engine/log.ts';
import { createDecisionMetrics } from '../engine/metrics.ts';
import type { Observe } from '../engine/observation.ts';
import { createAccessBound } from '../engine/search/access-bound.ts';
import { readApiToken } from '../table/api-token.ts';
import { createClient } from '../table/dynamodb/client.ts';
import { createReader } from '../table/dynamodb/reader.ts';
import { isId } from '../table/identifiers.ts';
import type { Reader } from '../table/reader.ts';
import { type Authorizer, createAuthorizer } from './authorizer.ts';
import { parseConfiguration } from './configuration.ts';
import { createAuthentication } from './credentials/authentication.ts';
import { createReadCredentials } from './credentials/credentials.ts';
import type { Fetch } from './credentials/fetch.ts';
import { createIdentify } from './credentials/identity.ts';
import { createIssuers } from './credentials/issuers.ts';
import { createDecisionLog } from './decision-log.ts';
import { fieldsOfFault } from './errors.ts';
import { createAnswerMetrics } from './metrics.ts';
import { createOutsideKey } from './outside-key.ts';
import { createCellsOf } from './policies/cells.ts';
import { createWholePolicy, POLICY_LIMITS } from './policies/whole.ts';
import { apiRoutesId, createApiRoutes } from './routes/api-routes.ts';
import { createSubjectOfIssuers } from './subject.ts';

type TableReader = Pick<Reader, 'getMany' | 'getSnapshot' | 'list' | 'listAll'>;

/** Shares of CACHE_MAX_BYTES: decision items, verified tokens, issuers' keys, policies for the whole API. */
const SHARES = { items: 0.6, tokens: 0.2, keys: 0.05, policies: 0.15 } as const;

/** Replacements for the real dependencies, for tests and for several authorizers in one process. */
export interface Overrides {
  readonly reader?: TableReader;
  readonly clock?: Clock;
  /** Writes one log line of JSON. Default: standard output. */
  readonly log?: (line: string) => void;
  /** Writes one line of metrics. Default: standard output. */
  readonly writeMetrics?: (line: string) => void;
  /** Takes every decision, in place of the metrics of decisions. */
  readonly observe?: Observe;
  /** Fetches the issuers' keys. */
  readonly fetch?: Fetch;
  /** Random number in [0, 1). */
  readonly random?: () => number;
  /** Resolves after the given milliseconds. */
  readonly wait?: (milliseconds: number) => Promise<void>;
}

const writeLine = (line: string): void => void process.stdout.write(`${line}\n`);

/**
 * The composition root: creates an authorizer from environment variables (configuration.ts). It also starts
 * to load the routes, which opens the connection to DynamoDB before the first request.
 *
 * @throws GatehouseError `invalid`, naming the variables that are missing or invalid
 */
export function createHandlerFrom(
  env: Readonly<Record<string, string | undefined>>,
  overrides: Overrides = {},
): Authorizer {
  const configuration = parseConfiguration(env);
  const { table, endpoint, token, revocation, api, httpAnswer, policy, cache, logging, metrics } =
    configuration;
  const {
    clock = systemClock,
    log: writeLog = writeLine,
    writeMetrics = writeLine,
    // Lambda puts the credentials of the function's role into the environment.
    reader = createReader({
      client: createClient({
        credentialsFrom: 'environment',
        ...(endpoint === undefined ? {} : { endpoint }),
      }),
      table,
    }),
  } = overrides;
  const log = createLog({ service: 'authorizer', level: logging.level, write: writeLog });
  const bytesOf = (share: number): number => Math.max(1, Math.floor(cache.maxBytes * share));
  const observed = metrics && { ...metrics, service: api, write: writeMetrics };
  const engine = createEngine({
    reader,
    clock,
    ttlMs: cache.ttlMs,
    outageTtlMs: cache.outageTtlMs,
    maxBytes: bytesOf(SHARES.items),
    observe: overrides.observe ?? (observed && createDecisionMetrics(observed)),
    ...(overrides.random === undefined ? {} : { random: overrides.random }),
    ...(overrides.wait === undefined ? {} : { wait: overrides.wait }),
  });
  const issuers = createIssuers(token.issuers, {
    ...overrides,
    staleMs: token.staleMs,
    cacheBytes: bytesOf(SHARES.keys),
    clock,
    onRefreshFailed: (fault) => log.warn('keys not refreshed', fieldsOfFault(fault)),
  });
  const subjectOf = createSubjectOfIssuers(token.issuers);
  const apiRoutes = createApiRoutes(reader);
  const accessBoundOf = createAccessBound({ reader, engine, most: POLICY_LIMITS.bound });
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
    ...(observed && { count: createAnswerMetrics(observed) }),
    identify: createIdentify({
      readCredentials: createReadCredentials(token.credentialsFrom),
      authenticate: createAuthentication({ ...token, issuers, clock, cacheBytes: bytesOf(SHARES.tokens) }),
      revocation,
      readApiToken,
      isId,
    }),
    outsideKey: createOutsideKey({ ...configuration, credentialsFrom: token.credentialsFrom }),
    subjectOf,
    api,
    apiRoutes,
    engine,
    now: clock.now,
    log,
    logDecision: createDecisionLog({ ...logging.decisions, log, random: overrides.random }),
    httpAnswer,
  });
  engine.prefetch(apiRoutes, apiRoutesId(api));
  return authorizer;
}
