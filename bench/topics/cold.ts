import type { Spent } from '../harness/counted.ts';
import { DYNAMODB } from '../harness/draws.ts';
import { withEngine } from '../harness/engine.ts';
import { type Figure, toFigure } from '../harness/figures.ts';
import { wrongAnswer } from '../harness/rounds.ts';
import { percentile } from '../harness/statistics.ts';
import type { Topic } from '../harness/topic.ts';
import { drawGroupQuestions, type Shape } from '../model/group-world.ts';
import { times } from '../model/world.ts';
import { createColdCandidates, writeColdTables } from '../peers/cold.ts';

/** Parts of the answers whose percentiles are taken by themselves. */
const FIFTHS = 5;
const COUNTS = ['calls', 'rounds', 'units'] as const;

/** The candidates in the order of the table, each with its peers. */
const CANDIDATES = {
  gatehouse: ['Gatehouse', 'seeds'],
  'new-user': ['Gatehouse, new user, the rest cached', 'seeds'],
  expired: ['Gatehouse, all cached, but expired', 'seeds'],
  named: ['Gatehouse, the path names the ancestors', 'gatehouse', 'seeds'],
  seeds: ["seeds' flow"],
} as const;
type Name = keyof typeof CANDIDATES;
/** By candidate, in the order of the questions. */
type Answers = Readonly<Record<Name, readonly Spent[]>>;

/** A flat scope has no ancestors. */
const namesFor = (shape: Shape): readonly Name[] =>
  (Object.keys(CANDIDATES) as Name[]).filter((name) => shape === 'nested' || name !== 'named');

/** Asks all candidates every question; throws on an answer that differs from the oracle's. */
async function askAll(endpoint: string, shape: Shape, count: number): Promise<Answers> {
  const world = await writeColdTables(endpoint, shape);
  const candidates = createColdCandidates(endpoint, shape, world);
  const answers: Record<Name, Spent[]> = { gatehouse: [], 'new-user': [], expired: [], named: [], seeds: [] };
  for (const question of drawGroupQuestions(world, count))
    for (const name of namesFor(shape)) {
      const { prepare, ask, reset, spent } = candidates[name];
      await prepare(question);
      reset();
      if ((await ask(question)) !== question.allowed) throw wrongAnswer(name, question);
      answers[name].push(spent());
    }
  return answers;
}

function figuresOf(shape: Shape, answers: Answers): readonly Figure[] {
  const ms = (name: Name): readonly number[] => answers[name].map((spent) => spent.ms);
  /** Of each fifth of the answers: their spread says how far chance goes. */
  const p99 = (name: Name): readonly number[] => {
    const count = answers[name].length / FIFTHS;
    return times(FIFTHS, (n) => percentile(ms(name).slice(n * count, (n + 1) * count), 0.99));
  };
  return namesFor(shape).flatMap((name) => {
    const [what, ...peers] = CANDIDATES[name];
    const [id, title] = [`cold.${shape}.${name}`, `${shape}: ${what}`];
    const beside = (suffix: string, of: typeof ms) =>
      Object.fromEntries(peers.map((peer) => [`${shape}.${peer}${suffix}`, of(peer)]));
    const counted = (count: (typeof COUNTS)[number]) => answers[name].map((spent) => spent[count]);
    return [
      { ...toFigure(id, title, 'ms', ms(name), beside('', ms)), p99: percentile(ms(name), 0.99) },
      toFigure(`${id}.p99`, `${title}, p99`, 'ms', p99(name), beside('.p99', p99)),
      ...COUNTS.map((count) => toFigure(`${id}.${count}`, title, count, counted(count))),
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
      for (const shape of ['flat', 'nested'] as const)
        figures.push(...figuresOf(shape, await askAll(endpoint, shape, quick ? 1_000 : 5_000)));
      return figures;
    });
  },
};
