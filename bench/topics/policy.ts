import type { VerifiedClaims } from '../../authorizer/index.ts';
import { createCellsOf } from '../../authorizer/policies/cells.ts';
import { createWholePolicy, POLICY_LIMITS } from '../../authorizer/policies/whole.ts';
import { apiRoutesId } from '../../authorizer/routes/api-routes.ts';
import type { RouteRule } from '../../authorizer/routes/rule.ts';
import { createAccessBound, createEngine } from '../../engine/index.ts';
import { apiRevisionKey } from '../../table/keys.ts';
import { createRandom } from '../../test/proof/oracle/random.ts';
import { testEngine } from '../../testing/test-engine.ts';
import { processorMs } from '../harness/clocks.ts';
import { toFigure } from '../harness/figures.ts';
import type { Topic } from '../harness/topic.ts';
import { drawRoutes, drawTraits, mutate, type PolicyTraits, SIZES } from '../model/policy-cases.ts';

const BASE = 'arn:aws:execute-api:eu-central-1:123456789012:abcdef1234/prod/';
/** The default of POLICY_MAX_BYTES, and its maximum. */
const MAX_BYTES = [6_144, 65_536] as const;
const SEED = 1;
/** Times that a case is measured in the search; the shortest counts. */
const TRIES = 3;
const ROUNDS = 15;
const WARM_UP = 30;

const named = (kind: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, n) => `${kind}${n}`);
const callerOf = ({ scopes, permissions }: PolicyTraits['caller']): string => `${scopes} ${permissions}`;

/** A table with callers of each size: so many scopes at which they may use so many pages. */
function plantCallers() {
  const most = Math.max(...SIZES);
  const callers = SIZES.flatMap((permissions) => SIZES.map((scopes) => ({ scopes, permissions })));
  const entries = <T>(list: readonly T[], of: (each: T) => readonly [string, object]) =>
    Object.fromEntries(list.map(of));
  return testEngine({
    pages: [...named('p', most), 'denied'],
    scopes: entries(named('l', most), (name) => [name, { type: 'location' }]),
    roles: entries(SIZES, (size) => [`r${size}`, { global: true, allow: named('p', size) }]),
    users: entries(callers, (caller) => {
      const role = `r${caller.permissions}`;
      return [callerOf(caller), { assignments: named('l', caller.scopes).map((scope) => ({ role, scope })) }];
    }),
  });
}

/** The processor time for policies that are compiled anew each time, from cached items. */
function createMeter({ reader, ref }: Awaited<ReturnType<typeof plantCallers>>, maxBytes: number) {
  const engine = createEngine({ reader, clock: { now: Date.now } });
  const accessBoundOf = createAccessBound({ reader, engine, most: POLICY_LIMITS.bound, now: Date.now });
  const known = new Map<string, ReturnType<typeof accessBoundOf>>();
  const cellsOf = createCellsOf({
    // Computed once: it reads the table, and the memory table's time is not the authorizer's.
    accessBoundOf: (subject, question) => {
      const key = JSON.stringify([subject, [...question.types], question.withPermissions]);
      const bound = known.get(key) ?? accessBoundOf(subject, question);
      known.set(key, bound);
      return bound;
    },
    mostQuestions: POLICY_LIMITS.questions,
  });
  // The engine caches the routes by their id.
  let cases = 0;
  return async (rules: readonly RouteRule[], { caller }: PolicyTraits, isClosed: boolean, tries: number) => {
    const wholePolicy = createWholePolicy({
      engine,
      cellsOf,
      isClosed,
      maxBytes,
      routesId: apiRoutesId(`case-${cases++}`),
      subjectOf: () => null,
      // No item: the routes are as they were drawn.
      apiRoutes: { keyOf: apiRevisionKey, decode: () => [], absent: () => rules },
      now: Date.now,
      ttlMs: 60_000,
      outageTtlMs: 0,
      maxComparisons: POLICY_LIMITS.comparisons,
      // Too few for any policy to be kept.
      cacheBytes: 1,
    });
    const subject = ref(callerOf(caller));
    const identity = { subject, credential: undefined, claims: {} as VerifiedClaims };
    await wholePolicy(identity, BASE);
    const took: number[] = [];
    for (let attempt = 0; attempt < tries; attempt++) {
      const begun = processorMs();
      await wholePolicy(identity, BASE);
      took.push(processorMs() - begun);
    }
    return took;
  };
}

/** Searches for the table of routes and the caller whose policy takes longest: by chance, then step by step. */
async function worstOf(planted: Awaited<ReturnType<typeof plantCallers>>, maxBytes: number, steps: number) {
  const measure = createMeter(planted, maxBytes);
  const random = createRandom(SEED);
  const take = ({ traits, isClosed, seed }: Omit<typeof worst, 'ms'>, tries: number) =>
    measure(drawRoutes(createRandom(seed), traits, planted.ref('l0')), traits, isClosed, tries);
  let worst = { ms: 0, traits: drawTraits(random), isClosed: false, seed: 0 };
  // The first steps only let the code be compiled.
  for (let step = -WARM_UP; step < steps; step++) {
    const traits = step < steps / 2 ? drawTraits(random) : mutate(random, worst.traits);
    const drawn = { traits, isClosed: random.oneIn(2), seed: step + WARM_UP };
    const ms = Math.min(...(await take(drawn, TRIES)));
    if (step >= 0 && ms > worst.ms) worst = { ms, ...drawn };
  }
  return { worst, took: await take(worst, ROUNDS) };
}

export const topic: Topic = {
  title: 'the slowest policy for the whole API: any caller, 500 routes',
  run: async ({ quick, log }) => {
    const planted = await plantCallers();
    const figures = [];
    for (const maxBytes of MAX_BYTES) {
      const { worst, took } = await worstOf(planted, maxBytes, quick ? 100 : 600);
      log(`the worst with ${maxBytes} bytes: ${JSON.stringify(worst)}`);
      figures.push(toFigure(`worst-${maxBytes}`, `with POLICY_MAX_BYTES at ${maxBytes}`, 'ms', took));
    }
    return figures;
  },
};
