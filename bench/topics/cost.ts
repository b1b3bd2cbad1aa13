import { readFileSync } from 'node:fs';
import { createRandom } from '../../test/proof/oracle/random.ts';
import { DYNAMODB, logNormal } from '../harness/draws.ts';
import { withEngine } from '../harness/engine.ts';
import { toFigure } from '../harness/figures.ts';
import { billedMs, type Decided, dollarsPerMillion, lambdaLogBytes } from '../harness/prices.ts';
import type { Topic } from '../harness/topic.ts';
import { createWorldOf, drawQuestions, type Shape, times } from '../model/world.ts';
import { createPricedHandler, type Priced } from '../peers/priced.ts';
import prices from '../prices.json' with { type: 'json' };

const HIT_RATES = [0, 99] as const;
/** The mean of so many decisions is one value of a figure. */
const BLOCK = 20;

/** What a miss is, at every hit rate. */
const MISSES = {
  flat: 'flat, nothing cached at a miss',
  nested: 'nested, nothing cached at a miss',
  'new-user': 'only the user not cached at a miss',
  avp: 'Verified Permissions, asked at a miss',
} as const;

/** Decisions that are measured. */
const KINDS = {
  hit: 'a hit',
  flat: 'a miss, flat',
  nested: 'a miss, nested',
  'new-user': 'a miss, new user',
};
type Kind = keyof typeof KINDS;

/** The authorizer's memory in the stack, in megabytes. */
function memoryOfStack(): number {
  const stack = readFileSync(new URL('../../serverless.yml', import.meta.url), 'utf8');
  const [, megabytes] = /^ {2}memorySize: (\d+)$/m.exec(stack) ?? [];
  if (megabytes === undefined) throw new Error('serverless.yml has no memorySize');
  return Number(megabytes);
}

async function measure(endpoint: string, count: number): Promise<Readonly<Record<Kind, readonly Priced[]>>> {
  const of = async (shape: Shape) => {
    const world = createWorldOf(shape);
    const decide = await createPricedHandler(endpoint, shape, world);
    const decisions: Awaited<ReturnType<typeof decide>>[] = [];
    for (const question of drawQuestions(world, count + 2 * BLOCK)) decisions.push(await decide(question));
    // The first ones warm the code up.
    return decisions.slice(2 * BLOCK);
  };
  const [flat, nested] = [await of('flat'), await of('nested')];
  return {
    hit: flat.map(({ hit }) => hit),
    flat: flat.map(({ cold }) => cold),
    nested: nested.map(({ cold }) => cold),
    'new-user': flat.map(({ newUser }) => newUser),
  };
}

/** The means of blocks. Each invocation is billed by itself; a round of reads takes a drawn latency. */
function createBlocks(memoryMb: number) {
  const draw = logNormal(createRandom(11), DYNAMODB);
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  const billed = ({ processorMs, rounds }: Priced): number =>
    billedMs({ processorMs, waitMs: sum(times(rounds, draw)) }, memoryMb);
  return (list: readonly Priced[]): readonly Decided[] =>
    times(Math.floor(list.length / BLOCK), (n) => {
      const some = list.slice(n * BLOCK, (n + 1) * BLOCK);
      const mean = (of: (each: Priced) => number): number => sum(some.map(of)) / BLOCK;
      return {
        billedMs: mean(billed),
        units: mean(({ units }) => units),
        logBytes: mean((each) => each.logBytes + lambdaLogBytes(billed(each), memoryMb)),
      };
    });
}

export const topic: Topic = {
  title: 'dollars for a million decisions, beside Amazon Verified Permissions',
  run: async ({ quick, log }) => {
    const memoryMb = memoryOfStack();
    log(`list prices of ${prices.region}, ${prices.date}; ${memoryMb} MB, arm64`);
    return withEngine(async (endpoint) => {
      const measured = await measure(endpoint, quick ? 200 : 1_000);
      const blocks = createBlocks(memoryMb);
      const hits = blocks(measured.hit).map((hit) => ({ ...hit, units: 0 }));
      const newUser = blocks(measured['new-user']);
      const misses = {
        flat: blocks(measured.flat),
        nested: blocks(measured.nested),
        'new-user': newUser,
        // One request instead of one read, assumed to take as long. It logs the same.
        avp: newUser.map((miss) => ({ ...miss, units: 0, requests: 1 })),
      };
      const dollars = (of: keyof typeof MISSES, percent: number): readonly number[] =>
        misses[of].map((miss, block) =>
          dollarsPerMillion({ hitRate: percent / 100, hit: hits[block] as Decided, miss, memoryMb }, prices),
        );
      const inDollars = HIT_RATES.flatMap((percent) =>
        Object.entries(MISSES).map(([name, what]) => {
          const against = name === 'avp' ? {} : { [`avp.${percent}`]: dollars('avp', percent) };
          const values = dollars(name as keyof typeof MISSES, percent);
          return toFigure(`${name}.${percent}`, `${percent} % hits; ${what}`, '$/million', values, against);
        }),
      );
      const units = Object.entries(KINDS).map(([name, title]) => {
        const values = measured[name as Kind].map((each) => each.units);
        return toFigure(`${name}.units`, `${title}: read units`, 'units', values);
      });
      const logged = measured.hit.map(({ logBytes }) => logBytes);
      const logs = toFigure('hit.logged', 'a hit: bytes of logs and metrics', 'bytes', logged);
      return [...inDollars, ...units, logs];
    });
  },
};
