import type { Credential } from './credential.ts';
import { decide, refusedCredential, validUntil } from './decide.ts';
import type { Decision } from './decision.ts';
import { type DecisionInput, decisionInput, type Question } from './decision-input.ts';
import { effectiveRoles } from './effective-roles.ts';
import type { Kind } from './items.ts';
import { type Consistency, createLoad, type Loaded, type LoadOptions, type Look, type Plan } from './load.ts';
import { createObserver, type Observe } from './observation.ts';
import { createSessions, type OpenSession } from './session.ts';

export interface EngineOptions extends LoadOptions {
  /** Told of every decision; nothing is counted for it, nor any unit asked for, unless it is given. */
  readonly observe?: Observe | undefined;
}

export interface CheckOptions {
  /** The instant to decide for, in epoch milliseconds; now when left out. */
  readonly at?: number | undefined;
  /** How fresh what the decision rests on must be; `cached` when left out. */
  readonly consistency?: Consistency | undefined;
  /** What the subject comes with; one that is not good is refused before all else (`credential_refused`). */
  readonly credential?: Credential | undefined;
  /**
   * Scopes that may stand above the one asked about, nearest first, up to the root: a path often names them. They are
   * prefetched, never trusted.
   */
  readonly prefetch?: readonly string[] | undefined;
}

/** One of many questions. What it leaves out is as the options of the call say. */
export interface CheckRequest extends Omit<CheckOptions, 'consistency'> {
  readonly subject: string;
  readonly permission: string;
  readonly scope: string;
}

/**
 * Asks a question that follows from items of the table, such as a route or a look-up; undefined while one of them is
 * missing. The decision rests on them as on all else that it looks at.
 */
export type Ask<Q extends Question> = Plan<Q>;

export interface Answer<Q extends Question> {
  readonly question: Q;
  /** Undefined where nothing was asked but whether the credential is good, and it is. */
  readonly decision: Decision | undefined;
  /** Undefined for who is not allowed. */
  readonly roles: TenantRoles | undefined;
}

/** Where a subject has roles: the tenant of the scope, and the roles in force by id, inherited ones included. */
export interface TenantRoles {
  readonly tenant: string;
  readonly roles: readonly string[];
}

export interface DecisionWithRoles {
  readonly decision: Decision;
  /** Undefined for who is not allowed. */
  readonly roles: TenantRoles | undefined;
}

/** Decisions in the order of what was asked. */
export interface Decisions {
  readonly decisions: readonly Decision[];
  /**
   * Until when they may be kept, in epoch milliseconds: what they rest on is too old then, or something in it begins or
   * ends (SPEC section 10).
   */
  readonly expiresAt: number;
  /** The same while DynamoDB is down. */
  readonly staleUntil: number;
  /** The next instant at which something in them begins or ends by time alone. */
  readonly validUntil: number;
  /** Whether one of them rests on what is older than the time-to-live, because DynamoDB is down. */
  readonly isStale: boolean;
}

export interface AnswersAsked<Q extends Question> extends Omit<Decisions, 'decisions'> {
  readonly answers: readonly Answer<Q>[];
}

export interface Engine {
  /**
   * Whether `subject` (`user:01J…`) may use `permission` (`dashboard`, `module:action:resource`) at
   * `scope` (`location:01J…`): SPEC section 2. Nothing is read when all it needs is cached, otherwise one
   * BatchGetItem, or two for a nested scope that was never seen. A `strong` check is as many TransactGetItems. A name that
   * nothing can have is a deny, not an error.
   *
   * @throws GatehouseError on faults only (`throttled`, `transient`, `contended`, `damaged_item`, `internal`); a
   *   fault means "not allowed"
   */
  readonly check: (
    subject: string,
    permission: string,
    scope: string,
    options?: CheckOptions,
  ) => Promise<Decision>;
  /** As `check`, and tells with an allow in which tenant and with which roles, by the same reads. */
  readonly checkWithRoles: (
    subject: string,
    permission: string,
    scope: string,
    options?: CheckOptions,
  ) => Promise<DecisionWithRoles>;
  /** As `checkWithRoles`, for a question that follows from items of the table. */
  readonly checkAsked: <Q extends Question>(ask: Ask<Q>) => Promise<Answer<Q>>;
  /** Many checks, which share their reads; each is of one instant. Answers in the order of the requests. */
  readonly checkMany: (requests: readonly CheckRequest[], options?: CheckOptions) => Promise<Decisions>;
  /** As `checkMany`, for questions that follow from items of the table. */
  readonly checkManyAsked: <Q extends Question>(asks: readonly Ask<Q>[]) => Promise<AnswersAsked<Q>>;
  /**
   * What a subject may do at a scope, of the permissions that are named: resolved at once, then asked for
   * without a promise, as often as a menu has entries.
   */
  readonly session: OpenSession;
  /** Loads an item ahead of the questions that will look at it. A failure shows when it is asked for. */
  readonly prefetch: <T>(kind: Kind<T>, id: string) => void;
  /** The effective roles of a subject at a scope; undefined when the subject or the scope does not exist. */
  readonly effectiveRoles: (
    subject: string,
    scope: string,
    options?: CheckOptions,
  ) => Promise<TenantRoles | undefined>;
}

