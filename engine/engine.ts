import { invalid } from '../table/errors.ts';
import { faultInList, faultInOptions, faultInRequest, faultInText, inList, refuse } from './arguments.ts';
import { createWork } from './conditions/work.ts';
import type { Ask, Decidable, Decided, Deciding, TenantRoles } from './decided.ts';
import { asking, createDeciding, endOf, rolesOf, usesOf } from './deciding.ts';
import type { Decision } from './decision.ts';
import { type DecisionInput, decisionInput, type Question } from './decision-input.ts';
import { createEngineLog, type DecisionLog, type LogAs } from './decision-log.ts';
import { effectiveRoles } from './effective-roles.ts';
import { type Given, givenAt, givenIn } from './given.ts';
import type { Cost } from './item-cache.ts';
import type { ItemId } from './items.ts';
import { createKeptDecisions } from './kept-decisions.ts';
import {
  type Consistency,
  createLoad,
  DEFAULT_MAX_BYTES,
  type Loaded,
  type LoadOptions,
  type Look,
  type Plan,
  pause,
} from './load.ts';
import { createObserver, type Observe, type Observed } from './observation.ts';
import { createSessions, type OpenSession } from './session.ts';

export type { Ask, TenantRoles };

export interface EngineOptions extends LoadOptions {
  /** Whether decisions are kept with the items that they rest on, and given again (ADR 0013). Default true. */
  readonly keepDecisions?: boolean | undefined;
  /** Called after every decision. Without it the engine does not measure the cost of reads. */
  readonly observe?: Observe | undefined;
  /** Takes what is decided here (docs/observability.md). Default: nothing is logged. */
  readonly decisionLog?: DecisionLog | undefined;
}

export interface CheckOptions
  extends Given,
    Pick<Question, 'at' | 'credential' | 'actor' | 'groups' | 'prefetch' | 'work'> {
  /** How fresh the decision's items must be. Default: `cached`. */
  readonly consistency?: Consistency | undefined;
  /** Whether its decisions are worth keeping. False where each is asked once, as in a search. Default true. */
  readonly keepDecisions?: boolean | undefined;
  /** As what its decisions are logged, where they are. Default: `check`. */
  readonly logAs?: LogAs | undefined;
}

/** One of many checks. Options that it leaves out come from the call. */
export interface CheckRequest
  extends Pick<CheckOptions, 'actor' | 'at' | 'credential' | 'groups' | 'prefetch'> {
  readonly subject: string;
  readonly permission: string;
  readonly scope: string;
  /** Instead of what the call gives, not merged with it. */
  readonly given?: Given | undefined;
}

/** A decision on a question that was built from items of the table. */
export interface AskedDecision<Q extends Question> {
  readonly question: Q;
  /** Undefined if the question has no scope, its credential, if any, is valid, and who acts may act. */
  readonly decision: Decision | undefined;
  /** The root of the scope; undefined if the scope is unknown. */
  readonly tenant: string | undefined;
  /** Whether something is granted to the subject by name at the scope, above or everywhere, in force or not. */
  readonly hasGrant: boolean;
  /** As an {@link Answer} has it, where it was asked for. */
  readonly uses?: readonly string[];
}

export interface Answer<Q extends Question> extends Omit<AskedDecision<Q>, 'hasGrant' | 'uses'> {
  /** Undefined on a deny. */
  readonly roles: TenantRoles | undefined;
  /**
   * What the conditions that decided look at beside what the table keeps, such as `context.ip`; empty without
   * conditions.
   */
  readonly uses: readonly string[];
}

export interface DecisionWithRoles {
  readonly decision: Decision;
  /** Undefined on a deny. */
  readonly roles: TenantRoles | undefined;
}

/** Decisions in the order of the requests. All instants in epoch milliseconds. */
export interface Decisions {
  readonly decisions: readonly Decision[];
  /**
   * Until when they may be kept: the time-to-live of their items, or `validUntil` if earlier.
   */
  readonly expiresAt: number;
  /** Until when they may be kept while DynamoDB is down. */
  readonly staleUntil: number;
  /** The next instant at which something in their items begins or ends by time alone. */
  readonly validUntil: number;
  /** Whether an item is older than the time-to-live, because DynamoDB is down. */
  readonly isStale: boolean;
}

export interface AnswersAsked<Q extends Question> extends Omit<Decisions, 'decisions'> {
  readonly answers: readonly Answer<Q>[];
}

