import { setTimeout as after } from 'node:timers/promises';
import { COHERENCE_MARGIN_MS } from '../../table/timing.ts';
import { createRandom } from '../../test/proof/oracle/random.ts';
import { type Figure, toFigure } from '../harness/figures.ts';
import { percentile, summarise } from '../harness/statistics.ts';
import { shortNumber } from '../harness/table.ts';
import type { Topic, TopicContext } from '../harness/topic.ts';
import { type BenchStack, startBenchStack } from '../load/bench-stack.ts';
import { WITHOUT } from '../load/gateway.ts';
import type { Caller, Generated } from '../load/generate.ts';
import { createSchedule, type Measured, runOpenLoop, TIMED_OUT } from '../load/open-loop.ts';
import { achievedRate } from '../load/report.ts';

/** Sizes of a full run; `overload` is beyond what two cores can answer, to find the limit. */
const FULL = {
  rates: [100, 200, 400, 800, 1_600],
  overload: 4_000,
  rounds: 5,
  seconds: 2.2,
  people: 1_000,
  cacheBytes: 256 * 1_024,
  cacheTtlSeconds: 5,
  // An item within the coherence margin is read again in any case, and would hide stale cache entries.
  settleMs: COHERENCE_MARGIN_MS + 500,
};
const QUICK: typeof FULL = {
  rates: [100],
  overload: 4_000,
  rounds: 3,
  seconds: 0.7,
  people: 200,
  cacheBytes: 64 * 1_024,
  cacheTtlSeconds: 1,
  settleMs: 0,
};
/** Enough that connections are not the limit. */
const CONNECTIONS = 64;
/** Writes per request, and per second at most. */
const WRITE_SHARE = 0.05;
const MOST_WRITES = 20;

const VARIANTS = ['with', 'without'] as const;
type Variant = (typeof VARIANTS)[number];

interface Trial {
  readonly answers: Generated;
  readonly writes: Measured;
  /** Calls to the table per answer. */
  readonly reads: number;
  /** Microseconds of the gateway's processor time per answer. */
  readonly processor: number;
}

/** By rate and variant, one trial per round. */
type Trials = Map<string, Trial[]>;
const keyOf = (variant: Variant, rate: number): string => `${variant}-${rate}`;

const openToAll = (callers: readonly Caller[]): readonly Caller[] =>
  callers.map(({ asks, ...caller }) => ({
    ...caller,
    asks: asks.map(({ path }) => ({ path, expected: [200] })),
  }));

/** Sends requests and writes at the same time, each at its own rate. */
function createTrial({ gateway, generator, url, callers, write }: BenchStack) {
  const asked = { with: callers, without: openToAll(callers) };
  return async (variant: Variant, rate: number, seconds: number, seed: number): Promise<Trial> => {
    const before = await gateway.ask({});
    const writing = { arrivals: 'constant', rate: Math.min(rate * WRITE_SHARE, MOST_WRITES) } as const;
    const schedule = createSchedule({ ...writing, seconds, random: createRandom(seed) });
    const [answers, writes] = await Promise.all([
      generator.ask({
        url: variant === 'with' ? url : `${url}${WITHOUT}`,
        callers: asked[variant],
        exponent: 1,
        arrivals: 'poisson',
        rate,
        seconds,
        connections: CONNECTIONS,
        timeoutMs: 5_000,
        seed,
      }),
      runOpenLoop({ schedule, seconds, connections: 4, send: write }),
    ]);
    const [refused] = Object.keys(writes.outcomes).filter((name) => name !== '200');
    if (refused !== undefined) throw new Error(`a write failed: ${refused}`);
    const { reads, processorMs } = await gateway.ask({});
    const count = Math.max(answers.answered, 1);
    return {
      answers,
      writes,
      reads: (reads - before.reads) / count,
      processor: ((processorMs - before.processorMs) * 1_000) / count,
    };
  };
}

/** A 5xx and a request without an answer are faults, not wrong answers. */
const isFault = (name: string): boolean => /^5\d\d$/.test(name) || !/^\d+$/.test(name);
const faultsOf = ({ outcomes }: Measured): number =>
  Object.entries(outcomes).reduce((sum, [name, count]) => sum + (isFault(name) ? count : 0), 0);
const answeredFaults = ({ outcomes }: Measured): number =>
  Object.entries(outcomes).reduce((sum, [name, count]) => sum + (/^5\d\d$/.test(name) ? count : 0), 0);
const wrongOf = ({ unexpected, ...measured }: Generated): number => unexpected - answeredFaults(measured);

/**
 * The people who are written to ask, are all written to once more, and ask again after the time-to-live:
 * their answers must then match their last write.
 */
async function checkWritten(
  stack: BenchStack,
  { settleMs, cacheTtlSeconds }: typeof FULL,
): Promise<Generated> {
  const { generator, url, write, written } = stack;
  const ask = (callers: readonly Caller[]) =>
    generator.ask({
      url,
      callers,
      exponent: 0,
      arrivals: 'constant',
      rate: 200,
      seconds: 1,
      connections: 8,
      timeoutMs: 5_000,
      seed: 1,
    });
  const callers = written();
  await after(settleMs);
  await ask(callers);
  for (const _ of callers) await write();
  await after(cacheTtlSeconds * 1_000 + 100);
  return ask(written());
}

