import type { Clock } from '../../engine/index.ts';
import { createBridge } from '../../engine/outage.ts';
import { MAX_RESOURCE_LENGTH, type Resources } from '../answers/answer.ts';
import { createRecent } from '../recent.ts';
import { isVerb, type RouteRule } from '../routes/rule.ts';
import type { VerifiedClaims } from '../token/authentication.ts';
import type { createCellsOf } from './cells.ts';
import { compile, type Patterns } from './compile.ts';

export interface WholePolicyOptions {
  readonly cellsOf: ReturnType<typeof createCellsOf>;
  readonly clock: Clock;
  /** Milliseconds for which a policy may be given again: no longer than what it rests on may. */
  readonly ttlMs: number;
  /** Milliseconds for which it may be given again while DynamoDB is down; 0: no longer than `ttlMs`. */
  readonly outageTtlMs: number;
  /** Whether API Gateway itself refuses every path that no rule maps. */
  readonly isClosed: boolean;
  /** Bound on the bytes of all resources of a policy. The limit of AWS is real and not documented. */
  readonly maxBytes: number;
}

/** Callers whose policies are remembered; one is of the order of its bytes. */
const MAX_CALLERS = 2_000;

/** What is remembered of a caller: a policy, or that there is none. */
interface Known {
  readonly resources: Resources | undefined;
  /** The routes that it was made for: when they change, it is made anew. */
  readonly rules: readonly RouteRule[];
  readonly learntAt: number;
  readonly expiresAt: number;
}

/**
 * Policies for the whole API: what the caller may use on every route, so that API Gateway may cache the answer for
 * whatever the caller asks next. Compiling one takes some reads, so it is kept for as long as what it rests on.
 */
export function createWholePolicy(options: WholePolicyOptions) {
  const { cellsOf, clock, ttlMs, outageTtlMs, isClosed, maxBytes } = options;
  const known = createRecent<Known>({ most: MAX_CALLERS });
  const underWay = new Map<string, Promise<Known>>();
  const bridge = createBridge(clock);
  const claimsIn = createClaimsIn();

  async function learn(
    subject: string,
    claims: VerifiedClaims,
    rules: readonly RouteRule[],
    base: string,
  ): Promise<Known> {
    const at = clock.now();
    const ofVerbs = rules.filter(({ method }) => method === 'ANY' || isVerb(method));
    const found = await cellsOf(subject, claims, ofVerbs, at);
    const patterns = found && compile({ rules: ofVerbs, cells: found.cells, isClosed });
    const expiresAt = Math.min(found?.expiresAt ?? Number.POSITIVE_INFINITY, at + ttlMs);
    return { resources: patterns && within(patterns, base, maxBytes), rules, learntAt: at, expiresAt };
  }

  /**
   * @param base the ARN of the API up to the slash behind its stage
   * @returns undefined where no policy for the whole API can be written, or none within the bounds
   */
  return async function wholePolicy(
    subject: string,
    claims: VerifiedClaims,
    rules: readonly RouteRule[],
    base: string,
  ): Promise<Resources | undefined> {
    const key = JSON.stringify([subject, base, ...claimsIn(rules).map((name) => claims[name])]);
    const now = clock.now();
    const last = known.get(key);
    const isFresh = (one: Known): boolean => one.rules === rules && now < one.expiresAt;
    const begin = (): Promise<Known> => {
      const mine = learn(subject, claims, rules, base)
        .then((learnt) => {
          known.set(key, learnt);
          return learnt;
        })
        .finally(() => underWay.delete(key));
      underWay.set(key, mine);
      return mine;
    };
    const learnNow = async (): Promise<Known> => {
      // One that began earlier may be of before: of other routes, or from a Lambda that was frozen since. So what
      // came of it, a failure as well, is not held against this request, which joins those that begin after it.
      const other = await underWay.get(key)?.catch(() => undefined);
      return other && isFresh(other) ? other : (underWay.get(key) ?? begin());
    };
    const older = (later: number) => (last && later < last.learntAt + outageTtlMs ? last : undefined);
    const { resources } = last && isFresh(last) ? last : await bridge(now, learnNow, older);
    return resources;
  };
}

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
