import { createCachedLoader } from '../../engine/cached-loader.ts';
import type { Ask, Engine, Question } from '../../engine/index.ts';
import type { Kind } from '../../engine/items.ts';
import { createStaleIfError } from '../../engine/stale-if-error.ts';
import { byteLength } from '../../table/bytes.ts';
import { READ_DEADLINE_MS } from '../../table/timing.ts';
import type { Resources } from '../answer.ts';
import type { Identity } from '../credentials/identity.ts';
import { isVerb, type RouteRule } from '../routes/rule.ts';
import type { SubjectOf } from '../subject.ts';
import type { CellsOf, Decide } from './cells.ts';
import { compile, createBudget, type Patterns } from './compile.ts';

/**
 * Limits for a policy for the whole API: on the scopes and on the permissions in the caller's access bound, on
 * the questions about them, and on the comparisons of path segments (some 10 ms of work). A policy with more
 * than a hundred resources would exceed its size limit anyway.
 */
export const POLICY_LIMITS = { bound: 100, questions: 400, comparisons: 120_000 } as const;

export interface WholePolicyOptions {
  readonly engine: Pick<Engine, 'checkAsked' | 'checkManyAsked'>;
  readonly subjectOf: SubjectOf;
  readonly apiRoutes: Kind<readonly RouteRule[]>;
  readonly routesId: string;
  readonly cellsOf: CellsOf;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Time-to-live of what was read in milliseconds; `outageTtlMs` applies while DynamoDB is down. */
  readonly ttlMs: number;
  readonly outageTtlMs: number;
  /** Whether API Gateway itself refuses every path that no rule maps. */
  readonly isClosed: boolean;
  /** Limit on the bytes of all resources of a policy. AWS has a limit, but does not document it. */
  readonly maxBytes: number;
  /** Limit on the comparisons for one policy. */
  readonly maxComparisons: number;
  /** Bound on all cached policies, in estimated bytes. */
  readonly cacheBytes: number;
}

/** The result of compiling a policy. All instants in epoch milliseconds. */
interface Compiled {
  /** Undefined if no policy for the whole API can be written. */
  readonly resources: Resources | undefined;
  /**
   * The routes for which it was compiled: it is discarded when they change. The reference is weak, so that
   * policies do not keep routes that were replaced.
   */
  readonly rules: WeakRef<readonly RouteRule[]>;
  /** When compilation began. For its own request, the result may be used for as long as a read may take. */
  readonly begunAt: number;
  readonly expiresAt: number;
  readonly staleUntil: number;
  readonly validUntil: number;
}

/** The caller's subject and the routes. All decisions of a policy must find the same ones. */
interface Caller extends Question {
  readonly rules: readonly RouteRule[];
  readonly isKnown: boolean;
}

/** Estimated bytes of a cached policy and of each resource, without their texts and the key. */
const POLICY_BYTES = 600;
const RESOURCE_BYTES = 40;

/**
 * Creates policies for the whole API: what the caller may use on every route, so that API Gateway may cache
 * the answer for the caller's next requests. Compilation takes several reads, so policies are cached until
 * the items of their decisions are too old, or something in them begins or ends. Each decision also checks
 * the credential, the subject's look-up and the routes: a policy is valid for the credential for which it was
 * compiled, and for no other; likewise for who acts.
 */
