import { withEngine } from '../harness/engine.ts';
import { type Figure, toFigure } from '../harness/figures.ts';
import type { Topic } from '../harness/topic.ts';
import { createLimit, type Limit } from '../peers/limited.ts';
import { createStarts, type Start } from '../peers/starts.ts';

type Starts = Awaited<ReturnType<typeof createStarts>>;

const bytesFigure = (name: string, title: string, bytes: number): Figure =>
  toFigure(`startup.${name}`, title, 'bytes', [bytes]);

/** Of 512 MB: Lambda gives a whole processor with 1,769 MB (Lambda configuration-memory). */
const SHARE = 0.3;

type Alone = Awaited<ReturnType<Starts['startAlone']>>;

/** What was measured, one of each in a round. `limited` is empty where processes cannot be limited. */
interface Measured {
  readonly ours: readonly Alone[];
  readonly defaults: readonly Alone[];
  readonly empty: readonly Alone[];
  readonly asked: readonly Start[];
  readonly limited: readonly Start[];
}

/** One after the other in each round, in alternating order, so that all meet the same noise. */
async function measure(
  { startAlone, startAndAsk }: Starts,
  rounds: number,
  limit: Limit | undefined,
): Promise<Measured> {
  const measured = { ours: [], defaults: [], empty: [], asked: [], limited: [] } as {
    readonly [Name in keyof Measured]: Measured[Name][number][];
  };
  const turns: (() => Promise<() => number>)[] = [
    ...(['ours', 'defaults', 'empty'] as const).map((name) => async () => {
      const alone = await startAlone(name);
      return () => measured[name].push(alone);
    }),
    ...(limit ? (['asked', 'limited'] as const) : (['asked'] as const)).map((name) => async () => {
      const start = await startAndAsk(name === 'limited' ? limit : undefined);
      return () => measured[name].push(start);
    }),
  ];
  // The first of each does not count.
  for (const turn of turns) await turn();
  for (let round = 0; round < rounds; round++)
    for (const turn of round % 2 === 0 ? turns : turns.toReversed()) (await turn())();
  return measured;
}

/** The figures of one kind of start: its first decision, beside another with the same reads. */
function decisionFigures(starts: readonly Start[], suffix: string, title: string): readonly Figure[] {
  const of = (name: keyof Start) => starts.map((start) => start[name]);
  const figure = (name: string, what: string, values: readonly number[], against = {}) =>
    toFigure(`startup.${name}${suffix}`, `${what}${title}`, 'ms', values, against);
  return [
    figure('cold', 'the first decision', of('cold'), { [`second${suffix}`]: of('second') }),
    figure('second', "another user's, with the same reads", of('second')),
  ];
}

function figuresOf({ ours, defaults, empty, asked, limited }: Measured): readonly Figure[] {
  const loaded = (starts: readonly Alone[]) => starts.map((start) => start.loaded);
  const processor = (starts: readonly Alone[]) => starts.map((start) => start.processor);
  const figure = (
    name: string,
    title: string,
    values: readonly number[],
    against: Readonly<Record<string, readonly number[]>> = {},
  ) => toFigure(`startup.${name}`, title, 'ms', values, against);
  return [
    figure('empty', 'Node without a handler', loaded(empty)),
    figure('loaded', 'loaded, as the stack bundles it', loaded(ours), {
      defaults: loaded(defaults),
      empty: loaded(empty),
    }),
    figure('defaults', "loaded, by serverless-esbuild's defaults", loaded(defaults)),
    figure(
      'init',
      'the end of INIT: loaded and warm',
      asked.map(({ init }) => init),
      { empty: loaded(empty) },
    ),
    figure(
      'first',
      'the first answer, from process start',
      asked.map(({ first }) => first),
      { empty: loaded(empty) },
    ),
    figure('processor', 'processor time of it', processor(asked), { 'processor-empty': processor(empty) }),
    figure('processor-empty', 'processor time of Node without a handler', processor(empty)),
    ...decisionFigures(asked, '', ''),
    ...(limited.length > 0 ? decisionFigures(limited, '-limited', `, with ${SHARE} of a processor`) : []),
  ];
}

export const startup: Topic = {
  name: 'startup',
  title: 'the size of the deployed file, from process start to loaded and warm, and its first decision',
  run: async ({ quick, log }) => {
    return withEngine(async (endpoint) => {
      const starts = await createStarts(endpoint);
      const { ours, theirs } = starts;
      const limit = createLimit(SHARE);
      if (!limit) log('control groups cannot be written: nothing is measured with a share of a processor');
      try {
        const rounds = quick ? 21 : 61;
        log(`${rounds} rounds, each of ${limit ? 'five' : 'four'} processes`);
        return [
          bytesFigure('bytes', 'the deployed file', ours.bytes),
          bytesFigure('bytes-defaults', "by serverless-esbuild's defaults", theirs.bytes),
          ...figuresOf(await measure(starts, rounds, limit)),
        ];
      } finally {
        await limit?.remove();
        await starts.stop();
      }
    });
  },
};
