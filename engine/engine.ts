import type { BearerFacts } from '../table/decision/facts.ts';
import { invalid } from '../table/errors.ts';
import { type Bearer, isGoodBearer } from './bearer.ts';
import { decide } from './decide.ts';
import { DENIED, type Decision } from './decision.ts';
import type { Freshness } from './freshness.ts';
import { needBearer } from './needs.ts';
import { rolesInForce } from './roles.ts';
import { createSessions, type OpenSession } from './session.ts';
import { type Clock, createStore, type DecisionReader } from './store.ts';
import type { View } from './view.ts';
import { createViews } from './views.ts';

export interface EngineOptions {
  /** Reads decision items: strongly consistent, failing as a whole when a key stays unread. */
  readonly reader: DecisionReader;
  readonly clock: Clock;
  /** Milliseconds for which what was read may answer: how stale an allow or a deny can be. Default 60,000. */
  readonly ttlMs?: number;
  /** Bound on the cache in estimated bytes. Default 32 MiB. */
  readonly maxBytes?: number;
  /** Milliseconds of margin when entries that were read apart are put together. Default 6,000. */
  readonly coherenceMarginMs?: number;
  readonly random?: () => number;
}

export interface CheckOptions {
  /** The instant to decide for, in epoch milliseconds; now when left out. */
  readonly at?: number;
  /** How fresh what the decision rests on must be; `cached` when left out. */
  readonly freshness?: Freshness;
  /** What the subject comes with; one that is not good is refused before all else (`bearer_refused`). */
  readonly bearer?: Bearer | undefined;
}

export interface CheckRequest {
  readonly at?: number;
  readonly subject: string;
  readonly permission: string;
  readonly scope: string;
}

/** Where a subject stands at a scope: the tenant it belongs to and the roles in force there. */
export interface Standing {
  readonly root: string;
  readonly roles: readonly string[];
}

export interface Engine {
  /**
   * Whether `subject` (`user:01J…`) may use `permission` (`dashboard`, `module:action:resource`) at
   * `scope` (`location:01J…`): SPEC section 2. Synchronous when all it needs is cached, otherwise one
   * BatchGetItem, or two for a nested scope; a `strong` check is as many TransactGetItems. A name that nothing
   * can have is a deny, not an error.
   *
   * @throws GatehouseError on faults only (`throttled`, `transient`, `damaged_item`, `internal`); a
   *   fault means "not allowed"
   */
  readonly check: (
    subject: string,
    permission: string,
    scope: string,
    options?: CheckOptions,
  ) => Decision | Promise<Decision>;
  /**
   * Many checks, as many as rest on a hundred items in the same number of reads as one; answers in the order of
   * the requests. Of `strong` ones, which are read at one instant, a hundred items are the limit.
   */
  readonly checkMany: (
    requests: readonly CheckRequest[],
    options?: CheckOptions,
  ) => Promise<readonly Decision[]>;
  /**
   * What a subject may do at a scope, of the permissions that are named: resolved at once, then asked for
   * without a promise, as often as a menu has entries. It ends with the time-to-live of what it rests on.
   */
  readonly session: OpenSession;
  /** The roles in force, inherited ones included; undefined when the subject or the scope does not exist. */
  readonly rolesOf: (
    subject: string,
    scope: string,
    options?: CheckOptions,
  ) => Standing | undefined | Promise<Standing | undefined>;
  /**
   * Whether what a subject comes with is good: its record is there, is that subject's, is neither revoked nor
   * over, and has the hash that is shown. For where no permission is asked; otherwise give `bearer` to `check`.
   */
  readonly isGood: (subject: string, bearer: Bearer) => boolean | Promise<boolean>;
}

export const DEFAULT_TTL_MS = 60_000;
export const DEFAULT_MAX_BYTES = 32 * 1024 * 1024;

/**
 * Milliseconds by which the newest write must precede the oldest read of entries that were read apart: a
 * write may take 5 s from its stamp to its arrival (the writer's deadline), and clocks may differ by 1 s.
 */
export const DEFAULT_COHERENCE_MARGIN_MS = 6_000;

/** @throws GatehouseError `invalid` for a time-to-live or a bound that is none */
export function createEngine(options: EngineOptions): Engine {
  const {
    reader,
    clock,
    ttlMs = DEFAULT_TTL_MS,
    maxBytes = DEFAULT_MAX_BYTES,
    coherenceMarginMs = DEFAULT_COHERENCE_MARGIN_MS,
    random = Math.random,
  } = options;
  if (!Number.isFinite(ttlMs) || ttlMs < 0) {
    throw invalid('ttlMs', 'ttlMs must be a number of milliseconds, 0 or more');
  }
  if (!Number.isSafeInteger(maxBytes) || maxBytes < 1) {
    throw invalid('maxBytes', 'maxBytes must be a whole number of bytes, 1 or more');
  }
  const store = createStore({ reader, clock, ttlMs, maxBytes, random });

  const { viewNow, viewsOf } = createViews(store, coherenceMarginMs);

  return {
    check: (subject, permission, scope, { at, freshness = 'cached', bearer } = {}) => {
      const now = clock.now();
      const question = { subject, permission, scope, bearer: bearer?.ref };
      const view = freshness === 'cached' ? viewNow(question, now) : undefined;
      if (view) return answer(view, subject, bearer, at ?? now);
      return viewsOf([question], now, freshness).then(({ views: [loaded] }) =>
        answer(loaded as View, subject, bearer, at ?? now),
      );
    },
    checkMany: async (requests, { at: otherwise, freshness = 'cached', bearer } = {}) => {
      const now = clock.now();
      const questions = requests.map((request) => ({ ...request, bearer: bearer?.ref }));
      const { views } = await viewsOf(questions, now, freshness);
      return requests.map(({ subject, at = otherwise }, position) =>
        answer(views[position] as View, subject, bearer, at ?? now),
      );
    },
    session: createSessions(viewsOf, clock),
    rolesOf: (subject, scope, { at, freshness = 'cached' } = {}) => {
      const now = clock.now();
      const question = { subject, scope, permission: undefined };
      const view = freshness === 'cached' ? viewNow(question, now) : undefined;
      if (view) return standingOf(view, at ?? now);
      return viewsOf([question], now, freshness).then(({ views: [loaded] }) =>
        standingOf(loaded as View, at ?? now),
      );
    },
    isGood: (subject, { ref, hash }) => {
      const need = needBearer(ref);
      if (!need) return false;
      const now = clock.now();
      const entry = store.find(need, now);
      if (entry) return isGoodBearer(entry.facts, subject, hash, now);
      return store
        .load([need], now)
        .then((loaded) => isGoodBearer(loaded.get(need.id)?.facts as BearerFacts | null, subject, hash, now));
    },
  };
}

/** Who does not come with what is theirs is refused, whoever they are. */
const answer = (view: View, subject: string, bearer: Bearer | undefined, at: number): Decision =>
  bearer && !isGoodBearer(view.bearer, subject, bearer.hash, at) ? DENIED.bearer_refused : decide(view, at);

function standingOf(view: View, at: number): Standing | undefined {
  const root = view.scopes.at(-1);
  if (!view.subject || !root) return undefined;
  return { root: root.ref, roles: rolesInForce(view, at) };
}
