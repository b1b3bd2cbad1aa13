import { setTimeout as after } from 'node:timers/promises';
import { COHERENCE_MARGIN_MS } from '../../table/timing.ts';
import { createRandom } from '../../test/proof/oracle/random.ts';
import { type Figure, toFigure } from '../harness/figures.ts';
import { percentile } from '../harness/statistics.ts';
import { shortNumber } from '../harness/table.ts';
import type { Topic, TopicContext } from '../harness/topic.ts';
import { type BenchStack, startBenchStack } from '../load/bench-stack.ts';
import type { Generated } from '../load/generate.ts';
import { achievedRate, createSchedule, type Measured, runOpenLoop, TIMED_OUT } from '../load/open-loop.ts';

/** Requests per second: of every day, and beyond what two cores can answer, to find the limit. */
const USUAL = 100;
const OVERLOAD = 4_000;
const FULL = {
  rounds: 5,
  seconds: 2.2,
  people: 1_000,
  cacheBytes: 256 * 1_024,
  cacheTtlSeconds: 5,
  // An item within the coherence margin is read again in any case, and would hide stale cache entries.
  settleMs: COHERENCE_MARGIN_MS + 500,
};
const QUICK = {
  rounds: 3,
  seconds: 0.7,
  people: 200,
  cacheBytes: 64 * 1_024,
  cacheTtlSeconds: 1,
  settleMs: 0,
} satisfies typeof FULL;
/** Enough that connections are not the limit. */
const CONNECTIONS = 64;
/** Writes per request, and per second at most. */
const WRITE_SHARE = 0.05;
const MOST_WRITES = 20;

const VARIANTS = ['with', 'without'] as const;
type Variant = (typeof VARIANTS)[number];

interface Trial {
  readonly answers: Generated;
  /** Microseconds of the gateway's processor time per answer. */
  readonly processor: number;
}

/** By rate and variant, one trial per round. */
type Trials = Map<string, Trial[]>;
const keyOf = (variant: Variant, rate: number): string => `${variant}-${rate}`;

const USUAL_PLAN = { exponent: 1, connections: CONNECTIONS, timeoutMs: 5_000 };

/** Sends requests and writes at the same time, each at its own rate. */
function createTrial({ gateway, generator, callers, write }: BenchStack) {
  const open = callers.map(({ asks, ...caller }) => ({
    ...caller,
    asks: asks.map(({ path }) => ({ path, expected: [200] })),
  }));
  const asked = { with: callers, without: open };
  return async (variant: Variant, rate: number, seconds: number, seed: number): Promise<Trial> => {
    const before = await gateway.ask({});
    const writing = { rate: Math.min(rate * WRITE_SHARE, MOST_WRITES), seconds };
    const schedule = createSchedule(writing, createRandom(seed));
    const plan = { ...USUAL_PLAN, url: before.urls[variant], callers: asked[variant], rate, seconds, seed };
    const [answers] = await Promise.all([
      generator.ask(plan),
      runOpenLoop({ schedule, seconds, connections: 4, send: () => write().then(() => 'written') }),
    ]);
    const { processorMs } = await gateway.ask({});
    const processor = ((processorMs - before.processorMs) * 1_000) / Math.max(answers.answered, 1);
    return { answers, processor };
  };
}

const countOf = ({ outcomes }: Measured, names: RegExp): number =>
  Object.entries(outcomes).reduce((sum, [name, count]) => sum + (names.test(name) ? count : 0), 0);
/** A 5xx and a request without an answer are faults, not wrong answers. */
const faultsOf = (measured: Measured): number => countOf(measured, /^5\d\d$|\D/);
const wrongOf = ({ unexpected, ...measured }: Generated): number => unexpected - countOf(measured, /^5\d\d$/);

/**
 * The people who are written to ask, are all written to once more, and ask again after the time-to-live:
 * their answers must then match their last write.
 */
