import { invalid } from '../table/errors.ts';
import { faultInList, faultInOptions, faultInRequest, faultInText, inList, refuse } from './arguments.ts';
import { createWork, type Work } from './conditions/work.ts';
import type { Credential } from './credential.ts';
import { decide, refusedCredential, usesOfGiven, validUntil } from './decide.ts';
import type { Decision } from './decision.ts';
import { type DecisionInput, decisionInput, type Question } from './decision-input.ts';
import { effectiveRoles, hasGrant } from './effective-roles.ts';
import { type Given, givenAt, givenIn } from './given.ts';
import type { Cost } from './item-cache.ts';
import type { ItemId } from './items.ts';
import {
  type Consistency,
  createLoad,
  type Loaded,
  type LoadOptions,
  type Look,
  type Plan,
  pause,
} from './load.ts';
import { createObserver, type Observe, type Observed } from './observation.ts';
import { createSessions, type OpenSession } from './session.ts';

export interface EngineOptions extends LoadOptions {
  /** Called after every decision. Without it the engine does not measure the cost of reads. */
  readonly observe?: Observe | undefined;
}

export interface CheckOptions extends Given {
  /** The instant to decide for, in epoch milliseconds, and `context.time` if none is given. Default: now. */
  readonly at?: number | undefined;
  /** How fresh the decision's items must be. Default: `cached`. */
  readonly consistency?: Consistency | undefined;
  /** The subject's credential. An invalid one is refused first (`credential_refused`). */
  readonly credential?: Credential | undefined;
  /**
   * Probable ancestors of the scope, closest first, up to the root, for example from the request's path. They
   * are prefetched, never trusted.
   */
  readonly prefetch?: readonly string[] | undefined;
  /** The budget that the conditions of a request share (`createWork`), over several calls. Default: one for each call. */
  readonly work?: Work | undefined;
}

/** One of many checks. Options that it leaves out come from the call. */
export interface CheckRequest extends Pick<CheckOptions, 'at' | 'credential' | 'prefetch'> {
  readonly subject: string;
  readonly permission: string;
  readonly scope: string;
  /** Instead of what the call gives, not merged with it. */
  readonly given?: Given | undefined;
}

/**
 * Builds a question from items of the table, such as routes or an email look-up; undefined until all of them
 * are loaded. These items become part of the decision input: they are as fresh as, and coherent with, the
 * others.
 */
export type Ask<Q extends Question> = Plan<Q>;

/** A decision on a question that was built from items of the table. */
export interface AskedDecision<Q extends Question> {
  readonly question: Q;
  /** Undefined if the question has no scope and its credential, if any, is valid. */
  readonly decision: Decision | undefined;
  /** The root of the scope; undefined if the scope is unknown. */
  readonly tenant: string | undefined;
  /** Whether something is granted to the subject by name at the scope, above or everywhere, in force or not. */
  readonly hasGrant: () => boolean;
}

export interface Answer<Q extends Question> extends Omit<AskedDecision<Q>, 'hasGrant'> {
  /** Undefined on a deny. */
  readonly roles: TenantRoles | undefined;
  /**
   * What the conditions that decided look at beside what the table keeps, such as `context.ip`; empty without
   * conditions.
   */
  readonly uses: readonly string[];
}

/** The tenant of a scope, and the subject's effective roles there by id, inherited ones included. */
export interface TenantRoles {
  readonly tenant: string;
  readonly roles: readonly string[];
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
  readonly checkManyAsked: <Q extends Question>(asks: readonly Ask<Q>[]) => Promise<AnswersAsked<Q>>;
  /** As `checkManyAsked`, for less time: without what is needed only to keep an answer or to pass roles on. */
  readonly decideAsked: <Q extends Question>(asks: readonly Ask<Q>[]) => Promise<readonly AskedDecision<Q>[]>;
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
    options?: CheckOptions,
  ) => Promise<TenantRoles | undefined>;
}

