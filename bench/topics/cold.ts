import type { Spent } from '../harness/counted.ts';
import { withEngine } from '../harness/engine.ts';
import { type Figure, toFigure } from '../harness/figures.ts';
import { latencyFrom } from '../harness/latency.ts';
import { resampledPercentiles } from '../harness/resampled.ts';
import { wrongAnswer } from '../harness/rounds.ts';
import { createSimulatedTime, type Time } from '../harness/time.ts';
import type { Topic } from '../harness/topic.ts';
import { drawGroupQuestions, type Shape } from '../model/group-world.ts';
import type { Question } from '../model/world.ts';
import {
  COLD_TITLES,
  type ColdCandidate,
  type ColdName,
  createColdCandidates,
  writeColdTables,
} from '../peers/cold.ts';

/** By candidate, in the order of the questions. */
type Answers = Readonly<Record<ColdName, { readonly ms: number[]; readonly spent: Spent[] }>>;

const PERCENTILES = { p95: 0.95, p99: 0.99, p999: 0.999 } as const;
const PERCENTILE_NAMES = Object.keys(PERCENTILES);
const COUNTS = ['calls', 'rounds', 'units'] as const;

const NAMES = Object.keys(COLD_TITLES) as ColdName[];
/** A flat scope has no ancestors. */
const namesFor = (shape: Shape): readonly ColdName[] =>
  NAMES.filter((name) => shape === 'nested' || name !== 'named');
/** The peers of each in the tables. */
const AGAINST: Readonly<Record<ColdName, readonly ColdName[]>> = {
  gatehouse: ['seeds'],
  'new-user': ['seeds'],
  expired: ['seeds'],
  named: ['gatehouse', 'seeds'],
  seeds: [],
};

/** Asks all candidates every question; throws on an answer that differs from the oracle's. */
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
    const title = `${shape}: ${COLD_TITLES[name]}`;
    const id = `cold.${shape}.${name}`;
    return [
      toFigure({ id, title, unit: 'ms', values: answers[name].ms, against: beside(name), withP99: true }),
      ...PERCENTILE_NAMES.map((percentile) =>
        toFigure({
          id: `${id}.${percentile}`,
          title: `${title}, ${percentile.replace('999', '99.9')}`,
          unit: 'ms',
          values: of(`${shape}.${name}.${percentile}`),
          against: beside(name, `.${percentile}`),
        }),
      ),
      ...COUNTS.map((count) =>
        toFigure({
          id: `${id}.${count}`,
          title,
          unit: count,
          values: answers[name].spent.map((spent) => spent[count]),
        }),
      ),
    ];
  });
}

export const cold: Topic = {
  name: 'cold',
  title: "a decision with nothing cached, DynamoDB's latency simulated, beside the seeds' flow",
  run: async ({ quick, log }) => {
    const latency = latencyFrom(process.env);
    log(`each request: log-normal, median ${latency.medianMs} ms, p99 ${latency.p99Ms} ms`);
    return withEngine(async (endpoint) => {
      const figures: Figure[] = [];
      for (const shape of ['flat', 'nested'] as const) {
        const world = await writeColdTables(endpoint, shape);
        const questions = drawGroupQuestions(world, quick ? 1_000 : 5_000);
        const time = createSimulatedTime(Date.now());
        const candidates = createColdCandidates({ endpoint, shape, time, latency }, world);
        const answers = await askAll(candidates, namesFor(shape), questions, time);
        log(`${shape}: ${questions.length} decisions each, all as the oracle says`);
        figures.push(...figuresOf(shape, answers));
      }
      return figures;
    });
  },
};
