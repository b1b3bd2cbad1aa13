import type { Metafile } from 'esbuild';
import { withEngine } from '../harness/engine.ts';
import { type Figure, toFigure } from '../harness/figures.ts';
import type { Topic } from '../harness/topic.ts';
import { createStarts, type Start } from '../peers/starts.ts';

type Starts = Awaited<ReturnType<typeof createStarts>>;

/** Parts of the bundle; the first that matches a module's path counts. */
const PARTS = [
  { name: 'sdk', title: 'AWS SDK: DynamoDB client', is: /node_modules\/(?:@aws-sdk|@smithy|@aws)\// },
  { name: 'jose', title: 'jose', is: /node_modules\/jose\// },
  { name: 'zod', title: 'zod/mini', is: /node_modules\/zod\// },
  { name: 'others', title: 'other packages', is: /node_modules\// },
  { name: 'own', title: 'Gatehouse', is: /^/ },
] as const;

const bytesFigure = (name: string, title: string, bytes: number): Figure =>
  toFigure({ id: `startup.${name}`, title, unit: 'bytes', values: [bytes] });

/** Bytes in the bundle by origin; the code between modules counts as other packages. */
function partsOf({ outputs }: Metafile, total: number): readonly Figure[] {
  const bytes = new Map<string, number>();
  for (const { inputs } of Object.values(outputs))
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      const name = PARTS.find(({ is }) => is.test(path))?.name ?? 'own';
      bytes.set(name, (bytes.get(name) ?? 0) + bytesInOutput);
    }
  const known = [...bytes.values()].reduce((sum, each) => sum + each, 0);
  bytes.set('others', (bytes.get('others') ?? 0) + total - known);
  return PARTS.map(({ name, title }) => bytesFigure(`bytes-${name}`, title, bytes.get(name) ?? 0));
}

/** One after the other in each round, in alternating order, so that all meet the same noise. */
async function measure({ startAlone, startAndAsk }: Starts, rounds: number) {
  const alone = { ours: [] as number[], defaults: [] as number[], empty: [] as number[] };
  const asked: Start[] = [];
  const turns = [
    ...(['ours', 'defaults', 'empty'] as const).map((name) => async (counts: boolean) => {
      const loaded = await startAlone(name);
      if (counts) alone[name].push(loaded);
    }),
    async (counts: boolean) => {
      const start = await startAndAsk();
      if (counts) asked.push(start);
    },
  ];
  for (const turn of turns) await turn(false);
  for (let round = 0; round < rounds; round++)
    for (const turn of round % 2 === 0 ? turns : turns.toReversed()) await turn(true);
  return { alone, asked };
}

export const startup: Topic = {
  name: 'startup',
  title: 'the size of the deployed file, from process start to loaded, and its first decision',
  run: async ({ quick, log }) => {
    return withEngine(async (endpoint) => {
      const starts = await createStarts(endpoint);
      const { ours, theirs } = starts;
      try {
        const rounds = quick ? 21 : 61;
        log(`${rounds} rounds, each of four processes`);
        const { alone, asked } = await measure(starts, rounds);
        const figure = (
          name: string,
          title: string,
          values: readonly number[],
          against: Readonly<Record<string, readonly number[]>> = {},
        ) => toFigure({ id: `startup.${name}`, title, unit: 'ms', values, against });
        const of = (name: keyof Start) => asked.map((start) => start[name]);
        const times = [
          figure('empty', 'Node without a handler', alone.empty),
          figure('loaded', 'loaded, as the stack bundles it', alone.ours, {
            defaults: alone.defaults,
            empty: alone.empty,
          }),
          figure('defaults', "loaded, by serverless-esbuild's defaults", alone.defaults),
          figure('first', 'first answer, from process start', of('first'), { empty: alone.empty }),
          figure('cold', 'of it the first decision', of('cold')),
          figure('again', 'the next, all cached', of('again')),
        ];
        return [
          bytesFigure('bytes', 'the deployed file', ours.bytes),
          ...partsOf(ours.metafile, ours.bytes),
          bytesFigure('bytes-defaults', "by serverless-esbuild's defaults", theirs.bytes),
          ...times,
        ];
      } finally {
        await starts.stop();
      }
    });
  },
};
