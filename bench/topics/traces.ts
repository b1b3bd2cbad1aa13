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
  none: ['no provider', undefined],
  off: ['a provider, not sampled', new AlwaysOffSampler()],
  on: ['a provider, sampled, spans kept in memory', new AlwaysOnSampler()],
} as const;

/** What is asked, everything cached or all items of the decision read from the table, and milliseconds of a batch. */
const KINDS = {
  warm: ['known token, nothing read', {}, 3],
  reading: ['known token, one read', { CACHE_TTL_SECONDS: '0' }, 20],
} as const;

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

export const topic: Topic = {
  title: 'what spans cost: without a provider, not sampled, sampled',
  run: async ({ quick, log }) =>
    withEngine(async (endpoint) => {
      const world = createBenchWorld();
      const source = await createTokenSource('RS256');
      const { rest } = await createCases(world, drawQuestions(world), source);
      const { create } = await createAuthorizers(world, [source], endpoint);
      const candidates: Candidate[] = [];
      const titled: Record<string, readonly [title: string, ...peers: string[]]> = {};
      for (const [kind, [asked, env, targetMs]] of Object.entries(KINDS))
        for (const [mode, [registered, sampler]] of Object.entries(MODES)) {
          const name = `${kind}-${mode}`;
          const turnOn = createSwitch(sampler);
          turnOn();
          const ask = askForPolicy(create(env));
          if (kind === 'warm') await ask(rest);
          const options = { targetMs, least: 4, now: processorMs, renew: renewed, before: turnOn };
          candidates.push(await inBatches(name, rest, ask, options));
          titled[name] = [`${asked}: ${registered}`, ...(mode === 'none' ? [] : [`${kind}-none`])];
        }
      await collect();
      log('six candidates, each with what it registers');
      const samples = await runRounds(candidates, { rounds: quick ? 31 : 151, warmUp: 5, now: processorMs });
      trace.disable();
      context.disable();
      return figuresOf('ns', titled, samples);
    }),
};
