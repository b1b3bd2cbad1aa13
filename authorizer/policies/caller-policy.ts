import type { Clock } from '../../engine/clock.ts';
import {
  type Actor,
  type Ask,
  createEngine,
  type Decision,
  type Engine,
  type Question,
  type Reason,
} from '../../engine/index.ts';
import { createAccessBound } from '../../engine/search/access-bound.ts';
import { byteLength } from '../../table/bytes.ts';
import type { Reader } from '../../table/reader.ts';
import { type PolicyAnswer, toWholePolicy } from '../answer.ts';
import type { VerifiedClaims } from '../credentials/verify.ts';
import { apiRoutesId, createApiRoutes } from '../routes/api-routes.ts';
import { type RouteRule, VERBS } from '../routes/rule.ts';
import { type CellsRequest, createCellsOf, isListable } from './cells.ts';
import { type Cell, compile, createBudget, partsOf } from './compile.ts';
import { patternOf } from './glob.ts';
import { createWholePolicy, POLICY_LIMITS } from './whole.ts';

/** The default of POLICY_MAX_BYTES. */
const MAX_BYTES = 6_144;

export interface CallerPolicyOptions {
  readonly reader: Pick<Reader, 'getMany' | 'getSnapshot' | 'list' | 'listAll'>;
  readonly clock: Clock;
  /** The name of the API, as API_NAME of its authorizer. */
  readonly api: string;
  /** The ARN of the API up to and including the slash after its stage. */
  readonly base: string;
  /** As POLICY_MAX_BYTES, with its default. */
  readonly maxBytes?: number;
  /** As UNMAPPED_PATHS: whether API Gateway itself refuses every path that no route maps. Default: no. */
  readonly isClosed?: boolean;
}

