import { createCachedLoader } from '../../engine/cached-loader.ts';
import type { Ask, Engine, Question } from '../../engine/index.ts';
import type { Kind } from '../../engine/items.ts';
import { createStaleIfError } from '../../engine/stale-if-error.ts';
import { READ_DEADLINE_MS } from '../../table/timing.ts';
import { MAX_RESOURCE_LENGTH, type Resources } from '../answer.ts';
import type { Identity } from '../credentials/identity.ts';
import { isVerb, type RouteRule } from '../routes/rule.ts';
import type { SubjectOf } from '../subject.ts';
import type { CellsOf, Decide } from './cells.ts';
import { compile, type Patterns } from './compile.ts';

export interface WholePolicyOptions {
  readonly engine: Pick<Engine, 'checkAsked' | 'checkManyAsked'>;
  readonly subjectOf: SubjectOf;
  readonly apiRoutes: Kind<readonly RouteRule[]>;
  readonly routesId: string;
  readonly cellsOf: CellsOf;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Milliseconds for which what was read may answer, and for which it may while DynamoDB is down. */
  readonly ttlMs: number;
  readonly outageTtlMs: number;
  /** Whether API Gateway itself refuses every path that no rule maps. */
  readonly isClosed: boolean;
  /** Bound on the bytes of all resources of a policy. The limit of AWS is real and not documented. */
  readonly maxBytes: number;
  /** Bound on all policies that are kept, in estimated bytes. */
  readonly cacheBytes: number;
}

/** A policy that was compiled, or that there is none. */
interface Compiled {
  readonly resources: Resources | undefined;
  /** The routes that it was made for: when they change, it is made anew. */
  readonly rules: readonly RouteRule[];
  /** When compiling it began: for its own request it may answer for as long as a read may take. */
  readonly begunAt: number;
  readonly expiresAt: number;
  readonly staleUntil: number;
  readonly validUntil: number;
}

/** Who asks, and under which routes: what each decision of a policy has to find again. */
interface Caller extends Question {
  readonly rules: readonly RouteRule[];
  readonly isKnown: boolean;
}

/** Estimated bytes of a policy that is kept, beside its texts. */
const POLICY_BYTES = 600;
const RESOURCE_BYTES = 40;

/**
 * Policies for the whole API: what the caller may use on every route, so that API Gateway may cache the answer for
 * whatever the caller asks next. Compiling one takes some reads, so it is kept until what its decisions rest on is too old,
 * or something in it begins or ends. Each of its decisions looks at the credential, the look-up of the subject and the
 * routes as well: a policy is of the credential that it was compiled for, and of no other.
 */
