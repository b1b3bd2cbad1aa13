import type { Spent } from '../harness/counted.ts';
import { DYNAMODB } from '../harness/draws.ts';
import { withEngine } from '../harness/engine.ts';
import { type Figure, toFigure } from '../harness/figures.ts';
import { wrongAnswer } from '../harness/rounds.ts';
import { percentile } from '../harness/statistics.ts';
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
type Answers = Readonly<Record<ColdName, Spent[]>>;

/** Parts of the answers whose percentiles are taken by themselves. */
const FIFTHS = 5;
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
): Promise<Answers> {
  const answers = Object.fromEntries(names.map((name) => [name, [] as Spent[]])) as Answers;
  for (const question of questions)
    for (const name of names) {
      const { prepare, ask, reset, spent } = candidates[name];
      await prepare?.(question);
      reset();
      if ((await ask(question)) !== question.allowed) throw wrongAnswer(COLD_TITLES[name], question);
      answers[name].push(spent());
    }
  return answers;
}

function figuresOf(shape: Shape, answers: Answers): readonly Figure[] {
  const ms = (name: ColdName): readonly number[] => answers[name].map((spent) => spent.ms);
  /** Of each fifth of the answers: their spread says how far chance goes. */
  const p99 = (name: ColdName): readonly number[] => {
    const all = ms(name);
    const count = all.length / FIFTHS;
    return Array.from({ length: FIFTHS }, (_, n) => percentile(all.slice(n * count, (n + 1) * count), 0.99));
  };
  const beside = (name: ColdName, suffix: string, of: typeof ms) =>
    Object.fromEntries(AGAINST[name].map((peer) => [`${shape}.${peer}${suffix}`, of(peer)]));
  return namesFor(shape).flatMap((name) => {
    const title = `${shape}: ${COLD_TITLES[name]}`;
    const id = `cold.${shape}.${name}`;
    return [
      { ...toFigure(id, title, 'ms', ms(name), beside(name, '', ms)), p99: percentile(ms(name), 0.99) },
      toFigure(`${id}.p99`, `${title}, p99`, 'ms', p99(name), beside(name, '.p99', p99)),
      ...COUNTS.map((count) =>
        toFigure(
          `${id}.${count}`,
          title,
          count,
          answers[name].map((spent) => spent[count]),
        ),
      ),
    ];
  });
}

export const cold: Topic = {
  name: 'cold',
  title: "a decision with nothing cached, DynamoDB's latency drawn, beside the seeds' flow",
  run: async ({ quick, log }) => {
    log(`each request: log-normal, median ${DYNAMODB.medianMs} ms, p99 ${DYNAMODB.p99Ms} ms`);
    return withEngine(async (endpoint) => {
      const figures: Figure[] = [];
      for (const shape of ['flat', 'nested'] as const) {
        const world = await writeColdTables(endpoint, shape);
        const questions = drawGroupQuestions(world, quick ? 1_000 : 5_000);
        const candidates = createColdCandidates({ endpoint, shape, latency: DYNAMODB }, world);
        const answers = await askAll(candidates, namesFor(shape), questions);
        log(`${shape}: ${questions.length} decisions each, all as the oracle says`);
        figures.push(...figuresOf(shape, answers));
      }
      return figures;
    });
  },
};