/** Who calls: a reference, and the claims of its token, which count as verified. */
export interface PolicyCaller {
  readonly subject: string;
  /** Who acts for it. */
  readonly actor?: Actor | undefined;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Why there is no policy for the whole API. Each answer is for its route alone then. */
export type NoPolicy =
  /** Who acts for the caller may not at all, or by a mandate with a budget. */
  | { readonly reason: 'actor_refused'; readonly refusal: Reason }
  /** There is no bound on what the caller may be allowed: an administrator, a global role, a wildcard; or it is too wide. */
  | { readonly reason: 'unbounded'; readonly most: number }
  | { readonly reason: 'too_many_questions'; readonly most: number }
  /** A condition that decides looks at the request: at `context.ip`, for example. */
  | { readonly reason: 'conditions'; readonly uses: readonly string[] }
  /** Routes that the caller may use take values from headers, the query or the rest of a path, or are ambiguous. */
  | { readonly reason: 'unlistable'; readonly routes: readonly RouteRule[] }
  /** Patterns that allow one route would cover paths of another one. */
  | { readonly reason: 'inseparable' }
  | { readonly reason: 'too_large'; readonly maxBytes: number }
  /** What the caller may use changed meanwhile. */
  | { readonly reason: 'changed' };

/** Of a route, what a policy allows of it: values of its parameters, with the resources for them. */
export interface Allowed {
  readonly rule: RouteRule;
  readonly values: Readonly<Record<string, string>>;
  readonly resources: readonly string[];
}

export interface CallerPolicy {
  /** All routes of the API. */
  readonly rules: readonly RouteRule[];
  /** The answer of the authorizer; undefined if there is none for the whole API. */
  readonly answer: PolicyAnswer | undefined;
  /** Of the answer. */
  readonly allowed: readonly Allowed[];
  /** Why there is no answer. */
  readonly without: NoPolicy | undefined;
}

interface Routes extends Question {
  readonly rules: readonly RouteRule[];
}

/**
 * The routes of an API as the authorizer reads them.
 *
 * @throws GatehouseError `damaged_item` for a route that cannot be read: the authorizer refuses everything then
 */
export async function rulesOf(
  engine: Pick<Engine, 'checkAsked'>,
  apiRoutes: ReturnType<typeof createApiRoutes>,
  api: string,
): Promise<readonly RouteRule[]> {
  const ask: Ask<Routes> = (look) => {
    const rules = look.item(apiRoutes, apiRoutesId(api));
    if (rules === undefined) return undefined;
    return {
      subject: '',
      credential: undefined,
      permission: undefined,
      scope: undefined,
      rules: rules ?? [],
    };
  };
  return (await engine.checkAsked(ask)).question.rules;
}

/**
 * The policy for the whole API that the authorizer gives a caller, or why it gives none. It is made by the authorizer's
 * own parts: what they decide on the way is only watched.
 *
 * @throws GatehouseError for faults of the table
 */
export async function callerPolicy(
  { subject, actor, claims }: PolicyCaller,
  { reader, clock, api, base, maxBytes = MAX_BYTES, isClosed = false }: CallerPolicyOptions,
): Promise<CallerPolicy> {
  const engine = createEngine({ reader, clock });
  const apiRoutes = createApiRoutes(reader);
  const rules = await rulesOf(engine, apiRoutes, api);
  const seen = createWatch();
  const accessBoundOf = createAccessBound({ reader, engine, most: POLICY_LIMITS.bound, now: clock.now });
  const cellsOf = createCellsOf({
    accessBoundOf: async (...asked) => seen.bound(await accessBoundOf(...asked)),
    mostQuestions: POLICY_LIMITS.questions,
  });
  const limits = { maxBytes, maxComparisons: POLICY_LIMITS.comparisons };
  const wholePolicy = createWholePolicy({
    engine: {
      checkAsked: async (ask) => {
        const answered = await engine.checkAsked(ask);
        seen.caller(answered.decision);
        return answered;
      },
      checkManyAsked: async <Q extends Question>(asks: readonly Ask<Q>[]) => {
        const made = await engine.checkManyAsked(asks, { keepDecisions: false });
        for (const { uses } of made.answers) seen.uses(uses);
        return made;
      },
    },
    // The subject is named.
    subjectOf: () => null,
    apiRoutes,
    routesId: apiRoutesId(api),
    isClosed,
    now: clock.now,
    cellsOf: async (request) => {
      const decide: CellsRequest['decide'] = async (questions) =>
        seen.decided(await request.decide(questions));
      return seen.cells(request, await cellsOf({ ...request, decide }));
    },
    ttlMs: ONE_MINUTE,
    outageTtlMs: 0,
    cacheBytes: 1,
    ...limits,
  });
  const identity = { subject, actor, credential: undefined, claims: claims as VerifiedClaims };
  const made = await wholePolicy(identity, base);
  if (made === 'credential_refused' || made === undefined) {
    const without = await whyNone(seen.state, { cellsOf, base, isClosed, limits });
    return { rules, answer: undefined, allowed: [], without };
  }
  const allow = new Set(made.resources.allow);
  const allowed = (seen.state.listed?.cells ?? []).flatMap((cell) => {
    const resources = resourcesOf(cell, base).filter((resource) => allow.has(resource));
    const { rule, values } = cell;
    return resources.length === 0 ? [] : [{ rule, values: Object.fromEntries(values), resources }];
  });
  return { rules, answer: toWholePolicy(made.subject, made.resources, actor), allowed, without: undefined };
}

const ONE_MINUTE = 60_000;

const resourcesOf = ({ rule, values }: Cell, base: string): readonly string[] =>
  VERBS.filter((verb) => rule.method === verb || rule.method === 'ANY').map(
    (verb) => base + patternOf(verb, partsOf(rule, values)),
  );

/** What was seen of the making of a policy. */
interface Watched {
  /** Of who acts, whatever is asked; undefined where it may act. */
  readonly refusal: Reason | undefined;
  readonly isBounded: boolean;
  /** Whether the engine was asked; `changed` if its answers were not used. */
  readonly decided: 'no' | 'yes' | 'changed';
  readonly uses: ReadonlySet<string>;
  readonly listed:
    | { readonly request: CellsRequest; readonly cells: readonly Cell[] | undefined }
    | undefined;
}

function createWatch() {
  let state: Watched = {
    refusal: undefined,
    isBounded: true,
    decided: 'no',
    uses: new Set(),
    listed: undefined,
  };
  const note = (change: Partial<Watched>): void => {
    state = { ...state, ...change };
  };
  return {
    get state(): Watched {
      return state;
    },
    caller: (decision: Decision | undefined) => note({ refusal: decision?.reason }),
    bound<T>(bound: T | undefined): T | undefined {
      if (bound === undefined) note({ isBounded: false });
      return bound;
    },
    uses: (uses: readonly string[]) => note({ uses: new Set([...state.uses, ...uses]) }),
    decided<T>(decisions: T | undefined): T | undefined {
      note({ decided: decisions === undefined ? 'changed' : 'yes' });
      return decisions;
    },
    cells(request: CellsRequest, cells: readonly Cell[] | undefined): readonly Cell[] | undefined {
      note({ listed: { request, cells } });
      return cells;
    },
  };
}

interface Making {
  readonly cellsOf: ReturnType<typeof createCellsOf>;
  readonly base: string;
  readonly isClosed: boolean;
  readonly limits: { readonly maxBytes: number; readonly maxComparisons: number };
}

async function whyNone(
  { refusal, isBounded, decided, uses, listed }: Watched,
  { cellsOf, base, isClosed, limits }: Making,
): Promise<NoPolicy> {
  if (refusal !== undefined) return { reason: 'actor_refused', refusal };
  if (!isBounded) return { reason: 'unbounded', most: POLICY_LIMITS.bound };
  if (!listed) return { reason: 'changed' };
  if (decided === 'no') return { reason: 'too_many_questions', most: POLICY_LIMITS.questions };
  if (decided === 'changed')
    return uses.size > 0 ? { reason: 'conditions', uses: [...uses] } : { reason: 'changed' };
  const { request, cells } = listed;
  const { rules } = request;
  if (!cells) {
    // By itself, one that is in the way has no cells either.
    const routes: RouteRule[] = [];
    for (const rule of rules)
      if (!isListable(rule) && !(await cellsOf({ ...request, rules: [rule] }))) routes.push(rule);
    return routes.length > 0 ? { reason: 'unlistable', routes } : { reason: 'changed' };
  }
  const isWritten = (most: Making['limits']): boolean =>
    compile({ rules, cells, isClosed, budget: createBudget({ baseBytes: byteLength(base), ...most }) }) !==
    undefined;
  if (isWritten(limits)) return { reason: 'changed' };
  const unlimited = { maxBytes: Number.POSITIVE_INFINITY, maxComparisons: 10 * limits.maxComparisons };
  return isWritten(unlimited)
    ? { reason: 'too_large', maxBytes: limits.maxBytes }
    : { reason: 'inseparable' };
}