/** @throws GatehouseError `invalid` for a time-to-live or a bound that is none */
export function createEngine(options: EngineOptions): Engine {
  const { load, now, generation } = createLoad(options);
  const observer = options.observe && createObserver(options.observe, now);

  /** Loads what the decisions look at; each is made, by `decideOne`, after that, and `finish` makes the answer of them. */
  function answer<Q extends Question, T extends { readonly decision: Decision | undefined }, R>(
    asks: readonly Ask<Q>[],
    consistency: Consistency,
    decideOne: (loaded: Loaded<DecisionInput<Q>>) => T,
    finish: (decided: readonly T[]) => R,
  ): Promise<R> {
    const plans = asks.map(planOf);
    if (!observer) return load(plans, consistency, (loaded) => finish(loaded.map(decideOne)));
    return observer(consistency, asks.map(questionOf), (cost) =>
      load(
        plans,
        consistency,
        (loaded) => {
          const decided = loaded.map(decideOne);
          const observed = loaded.map(({ value: { question, scopes }, isStale }, position) => ({
            question,
            tenant: scopes.at(-1)?.ref,
            decision: decided[position]?.decision,
            isStale,
          }));
          return { answer: finish(decided), observed };
        },
        cost,
      ),
    );
  }

  const checkManyAsked = <Q extends Question>(
    asks: readonly Ask<Q>[],
    consistency: Consistency = 'cached',
    instantOf: (question: Q) => number | undefined = () => undefined,
  ): Promise<AnswersAsked<Q>> => {
    const ends = { expiresAt: FOREVER, staleUntil: FOREVER, validUntil: FOREVER };
    let isStale = false;
    const decideOne = (loaded: Loaded<DecisionInput<Q>>): Answer<Q> => {
      const { value: input, instant } = loaded;
      const at = instantOf(input.question);
      // What was asked for another instant than now stays true of that one.
      const end = at === undefined ? validUntil(input, instant) : FOREVER;
      ends.validUntil = Math.min(ends.validUntil, end);
      ends.expiresAt = Math.min(ends.expiresAt, loaded.expiresAt, end);
      ends.staleUntil = Math.min(ends.staleUntil, loaded.staleUntil, end);
      isStale ||= loaded.isStale;
      return withRoles(input, at ?? instant);
    };
    return answer(asks, consistency, decideOne, (answers) => ({ answers, ...ends, isStale }));
  };

  const checkMany: Engine['checkMany'] = async (requests, { consistency, ...shared } = NOTHING_GIVEN) => {
    const asks = requests.map(({ subject, permission, scope, ...own }) => {
      const { at = shared.at, credential = shared.credential, prefetch = shared.prefetch } = own;
      return () => ({ subject, permission, scope, at, credential, prefetch });
    });
    const { answers, ...rest } = await checkManyAsked(asks, consistency, ({ at }) => at);
    return { decisions: answers.map(({ decision }) => decision as Decision), ...rest };
  };

  return {
    check: (subject, permission, scope, given = NOTHING_GIVEN) => {
      const { at, consistency = 'cached', credential, prefetch } = given;
      const question = { subject, permission, scope, credential, prefetch };
      const decideOne = ({ value, instant }: Loaded<DecisionInput>) => ({
        decision: decide(value, at ?? instant),
      });
      return answer([() => question], consistency, decideOne, ([one]) => one?.decision as Decision);
    },
    checkWithRoles: (subject, permission, scope, given = NOTHING_GIVEN) => {
      const { at, consistency = 'cached', credential, prefetch } = given;
      const question = { subject, permission, scope, credential, prefetch };
      const decideOne = ({ value, instant }: Loaded<DecisionInput>) => withRoles(value, at ?? instant);
      return answer([() => question], consistency, decideOne, ([one]) => one as DecisionWithRoles);
    },
    checkAsked: <Q extends Question>(ask: Ask<Q>) =>
      answer(
        [ask],
        'cached',
        ({ value, instant }) => withRoles(value, instant),
        ([one]) => one as Answer<Q>,
      ),
    checkMany,
    checkManyAsked: (asks) => checkManyAsked(asks),
    session: createSessions(checkMany, now, generation),
    prefetch: (kind, id) => {
      load([(look) => look.item(kind, id)], 'cached', () => undefined).catch(() => undefined);
    },
    effectiveRoles: (subject, scope, { at, consistency = 'cached', prefetch } = NOTHING_GIVEN) => {
      const question = { subject, permission: undefined, scope, prefetch };
      return load([planOf(() => question)], consistency, ([loaded]) => {
        const { value, instant } = loaded as Loaded<DecisionInput>;
        return value.subject === null ? undefined : rolesIn(value, at ?? instant);
      });
    },
  };
}

const NOTHING_GIVEN: CheckOptions = {};
const FOREVER = Number.POSITIVE_INFINITY;

/** The plan of a question: what it is asked, and all that its decision looks at. */
const planOf =
  <Q extends Question>(ask: Ask<Q>): Plan<DecisionInput<Q>> =>
  (look) => {
    const question = ask(look);
    const input = question && decisionInput(question, look);
    if (input === undefined) prefetchAsBefore(ask, look);
    return input;
  };

/** Prefetches what the question looked at when its items were read last: most often it looks at the same again. */
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

/** The question, as far as it can be told without an item. */
const questionOf = (ask: Ask<Question>): Question =>
  ask(NOTHING_LOADED) ?? { subject: '', permission: undefined, scope: undefined };

const NOTHING_LOADED: Look = { item: () => undefined, prefetch: () => {}, recall: () => undefined };

/** The decision and, with an allow, the roles: for one instant, of one input. */
function withRoles<Q extends Question>(input: DecisionInput<Q>, at: number): Answer<Q> {
  const { question } = input;
  const decision = question.scope === undefined ? refusedCredential(input, at) : decide(input, at);
  return { question, decision, roles: decision?.allowed ? rolesIn(input, at) : undefined };
}

/** The tenant and the roles in force, whatever else refuses; undefined where the scope does not exist. */
function rolesIn(input: DecisionInput, at: number): TenantRoles | undefined {
  const tenant = input.scopes.at(-1)?.ref;
  return tenant === undefined ? undefined : { tenant, roles: effectiveRoles(input.subject, input, at) };
}
