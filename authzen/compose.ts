import { createCallerVerification } from '../authorizer/caller-verification.ts';
import type { Environment } from '../authorizer/configuration.ts';
import { createDecisionPoint, type Overrides } from '../authorizer/decision-point.ts';
import { CredentialsError, codeOf, fieldsOfFault } from '../authorizer/errors.ts';
import type { Handle } from '../authorizer/service/http.ts';
import { createTrace, type Trace, withTokenSpans } from '../authorizer/trace.ts';
import { createExplainer } from '../engine/explain/explainer.ts';
import { GLOBAL, GLOBAL_ID } from '../engine/items.ts';
import { createCallerOf } from './caller.ts';
import { type AuthzenConfiguration, parseAuthzenConfiguration } from './configuration.ts';
import { createEvaluate } from './evaluate.ts';
import { createHandle } from './http.ts';
import { metadataOf } from './metadata.ts';
import { createRootsOf } from './roots.ts';
import { createSearches } from './search.ts';

/** Shares of CACHE_MAX_BYTES: decision items, explanations, verified tokens, issuers' keys, callers' roots. */
const SHARES = { items: 0.65, explained: 0.05, tokens: 0.2, keys: 0.05, roots: 0.05 } as const;

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
  const { publicUrl, token, revocation, cache } = configuration;
  const { loading, reader, clock, engine, log, decisionLog, counting, bytesOf } = createDecisionPoint(
    configuration,
    trace,
    overrides,
    { service: 'authzen', share: SHARES.items },
  );
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