export interface Engine {
  /**
   * Whether `subject` (`user:01J…`) may use `permission` (`dashboard`, `module:action:resource`) at `scope`
   * (`location:01J…`). Reads nothing if all items are cached, otherwise one BatchGetItem, or
   * two for a nested scope that was never read before. A `strong` check makes as many TransactGetItems calls.
   * A malformed name is a deny, not an error.
   *
   * As all functions here that return promises, it never throws but rejects: with a GatehouseError `invalid`
   * and the `field` for an argument of a wrong type or length (texts have 1 to 1,024 characters); otherwise on
   * faults only (`throttled`, `transient`, `contended`, `damaged_item`, `internal`). All mean "not allowed".
   *
   * @throws GatehouseError as above
   */
  readonly check: (
    subject: string,
    permission: string,
    scope: string,
    options?: CheckOptions,
  ) => Promise<Decision>;
  /** As `check`, with the tenant and the effective roles on an allow; no further reads. */
  readonly checkWithRoles: (
    subject: string,
    permission: string,
    scope: string,
    options?: CheckOptions,
  ) => Promise<DecisionWithRoles>;
  /**
   * As `checkWithRoles`, for a question that is built from items of the table. Its names are not arguments:
   * they come from routes and tokens, and a malformed one is a deny.
   */
  readonly checkAsked: <Q extends Question>(
    ask: Ask<Q>,
    options?: Pick<CheckOptions, 'consistency'>,
  ) => Promise<Answer<Q>>;
  /**
   * Many checks that share their reads. Each decision is of one instant; two may be of different instants.
   *
   * @throws GatehouseError `invalid` on `requests.3.subject` and the like; faults as `check` does
   */
  readonly checkMany: (requests: readonly CheckRequest[], options?: CheckOptions) => Promise<Decisions>;
  /** As `checkMany`, for questions that are built from items of the table. */
  readonly checkManyAsked: <Q extends Question>(
    asks: readonly Ask<Q>[],
    options?: Pick<CheckOptions, 'consistency' | 'keepDecisions' | 'logAs'>,
  ) => Promise<AnswersAsked<Q>>;
  /** As `checkManyAsked`, for less time: without what is needed only to keep an answer or to pass roles on. */
  readonly decideAsked: <Q extends Question>(
    asks: readonly Ask<Q>[],
    options?: Pick<CheckOptions, 'consistency' | 'work' | 'logAs'> & { readonly withUses?: boolean },
  ) => Promise<readonly AskedDecision<Q>[]>;
  /**
   * Decides the named permissions of a subject at a scope together, to be queried synchronously afterwards.
   */
  readonly session: OpenSession;
  /**
   * Loads items into the cache, coherent with each other. Never rejects: the check that reads an item reports its
   * error.
   */
  readonly prefetch: (items: readonly ItemId[]) => Promise<void>;
  /**
   * The effective roles of a subject at a scope; undefined if the subject or the scope does not exist.
   *
   * @throws GatehouseError as `check` does
   */
  readonly effectiveRoles: (
    subject: string,
    scope: string,
    options?: Omit<CheckOptions, 'actor'>,
  ) => Promise<TenantRoles | undefined>;
  /** Where its decisions are logged. */
  readonly decisionLog?: DecisionLog | undefined;
}

