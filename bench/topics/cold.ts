import { startEmbeddedEngine } from '../../cli/embedded-engine.ts';
import { percentileLines } from '../harness/charts.ts';
import type { Spent } from '../harness/counted.ts';
import { type Figure, toFigure } from '../harness/figures.ts';
import { type Latency, latencyFrom } from '../harness/latency.ts';
import { resampledPercentiles } from '../harness/resampled.ts';
import { wrongAnswer } from '../harness/rounds.ts';
import { createSimulatedTime, type Time, wallTime } from '../harness/time.ts';
import type { Topic } from '../harness/topic.ts';
import { drawGroupQuestions, type GroupWorld, type Shape } from '../model/group-world.ts';
import type { Question } from '../model/world.ts';
import {
  COLD_TITLES,
  type ColdCandidate,
  type ColdName,
  type ColdOptions,
  createColdCandidates,
  writeColdTables,
} from '../peers/cold.ts';

/** By candidate, in the order of the questions. */
type Answers = Readonly<Record<ColdName, { readonly ms: number[]; readonly spent: Spent[] }>>;

const PERCENTILES = { p95: 0.95, p99: 0.99, p999: 0.999 } as const;
type Percentile = keyof typeof PERCENTILES;
const COUNTS = ['calls', 'rounds', 'units'] as const;

/** What is shown of each; the two harder peers are there for their p99. */
const SHOWN: Readonly<Record<ColdName, { percentiles: readonly Percentile[]; counts: boolean }>> = {
  gatehouse: { percentiles: ['p95', 'p99', 'p999'], counts: true },
  'new-user': { percentiles: ['p95', 'p99', 'p999'], counts: true },
  expired: { percentiles: ['p95', 'p99', 'p999'], counts: true },
  named: { percentiles: ['p95', 'p99', 'p999'], counts: true },
  slowest: { percentiles: ['p99'], counts: false },
  seeds: { percentiles: ['p95', 'p99', 'p999'], counts: true },
  'seeds-eager': { percentiles: ['p99'], counts: false },
};
const NAMES = Object.keys(SHOWN) as ColdName[];
/** Nothing stands above a flat scope. */
const namesFor = (shape: Shape): readonly ColdName[] =>
  NAMES.filter((name) => shape === 'nested' || name !== 'named');
/** What each is held beside. */
const AGAINST: Readonly<Record<ColdName, readonly ColdName[]>> = {
  gatehouse: ['seeds', 'seeds-eager'],
  'new-user': ['seeds', 'seeds-eager'],
  expired: ['seeds', 'seeds-eager'],
  named: ['gatehouse', 'seeds', 'seeds-eager'],
  slowest: ['seeds'],
  seeds: [],
  'seeds-eager': ['seeds'],
};

/** Asks all candidates every question, and throws on an answer that is not the oracle's. */
async function askAll(
  candidates: Readonly<Record<ColdName, ColdCandidate>>,
  names: readonly ColdName[],
  questions: readonly Question[],
  time: Time,
): Promise<Answers> {
  const answers = Object.fromEntries(
    names.map((name) => [name, { ms: [], spent: [] }]),
  ) as unknown as Answers;
  for (const [position, question] of questions.entries()) {
    for (const name of position % 2 === 0 ? names : [...names].reverse()) {
      const { prepare, ask, reset, spent } = candidates[name];
      if (prepare) await time.run(() => prepare(question));
      reset();
      const begun = time.now();
      const allowed = await time.run(() => ask(question));
      answers[name].ms.push(time.now() - begun);
      if (allowed !== question.allowed) throw wrongAnswer(COLD_TITLES[name], question);
      answers[name].spent.push(spent());
    }
  }
  return answers;
}

