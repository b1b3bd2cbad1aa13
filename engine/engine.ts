import { type Bearer, isGoodBearer } from './bearer.ts';
import { decide } from './decide.ts';
import { DENIED, type Decision } from './decision.ts';
import type { Freshness } from './freshness.ts';
import type { Believed } from './hints.ts';
import { needBearer, SCOPE } from './needs.ts';
import { createWatch, type Observe } from './observation.ts';
import { openViews, type ViewOptions } from './open-views.ts';
import { createSessions, type OpenSession } from './session.ts';
import { type Standing, standingOf } from './standing.ts';
import type { Spending } from './store.ts';
import type { View } from './view.ts';

export interface EngineOptions extends ViewOptions {
  /** Told of every decision; nothing is counted for it, nor any unit asked for, unless it is given. */
  readonly observe?: Observe | undefined;
}

export interface CheckOptions {
  /** The instant to decide for, in epoch milliseconds; now when left out. */
  readonly at?: number;
  /** How fresh what the decision rests on must be; `cached` when left out. */
  readonly freshness?: Freshness;
  /** What the subject comes with; one that is not good is refused before all else (`bearer_refused`). */
  readonly bearer?: Bearer | undefined;
  /**
   * Scopes that may stand above the one asked about, nearest first, up to the root, as whoever asks believes: a path
   * often names them. They are only read along, so that a nested scope that nobody has seen is one call. Never believed,
   * never verified, of no meaning for the decision: a wrong one costs the units of what it names, and nothing else. What
   * is no scope's name is ignored, and so is a list that is longer than what can stand above a scope (16). May be a
   * function, which is called only where something has to be read.
   */
  readonly hints?: Believed | undefined;
}

export interface CheckRequest {
  readonly at?: number;
  readonly subject: string;
  readonly permission: string;
  readonly scope: string;
  /** As `CheckOptions` has them, for this request; those of the options when left out. */
  readonly hints?: Believed | undefined;
}

/** A decision, and with an allow where the subject stands then: by the same reads, for the same instant. */
export interface Admission {
  readonly decision: Decision;
  readonly standing: Standing | undefined;
}

/** Decisions in the order of what was asked, and until when they may be kept, in epoch milliseconds. */
export interface Decisions {
  readonly decisions: readonly Decision[];
  readonly expiresAt: number;
}

