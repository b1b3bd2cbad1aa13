import type { Environment } from '../authorizer/configuration.ts';
import { createAuthentication } from '../authorizer/credentials/authentication.ts';
import { createReadCredentials } from '../authorizer/credentials/credentials.ts';
import type { Fetch } from '../authorizer/credentials/fetch.ts';
import { createIdentify } from '../authorizer/credentials/identity.ts';
import { createIssuers } from '../authorizer/credentials/issuers.ts';
import { createDecisionLog } from '../authorizer/decision-log.ts';
import { fieldsOfFault } from '../authorizer/errors.ts';
import { createSubjectOfIssuers } from '../authorizer/subject.ts';
import { type Clock, systemClock } from '../engine/clock.ts';
import { createEngine } from '../engine/engine.ts';
import { createExplainer } from '../engine/explain/explainer.ts';
import { createLog } from '../engine/log.ts';
import { createDecisionMetrics } from '../engine/metrics.ts';
import type { Observe } from '../engine/observation.ts';
import { readApiToken } from '../table/api-token.ts';
import { createClient } from '../table/dynamodb/client.ts';
import { createReader } from '../table/dynamodb/reader.ts';
import { isId } from '../table/identifiers.ts';
import type { Log } from '../table/log.ts';
import type { Reader } from '../table/reader.ts';
import { createCallerOf } from './caller.ts';
import { type AuthzenConfiguration, parseAuthzenConfiguration } from './configuration.ts';
import { UnauthorizedError } from './errors.ts';
import { createEvaluate } from './evaluate.ts';
import { createHandle, type Handle } from './http.ts';
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
 * The composition root: the Authorization API from environment variables (configuration.ts).
 *
 * @throws GatehouseError `invalid`, naming the variables that are missing or invalid
 */
export const createHandleFrom = (env: Environment, overrides: Overrides = {}): Handle =>
  composeHandle(parseAuthzenConfiguration(env), overrides);

function composeHandle(configuration: AuthzenConfiguration, overrides: Overrides): Handle {
  const { table, endpoint, publicUrl, token, revocation, cache, logging, metrics } = configuration;
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
  const log = createLog({ service: 'authzen', level: logging.level, write: writeLog });
  const bytesOf = (share: number): number => Math.max(1, Math.floor(cache.maxBytes * share));
  const loading = {
    reader,
    clock,
    ttlMs: cache.ttlMs,
    ...(overrides.random === undefined ? {} : { random: overrides.random }),
    ...(overrides.wait === undefined ? {} : { wait: overrides.wait }),
  };
  const engine = createEngine({
    ...loading,
    outageTtlMs: cache.outageTtlMs,
    maxBytes: bytesOf(SHARES.items),
    observe:
      overrides.observe ??
      (metrics && createDecisionMetrics({ ...metrics, service: 'authzen', write: writeMetrics })),
  });
  const rootsOf = createRootsOf({
    reader,
    engine,
    clock,
    ttlMs: cache.ttlMs,
    maxBytes: bytesOf(SHARES.roots),
  });
  return createHandle({
    callerOf: createCallerOf({
      identify: createIdentify({
        readCredentials: createReadCredentials(),
        authenticate: authenticationOf(token, bytesOf, clock, overrides, log),
        revocation,
        readApiToken,
        isId,
      }),
      subjectOf: createSubjectOfIssuers(token?.issuers ?? []),
    }),
    evaluate: createEvaluate({
      engine,
      explainer: createExplainer({ ...loading, maxBytes: bytesOf(SHARES.explained) }),
      rootsOf,
      logDecision: createDecisionLog({ ...logging.decisions, log, random: overrides.random }),
    }),
    searches: createSearches({ reader, engine, clock, rootsOf }),
    metadata: publicUrl === undefined ? undefined : metadataOf(publicUrl),
    note: (error, requestId) =>
      error instanceof UnauthorizedError
        ? log.info('credentials refused', { requestId, code: error.code })
        : log.error('request failed', { requestId, ...fieldsOfFault(error) }),
  });
}

/** Verifies JWTs; without an issuer it refuses them all. */
function authenticationOf(
  token: AuthzenConfiguration['token'],
  bytesOf: (share: number) => number,
  clock: Clock,
  overrides: Overrides,
  log: Log,
) {
  if (token === undefined) return () => Promise.reject(new UnauthorizedError('issuer_refused'));
  const issuers = createIssuers(token.issuers, {
    ...overrides,
    staleMs: token.staleMs,
    cacheBytes: bytesOf(SHARES.keys),
    clock,
    onRefreshFailed: (fault) => log.warn('keys not refreshed', fieldsOfFault(fault)),
  });
  return createAuthentication({ ...token, issuers, clock, cacheBytes: bytesOf(SHARES.tokens) });
}
