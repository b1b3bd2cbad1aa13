import type { FetchImplementation } from 'jose';
// Not by the door: the lists behind it would be in the bundle.
import { createEngine } from '../engine/engine.ts';
import type { Clock } from '../engine/index.ts';
import { createReach } from '../engine/lists/reach.ts';
import { createDecisionMetrics } from '../engine/metrics.ts';
import { hashOfToken, readApiToken } from '../table/api-token.ts';
import { createClient } from '../table/client.ts';
import { GatehouseError } from '../table/errors.ts';
import { isId, isRef } from '../table/identifiers.ts';
import type { Item } from '../table/item.ts';
import { apiRef, edgePrefix, guardKey, partitionOf } from '../table/keys.ts';
import { normaliseEmail } from '../table/normalise.ts';
import { createReader, type Reader } from '../table/read/reader.ts';
import {
  parseHintTemplates,
  parsePathTemplate,
  parseScopeTemplate,
  parseValueTemplate,
} from '../table/route-template.ts';
import { type Authorizer, createAuthorizer } from './authorizer.ts';
import { parseConfiguration } from './configuration.ts';
import { faultLine } from './log.ts';
import { createAnswerMetrics } from './metrics.ts';
import { createCellsOf } from './policy/cells.ts';
import { createWholePolicy } from './policy/whole.ts';
import { createRouteTable } from './routes/route-table.ts';
import { boundIn, METHODS, type RouteRule } from './routes/rule.ts';
import { createSubjectOf } from './subject.ts';
import { createReadApiToken } from './token/api-token.ts';
import { createAuthentication } from './token/authentication.ts';
import { createReadCredentials } from './token/credentials.ts';
import { createIssuers, createSubjectOfIssuers } from './token/issuers.ts';
import { createBearerOf } from './token/revocation.ts';

type TableReader = Pick<Reader, 'get' | 'getMany' | 'getSnapshot' | 'list' | 'listAll'>;

/**
 * Scopes and permissions in a caller's reach, and questions about them: beyond, no policy is written for the whole
 * API. One of more than a hundred resources would hardly be within its bytes.
 */
const MOST_IN_REACH = 100;
const MOST_QUESTIONS = 400;

/** What a test, or several authorizers in one process, put in place of the real thing. */
export interface Overrides {
  readonly reader?: TableReader;
  readonly clock?: Clock;
  /** Takes one line of JSON; standard error by default. */
  readonly log?: (line: string) => void;
  /** Takes a line of metrics; standard output by default. */
  readonly writeMetrics?: (line: string) => void;
  /** Fetches the issuers' keys. */
  readonly fetch?: FetchImplementation;
  /** Chance, from 0 to below 1. */
  readonly random?: () => number;
}

/**
 * The composition root: an authorizer out of its environment (configuration.ts), ready when it returns. The
 * routes are on their way then; that load also opens the connection to DynamoDB before the first request.
 *
 * @throws Error naming the variables that are missing or wrong
 */
export function createHandlerFrom(
  env: Readonly<Record<string, string | undefined>>,
  overrides: Overrides = {},
): Authorizer {
  const { table, endpoint, token, revocation, api, httpAnswer, policy, cache, metrics } =
    parseConfiguration(env);
  const {
    clock = { now: Date.now },
    log = (line) => console.error(line),
    writeMetrics = (line) => void process.stdout.write(`${line}\n`),
    reader = createReader({ client: createClient(endpoint === undefined ? {} : { endpoint }), table }),
  } = overrides;
  const routes = createRouteTable({
    load: () => loadRoutes(reader, api),
    ...cache,
    clock,
    onRefreshFailed: (error) => log(faultLine(error, undefined)),
  });
  const engine = createEngine({
    reader,
    clock,
    ...cache,
    observe: metrics && createDecisionMetrics({ ...metrics, service: api, write: writeMetrics }),
  });
  const issuers = createIssuers(token.issuers, {
    ...overrides,
    staleMs: token.staleMs,
    clock,
    onRefreshFailed: (fault) => log(faultLine(fault, undefined)),
  });
  const cellsOf = createCellsOf({
    reachOf: createReach({ reader, engine, most: MOST_IN_REACH }),
    decideMany: engine.decideMany,
    mostQuestions: MOST_QUESTIONS,
  });
  const authorizer = createAuthorizer({
    wholePolicy:
      policy.covers === 'api' ? createWholePolicy({ cellsOf, clock, ...cache, ...policy }) : undefined,
    ...(metrics ? { count: createAnswerMetrics({ ...metrics, service: api, write: writeMetrics }) } : {}),
    readApiToken: createReadApiToken({ read: readApiToken, hashOf: hashOfToken }),
    bearerOf: createBearerOf(revocation, isId),
    readCredentials: createReadCredentials(token.credentialsFrom),
    authenticate: createAuthentication({ ...token, issuers, clock }),
    subjectOf: createSubjectOfIssuers(token.issuers, (from) =>
      createSubjectOf({
        from,
        isId,
        findUserByEmail: (email) => findUserByEmail(reader, email),
        ...cache,
        clock,
      }),
    ),
    routes,
    engine,
    clock,
    log,
    httpAnswer,
  });
  routes.warm();
  return authorizer;
}

/** One Query: all routes of the API stand in one partition, by the edges from the API to them. */
async function loadRoutes(reader: TableReader, api: string): Promise<readonly RouteRule[]> {
  const items = await reader.listAll({
    ranges: [{ partition: partitionOf(apiRef(api)), prefix: edgePrefix('route') }],
  });
  return items.map(toRule);
}

/** A damaged rule fails the load: left out, it could leave its path to a wider rule. */
function toRule(item: Item): RouteRule {
  const text = (name: string): string => {
    const value = item[name];
    if (typeof value !== 'string' || value === '') {
      throw new GatehouseError('damaged_item', `a stored route has no ${name}`);
    }
    return value;
  };
  const { hints: above = [] } = item;
  if (!isListOfTexts(above)) throw new GatehouseError('damaged_item', 'hints of a stored route are no list');
  const method = text('method');
  if (!METHODS.has(method)) throw new GatehouseError('damaged_item', 'a stored route has an unknown method');
  try {
    const permission = parseValueTemplate(text('permission'), 'permission');
    const scope = parseScopeTemplate(text('scope'), 'scope');
    const segments = parsePathTemplate(text('path'), 'path');
    const hints = parseHintTemplates(above, 'hints');
    return { id: text('id'), method, segments, permission, scope, hints, bound: boundIn(permission, scope) };
  } catch (error) {
    if (error instanceof GatehouseError && error.code === 'damaged_item') throw error;
    throw new GatehouseError('damaged_item', 'a stored route cannot be read', { cause: error });
  }
}

const isListOfTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');

/** The owner of an email: one GetItem on its guard, which is the look-up at the same time (seed 003). */
async function findUserByEmail(reader: TableReader, email: string): Promise<string | undefined> {
  const key = emailKey(email);
  if (key === undefined) return undefined;
  const guard = await reader.get(key);
  if (guard === undefined) return undefined;
  const { owner } = guard;
  if (typeof owner !== 'string' || !owner.startsWith('user:') || !isRef(owner)) {
    throw new GatehouseError('damaged_item', "an email's guard names no user");
  }
  return owner;
}

/** Undefined for a text that can be nobody's email: such a claim names nobody, it is no fault. */
function emailKey(email: string): ReturnType<typeof guardKey> | undefined {
  try {
    return guardKey('EMAIL', normaliseEmail(email, 'email'));
  } catch (error) {
    if (error instanceof GatehouseError && error.code === 'invalid') return undefined;
    throw error;
  }
}