export interface Engine {
  /**
   * Whether `subject` (`user:01J…`) may use `permission` (`dashboard`, `module:action:resource`) at
   * `scope` (`location:01J…`): SPEC section 2. Synchronous when all it needs is cached, otherwise one
   * BatchGetItem, or two for a nested scope, one with `hints` that are right; a `strong` check is as many
   * TransactGetItems. A name that nothing can have is a deny, not an error.
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
  /** As `check`, and tells with an allow in which tenant and as what: for who lets them in and passes that on. */
  readonly admit: (
    subject: string,
    permission: string,
    scope: string,
    options?: CheckOptions,
  ) => Admission | Promise<Admission>;
  /**
   * Many checks, as many as rest on a hundred items in the same number of reads as one; answers in the order of
   * the requests. Of `strong` ones, which are read at one instant, a hundred items are the limit.
   */
  readonly checkMany: (
    requests: readonly CheckRequest[],
    options?: CheckOptions,
  ) => Promise<readonly Decision[]>;
  /** As `checkMany`, with the instant from which on what the decisions rest on is too old for them to be kept. */
  readonly decideMany: (requests: readonly CheckRequest[], options?: CheckOptions) => Promise<Decisions>;
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

/** @throws GatehouseError `invalid` for a time-to-live or a bound that is none */
export function createEngine(options: EngineOptions): Engine {
  const { clock, observe } = options;
  const { decideNow, standingNow, viewNow, viewsOf, entryOf, store } = openViews(options);
  const watch = observe && createWatch(observe, store);

  /** Decides requests on views that are brought together; those without an instant of their own for `at`. */
  async function decideTogether(
    requests: readonly CheckRequest[],
    freshness: Freshness,
    at: number,
    { bearer, hints }: Pick<CheckOptions, 'bearer' | 'hints'> = {},
  ) {
    const now = store.now();
    const questions =
      bearer || hints
        ? requests.map((request) => ({ ...request, bearer: bearer?.ref, hints: request.hints ?? hints }))
        : requests;
    const work = async (spending?: Spending) => {
      const seen = await viewsOf(questions, now, freshness, spending);
      const decisions = requests.map((request, position) =>
        answer(seen.views[position] as View, request.subject, bearer, request.at ?? at),
      );
      const tenants = watch ? seen.views.map(({ scopes }) => scopes.at(-1)?.ref) : [];
      return { ...seen, tenants, decisions, expiresAt: store.openedAt + seen.expiresAt };
    };
    return watch ? watch.during(requests, freshness, now, work) : work();
  }

  /** What the cache alone can say: by what was made of it, or by a view put together anew. */
  function fromCache(
    subject: string,
    permission: string,
    scope: string,
    bearer: Bearer | undefined,
    at: number | undefined,
  ): Decision | undefined {
    const decision = decideNow(subject, permission, scope, bearer, at);
    if (decision) return decision;
    const now = store.now();
    const view = viewNow({ subject, permission, scope, bearer: bearer?.ref }, now);
    return view && answer(view, subject, bearer, at ?? store.openedAt + now);
  }

  /** The root of a scope that the cache has. */
  function tenantOf(scope: string): string | undefined {
    const facts = store.find(SCOPE, scope, store.now())?.facts;
    return facts?.ancestors.at(-1) ?? facts?.ref;
  }

  /** The decision if the cache can give one. */
  function known(
    subject: string,
    permission: string,
    scope: string,
    { at, freshness = 'cached', bearer }: CheckOptions,
  ): Decision | undefined {
    const since = watch ? store.now() : 0;
    const decision = freshness === 'cached' ? fromCache(subject, permission, scope, bearer, at) : undefined;
    if (decision && watch) watch.hit({ subject, permission, scope }, since, tenantOf(scope), decision);
    return decision;
  }

  const decideMany: Engine['decideMany'] = async (requests, options = ASKED_NOTHING) => {
    const { at = clock.now(), freshness = 'cached' } = options;
    const { decisions, expiresAt } = await decideTogether(requests, freshness, at, options);
    return { decisions, expiresAt };
  };

  const rolesOf: Engine['rolesOf'] = (subject, scope, options = ASKED_NOTHING) => {
    const { at, freshness = 'cached' } = options;
    const standing = freshness === 'cached' ? standingNow(subject, scope, at) : undefined;
    if (standing) return standing;
    const now = store.now();
    const instant = at ?? store.openedAt + now;
    const question = { subject, scope, permission: undefined };
    const view = freshness === 'cached' ? viewNow(question, now) : undefined;
    if (view) return standingOf(view, instant);
    const hinted = { ...question, hints: options.hints };
    return viewsOf([hinted], now, freshness).then(({ views: [loaded] }) =>
      standingOf(loaded as View, instant),
    );
  };

  return {
    check: (subject, permission, scope, options = ASKED_NOTHING) => {
      const decision = known(subject, permission, scope, options);
      if (decision) return decision;
      const { at = clock.now(), freshness = 'cached' } = options;
      return decideTogether([{ subject, permission, scope }], freshness, at, options).then(
        ({ decisions: [decided] }) => decided as Decision,
      );
    },
    admit: (subject, permission, scope, asked = ASKED_NOTHING) => {
      const { at = clock.now(), freshness = 'cached' } = asked;
      const options = asked.at === undefined ? { ...asked, at } : asked;
      const decision = known(subject, permission, scope, options);
      if (decision) {
        const standing = decision.allowed ? rolesOf(subject, scope, options) : undefined;
        return standing instanceof Promise
          ? standing.then((found) => ({ decision, standing: found }))
          : { decision, standing };
      }
      return decideTogether([{ subject, permission, scope }], freshness, at, options).then(
        ({ decisions: [decided], views: [view] }) => ({
          decision: decided as Decision,
          standing: decided?.allowed ? standingOf(view as View, at) : undefined,
        }),
      );
    },
    checkMany: async (requests, options) => (await decideMany(requests, options)).decisions,
    decideMany,
    session: createSessions(decideTogether, clock),
    rolesOf,
    isGood: (subject, { ref, hash }) => {
      const need = needBearer(ref);
      if (!need) return false;
      const at = clock.now();
      const entry = entryOf(need, store.ticksOf(at));
      return entry instanceof Promise
        ? entry.then(({ facts }) => isGoodBearer(facts, subject, hash, at))
        : isGoodBearer(entry.facts, subject, hash, at);
    },
  };
}

const ASKED_NOTHING: CheckOptions = {};

/** Who does not come with what is theirs is refused, whoever they are. */
const answer = (view: View, subject: string, bearer: Bearer | undefined, at: number): Decision =>
  bearer && !isGoodBearer(view.bearer, subject, bearer.hash, at) ? DENIED.bearer_refused : decide(view, at);
