import { createCipher } from '../../table/bytes.ts';
import { defined } from '../../table/defined.ts';
import { GatehouseError, invalid } from '../../table/errors.ts';
import { scopeOf } from '../../table/resource-type.ts';
import type { Actor } from '../actor.ts';
import { faultInList, faultInOptions, faultInText, faultInTexts, refuse } from '../arguments.ts';
import { type Clock, systemClock } from '../clock.ts';
import { createWork, type Work } from '../conditions/work.ts';
import type { Credential } from '../credential.ts';
import { isConditionFailed } from '../decision.ts';
import type { Engine } from '../engine.ts';
import type { Given } from '../given.ts';
import { type Consistency, DEFAULT_TTL_MS } from '../load.ts';
import type { SearchReader } from '../search/sources.ts';
import type { RowCondition } from './condition.ts';
import type { Row, Rows } from './define-rows.ts';
import { type GrantedParts, grantedParts } from './granted-parts.ts';
import { narrowRows } from './narrow.ts';
import { createNarrowingReads } from './narrowing-reads.ts';
import { type Place, placeOf, readPlace } from './row-place.ts';

export interface VisibleRowsOptions {
  readonly reader: SearchReader;
  readonly engine: Pick<Engine, 'decideAsked'>;
  readonly clock?: Clock | undefined;
  /** 256 random bits as text: cursors are encrypted with it. Every process that serves a list has the same. */
  readonly cursorSecret: string;
  /** Milliseconds for which what is granted to a subject is kept for narrowing. Default: the engine's time-to-live. */
  readonly ttlMs?: number | undefined;
  /** Milliseconds after which a page ends even if it is not full. Default 5,000. */
  readonly budgetMs?: number | undefined;
  /** Called after each page, for metrics: how many rows were looked at, and how many of them refused. What it throws is dropped. */
  readonly observe?: ((page: { readonly looked: number; readonly dropped: number }) => void) | undefined;
}

export interface RowsQuestion<R extends Row> {
  /** `user:01J…` */
  readonly subject: string;
  readonly permission: string;
  readonly rows: Rows;
  /**
   * The application's query: rows that fulfil the condition and its own, in the order of `rows.order` and then
   * `rows.key`, ascending, after a place, at most `count`. All columns that `rows` names are selected.
   */
  readonly fetch: (condition: RowCondition, after: Place | undefined, count: number) => Promise<readonly R[]>;
  /** Rows of a page, 1 to 500. Default 50. */
  readonly limit?: number | undefined;
  /** The cursor of the previous page. */
  readonly after?: string | undefined;
  /** What else the query depends on, as JSON: a cursor belongs to it. */
  readonly query?: unknown;
  /** Roots: only what is granted in their trees, and only rows there. Default: all. */
  readonly within?: ReadonlySet<string> | undefined;
  /** Further permissions, to be decided for each row of the page. */
  readonly also?: readonly string[] | undefined;
  /** What conditions see beside the row: subject, action, context. The resource is the row. */
  readonly given?: Omit<Given, 'resource'> | undefined;
  readonly credential?: Credential | undefined;
  /** Who acts for the subject. */
  readonly actor?: Actor | undefined;
  readonly consistency?: Consistency | undefined;
}

export interface RowsPage<R extends Row> {
  readonly rows: readonly R[];
  /** Of `also`, what is allowed on each row, in the order of the rows. */
  readonly also: readonly ReadonlySet<string>[];
  /** There if and only if more rows may follow. */
  readonly cursor?: string;
}

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 500;

/** Rows that a page looks at. Then it ends with a cursor, even if it is empty. */
const MAX_LOOKED = 2_000;

/** Characters of a cursor, at the most columns and the longest texts that order a list. */
const MAX_CURSOR = 100_000;

const DEFAULT_BUDGET_MS = 5_000;

