import type { Spent } from '../harness/counted.ts';
import { DYNAMODB } from '../harness/draws.ts';
import { withEngine } from '../harness/engine.ts';
import { type Figure, toFigure } from '../harness/figures.ts';
import { wrongAnswer } from '../harness/rounds.ts';
import { percentile } from '../harness/statistics.ts';
import type { Topic } from '../harness/topic.ts';
import { decisionItems, writeTable } from '../model/table.ts';
import { createWorldOf, drawQuestions, type Shape, times } from '../model/world.ts';
import { createColdCandidates } from '../peers/cold.ts';

/** Parts of the answers whose percentiles are taken by themselves. */
const FIFTHS = 5;
const COUNTS = ['calls', 'rounds', 'units'] as const;

/** The candidates in the order of the table. */
const CANDIDATES = {
  gatehouse: 'Gatehouse',
  'new-user': 'Gatehouse, new user, the rest cached',
  expired: 'Gatehouse, all cached, but expired',
  named: 'Gatehouse, the path names the ancestors',
} as const;
type Name = keyof typeof CANDIDATES;

/** Asks all candidates every question; throws on an answer that differs from the oracle's. */
async function measure(endpoint: string, shape: Shape, count: number): Promise<readonly Figure[]> {
  const world = createWorldOf(shape);
  const table = `cold-${shape}`;
  await writeTable(endpoint, table, decisionItems(world));
  const candidates = createColdCandidates(endpoint, table, world);
  // A flat scope has no ancestors.
  const names = (Object.keys(CANDIDATES) as Name[]).filter((name) => shape === 'nested' || name !== 'named');
  /** In the order of the questions. */
  const answers: Record<Name, Spent[]> = { gatehouse: [], 'new-user': [], expired: [], named: [] };
  for (const question of drawQuestions(world, count))
    for (const name of names) {
      const { prepare, ask, reset, spent } = candidates[name];
      await prepare(question);
      reset();
      if ((await ask(question)) !== question.allowed) throw wrongAnswer(name, question);
      answers[name].push(spent());
    }
  return names.flatMap((name) => {
    const [id, title] = [`${shape}.${name}`, `${shape}: ${CANDIDATES[name]}`];
    const ms = answers[name].map((spent) => spent.ms);
    /** Of each fifth of the answers: their spread says how far chance goes. */
    const p99 = times(FIFTHS, (n) =>
      percentile(ms.slice((n * count) / FIFTHS, ((n + 1) * count) / FIFTHS), 0.99),
    );
    return [
      { ...toFigure(id, title, 'ms', ms), p99: percentile(ms, 0.99) },
      toFigure(`${id}.p99`, `${title}, p99`, 'ms', p99),
      ...COUNTS.map((of) =>
        toFigure(
          `${id}.${of}`,
          title,
          of,
          answers[name].map((spent) => spent[of]),
        ),
      ),
    ];
  });
}

export const topic: Topic = {
  title: "a decision with nothing cached, DynamoDB's latency drawn",
  run: async ({ quick, log }) => {
    log(`each request: log-normal, median ${DYNAMODB.medianMs} ms, p99 ${DYNAMODB.p99Ms} ms`);
    return withEngine(async (endpoint) => {
      const count = quick ? 1_000 : 5_000;
      return [...(await measure(endpoint, 'flat', count)), ...(await measure(endpoint, 'nested', count))];
    });
  },
};