async function checkWritten(
  { gateway, generator, write, written }: BenchStack,
  { settleMs, cacheTtlSeconds }: typeof FULL,
): Promise<Generated> {
  const { urls } = await gateway.ask({});
  const plan = { ...USUAL_PLAN, url: urls.with, exponent: 0, rate: 200, seconds: 1, connections: 8, seed: 1 };
  await after(settleMs);
  await generator.ask({ ...plan, callers: written() });
  for (const _ of written()) await write();
  await after(cacheTtlSeconds * 1_000 + 100);
  return generator.ask({ ...plan, callers: written() });
}

async function measure(stack: BenchStack, sizes: typeof FULL, log: TopicContext['log']): Promise<Trials> {
  const { rounds, seconds } = sizes;
  const attempt = createTrial(stack);
  for (const variant of VARIANTS) await attempt(variant, 400, seconds, 0);
  const trials: Trials = new Map();
  for (let round = 0; round < rounds; round++) {
    for (const [position, rate] of [USUAL, OVERLOAD].entries()) {
      // The order alternates.
      const order = (round + position) % 2 === 0 ? VARIANTS : VARIANTS.toReversed();
      for (const variant of order) {
        const trial = await attempt(variant, rate, seconds, round * 100 + position + 1);
        const key = keyOf(variant, rate);
        trials.set(key, [...(trials.get(key) ?? []), trial]);
        for (const example of trial.answers.examples) log(`wrong, ${variant}: ${example}`);
      }
    }
    log(`round ${round + 1} of ${rounds}`);
  }
  return trials;
}

const TITLES = { with: 'with the authorizer', without: 'without' } as const;

/** What is measured of both variants, at a rate. */
const BOTH: Readonly<
  Record<string, readonly [rate: number, what: string, unit: string, of: (trial: Trial) => number]>
> = {
  most: [OVERLOAD, 'achieved', '/s', ({ answers }) => achievedRate(answers)],
  // Under overload, where nearly all processor time is spent on answers.
  processor: [OVERLOAD, 'processor time of the gateway for an answer', 'µs', ({ processor }) => processor],
  p50: [USUAL, 'p50', 'ms', ({ answers }) => percentile(answers.latencies, 0.5)],
  p99: [USUAL, 'p99', 'ms', ({ answers }) => percentile(answers.latencies, 0.99)],
};

function figuresOf(trials: Trials, last: Generated): readonly Figure[] {
  const both = Object.entries(BOTH).flatMap(([name, [rate, what, unit, of]]) => {
    const idOf = (variant: Variant) => `${name}-${variant}${rate === USUAL ? `-${USUAL}` : ''}`;
    const values = (variant: Variant) => (trials.get(keyOf(variant, rate)) ?? []).map(of);
    return VARIANTS.map((variant) => {
      const title = `${TITLES[variant]}, ${shortNumber(rate)}/s asked: ${what}`;
      // Ours beside the other.
      const against = variant === 'with' ? { [idOf('without')]: values('without') } : {};
      return toFigure(idOf(variant), title, unit, values(variant), against);
    });
  });
  const everyAnswer = [...[...trials.values()].flat().map(({ answers }) => answers), last];
  const total = (name: string, title: string, unit: string, count: (answers: Generated) => number) =>
    toFigure(name, title, unit, [everyAnswer.reduce((sum, answers) => sum + count(answers), 0)]);
  return [
    ...both,
    total('answers', 'answers, all compared with the model', 'answers', ({ answered }) => answered),
    total('wrong', 'wrong answers', 'answers', wrongOf),
    total('faults', `no answer: 5xx, ${TIMED_OUT}, connection lost`, 'requests', faultsOf),
  ];
}

export const topic: Topic = {
  title: 'requests through the local gateway, with the authorizer and without',
  run: async ({ quick, log }) => {
    const sizes = quick ? QUICK : FULL;
    log(`${sizes.people} people, created by provisioning`);
    const stack = await startBenchStack(sizes.people, sizes.cacheBytes, sizes.cacheTtlSeconds);
    try {
      const trials = await measure(stack, sizes, log);
      const last = await checkWritten(stack, sizes);
      for (const example of last.examples) log(`wrong after a write: ${example}`);
      return figuresOf(trials, last);
    } finally {
      await stack.stop();
    }
  },
};