/** One page of the rows that a subject may use a permission on. Each row is decided; the condition only proposes. */
export type VisibleRows = <R extends Row>(question: RowsQuestion<R>) => Promise<RowsPage<R>>;

/**
 * Lists of an application's rows (ADR 0041).
 *
 * @throws GatehouseError `invalid` for a secret that is too short
 */
export function createVisibleRows(options: VisibleRowsOptions): VisibleRows {
  const { reader, engine, cursorSecret, clock = systemClock, ttlMs = DEFAULT_TTL_MS, observe } = options;
  const { budgetMs = DEFAULT_BUDGET_MS } = options;
  if (typeof cursorSecret !== 'string' || cursorSecret.length < 32)
    throw invalid('cursorSecret', 'cursorSecret must be a text of at least 32 characters');
  const cipher = createCipher(cursorSecret);
  const beginNarrowing = createNarrowingReads(clock, ttlMs);

  return async (question) => {
    refuse(faultInQuestion(question));
    const { subject, permission, rows, limit = DEFAULT_LIMIT, after, query, given = {} } = question;
    const { actor, within, consistency = 'cached' } = question;
    const list = JSON.stringify([
      subject,
      permission,
      rows.type,
      rows.order,
      rows.key,
      query ?? null,
      ...(actor ? [actor.subject, actor.mandate ?? null] : []),
    ]);
    const from = after === undefined ? undefined : readPlace(await (await cipher).decrypt(after, list));
    const work = createWork();
    const until = clock.now() + budgetMs;

    const narrow = async () => {
      const { read, expiresAt } = beginNarrowing(consistency === 'cached');
      const granted = await read(
        JSON.stringify(['granted', subject, permission, rows.type, within ? [...within].sort() : null]),
        () => grantedParts(reader, subject, permission, within, rows.type),
        bytesOfGranted,
      );
      const narrowed = { subject, permission, granted, given };
      const condition = await narrowRows(reader, rows, narrowed, read);
      return { condition, mapping: granted.mapping, expiresAt: expiresAt() };
    };
    const page: Row[] = [];
    let looked = 0;
    let place = from;
    let isEnd = false;
    let { condition, mapping, expiresAt } = await narrow();
    for (let count = limit + 1; page.length < limit && !isEnd; count = Math.min(2 * count, MAX_LIMIT)) {
      if (condition.kind === 'never') {
        isEnd = true;
        break;
      }
      const found = await question.fetch(condition, place, count);
      if (clock.now() >= expiresAt)
        throw new GatehouseError(
          'stale',
          'the page took longer than it may use what is granted to the subject',
        );
      if (!Array.isArray(found) || found.length > count)
        throw invalid('fetch', `fetch must answer a list of at most ${count} rows`);
      const places = found.map((row: Row) => placeOf(rows, row));
      if (place && places[0] && JSON.stringify(places[0]) === JSON.stringify(place))
        throw invalid('fetch', 'fetch answers the row again that it should begin after');
      const decisions = await decide(engine, question, found, { permission, mapping, work });
      isEnd = found.length < count;
      for (const [position, row] of found.entries()) {
        // Only such a decision could be another within the budget.
        // A first one is passed over: otherwise the next page would begin with it again, and never end.
        if (work.isSpent() && decisions[position] === 'condition_failed')
          return pageUntil(looked === 0 ? places[position] : place);
        place = places[position];
        looked += 1;
        if (decisions[position] !== 'allowed') continue;
        page.push(row);
        if (page.length < limit) continue;
        isEnd &&= position === found.length - 1;
        break;
      }
      if (!isEnd && page.length < limit && (looked >= MAX_LOOKED || clock.now() >= until)) break;
      if (!isEnd && page.length < limit && clock.now() >= expiresAt)
        ({ condition, mapping, expiresAt } = await narrow());
    }
    return pageUntil(isEnd ? undefined : place);

    async function pageUntil(end: Place | undefined): Promise<RowsPage<never>> {
      try {
        observe?.({ looked, dropped: looked - page.length });
      } catch {}
      const also = page.map(() => new Set<string>());
      const by = { mapping, work: createWork() };
      for (const each of question.also ?? []) {
        const outcomes = await decide(engine, question, page, { permission: each, ...by });
        for (const [position, outcome] of outcomes.entries())
          if (outcome === 'allowed') also[position]?.add(each);
      }
      const cursor = end && (await (await cipher).encrypt(JSON.stringify(end), list));
      return { rows: page as never[], also, ...defined({ cursor }) };
    }
  };
}