export function createWholePolicy(options: WholePolicyOptions) {
  const { engine, subjectOf, apiRoutes, routesId, cellsOf, now, ttlMs, outageTtlMs, isClosed, maxBytes } =
    options;
  const policies = createCachedLoader<Compiled>({ maxBytes: options.cacheBytes, sizeOf, now });
  const staleIfError = createStaleIfError(now);
  const claimsIn = createClaimsIn();

  /** Who the caller is, and the routes, with nothing else asked. */
  const askCaller =
    ({ subject: named, credential, claims }: Identity): Ask<Caller> =>
    (look) => {
      const subject = named ?? subjectOf(claims, look);
      const rules = look.item(apiRoutes, routesId);
      if (subject === undefined || rules === undefined) return undefined;
      const isKnown = subject !== null;
      const question = { subject: subject ?? '', credential: isKnown ? credential : undefined };
      return { ...question, permission: undefined, scope: undefined, rules: rules ?? [], isKnown };
    };

  async function compileFor(identity: Identity, caller: Caller, base: string): Promise<Compiled> {
    const { subject, rules } = caller;
    const ask = askCaller(identity);
    const begunAt = now();
    // That there is no policy is remembered for as long as one would be.
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
            // Whoever is somebody else by now, or under other routes, is asked about in vain.
            return current.subject === subject && current.rules === rules
              ? { ...current, permission, scope }
              : current;
          },
      );
      // Who asks, and under which routes, is looked at even where nothing else is asked.
      const made = await engine.checkManyAsked([ask, ...asks]);
      // What the caller can at most be allowed was read after this compilation began.
      ends.expiresAt = Math.min(made.expiresAt, begunAt + ttlMs);
      ends.staleUntil = Math.min(made.staleUntil, begunAt + Math.max(ttlMs, outageTtlMs));
      ends.validUntil = made.validUntil;
      const decided = made.answers.slice(1);
      const isSame = decided.every(({ question }) => question.scope !== undefined);
      return isSame ? decided.map(({ decision }) => decision?.allowed === true) : undefined;
    };
    const ofVerbs = rules.filter(({ method }) => method === 'ANY' || isVerb(method));
    const cells = await cellsOf({ subject, claims: identity.claims, rules: ofVerbs, at: begunAt, decide });
    const patterns = cells && compile({ rules: ofVerbs, cells, isClosed });
    return { resources: patterns && within(patterns, base, maxBytes), rules, begunAt, ...ends };
  }

  /**
   * @param base the ARN of the API up to the slash behind its stage
   * @returns undefined where no policy for the whole API can be written, or none within the bounds
   */
  return async function wholePolicy(
    identity: Identity,
    base: string,
  ): Promise<{ readonly subject: string; readonly resources: Resources } | 'credential_refused' | undefined> {
    const { question: caller, decision } = await engine.checkAsked(askCaller(identity));
    if (decision) return 'credential_refused';
    if (!caller.isKnown) return undefined;
    const { subject, rules } = caller;
    const { credential, claims } = identity;
    const read = claimsIn(rules).map((name) => claims[name]);
    const key = JSON.stringify([subject, credential?.ref ?? '', credential?.hash ?? '', base, ...read]);
    const kept = policies.find(key);
    const compileShared = (): Promise<Compiled> => {
      const begin = () => [
        compileFor(identity, caller, base).then((compiled) => {
          policies.keep(key, compiled);
          return compiled;
        }),
      ];
      // One that is under way is shared if it began recently enough.
      const since = now() - Math.min(ttlMs, READ_DEADLINE_MS);
      return policies.load([key], since, begin)[0] as Promise<Compiled>;
    };
    const isFresh = kept?.rules === rules && now() < kept.expiresAt;
    const stale = () => (kept?.rules === rules && now() < kept.staleUntil ? kept : undefined);
    const compiled = isFresh ? kept : await staleIfError(compileShared, stale);
    const isYoung =
      now() < Math.max(compiled.expiresAt, compiled.begunAt + READ_DEADLINE_MS) || compiled === stale();
    const isUsable = compiled.rules === rules && isYoung && now() < compiled.validUntil;
    return compiled.resources && isUsable ? { subject, resources: compiled.resources } : undefined;
  };
}

const sizeOf = ({ resources }: Compiled): number =>
  [...(resources?.allow ?? []), ...(resources?.deny ?? [])].reduce(
    (sum, each) => sum + RESOURCE_BYTES + each.length,
    POLICY_BYTES,
  );

/** The claims that rules read, found once for each list of them: a policy depends on these and on the subject. */
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

/** The patterns as ARNs; undefined when one is too long, or all of them are. Nothing allowed is everything denied. */
function within({ allow, deny }: Patterns, base: string, maxBytes: number): Resources | undefined {
  const resources =
    allow.length === 0
      ? { allow: [], deny: [`${base}*`] }
      : { allow: allow.map((each) => base + each), deny: deny.map((each) => base + each) };
  const all = [...resources.allow, ...resources.deny];
  if (all.some((each) => each.length > MAX_RESOURCE_LENGTH)) return undefined;
  return all.reduce((sum, each) => sum + Buffer.byteLength(each) + 3, 0) <= maxBytes ? resources : undefined;
}
