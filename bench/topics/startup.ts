import { withEngine } from '../harness/engine.ts';
import { figuresOf, type Titled, toFigure } from '../harness/figures.ts';
import type { Topic } from '../harness/topic.ts';
import { createLimit, type Limit } from '../peers/limited.ts';
import { createStarts } from '../peers/starts.ts';

type Starts = Awaited<ReturnType<typeof createStarts>>;

/** Of 512 MB: Lambda gives a whole processor with 1,769 MB (Lambda configuration-memory). */
const SHARE = 0.3;

/** In the order of the table. The last two only where processes can be limited. */
const TIMES = {
  empty: ['Node without a handler'],
  loaded: ['loaded, as the stack bundles it', 'defaults', 'empty'],
  defaults: ["loaded, by serverless-esbuild's defaults"],
  init: ['the end of INIT: loaded and warm', 'empty'],
  first: ['the first answer, from process start', 'empty'],
  processor: ['processor time of it', 'processor-empty'],
  'processor-empty': ['processor time of Node without a handler'],
  cold: ['the first decision', 'second'],
  second: ["another user's, with the same reads"],
} satisfies Titled;
const LIMITED = {
  'cold-limited': [`the first decision, with ${SHARE} of a processor`, 'second-limited'],
  'second-limited': [`another user's, with the same reads, with ${SHARE} of a processor`],
} satisfies Titled;

type Round = Readonly<Partial<Record<keyof typeof TIMES | keyof typeof LIMITED, number>>>;

/** One after the other in each round, in alternating order, so that all meet the same noise. */
async function measure({ start }: Starts, rounds: number, limit?: Limit): Promise<readonly Round[]> {
  const turns: readonly (() => Promise<Round>)[] = [
    () => start('ours'),
    async () => ({ defaults: (await start('defaults')).loaded }),
    async () => {
      const { loaded, processor } = await start('empty');
      return { empty: loaded, 'processor-empty': processor };
    },
    async () => {
      if (!limit) return {};
      const { cold, second } = await start('ours', limit);
      return { 'cold-limited': cold, 'second-limited': second };
    },
  ];
  const measured: Round[] = [];
  for (let round = -1; round < rounds; round++) {
    let found: Round = {};
    for (const turn of round % 2 === 0 ? turns : turns.toReversed()) found = { ...found, ...(await turn()) };
    // The first of each does not count.
    if (round >= 0) measured.push(found);
  }
  return measured;
}

export const topic: Topic = {
  title: 'the size of the deployed file, from process start to loaded and warm, and its first decision',
  run: async ({ quick, log }) => {
    return withEngine(async (endpoint) => {
      const starts = await createStarts(endpoint);
      const { ours, theirs } = starts;
      const limit = createLimit(SHARE);
      if (!limit) log('control groups cannot be written: nothing is measured with a share of a processor');
      try {
        const rounds = quick ? 21 : 61;
        log(`${rounds} rounds, each of ${limit ? 'four' : 'three'} processes`);
        const measured = await measure(starts, rounds, limit);
        return [
          toFigure('bytes', 'the deployed file', 'bytes', [ours.bytes]),
          toFigure('bytes-defaults', "by serverless-esbuild's defaults", 'bytes', [theirs.bytes]),
          ...figuresOf('ms', { ...TIMES, ...(limit && LIMITED) }, (name) =>
            measured.map((round) => round[name as keyof Round] as number),
          ),
        ];
      } finally {
        await limit?.remove();
        await starts.stop();
      }
    });
  },
};