/** @throws GatehouseError `invalid` for an invalid time-to-live, margin or bound */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the interface of the engine, method by method over one load.
export function createEngine(options: EngineOptions): Engine {
  const { wait = pause, maxBytes = DEFAULT_MAX_BYTES, keepDecisions = true, decisionLog } = options;
  const loading = createLoad(options, (bytes) => kept?.leave(bytes));
  const { load, now, generation } = loading;
  const kept = keepDecisions ? createKeptDecisions(maxBytes) : undefined;
  const { planOf, decideAtOnce, decideAskedAtOnce, decide } = createDeciding(kept, loading);
  const observer = options.observe && createObserver(options.observe, now);
  const logs = decisionLog && createEngineLog(decisionLog);
  const isReported = observer !== undefined || logs !== undefined;
  // How a question is decided that is asked alone: for the decision, and for the effective roles, too.
  const alone = { givesAgain: true, keeps: true, work: undefined, log: logs?.check };
  const forDecision: Deciding = { ...alone, withRoles: false };
  const forRoles: Deciding = { ...alone, withRoles: true };

  /**
   * Loads what questions are decided from, and decides them.
   *
   * @param make makes the answer to one question, after all are loaded
   * @param finish turns what was made, in the order of the questions, into the answer
   */
  function answer<Q extends Question, T, R>(
    asks: readonly Ask<Q>[],
    consistency: Consistency,
    { keeps, withRoles, work, log }: Omit<Deciding, 'givesAgain'>,
    make: (decided: Decided<Q>, loaded: Loaded<Decidable<Q>>) => T,
    finish: (made: readonly T[]) => R,
  ): Promise<R> {
    const isCached = consistency === 'cached';
    const deciding = { givesAgain: isCached, keeps: keeps && isCached, withRoles, work, log };
    const plans = asks.map((ask) => planOf(ask, deciding));
    const decideLoaded = ({ value, instant, isStale }: Loaded<Decidable<Q>>) =>
      decide(value, instant, isStale, deciding);
    const making = (loaded: Loaded<Decidable<Q>>): T => make(decideLoaded(loaded), loaded);
    if (!observer && !log) return inTurns(plans, consistency, deciding, making, finish);
    const reported = async (cost?: Cost) => {
      const [all, observed]: [Decided<Q>[], Observed[]] = [[], []];
      const observing = (loaded: Loaded<Decidable<Q>>): T => {
        const decided = decideLoaded(loaded);
        all.push(decided);
        observed.push(observedOf(decided, loaded.isStale));
        return make(decided, loaded);
      };
      const answer = await inTurns(plans, consistency, deciding, observing, finish, cost);
      log?.(all);
      return { answer, observed };
    };
    if (observer) return observer.around(consistency, () => asks.map(questionOf), reported);
    return reported().then(({ answer }) => answer);
  }

  /**
   * Decides what is loaded, in turns: where conditions take long, other requests run in between, and the rest is loaded
   * anew, so that no decision is older than its answer may be.
   */
  function inTurns<Q extends Question, T, R>(
    plans: readonly Plan<Decidable<Q>>[],
    consistency: Consistency,
    { work }: Pick<Deciding, 'work'>,
    decideOne: (loaded: Loaded<Decidable<Q>>) => T,
    finish: (made: readonly T[]) => R,
    cost?: Cost,
  ): Promise<R> {
    if (work === undefined) return load(plans, consistency, (loaded) => finish(loaded.map(decideOne)), cost);
    const decided: T[] = [];
    const turn = (loaded: readonly Loaded<Decidable<Q>>[]) => {
      for (const one of loaded) {
        decided.push(decideOne(one));
        if (work.isDue()) break;
      }
      return { answer: decided.length === plans.length ? { is: finish(decided) } : undefined };
    };
    const next = async (): Promise<R> => {
      const made = await load(plans.slice(decided.length), consistency, turn, cost);
      if (made.answer) return made.answer.is;
      await wait(0);
      return next();
    };
    return next();
  }

  /** As `answer`, for one question: at once where all that it looks at is cached. */
  function answerOne<R>(
    question: Question,
    consistency: Consistency,
    deciding: Deciding,
    make: (decided: Decided<Question>) => R,
  ): Promise<R> {
    const decided = consistency === 'cached' ? decideAtOnce(question, deciding) : undefined;
    if (decided === undefined) return answerAlone(asking(question), consistency, deciding, make);
    if (isReported) report(decided, deciding);
    return Promise.resolve(make(decided));
  }

  /** Reports what was decided at once. */
  function report(decided: Decided<Question>, { log }: Deciding): void {
    observer?.given(observedOf(decided, false), decided.instant);
    log?.([decided]);
  }

  /** As `answerOne`, for a question that is built from items. */
  function answerAsked<Q extends Question, R>(
    ask: Ask<Q>,
    consistency: Consistency,
    deciding: Deciding,
    make: (decided: Decided<Q>) => R,
  ): Promise<R> {
    const decided = consistency === 'cached' ? decideAskedAtOnce(ask, deciding) : undefined;
    if (decided === undefined) return answerAlone(ask, consistency, deciding, make);
    if (isReported) report(decided, deciding);
    return Promise.resolve(make(decided));
  }

  const answerAlone = <Q extends Question, R>(
    ask: Ask<Q>,
    consistency: Consistency,
    deciding: Deciding,
    make: (decided: Decided<Q>) => R,
  ): Promise<R> => answer([ask], consistency, deciding, make, ([one]) => one as R);

  const checkManyAsked = <Q extends Question>(
    asks: readonly Ask<Q>[],
    { consistency = 'cached', work = createWork(), keeps = true, withRoles = true, log }: ManyOptions = {},
  ): Promise<AnswersAsked<Q>> => {
    const ends = { expiresAt: FOREVER, staleUntil: FOREVER, validUntil: FOREVER };
    let isStale = false;
    const make = (decided: Decided<Q>, loaded: Loaded<Decidable<Q>>): Answer<Q> => {
      // A decision for a given instant does not change as time passes.
      const end = decided.question.at === undefined ? endOf(decided, loaded.instant) : FOREVER;
      ends.validUntil = Math.min(ends.validUntil, end);
      ends.expiresAt = Math.min(ends.expiresAt, loaded.expiresAt, end);
      ends.staleUntil = Math.min(ends.staleUntil, loaded.staleUntil, end);
      isStale ||= loaded.isStale;
      return answerOf(decided);
    };
    const deciding = { keeps, withRoles, work, log };
    return answer(asks, consistency, deciding, make, (answers) => ({ answers, ...ends, isStale }));
  };

  const checkMany = async (
    requests: readonly CheckRequest[],
    given: CheckOptions,
    log: Deciding['log'],
  ): Promise<Decisions> => {
    refuse(faultInOptions(given) ?? faultInRequests(requests) ?? faultInShared(given, requests));
    const { consistency, work, keepDecisions, ...shared } = given;
    // The same object for all that share it: equal conditions over it are evaluated once.
    const sharedGiven = givenAt(givenIn(shared), shared.at);
    const asks = requests.map(({ subject, permission, scope, ...options }) => {
      const { at = shared.at, credential = shared.credential, prefetch = shared.prefetch } = options;
      const { actor = shared.actor, groups = shared.groups } = options;
      const isShared = options.given === undefined && at === shared.at;
      const own = isShared ? sharedGiven : givenAt(options.given ?? givenIn(shared), at);
      return () => ({ subject, permission, scope, actor, groups, at, credential, prefetch, given: own });
    });
    const { answers, ...rest } = await checkManyAsked(asks, {
      consistency,
      work,
      keeps: keepDecisions,
      withRoles: false,
      log,
    });
    return { decisions: answers.map(({ decision }) => decision as Decision), ...rest };
  };

  return {
    check: (subject, permission, scope, given = NOTHING_GIVEN) => {
      const fault = faultIn(subject, permission, scope, given);
      if (fault) return Promise.reject(fault);
      const question = questionWith(subject, permission, scope, given);
      return answerOne(question, given.consistency ?? 'cached', forDecision, decisionOf);
    },
    checkWithRoles: (subject, permission, scope, given = NOTHING_GIVEN) => {
      const fault = faultIn(subject, permission, scope, given);
      if (fault) return Promise.reject(fault);
      const question = questionWith(subject, permission, scope, given);
      return answerOne(
        question,
        given.consistency ?? 'cached',
        forRoles,
        answerOf,
      ) as Promise<DecisionWithRoles>;
    },
    checkAsked: (ask, { consistency = 'cached' } = NOTHING_GIVEN) => {
      const fault = faultInAsk(ask);
      return fault ? Promise.reject(fault) : answerAsked(ask, consistency, forRoles, answerOf);
    },
    checkMany: async (requests, given = NOTHING_GIVEN) =>
      checkMany(requests, given, logs?.[given?.logAs ?? 'check']),
    checkManyAsked: async (asks, { keepDecisions, logAs = 'check', ...options } = NOTHING_GIVEN) => {
      refuse(faultInList('asks', asks, faultInAsk));
      return checkManyAsked(asks, { ...options, keeps: keepDecisions, log: logs?.[logAs] });
    },
    decideAsked: async (asks, { consistency = 'cached', work = createWork(), logAs, withUses } = NOTHING) => {
      refuse(faultInList('asks', asks, faultInAsk));
      const deciding = { keeps: true, withRoles: false, work, log: logs?.[logAs ?? 'check'] };
      return answer(asks, consistency, deciding, withUses ? askedWithUses : askedDecisionOf, (all) => all);
    },
    decisionLog,
    session: createSessions(checkMany, now, generation, decisionLog),
    prefetch: (items) => {
      // One plan: of what several decisions look at together, the spans must have an instant in common.
      const plan: Plan<true> = (look) =>
        items.map(({ kind, id }) => look.item(kind, id)).includes(undefined) ? undefined : true;
      return load([plan], 'cached', () => undefined).catch(() => undefined);
    },
    effectiveRoles: async (subject, scope, given = NOTHING_GIVEN) => {
      refuse(faultInText('subject', subject) ?? faultInText('scope', scope) ?? faultInOptions(given));
      if ('actor' in given) throw invalid('actor', 'effective roles are of a subject, whoever acts for it');
      const { at, consistency = 'cached', groups, prefetch } = given;
      const question = { subject, permission: undefined, scope, groups, prefetch };
      return load([(look) => decisionInput(question, look)], consistency, ([loaded]) => {
        const { value, instant } = loaded as Loaded<DecisionInput>;
        const tenant = value.scopes.at(-1)?.ref;
        if (value.subject === null || tenant === undefined) return undefined;
        return { tenant, roles: effectiveRoles(value.subject, value, at ?? instant) };
      });
    },
  };
}