type Outcome = 'allowed' | 'condition_failed' | 'refused';

/** Decides rows, each as the resource of a question with what the call gives. */
async function decide(
  engine: Pick<Engine, 'decideAsked'>,
  { subject, rows, given, credential, actor, consistency, within }: RowsQuestion<Row>,
  all: readonly Row[],
  { permission, mapping, work }: Pick<GrantedParts, 'mapping'> & { permission: string; work: Work },
): Promise<readonly Outcome[]> {
  const asked = all.flatMap((row, position) => {
    const scope = rows.scopeOf(row);
    const resource = rows.resourceOf(row);
    if (mapping?.scope !== undefined && scopeOf(mapping, resource) !== scope)
      throw invalid(
        'rows.scope',
        `the resource type ${rows.type} is mapped to ${mapping.scope}, which is not the scope of row ${resource.id}`,
      );
    return scope === undefined ? [] : [{ position, scope, resource }];
  });
  const outcomes: Outcome[] = all.map(() => 'refused');
  if (asked.length === 0) return outcomes;
  const decided = await engine.decideAsked(
    asked.map(({ scope, resource }) => () => ({
      subject,
      permission,
      scope,
      credential,
      actor,
      given: { ...given, resource },
    })),
    { consistency, work, logAs: 'rows' },
  );
  for (const [index, { decision, tenant }] of decided.entries()) {
    const isWithin = within === undefined || (tenant !== undefined && within.has(tenant));
    const position = asked[index]?.position as number;
    if (decision?.allowed && isWithin) outcomes[position] = 'allowed';
    else if (decision && isConditionFailed(decision) && isWithin) outcomes[position] = 'condition_failed';
  }
  return outcomes;
}

const bytesOfGranted = ({ parts }: GrantedParts): number =>
  parts.reduce((sum, { path = [], when = [] }) => sum + 200 + 40 * path.length + when.join().length, 0);

function faultInQuestion(question: RowsQuestion<Row>) {
  const {
    subject,
    permission,
    rows,
    fetch,
    limit = DEFAULT_LIMIT,
    after,
    within,
    also,
    given = {},
  } = question;
  const { credential, actor, consistency } = question;
  const fault = faultInText('subject', subject) ?? faultInText('permission', permission);
  if (fault) return fault;
  if (typeof rows?.scopeOf !== 'function') return invalid('rows', 'rows must come from defineRows');
  if (typeof fetch !== 'function') return invalid('fetch', 'fetch must be a function');
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT)
    return invalid('limit', `limit must be a whole number from 1 to ${MAX_LIMIT}`);
  if (after !== undefined && !(typeof after === 'string' && after.length <= MAX_CURSOR))
    return invalid('after', 'after must be a cursor');
  if (within !== undefined && !(within instanceof Set))
    return invalid('within', 'within must be a Set of references');
  if (given !== null && typeof given === 'object' && 'resource' in given && given.resource !== undefined)
    return invalid('given.resource', 'the resource is the row');
  const roots = within === undefined ? undefined : faultInList('within', [...within], faultInRoot);
  return (
    roots ??
    (also && faultInTexts('also', also)) ??
    faultInOptions({ ...given, credential, actor, consistency })
  );
}

const faultInRoot = (ref: unknown, position: number) => faultInText(`within.${position}`, ref);
