import { withEngine } from '../harness/engine.ts';
import { type Figure, toFigure } from '../harness/figures.ts';
import { percentile } from '../harness/statistics.ts';
import type { Topic } from '../harness/topic.ts';
import { startChild } from '../load/child.ts';
import type { ClosedLoopPlan, ClosedLoopResult, Target } from '../load/closed-loop.ts';
import { createBenchWorld, drawQuestions, type Question, type World } from '../model/world.ts';
import { startGatehouse } from '../peers/gatehouse-server.ts';
import { startOpenFga } from '../peers/openfga.ts';
import { processorMsOf } from '../peers/server-process.ts';

/** A server under measurement. */
interface Server {
  readonly target: Target;
  readonly bodyOf: (question: Question) => string;
  readonly pid: number;
}

const SERVERS = ['gatehouse', 'openfga'] as const;
type Name = (typeof SERVERS)[number];
const TITLES = { gatehouse: 'gatehouse serve', openfga: 'OpenFGA' } as const;

/** How stale an answer of either server may be: our default. */
const TTL_SECONDS = 60;

/** `repeated` are asked in every trial; a fresh question only once. Per trial, by connections. */
const FULL = { rounds: 15, repeated: 1_000, asked: { 1: 2_000, 16: 10_000 }, fresh: { 1: 300, 16: 1_500 } };
const QUICK: typeof FULL = {
  ...{ rounds: 3, repeated: 500 },
  ...{ asked: { 1: 500, 16: 2_000 }, fresh: { 1: 100, 16: 400 } },
};
const CONNECTIONS = [1, 16] as const;
const KINDS = ['repeated', 'fresh'] as const;

/** The world of the other topics with permissions of the form that buildings have by default. */
function createWorld(): World {
  const world = createBenchWorld();
  const permissionOf = (page: string): string => `building:${page}:building`;
  return {
    ...world,
    pages: world.pages.map(permissionOf),
    roles: world.roles.map(({ id, pages }) => ({ id, pages: pages.map(permissionOf) })),
  };
}

/** Distinct questions, half of them allowed. */
function drawDistinct(world: World, count: number): readonly Question[] {
  const drawn = new Map(
    drawQuestions(world, Math.ceil(count * 0.6) * 2).map((question) => [JSON.stringify(question), question]),
  );
  const questions = [...drawn.values()].slice(0, count);
  if (questions.length < count) throw new Error('too few questions');
  return questions;
}

interface Trial {
  readonly p50: number;
  readonly p99: number;
  readonly rate: number;
  /** Microseconds of the server's processor time per answer. */
  readonly processor: number;
}

export const authzen: Topic = {
  name: 'authzen',
  title: "evaluations over HTTP, beside OpenFGA's server",
  run: async ({ quick, log }) => {
    const { rounds, repeated, asked, fresh } = quick ? QUICK : FULL;
    const world = createWorld();
    const drawn = drawDistinct(world, repeated + (rounds + 1) * (fresh[1] + fresh[16]));
    let left = drawn.slice(repeated);
    const again = (count: number): readonly Question[] =>
      Array.from({ length: count }, (_, n) => drawn[n % repeated] as Question);
    const anew = (count: number): readonly Question[] => {
      const next = left.slice(0, count);
      left = left.slice(count);
      return next;
    };
    return withEngine(async (endpoint) => {
      const client = startChild<ClosedLoopPlan, ClosedLoopResult>(
        new URL('../load/asker.ts', import.meta.url),
      );
      const gatehouse = await startGatehouse(world, TTL_SECONDS, endpoint);
      const openfga = await startOpenFga(world, TTL_SECONDS);
      const servers: Readonly<Record<Name, Server>> = { gatehouse, openfga };
      const attempt = async (
        name: Name,
        connections: number,
        questions: readonly Question[],
      ): Promise<Trial> => {
        const { target, bodyOf, pid } = servers[name];
        const before = processorMsOf(pid);
        const { seconds, latencies } = await client.ask({
          target,
          connections,
          questions: questions.map((question) => ({ body: bodyOf(question), allowed: question.allowed })),
        });
        return {
          p50: percentile(latencies, 0.5),
          p99: percentile(latencies, 0.99),
          rate: questions.length / seconds,
          processor: ((processorMsOf(pid) - before) * 1_000) / questions.length,
        };
      };
      try {
        log(`${drawn.length} questions; each answer is compared with the model`);
        for (const name of SERVERS)
          for (let turn = 0; turn < 3; turn++) await attempt(name, 16, again(asked[16]));
        const trials = new Map<string, Trial[]>();
        for (let round = 0; round < rounds; round++) {
          for (const kind of KINDS)
            for (const connections of CONNECTIONS) {
              const questions = kind === 'repeated' ? again(asked[connections]) : anew(fresh[connections]);
              // The order alternates.
              for (const name of round % 2 === 0 ? SERVERS : SERVERS.toReversed()) {
                const key = keyOf(name, kind, connections);
                const trial = await attempt(name, connections, questions);
                trials.set(key, [...(trials.get(key) ?? []), trial]);
              }
            }
          log(`round ${round + 1} of ${rounds}`);
        }
        return figuresOf(trials);
      } finally {
        await client.stop();
        await openfga.stop();
        await gatehouse.stop();
      }
    });
  },
};

const keyOf = (name: Name, kind: string, connections: number): string => `${name}-${kind}-${connections}`;

const UNITS = { p50: 'ms', p99: 'ms', rate: '/s', processor: 'µs' } as const;
const MEASURES = { p50: 'p50', p99: 'p99', rate: 'throughput', processor: 'processor time of the server' };

function figuresOf(trials: ReadonlyMap<string, readonly Trial[]>): readonly Figure[] {
  return KINDS.flatMap((kind) =>
    CONNECTIONS.flatMap((connections) =>
      (Object.keys(UNITS) as (keyof Trial)[]).flatMap((measure) =>
        SERVERS.map((name) => {
          const of = (each: Name): readonly number[] =>
            (trials.get(keyOf(each, kind, connections)) ?? []).map((trial) => trial[measure]);
          return toFigure({
            id: `authzen.${measure}-${keyOf(name, kind, connections)}`,
            title: `${TITLES[name]}, ${kind} questions, ${connections} at once: ${MEASURES[measure]}`,
            ...{ unit: UNITS[measure], values: of(name) },
            against:
              name === 'gatehouse'
                ? { [`${measure}-${keyOf('openfga', kind, connections)}`]: of('openfga') }
                : {},
          });
        }),
      ),
    ),
  );
}