type ManyOptions = {
  readonly [name in 'keeps' | 'withRoles' | 'work' | 'log']?: Deciding[name] | undefined;
} & Pick<CheckOptions, 'consistency'>;

const questionWith = (subject: string, permission: string, scope: string, given: CheckOptions): Question =>
  given === NOTHING_GIVEN
    ? { subject, permission, scope }
    : {
        subject,
        permission,
        scope,
        actor: given.actor,
        groups: given.groups,
        at: given.at,
        credential: given.credential,
        prefetch: given.prefetch,
        given: givenAt(givenIn(given), given.at),
        work: given.work,
      };

const observedOf = ({ question, decision, made, isKept }: Decided<Question>, isStale: boolean): Observed => ({
  question,
  tenant: made?.tenant,
  decision,
  isStale,
  isKept,
});

const decisionOf = ({ decision }: Decided<Question>): Decision => decision as Decision;

const NOTHING_GIVEN: CheckOptions = {};
const NOTHING: NonNullable<Parameters<Engine['decideAsked']>[1]> = {};

/** The first fault in the arguments of a check. */
const faultIn = (subject: unknown, permission: unknown, scope: unknown, given: unknown) =>
  faultInText('subject', subject) ??
  faultInText('permission', permission) ??
  faultInText('scope', scope) ??
  (given === NOTHING_GIVEN ? undefined : faultInOptions(given));

