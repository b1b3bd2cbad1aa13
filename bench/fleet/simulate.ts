import { apiRoutesId, createApiRoutes } from '../../authorizer/routes/api-routes.ts';
import type { Question } from '../../engine/decision-input.ts';
import { type Ask, createEngine, type Engine } from '../../engine/engine.ts';
import { createReader } from '../../table/dynamodb/reader.ts';
import type { Pacing } from '../../table/read/pacing.ts';
import { READ_DEADLINE_MS } from '../../table/timing.ts';
import { createRandom } from '../../test/proof/oracle/random.ts';
import { createQueue } from '../../test/proof/simulation/time.ts';
import { createZipf, exponential, logNormal } from '../harness/draws.ts';
import { ASSUMED, onFunction } from './assumptions.ts';
import { createPartitions } from './partitions.ts';
import { createPool, type Environment } from './pool.ts';
import { API, createPopulation, PAGES, type PopulationOptions } from './population.ts';
import { createRecord } from './record.ts';
import { type Asked, createService, nothingAsked } from './service.ts';

/** What is simulated. Seconds count from the event; the warm-up before it is negative. */
export interface Simulation {
  readonly seed: number;
  readonly population: PopulationOptions;
  /** Of the popularity of users: the k-th is asked for in proportion to `k ** -exponent`. */
  readonly exponent: number;
  /** Requests per second at full rate. It is reached in the first third of the warm-up. */
  readonly rate: number;
  /** Share of the requests that come from the large tenant. */
  readonly largeShare: (second: number) => number;
  /** Every so many environments, one runs the real engine. */
  readonly sampleOneIn: number;
  readonly partitions: { readonly count: number; readonly tableReadUnits: number };
  /** Share of the requests that go to the new version; its environments start as they are needed. */
  readonly newVersion?: (second: number) => number;
  readonly writes?: {
    /** Users of the large tenant who lose a group, evenly over a minute. */
    readonly revocations: number;
    /** Changes of the large tenant's item in that minute. */
    readonly rewrites: number;
  };
  readonly warmUpSeconds: number;
  readonly seconds: number;
  /** By name: from, until. */
  readonly phases: Readonly<Record<string, readonly [number, number]>>;
}

export type Simulated = Awaited<ReturnType<typeof simulate>>;

interface Node extends Environment {
  /** Only on those of the sample. */
  readonly own:
    | {
        readonly engine: Engine;
        readonly apiRoutes: ReturnType<typeof createApiRoutes>;
        readonly asked: Asked;
      }
    | undefined;
}

const START = Date.UTC(2026, 0, 2);
const TABLE = 'fleet';
/** The writes of an event are spread over so long. */
const STORM_SECONDS = 60;
/** Latest durations for each age of an environment: what one outside the sample takes is drawn from them. */
const KEPT = 128;
const AGES = 14;
const ageOf = (requests: number): number => Math.min(AGES - 1, Math.floor(Math.log2(requests)));
/** A user has been revoked for certain, whatever was cached, after the time-to-live and a read. */
const CERTAIN_MS = ASSUMED.ttlMs + 2 * READ_DEADLINE_MS;

