import { context, trace } from '@opentelemetry/api';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  InMemorySpanExporter,
  NodeTracerProvider,
  type Sampler,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import { inBatches } from '../harness/batches.ts';
import { processorMs } from '../harness/clocks.ts';
import { withEngine } from '../harness/engine.ts';
import { figuresOf } from '../harness/figures.ts';
import { collect } from '../harness/heap.ts';
import { type Candidate, runRounds } from '../harness/rounds.ts';
import type { Topic } from '../harness/topic.ts';
import { createTokenSource } from '../model/tokens.ts';
import { createCases, renewed } from '../model/visits.ts';
import { createBenchWorld, drawQuestions } from '../model/world.ts';
import { createAuthorizers } from '../peers/authorizer.ts';
import { askForPolicy } from '../peers/visitors.ts';

/** What is registered while a candidate runs, in the order of the table. */
const MODES = {
  none: { title: 'no provider', sampler: undefined },
  off: { title: 'a provider, not sampled', sampler: new AlwaysOffSampler() },
  on: { title: 'a provider, sampled, spans kept in memory', sampler: new AlwaysOnSampler() },
} as const;
type Mode = keyof typeof MODES;

/** What is asked: everything cached, or all items of the decision read from the table. */
const KINDS = {
  warm: { title: 'known token, nothing read', env: {}, batch: { targetMs: 3, least: 4 } },
  reading: {
    title: 'known token, one read',
    env: { CACHE_TTL_SECONDS: '0' },
    batch: { targetMs: 20, least: 4 },
  },
} as const;
type Kind = keyof typeof KINDS;

/** Registers what a mode has, and nothing else: the context manager costs something also where no span is made. */
function createSwitch(sampler: Sampler | undefined): () => void {
  const exporter = new InMemorySpanExporter();
  const provider =
    sampler && new NodeTracerProvider({ sampler, spanProcessors: [new SimpleSpanProcessor(exporter)] });
  return () => {
    trace.disable();
    context.disable();
    exporter.reset();
    provider?.register();
  };
}

const names = (Object.keys(KINDS) as Kind[]).flatMap((kind) =>
  (Object.keys(MODES) as Mode[]).map((mode) => ({ kind, mode, name: `${kind}-${mode}` })),
);

export const topic: Topic = {
  title: 'what spans cost: without a provider, not sampled, sampled',
  run: async ({ quick, log }) =>
    withEngine(async (endpoint) => {
      const world = createBenchWorld();
      const source = await createTokenSource('RS256');
      const { rest } = await createCases(world, drawQuestions(world), source);
      const { create } = await createAuthorizers(world, [source], endpoint);
      const candidates: Candidate[] = [];
      for (const { kind, mode, name } of names) {
        const turnOn = createSwitch(MODES[mode].sampler);
        turnOn();
        const ask = askForPolicy(create(KINDS[kind].env));
        if (kind === 'warm') await ask(rest);
        const options = { ...KINDS[kind].batch, now: processorMs, renew: renewed };
        const candidate = await inBatches(name, rest, ask, options);
        candidates.push({
          ...candidate,
          prepare: async (round) => {
            await candidate.prepare?.(round);
            turnOn();
          },
        });
      }
      await collect();
      log('six candidates, each with what it registers');
      const samples = await runRounds(candidates, { rounds: quick ? 31 : 151, warmUp: 5, now: processorMs });
      trace.disable();
      context.disable();
      const titled = names.map(({ kind, mode, name }) => {
        const peers = mode === 'none' ? [] : [`${kind}-none`];
        return [name, [`${KINDS[kind].title}: ${MODES[mode].title}`, ...peers]] as const;
      });
      return figuresOf('ns', Object.fromEntries(titled), samples);
    }),
};