export function createWholePolicy(options: WholePolicyOptions) {
  const { engine, subjectOf, apiRoutes, routesId, cellsOf, now, ttlMs, outageTtlMs, isClosed } = options;
  const { maxBytes, maxComparisons } = options;
  const policies = createCachedLoader<Compiled>({ maxBytes: options.cacheBytes, sizeOf, now });
  const staleIfError = createStaleIfError(now);
  const claimsIn = createClaimsIn();

  /** Loads the caller's subject and the routes, and checks the credential. */
  const askCaller =
    ({ subject: named, credential, claims, actor }: Identity): Ask<Caller> =>
    (look) => {
      const subject = named ?? subjectOf(claims, look);
      const rules = look.item(apiRoutes, routesId);
      if (subject === undefined || rules === undefined) return undefined;
      const isKnown = subject !== null;
      const question = isKnown ? { subject, credential, actor } : { subject: '', credential: undefined };
      return { ...question, permission: undefined, scope: undefined, rules: rules ?? [], isKnown };
    };

  async function compileFor(identity: Identity, caller: Caller, base: string): Promise<Compiled> {
    const { subject, rules } = caller;
    const ask = askCaller(identity);
    const begunAt = now();
    // Used if nothing is decided. That no policy exists is cached for the time-to-live, like a policy.
    const ends = {
      expiresAt: begunAt + ttlMs,
      staleUntil: begunAt + Math.max(ttlMs, outageTtlMs),
      validUntil: Number.POSITIVE_INFINITY,
    };
    const decide: Decide = async (questions) => {
      const asks = questions.map(
        ({ permission, scope }): Ask<Caller> =>
          (look) => {
            const current = ask(look);
            if (current === undefined) return undefined;
            // If the subject or the routes have changed, ask nothing: `isSame` below detects it.
            return current.subject === subject && current.rules === rules
              ? { ...current, permission, scope }
              : current;
          },
      );
      // The caller's subject and the routes are checked even if there are no questions.
      const made = await engine.checkManyAsked([ask, ...asks], { keepDecisions: false });
      // The access bound was read after this compilation began.
      ends.expiresAt = Math.min(made.expiresAt, begunAt + ttlMs);
      ends.staleUntil = Math.min(made.staleUntil, begunAt + Math.max(ttlMs, outageTtlMs));
      ends.validUntil = made.validUntil;
      const decided = made.answers.slice(1);
      const isSame = decided.every(({ question }) => question.scope !== undefined);
      // What depends on more than the caller and the route cannot be said for requests to come.
      const isLasting = decided.every(({ uses }) => uses.length === 0);
      return isSame && isLasting ? decided.map(({ decision }) => decision?.allowed === true) : undefined;
    };
    const ofVerbs = rules.filter(({ method }) => method === 'ANY' || isVerb(method));
    const cells = await cellsOf({ subject, claims: identity.claims, rules: ofVerbs, at: begunAt, decide });
    const budget = createBudget({ baseBytes: byteLength(base), maxBytes, maxComparisons });
    const patterns = cells && compile({ rules: ofVerbs, cells, isClosed, budget });
    return {
      resources: patterns && toResources(patterns, base),
      rules: new WeakRef(rules),
      begunAt,
      ...ends,
    };
  }

  /**
   * @param base the ARN of the API up to and including the slash after its stage
   * @returns undefined if no policy for the whole API can be written, or only one that is too large
   */
  return async function wholePolicy(
    identity: Identity,
    base: string,
  ): Promise<{ readonly subject: string; readonly resources: Resources } | 'credential_refused' | undefined> {
    const { question: caller, decision } = await engine.checkAsked(askCaller(identity));
    if (decision?.reason === 'credential_refused') return 'credential_refused';
    // Who acts may not at all: each request is refused with its reason.
    if (!caller.isKnown || decision) return undefined;
    const { subject, rules } = caller;
    const { credential, claims, actor } = identity;
    const read = claimsIn(rules).map((name) => claims[name]);
    const by = [credential?.ref, credential?.hash, actor?.subject, actor?.mandate];
    const key = JSON.stringify([subject, ...by.map((each) => each ?? ''), base, ...read]);
    const kept = policies.find(key);
    const compileShared = (): Promise<Compiled> => {
      const begin = () => [
        compileFor(identity, caller, base).then((compiled) => {
          policies.keep(key, compiled);
          return compiled;
        }),
      ];
      // Share a compilation in flight if it began recently enough.
      const since = now() - Math.min(ttlMs, READ_DEADLINE_MS);
      return policies.load([key], since, begin)[0] as Promise<Compiled>;
    };
    const isFresh = kept?.rules.deref() === rules && now() < kept.expiresAt;
    const stale = () => (kept?.rules.deref() === rules && now() < kept.staleUntil ? kept : undefined);
    const compiled = isFresh ? kept : await staleIfError(compileShared, stale);
    const isYoung =
      now() < Math.max(compiled.expiresAt, compiled.begunAt + READ_DEADLINE_MS) || compiled === stale();
    const isUsable = compiled.rules.deref() === rules && isYoung && now() < compiled.validUntil;
    return compiled.resources && isUsable ? { subject, resources: compiled.resources } : undefined;
  };
}

const sizeOf = ({ resources }: Compiled, key: string): number =>
  [...(resources?.allow ?? []), ...(resources?.deny ?? [])].reduce(
    (sum, each) => sum + RESOURCE_BYTES + each.length,
    POLICY_BYTES + key.length,
  );

/**
 * The claims that rules use, computed once for each list of rules. They are part of the cache key of a
 * policy.
 */
function createClaimsIn(): (rules: readonly RouteRule[]) => readonly string[] {
  const known = new WeakMap<readonly RouteRule[], readonly string[]>();
  return (rules) => {
    const names =
      known.get(rules) ??
      [
        ...new Set(
          rules
            .flatMap(({ permission, scope }) => [...permission, ...scope])
            .flatMap((part) => (part.kind === 'claim' ? [part.name] : [])),
        ),
      ].sort();
    known.set(rules, names);
    return names;
  };
}

/** The patterns as ARNs. If nothing is allowed, all is denied. */
const toResources = ({ allow, deny }: Patterns, base: string): Resources =>
  allow.length === 0
    ? { allow: [], deny: [`${base}*`] }
    : { allow: allow.map((each) => base + each), deny: deny.map((each) => base + each) };
