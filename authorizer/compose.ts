import { GLOBAL, GLOBAL_ID, type ItemId } from '../engine/items.ts';
import { createAccessBound } from '../engine/search/access-bound.ts';
import { type Authorizer, createAuthorizer } from './authorizer.ts';
import { createCallerVerification } from './caller-verification.ts';
import { type Configuration, type Environment, parseConfiguration } from './configuration.ts';
import type { RemoteIssuer } from './credentials/issuers.ts';
import { createGroupsOfIssuers } from './credentials/token-groups.ts';
import { createDecisionPoint, type Overrides } from './decision-point.ts';
import { createIsCached, createOutsideKey } from './outside-key.ts';
import { createCellsOf } from './policies/cells.ts';
import { createWholePolicy, POLICY_LIMITS } from './policies/whole.ts';
import { apiRoutesId, createApiRoutes } from './routes/api-routes.ts';
import { createTrace, type Trace, withTokenSpans } from './trace.ts';

/** Shares of CACHE_MAX_BYTES: decision items, verified tokens, issuers' keys, policies for the whole API. */
const SHARES = { items: 0.6, tokens: 0.2, keys: 0.05, policies: 0.15 } as const;

/** An authorizer, and what of it can be loaded before there is a request. */
export interface Composed {
  readonly configuration: Configuration;
  readonly authorizer: Authorizer;
  readonly issuers: readonly RemoteIssuer[];
  /** Loads the items that every decision looks at: the routes, and what holds everywhere. Never rejects. */
  readonly prefetch: () => Promise<void>;
}

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
  const { token, revocation, api, httpAnswer, policy, cache } = configuration;
  const { reader, clock, engine, log, decisionLog, counting, bytesOf } = createDecisionPoint(
    configuration,
    trace,
    overrides,
    { service: 'authorizer', api, share: SHARES.items },
  );
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
    decisionLog,
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
