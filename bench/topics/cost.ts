import { readFileSync } from 'node:fs';
import { createRandom } from '../../test/proof/oracle/random.ts';
import { DYNAMODB, logNormal } from '../harness/draws.ts';
import { withEngine } from '../harness/engine.ts';
import { type Figure, toFigure } from '../harness/figures.ts';
import { billedMs, type Decided, dollarsPerMillion, lambdaLogBytes } from '../harness/prices.ts';
import type { Topic } from '../harness/topic.ts';
import { createGroupWorld, drawGroupQuestions, type Shape } from '../model/group-world.ts';
import { writeColdTables } from '../peers/cold.ts';
import { createPricedHandler, type Priced, type PricedDecision } from '../peers/priced.ts';
import prices from '../prices.json' with { type: 'json' };

const HIT_RATES = [0, 99] as const;
/** The mean of so many decisions is one value of a figure. */
const BLOCK = 20;

/** The candidates at every hit rate. */
const SIDES = {
  flat: 'flat, nothing cached at a miss',
  nested: 'nested, nothing cached at a miss',
  'new-user': 'only the user not cached at a miss',
  avp: 'Verified Permissions, asked at a miss',
} as const;
type Side = keyof typeof SIDES;

/** By kind of decision: the mean of each block. */
type Blocks = Readonly<Record<'hit' | 'flat' | 'nested' | 'newUser' | 'avp', readonly Decided[]>>;

/** The authorizer's memory in the stack, in megabytes. */
function memoryOfStack(): number {
  const stack = readFileSync(new URL('../../serverless.yml', import.meta.url), 'utf8');
  const [, megabytes] = /^ {2}memorySize: (\d+)$/m.exec(stack) ?? [];
  if (megabytes === undefined) throw new Error('serverless.yml has no memorySize');
  return Number(megabytes);
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
const inBlocks = <T>(list: readonly T[]): readonly (readonly T[])[] =>
  Array.from({ length: Math.floor(list.length / BLOCK) }, (_, n) => list.slice(n * BLOCK, (n + 1) * BLOCK));

interface Measured {
  readonly flat: readonly PricedDecision[];
  readonly nested: readonly PricedDecision[];
}

async function measure(endpoint: string, count: number): Promise<Measured> {
  const of = async (shape: Shape) => {
    await writeColdTables(endpoint, shape);
    const world = createGroupWorld(shape);
    const decide = await createPricedHandler(endpoint, shape, world);
    const questions = drawGroupQuestions(world, count + 2 * BLOCK, 7);
    const decisions: PricedDecision[] = [];
    for (const question of questions) decisions.push(await decide(question));
    // The first ones warm the code up.
    return decisions.slice(2 * BLOCK);
  };
  return { flat: await of('flat'), nested: await of('nested') };
}

/** Each invocation is billed by itself; a round of reads takes a drawn latency. */
function toBlocks({ flat, nested }: Measured, memoryMb: number): Blocks {
  const draw = logNormal(createRandom(11), DYNAMODB);
  const billed = ({ processorMs, rounds }: Priced): number => {
    const waitMs = Array.from({ length: rounds }, draw).reduce((sum, ms) => sum + ms, 0);
    return billedMs({ processorMs, waitMs }, memoryMb);
  };
  const blocks = (list: readonly Priced[]): readonly Decided[] =>
    inBlocks(list).map((some) => ({
      billedMs: mean(some.map(billed)),
      units: mean(some.map(({ units }) => units)),
      logBytes: mean(some.map((each) => each.logBytes + lambdaLogBytes(billed(each), memoryMb))),
    }));
  const newUser = blocks(flat.map((decision) => decision.newUser));
  return {
    hit: blocks(flat.map(({ hit }) => hit)),
    flat: blocks(flat.map(({ cold }) => cold)),
    nested: blocks(nested.map(({ cold }) => cold)),
    newUser,
    // One request instead of one read, assumed to take as long. It logs the same.
    avp: newUser.map(({ units: _, ...same }) => ({ ...same, requests: 1 })),
  };
}

function dollarFigures(blocks: Blocks, memoryMb: number): readonly Figure[] {
  const misses = {
    flat: blocks.flat,
    nested: blocks.nested,
    'new-user': blocks.newUser,
    avp: blocks.avp,
  };
  const dollars = (side: Side, percent: number): readonly number[] =>
    misses[side].map((miss, block) => {
      const hit = { ...(blocks.hit[block] as Decided), units: 0 };
      return dollarsPerMillion({ hitRate: percent / 100, hit, miss, memoryMb }, prices);
    });
  return HIT_RATES.flatMap((percent) =>
    (Object.keys(SIDES) as Side[]).map((side) =>
      toFigure(
        `cost.${side}.${percent}`,
        `${percent} % hits; ${SIDES[side]}`,
        '$/million',
        dollars(side, percent),
        side === 'avp' ? {} : { [`avp.${percent}`]: dollars('avp', percent) },
      ),
    ),
  );
}

function partFigures({ flat, nested }: Measured): readonly Figure[] {
  const kinds = {
    hit: ['a hit', flat.map(({ hit }) => hit)],
    flat: ['a miss, flat', flat.map(({ cold }) => cold)],
    nested: ['a miss, nested', nested.map(({ cold }) => cold)],
    'new-user': ['a miss, new user', flat.map(({ newUser }) => newUser)],
  } as const;
  const logged = kinds.hit[1].map(({ logBytes }) => logBytes);
  return [
    ...Object.entries(kinds).map(([name, [title, priced]]) => {
      const units = priced.map((each) => each.units);
      return toFigure(`cost.${name}.units`, `${title}: read units`, 'units', units);
    }),
    toFigure('cost.hit.logged', 'a hit: bytes of logs and metrics', 'bytes', logged),
  ];
}

export const cost: Topic = {
  name: 'cost',
  title: 'dollars for a million decisions, beside Amazon Verified Permissions',
  run: async ({ quick, log }) => {
    const memoryMb = memoryOfStack();
    log(`list prices of ${prices.region}, ${prices.date}; ${memoryMb} MB, arm64`);
    return withEngine(async (endpoint) => {
      const measured = await measure(endpoint, quick ? 200 : 1_000);
      const blocks = toBlocks(measured, memoryMb);
      return [...dollarFigures(blocks, memoryMb), ...partFigures(measured)];
    });
  },
};