const faultInRequests = (requests: unknown) =>
  faultInList('requests', requests, (request, position) => {
    const fault = faultInRequest(request);
    return fault && inList('requests', position, fault);
  });

/** A token is of one subject: what it names counts for no other one. */
const faultInShared = ({ groups }: CheckOptions, requests: readonly CheckRequest[]) =>
  groups !== undefined && requests.some(({ subject }) => subject !== requests[0]?.subject)
    ? invalid('groups', 'groups are of one subject: give each request its own')
    : undefined;

const faultInAsk = (ask: unknown) =>
  typeof ask === 'function' ? undefined : invalid('ask', 'ask must be a function');

const FOREVER = Number.POSITIVE_INFINITY;

/** The question, if it can be built without an item. */
const questionOf = (ask: Ask<Question>): Question =>
  ask(NOTHING_LOADED) ?? { subject: '', permission: undefined, scope: undefined };

const NOTHING_LOADED: Look = { item: () => undefined, prefetch: () => {}, recall: () => undefined };

const askedDecisionOf = <Q extends Question>(decided: Decided<Q>): AskedDecision<Q> => {
  const { question, decision, made } = decided;
  return { question, decision, tenant: made?.tenant, hasGrant: made?.hasGrant === true };
};

const askedWithUses = <Q extends Question>(decided: Decided<Q>): AskedDecision<Q> => ({
  ...askedDecisionOf(decided),
  uses: usesOf(decided),
});

/** The decision and, on an allow, the effective roles. */
function answerOf<Q extends Question>(decided: Decided<Q>): Answer<Q> {
  const { question, decision, made } = decided;
  return {
    question,
    decision,
    tenant: made?.tenant,
    roles: decision?.allowed ? rolesOf(decided) : undefined,
    uses: usesOf(decided),
  };
}