/**
 * Simulates a fleet of authorizers. Every request of the fleet arrives, takes an environment and gives it back.
 * On sampled environments the real engine, cache and reader answer it; on the others it takes as long as one of
 * the latest on a sampled environment of about the same age. Reads of a sampled one stand for those of the others
 * as well.
 *
 * @throws Error when an answer is not the oracle's
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one simulation: its events share one state.
export async function simulate(simulation: Simulation) {
  const { seed, rate, largeShare, sampleOneIn, warmUpSeconds, seconds, newVersion, writes } = simulation;
  const random = createRandom(seed);
  const begin = START - warmUpSeconds * 1_000;
  const { now, schedule: plan, wait, passUntil } = createQueue(begin);
  const secondNow = (): number => (now() - START) / 1_000;
  const population = createPopulation(simulation.population);
  const partitions = createPartitions({ ...simulation.partitions, now, start: begin });
  const service = createService({
    wait,
    partitions,
    population,
    random: createRandom(seed + 1),
    latency: logNormal(createRandom(seed + 2), ASSUMED.call),
    others: () => sampleOneIn - 1,
  });
  const initMs = logNormal(createRandom(seed + 3), ASSUMED.init);
  const { largeTenantUsers, users } = simulation.population;
  const draws = createRandom(seed + 4);
  const rankInLarge = createZipf(draws, largeTenantUsers, simulation.exponent);
  const rankInOthers = createZipf(draws, users - largeTenantUsers, simulation.exponent);
  const rankOfPage = createZipf(draws, PAGES, 1);
  const phases = Object.entries(simulation.phases).map(([name, within]) => ({
    name,
    within,
    record: createRecord(),
  }));
  const recordAt = (second: number) =>
    phases.find(({ within: [from, until] }) => second >= from && second < until)?.record;

  const jitter = createRandom(seed + 5);
  const pacing: Pacing = {
    deadline: () => {
      const end = now() + READ_DEADLINE_MS;
      const { signal } = new AbortController();
      return Object.defineProperty(signal, 'aborted', { get: () => now() >= end });
    },
    pause: (attempt) => wait(jitter.next() * Math.min(400, 25 * 2 ** (attempt - 1))),
  };
  // As the wall clock: whole milliseconds.
  const clock = { now: () => Math.floor(now()) };

  function createSampled() {
    const asked = nothingAsked();
    const reader = createReader({ client: service.clientOf(asked), table: TABLE, pacing });
    const apiRoutes = createApiRoutes(reader);
    const { ttlMs, cacheBytes: maxBytes } = ASSUMED;
    const engine = createEngine({ reader, clock, wait, ttlMs, maxBytes, random: jitter.next });
    return { engine, apiRoutes, asked };
  }
  const pool = createPool<Node>({
    now,
    random: createRandom(seed + 6),
    create: (environment) => ({
      ...environment,
      own: environment.number % sampleOneIn === 0 ? createSampled() : undefined,
    }),
  });

  /** By age of the environment: how long the latest requests took, without the start. */
  const latest: readonly number[][] = Array.from({ length: AGES }, () => []);
  const keep = (age: number, milliseconds: number): void => {
    const kept = latest[age] as number[];
    if (kept.push(milliseconds) > KEPT) kept.shift();
  };
  const drawLike = (age: number): number => {
    const kept = latest.slice(0, age + 1).findLast(({ length }) => length > 0);
    const { answer: own, call } = ASSUMED.processorMs;
    return kept ? random.pick(kept) : onFunction(own + call) + ASSUMED.call.medianMs;
  };

  /** All requests, and how they ended. The last is for those on environments outside the sample. */
  const totals = { requests: 0, answered: 0, faults: 0, refused: 0, elsewhere: 0 };

  function answer(node: Node, { engine, apiRoutes, asked }: NonNullable<Node['own']>, startMs: number): void {
    const arrivedAt = now();
    const second = secondNow();
    const age = ageOf(node.requests);
    const isLarge = draws.next() < largeShare(second);
    const user = isLarge ? rankInLarge() - 1 : largeTenantUsers + rankInOthers() - 1;
    const page = rankOfPage() - 1;
    const at = draws.next() < 0.5 ? 'tenant' : 'location';
    const question: Question = population.question(user, page, at);
    const ask: Ask<Question> = (look) =>
      look.item(apiRoutes, apiRoutesId(API)) === undefined ? undefined : question;
    const before = { ...asked };

    function end(ending: 'answered' | 'fault', allowed: boolean): void {
      if (ending === 'answered') assertRight(user, page, at, allowed);
      const [calls, units] = [asked.calls - before.calls, asked.units - before.units];
      const { answer: own, call, unit } = ASSUMED.processorMs;
      plan(onFunction(own + calls * call + units * unit), () => {
        const milliseconds = now() - arrivedAt;
        totals[ending === 'answered' ? 'answered' : 'faults'] += 1;
        keep(age, milliseconds - startMs);
        recordAt(second)?.ended({ milliseconds, ending, calls, units });
        pool.release(node);
      });
    }
    plan(startMs, () => {
      engine.checkAsked(ask).then(
        ({ decision }) => end('answered', decision?.allowed ?? false),
        () => end('fault', false),
      );
    });
  }

  function assertRight(user: number, page: number, at: 'tenant' | 'location', allowed: boolean): void {
    const revokedAt = population.revokedAt(user);
    const before = population.isAllowed(user, page, at, false);
    const after = population.isAllowed(user, page, at, true);
    const isRight =
      revokedAt === undefined
        ? allowed === before
        : allowed === after || (allowed === before && now() - revokedAt < CERTAIN_MS);
    if (!isRight) throw new Error(`user ${user}, page ${page}, ${at}: ${allowed} is wrong`);
  }

  function arrive(): void {
    const second = secondNow();
    const record = recordAt(second);
    totals.requests += 1;
    record?.arrived();
    const version = newVersion && random.next() < newVersion(second) ? 2 : 1;
    const node = pool.take(version);
    if (!node) {
      totals.refused += 1;
      record?.refused();
      return;
    }
    const startMs = node.requests === 1 && node.idleSince === now() ? initMs() : 0;
    if (node.own) answer(node, node.own, startMs);
    else {
      totals.elsewhere += 1;
      plan(startMs + drawLike(ageOf(node.requests)), () => pool.release(node));
    }
  }

  const rampSeconds = warmUpSeconds / 3;
  function nextArrival(): void {
    const passed = secondNow() + warmUpSeconds;
    if (passed >= warmUpSeconds + seconds) return;
    const current = rate * Math.min(1, Math.max(0.02, passed / rampSeconds));
    plan(exponential(random, 1_000 / current), () => {
      arrive();
      nextArrival();
    });
  }

  function revoke(user: number, all: number): void {
    population.revoke(user, Math.floor(now()));
    if (user + 1 < all && secondNow() < seconds)
      plan((STORM_SECONDS * 1_000) / all, () => revoke(user + 1, all));
  }
  if (writes) {
    const startsIn = warmUpSeconds * 1_000;
    plan(startsIn, () => revoke(0, writes.revocations));
    for (let n = 0; n < writes.rewrites; n++)
      plan(startsIn + (n * STORM_SECONDS * 1_000) / writes.rewrites, () =>
        population.rewriteLargeTenant(Math.floor(now())),
      );
  }

  let most = 0;
  function look(): void {
    most = Math.max(most, pool.counts().live);
    const version = newVersion && newVersion(secondNow()) >= 1 ? 1 : undefined;
    pool.end(version);
    if (secondNow() < seconds) plan(1_000, look);
  }
  look();
  nextArrival();
  await passUntil(Number.POSITIVE_INFINITY);

  return {
    phases: Object.fromEntries(phases.map(({ name, record }) => [name, record.summary()])),
    /** By second from the start of the warm-up: read units of the partition with the most. */
    hottest: partitions.hottest(),
    throttled: partitions.throttled(),
    totals,
    environments: { live: pool.counts().live, most },
  };
}