function figuresOf(shape: Shape, answers: Answers): readonly Figure[] {
  const values = new Map<string, readonly number[]>();
  for (const [seed, name] of namesFor(shape).entries()) {
    values.set(`${shape}.${name}`, answers[name].ms);
    const shares = Object.entries(PERCENTILES);
    const found = resampledPercentiles(
      answers[name].ms,
      shares.map(([, share]) => share),
      seed + 1,
    );
    for (const [position, [percentile]] of shares.entries())
      values.set(`${shape}.${name}.${percentile}`, found[position] as readonly number[]);
  }
  const of = (id: string) => values.get(id) as readonly number[];
  const beside = (name: ColdName, suffix = '') =>
    Object.fromEntries(
      AGAINST[name].map((peer) => [`${shape}.${peer}${suffix}`, of(`${shape}.${peer}${suffix}`)]),
    );
  return namesFor(shape).flatMap((name) => {
    const { percentiles, counts } = SHOWN[name];
    const title = `${shape}: ${COLD_TITLES[name]}`;
    const id = `cold.${shape}.${name}`;
    return [
      toFigure({ id, title, unit: 'ms', values: answers[name].ms, against: beside(name), withP99: true }),
      ...percentiles.map((percentile) =>
        toFigure({
          ...{
            id: `${id}.${percentile}`,
            title: `${title}, ${percentile.replace('999', '99.9')}`,
            unit: 'ms',
          },
          values: of(`${shape}.${name}.${percentile}`),
          against: beside(name, `.${percentile}`),
        }),
      ),
      ...(counts ? COUNTS : []).map((count) =>
        toFigure({
          ...{ id: `${id}.${count}`, title, unit: count },
          values: answers[name].spent.map((spent) => spent[count]),
        }),
      ),
    ];
  });
}

/**
 * The same with real waiting, and with the time that this machine takes for itself: what simulated time leaves out. No
 * rare percentiles: they would be those of the machine.
 */
async function wallFigures(
  options: Omit<ColdOptions, 'time'>,
  world: GroupWorld,
  questions: readonly Question[],
): Promise<readonly Figure[]> {
  const candidates = createColdCandidates({ ...options, time: wallTime }, world);
  const names = ['gatehouse', 'seeds'] as const;
  await askAll(candidates, names, questions.slice(-40), wallTime);
  const { gatehouse, seeds } = await askAll(candidates, names, questions, wallTime);
  const { shape } = options;
  const figure = (name: string, title: string, values: readonly number[], against = {}) =>
    toFigure({
      ...{ id: `cold.${shape}.${name}`, title: `${shape}, by the wall's clock: ${title}`, unit: 'ms' },
      ...{ values, against },
    });
  return [
    figure('wall', COLD_TITLES.gatehouse, gatehouse.ms, { [`${shape}.wall-seeds`]: seeds.ms }),
    figure('wall-seeds', COLD_TITLES.seeds, seeds.ms),
  ];
}

const chartOf = (shape: Shape, answers: Answers, { medianMs, p99Ms }: Latency): string =>
  percentileLines({
    title: `A cold decision, ${shape} scope`,
    subtitle: `${answers.gatehouse.ms.length} decisions; each request log-normal, median ${medianMs} ms, p99 ${p99Ms} ms`,
    yName: 'milliseconds, log',
    series: Object.fromEntries(
      (['seeds', 'gatehouse', 'new-user'] as const).map((name) => [COLD_TITLES[name], answers[name].ms]),
    ),
  });

export const cold: Topic = {
  name: 'cold',
  title: "a decision with nothing cached, DynamoDB's latency simulated, beside the seeds' own flow",
  run: async ({ quick, log, saveChart }) => {
    const latency = latencyFrom(process.env);
    log(`each request: log-normal, median ${latency.medianMs} ms, p99 ${latency.p99Ms} ms`);
    const embedded = await startEmbeddedEngine();
    try {
      const figures: Figure[] = [];
      for (const shape of ['flat', 'nested'] as const) {
        const { endpoint } = embedded;
        const world = await writeColdTables(endpoint, shape);
        const questions = drawGroupQuestions(world, quick ? 1_000 : 5_000);
        const time = createSimulatedTime(Date.now());
        const candidates = createColdCandidates({ endpoint, shape, time, latency }, world);
        const answers = await askAll(candidates, namesFor(shape), questions, time);
        log(`${shape}: ${questions.length} decisions each, answers as the oracle has them`);
        saveChart(`cold-${shape}`, chartOf(shape, answers, latency));
        figures.push(...figuresOf(shape, answers));
        if (!quick)
          figures.push(...(await wallFigures({ endpoint, shape, latency }, world, questions.slice(0, 500))));
      }
      return figures;
    } finally {
      await embedded.stop();
    }
  },
};
