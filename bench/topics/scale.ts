import { join } from 'node:path';
import { createEngine, type EngineOptions, type Observation } from '../../engine/index.ts';
import { startEmbeddedEngine } from '../../local/embedded-engine.ts';
import { createRandom } from '../../test/proof/oracle/random.ts';
import { toFigure } from '../harness/figures.ts';
import { temporaryFolder } from '../harness/folder.ts';
import { type Candidate, runRounds, wrongAnswer } from '../harness/rounds.ts';
import { pairedRatios } from '../harness/statistics.ts';
import type { Topic } from '../harness/topic.ts';
import { blockOf, itemsOf, USERS_IN_BLOCK } from '../model/blocks.ts';
import { writeTable } from '../model/table.ts';
import { isAllowed, type Question } from '../model/world.ts';

const TABLE = 'bench';
const QUICK = [1_000, 10_000];
const FULL = [1_000, 10_000, 100_000];
/** Cold checks per size and round. */
const AT_ONCE = 10;

/** `BENCH_USERS=1000000` adds a larger table; the time grows with it. */
function sizesOf(quick: boolean): readonly number[] {
  const wanted = process.env.BENCH_USERS;
  const sizes = quick ? QUICK : FULL;
  if (wanted === undefined) return sizes;
  const more = Number(wanted);
  if (!(more > Math.max(...sizes)) || more % USERS_IN_BLOCK !== 0)
    throw new Error(`BENCH_USERS: a multiple of ${USERS_IN_BLOCK} above ${Math.max(...sizes)}`);
  return [...sizes, more];
}

async function populate(folder: string, users: number) {
  const blocks = users / USERS_IN_BLOCK;
  const file = join(folder, `${users}.db`);
  const engine = await startEmbeddedEngine(file);
  const { reader } = await writeTable(engine.endpoint, TABLE, itemsOf(blocks));
  const random = createRandom(users);
  return {
    name: `cold-${users}`,
    title: `${users.toLocaleString('en-US')} users`,
    engine,
    reader,
    /** A user from anywhere in the table, at one of the three locations of their tenant. */
    draw: (): Question => {
      const world = blockOf(random.below(blocks));
      const [subject, permission] = [random.pick(world.users).ref, random.pick(world.pages)];
      const scope = random.pick(world.places.slice(1)).ref;
      return { subject, permission, scope, allowed: isAllowed(world, subject, permission, scope) };
    },
  };
}

type Population = Awaited<ReturnType<typeof populate>>;

/** By a new engine with an empty cache. */
async function askCold({ reader, name }: Population, question: Question, observe?: EngineOptions['observe']) {
  const engine = createEngine({ reader, clock: { now: Date.now }, observe });
  const { allowed } = await engine.check(question.subject, question.permission, question.scope);
  if (allowed !== question.allowed) throw wrongAnswer(name, question);
}

const candidateOf = (population: Population): Candidate => {
  let questions: readonly Question[] = [];
  return {
    name: population.name,
    prepare: () => {
      questions = Array.from({ length: AT_ONCE }, population.draw);
    },
    run: async () => {
      for (const question of questions) await askCold(population, question);
      return questions.length;
    },
  };
};

/** The cost of some cold checks, as the engine reports it. */
async function costsOf(population: Population, count: number): Promise<readonly Observation[]> {
  const observed: Observation[] = [];
  const answers = { true: 0, false: 0 };
  for (let n = 0; n < count; n++) {
    const question = population.draw();
    answers[`${question.allowed}`] += 1;
    await askCold(population, question, (observation) => observed.push(observation));
  }
  if (Math.min(answers.true, answers.false) < count / 10) throw new Error('nearly all answers are the same');
  return observed;
}

async function measure(populations: readonly Population[], quick: boolean) {
  const costs: Observation[] = [];
  for (const population of populations) costs.push(...(await costsOf(population, quick ? 100 : 500)));
  const differing = new Set(costs.map(({ calls, units }) => `${calls} calls, ${units} units`));
  if (differing.size > 1) throw new Error(`cold checks cost ${[...differing].join(' or ')}`);
  const samples = await runRounds(populations.map(candidateOf), { rounds: quick ? 61 : 301, warmUp: 5 });
  const ms = (name: string) => samples(name).map((ns) => ns / 1e6);
  const [smallest, ...others] = populations as [Population, ...Population[]];
  const least = ms(smallest.name);
  const growth = pairedRatios(ms((populations.at(-1) as Population).name), least);
  return [
    toFigure(smallest.name, smallest.title, 'ms', least),
    ...others.map(({ name, title }) => toFigure(name, title, 'ms', ms(name), { [smallest.name]: least })),
    toFigure('growth', 'the largest table over the smallest', 'x', growth),
    ...(['calls', 'units'] as const).map((name) => {
      const values = costs.map((cost) => cost[name]);
      return toFigure(name, 'a cold check, all sizes', name, values);
    }),
  ];
}

export const topic: Topic = {
  title: 'a cold check in tables of 1,000 users and many more',
  run: async (context) => {
    const folder = temporaryFolder('scale');
    const populations: Population[] = [];
    try {
      for (const users of sizesOf(context.quick)) {
        const population = await populate(folder, users);
        populations.push(population);
        context.log(`${population.title}: written`);
      }
      return await measure(populations, context.quick);
    } finally {
      for (const { engine } of populations) await engine.stop();
    }
  },
};
