import { join } from 'node:path';
import { createEngine, type Observation } from '../../engine/index.ts';
import { type EmbeddedEngine, startEmbeddedEngine } from '../../local/embedded-engine.ts';
import type { Reader } from '../../table/reader.ts';
import { createRandom } from '../../test/proof/oracle/random.ts';
import { figuresOf, toFigure } from '../harness/figures.ts';
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

interface Population {
  readonly users: number;
  readonly name: string;
  readonly engine: EmbeddedEngine;
  readonly reader: Reader;
  /** A user from anywhere in the table, at one of the three locations of their tenant. */
  readonly draw: () => Question;
}

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

async function populate(folder: string, users: number): Promise<Population> {
  const blocks = users / USERS_IN_BLOCK;
  const file = join(folder, `${users}.db`);
  const engine = await startEmbeddedEngine(file);
  const { reader } = await writeTable(engine.endpoint, TABLE, itemsOf(blocks));
  const random = createRandom(users);
  return {
    users,
    name: `cold-${users}`,
    engine,
    reader,
    draw: () => {
      const world = blockOf(random.below(blocks));
      const [subject, permission] = [random.pick(world.users).ref, random.pick(world.pages)];
      const scope = random.pick(world.places.slice(1)).ref;
      return { subject, permission, scope, allowed: isAllowed(world, subject, permission, scope) };
    },
  };
}

/** By a new engine with an empty cache. */
async function askCold(
  { reader, name }: Population,
  question: Question,
  observe?: (observed: Observation) => void,
): Promise<void> {
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
  const titled = [
    [smallest.name, [inWords(smallest)]],
    ...others.map((each) => [each.name, [inWords(each), smallest.name]]),
  ];
  const largest = populations.at(-1) as Population;
  const growth = pairedRatios(ms(largest.name), ms(smallest.name));
  const counted = (name: 'calls' | 'units') => {
    const values = costs.map((cost) => cost[name]);
    return toFigure(`${name}`, 'a cold check, all sizes', name, values);
  };
  return [
    ...figuresOf('ms', Object.fromEntries(titled), ms),
    toFigure('growth', 'the largest table over the smallest', 'x', growth),
    counted('calls'),
    counted('units'),
  ];
}

const inWords = ({ users }: Population): string => `${users.toLocaleString('en-US')} users`;

export const topic: Topic = {
  title: 'a cold check in tables of 1,000 users and many more',
  run: async (context) => {
    const folder = temporaryFolder('scale');
    const populations: Population[] = [];
    try {
      for (const users of sizesOf(context.quick)) {
        const population = await populate(folder, users);
        populations.push(population);
        context.log(`${inWords(population)}: written`);
      }
      return await measure(populations, context.quick);
    } finally {
      for (const { engine } of populations) await engine.stop();
    }
  },
};