/** @throws GatehouseError `invalid` for an invalid time-to-live, margin or bound */
export function createEngine(options: EngineOptions): Engine {
  const { load, now, generation } = createLoad(options);
  const { wait = pause } = options;
  const observer = options.observe && createObserver(options.observe, now);

  /**
   * Loads the decision inputs of questions and decides them.
   *
   * @param decideOne decides one question, after all inputs are loaded
   * @param finish turns what was decided, in the order of the questions, into the answer
   * @param work the budget of conditions for all of them; undefined for one question, which has one of its own
   */
  function answer<Q extends Question, T extends Decided, R>(
    asks: readonly Ask<Q>[],
    consistency: Consistency,
    decideOne: (loaded: Loaded<DecisionInput<Q>>) => T,
    finish: (decided: readonly T[]) => R,
    work?: Work,
  ): Promise<R> {
    const plans = asks.map((ask) => planOf(ask, work));
    if (!observer) return inTurns(plans, consistency, decideOne, work, finish);
    return observer(
      consistency,
      () => asks.map(questionOf),
      async (cost) => {
        const observed: Observed[] = [];
        const observing = (loaded: Loaded<DecisionInput<Q>>): T => {
          const decided = decideOne(loaded);
          const { question, scopes } = loaded.value;
          const [tenant, { decision }, { isStale }] = [scopes.at(-1)?.ref, decided, loaded];
          observed.push({ question, tenant, decision, isStale });
          return decided;
        };
        return { answer: await inTurns(plans, consistency, observing, work, finish, cost), observed };
      },
    );
  }

  /**
   * Decides what is loaded, in turns: where conditions take long, other requests run in between, and the rest is loaded
   * anew, so that no decision is older than its answer may be.
   */
  function inTurns<Q extends Question, T extends Decided, R>(
    plans: readonly Plan<DecisionInput<Q>>[],
    consistency: Consistency,
    decideOne: (loaded: Loaded<DecisionInput<Q>>) => T,
    work: Work | undefined,
    finish: (decided: readonly T[]) => R,
    cost?: Cost,
  ): Promise<R> {
    if (work === undefined) return load(plans, consistency, (loaded) => finish(loaded.map(decideOne)), cost);
    const decided: T[] = [];
    const turn = (loaded: readonly Loaded<DecisionInput<Q>>[]) => {
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

  /** As `answer`, for one question. */
  const answerOne = <Q extends Question, T extends Decided, R>(
    ask: Ask<Q>,
    { at, consistency = 'cached' }: CheckOptions,
    decideOne: (input: DecisionInput<Q>, at: number) => T,
    finish: (decided: T) => R,
  ): Promise<R> =>
    answer(
      [ask],
      consistency,
      ({ value, instant }) => decideOne(value, at ?? instant),
      ([one]) => finish(one as T),
    );

  const checkManyAsked = <Q extends Question>(
    asks: readonly Ask<Q>[],
    consistency: Consistency = 'cached',
    instantOf: (question: Q) => number | undefined = () => undefined,
    work: Work = createWork(),
  ): Promise<AnswersAsked<Q>> => {
    const ends = { expiresAt: FOREVER, staleUntil: FOREVER, validUntil: FOREVER };
    let isStale = false;
    const decideOne = (loaded: Loaded<DecisionInput<Q>>): Answer<Q> => {
      const { value: input, instant } = loaded;
      const at = instantOf(input.question);
      // A decision for a given instant does not change as time passes.
      const end = at === undefined ? validUntil(input, instant) : FOREVER;
      ends.validUntil = Math.min(ends.validUntil, end);
      ends.expiresAt = Math.min(ends.expiresAt, loaded.expiresAt, end);
      ends.staleUntil = Math.min(ends.staleUntil, loaded.staleUntil, end);
      isStale ||= loaded.isStale;
      return withRoles(input, at ?? instant);
    };
    return answer(asks, consistency, decideOne, (answers) => ({ answers, ...ends, isStale }), work);
  };

  const checkMany: Engine['checkMany'] = async (requests, given = NOTHING_GIVEN) => {
    refuse(faultInOptions(given) ?? faultInRequests(requests));
    const { consistency, work, ...shared } = given;
    // The same object for all that share it: equal conditions over it are evaluated once.
    const sharedGiven = givenAt(givenIn(shared), shared.at);
    const asks = requests.map(({ subject, permission, scope, ...options }) => {
      const { at = shared.at, credential = shared.credential, prefetch = shared.prefetch } = options;
      const isShared = options.given === undefined && at === shared.at;
      const own = isShared ? sharedGiven : givenAt(options.given ?? givenIn(shared), at);
      return () => ({ subject, permission, scope, at, credential, prefetch, given: own });
    });
    const { answers, ...rest } = await checkManyAsked(asks, consistency, ({ at }) => at, work);
    return { decisions: answers.map(({ decision }) => decision as Decision), ...rest };
  };

  return {
    check: (subject, permission, scope, given = NOTHING_GIVEN) => {
      const fault = faultIn(subject, permission, scope, given);
      if (fault) return Promise.reject(fault);
      const { credential, prefetch } = given;
      const question = {
        subject,
        permission,
        scope,
        credential,
        prefetch,
        given: givenAt(givenIn(given), given.at),
      };
      const decideOne = (input: DecisionInput, at: number) => ({ decision: decide(input, at) });
      return answerOne(
        () => question,
        given,
        decideOne,
        ({ decision }) => decision,
      );
    },
    checkWithRoles: (subject, permission, scope, given = NOTHING_GIVEN) => {
      const fault = faultIn(subject, permission, scope, given);
      if (fault) return Promise.reject(fault);
      const { credential, prefetch } = given;
      const question = {
        subject,
        permission,
        scope,
        credential,
        prefetch,
        given: givenAt(givenIn(given), given.at),
      };
      return answerOne(
        () => question,
        given,
        withRoles,
        (one) => one as DecisionWithRoles,
      );
    },
    checkAsked: (ask, given = NOTHING_GIVEN) => {
      const fault = faultInAsk(ask);
      return fault ? Promise.reject(fault) : answerOne(ask, given, withRoles, (one) => one);
    },
    checkMany,
    checkManyAsked: async (asks) => {
      refuse(faultInList('asks', asks, faultInAsk));
      return checkManyAsked(asks);
    },
    decideAsked: async (asks) => {
      refuse(faultInList('asks', asks, faultInAsk));
      return answer(
        asks,
        'cached',
        ({ value, instant }) => ({
          ...decideAsked(value, instant),
          hasGrant: () => hasGrant(value.subject, value),
        }),
        (decided) => decided,
        createWork(),
      );
    },
    session: createSessions(checkMany, now, generation),
    prefetch: (items) => {
      // One plan: of what several decisions look at together, the spans must have an instant in common.
      const plan: Plan<true> = (look) =>
        items.map(({ kind, id }) => look.item(kind, id)).includes(undefined) ? undefined : true;
      return load([plan], 'cached', () => undefined).catch(() => undefined);
    },
    effectiveRoles: async (subject, scope, given = NOTHING_GIVEN) => {
      refuse(faultInText('subject', subject) ?? faultInText('scope', scope) ?? faultInOptions(given));
      const { at, consistency = 'cached', prefetch } = given;
      const question = { subject, permission: undefined, scope, prefetch };
      return load([planOf(() => question, undefined)], consistency, ([loaded]) => {
        const { value, instant } = loaded as Loaded<DecisionInput>;
        return value.subject === null ? undefined : rolesIn(value, at ?? instant);
      });
    },
  };
}

/** What is made for one question; the observer reads its decision. */
interface Decided {
  readonly decision: Decision | undefined;
}

const NOTHING_GIVEN: CheckOptions = {};

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

const faultInAsk = (ask: unknown) =>
  typeof ask === 'function' ? undefined : invalid('ask', 'ask must be a function');

const FOREVER = Number.POSITIVE_INFINITY;

/** A plan that builds a question and loads its decision input. */
const planOf =
  <Q extends Question>(ask: Ask<Q>, work: Work | undefined): Plan<DecisionInput<Q>> =>
  (look) => {
    const asked = ask(look);
    const question = asked && work && asked.work === undefined ? { ...asked, work } : asked;
    const input = question && decisionInput(question, look);
    if (input === undefined) prefetchAsBefore(ask, look);
    return input;
  };

/**
 * Prefetches what the question would look at if its items had not changed since they were cached: the usual
 * case.
 */
function prefetchAsBefore<Q extends Question>(ask: Ask<Q>, look: Look): void {
  const before: Look = {
    ...look,
    item: (kind, id) => {
      if (kind.keyOf(id) === undefined) return null;
      look.prefetch(kind, id);
      return look.recall(kind, id);
    },
  };
  const question = ask(before);
  if (question !== undefined) decisionInput(question, before);
}

/** The question, if it can be built without an item. */
const questionOf = (ask: Ask<Question>): Question =>
  ask(NOTHING_LOADED) ?? { subject: '', permission: undefined, scope: undefined };

const NOTHING_LOADED: Look = { item: () => undefined, prefetch: () => {}, recall: () => undefined };

/** Without a scope only the credential is checked. */
const decideAsked = <Q extends Question>(input: DecisionInput<Q>, at: number) => ({
  question: input.question,
  decision: input.question.scope === undefined ? refusedCredential(input, at) : decide(input, at),
  tenant: input.scopes.at(-1)?.ref,
});

/** The decision and, on an allow, the effective roles. */
function withRoles<Q extends Question>(input: DecisionInput<Q>, at: number): Answer<Q> {
  const decided = decideAsked(input, at);
  const { decision } = decided;
  return {
    ...decided,
    roles: decision?.allowed ? rolesIn(input, at) : undefined,
    uses: decision ? usesOfGiven(input, at, decision) : [],
  };
}

/** The tenant and the effective roles, whatever the decision; undefined if the scope does not exist. */
function rolesIn(input: DecisionInput, at: number): TenantRoles | undefined {
  const tenant = input.scopes.at(-1)?.ref;
  return tenant === undefined ? undefined : { tenant, roles: effectiveRoles(input.subject, input, at) };
}