async function measure(stack: BenchStack, sizes: typeof FULL, log: TopicContext['log']): Promise<Trials> {
  const { rates, overload, rounds, seconds } = sizes;
  const attempt = createTrial(stack);
  for (const variant of VARIANTS) await attempt(variant, 400, seconds, 0);
  const trials: Trials = new Map();
  for (let round = 0; round < rounds; round++) {
    for (const [position, rate] of [...rates, overload].entries()) {
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

function figuresOf(trials: Trials, sizes: typeof FULL, last: Generated): readonly Figure[] {
  const { rates, overload } = sizes;
  const of = (variant: Variant, rate: number): readonly Trial[] => trials.get(keyOf(variant, rate)) ?? [];
  const achieved = (variant: Variant, rate: number) =>
    of(variant, rate).map(({ answers }) => achievedRate(answers));
  const latencies = (variant: Variant, rate: number) =>
    of(variant, rate).map(({ answers }) => answers.latencies);
  const own = (variant: Variant, rate: number, name: string): readonly number[] => {
    if (name !== 'p99.9')
      return latencies(variant, rate).map((each) => percentile(each, name === 'p50' ? 0.5 : 0.99));
    // Of all rounds together: a single round has too few answers for it.
    const all = latencies(variant, rate).flat();
    return all.length < 1_000 ? [] : [percentile(all, 0.999)];
  };
  const latency = (variant: Variant, rate: number, name: string): readonly Figure[] => {
    const [values, others] = [own(variant, rate, name), own('without', rate, name)];
    if (values.length === 0) return [];
    const { median } = summarise(achieved(variant, rate));
    return [
      toFigure(
        `load.${name}-${keyOf(variant, rate)}`,
        `${TITLES[variant]}, ${shortNumber(rate)}/s asked, ${shortNumber(median)}/s achieved: ${name}`,
        'ms',
        values,
        variant === 'with' ? { [`${name}-${keyOf('without', rate)}`]: others } : {},
      ),
    ];
  };
  /** Under overload, where nearly all processor time is spent on answers. */
  const processor = (variant: Variant) => of(variant, overload).map((trial) => trial.processor);
  const all = [...trials.values()].flat();
  const everyAnswer = [...all.map(({ answers }) => answers), last];
  const asked = rates.flatMap((rate) => of('with', rate));
  const total = (count: (answers: Generated) => number) =>
    everyAnswer.reduce((sum, answers) => sum + count(answers), 0);
  return [
    ...VARIANTS.map((variant) =>
      toFigure(
        `load.most-${variant}`,
        `${TITLES[variant]}, ${shortNumber(overload)}/s asked: achieved`,
        '/s',
        achieved(variant, overload),
        variant === 'with' ? { 'most-without': achieved('without', overload) } : {},
      ),
    ),
    ...VARIANTS.map((variant) =>
      toFigure(
        `load.processor-${variant}`,
        `${TITLES[variant]}, the same load: processor time of the gateway for an answer`,
        'µs',
        processor(variant),
        variant === 'with' ? { 'processor-without': processor('without') } : {},
      ),
    ),
    ...rates.flatMap((rate) =>
      ['p50', 'p99', 'p99.9'].flatMap((name) => VARIANTS.flatMap((variant) => latency(variant, rate, name))),
    ),
    toFigure(
      'load.reads',
      'calls to the table for each answer',
      'calls',
      asked.map(({ reads }) => reads),
    ),
    toFigure('load.writes', 'writes meanwhile, in all', 'writes', [
      all.reduce((sum, { writes }) => sum + writes.answered, 0),
    ]),
    toFigure('load.answers', 'answers, all compared with the model', 'answers', [
      total(({ answered }) => answered),
    ]),
    toFigure('load.wrong', 'wrong answers', 'answers', [total(wrongOf)]),
    toFigure('load.faults', `no answer: 5xx, ${TIMED_OUT}, connection lost`, 'requests', [total(faultsOf)]),
  ];
}

export const load: Topic = {
  name: 'load',
  title: 'requests through the local gateway, with the authorizer and without',
  run: async ({ quick, log }) => {
    const sizes = quick ? QUICK : FULL;
    log(`${sizes.people} people, created by provisioning`);
    const stack = await startBenchStack(sizes);
    try {
      const trials = await measure(stack, sizes, log);
      const last = await checkWritten(stack, sizes);
      for (const example of last.examples) log(`wrong after a write: ${example}`);
      const { faults, lastFault } = await stack.gateway.ask({});
      if (faults > 0) log(`the authorizer logged ${faults} faults, the last: ${lastFault}`);
      return figuresOf(trials, sizes, last);
    } finally {
      await stack.stop();
    }
  },
};
