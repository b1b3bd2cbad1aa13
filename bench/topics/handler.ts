import { inBatches, type Loop } from '../harness/batches.ts';
import { processorMs } from '../harness/clocks.ts';
import { withEngine } from '../harness/engine.ts';
import { figuresOf, type Titled } from '../harness/figures.ts';
import { collect } from '../harness/heap.ts';
import { type Candidate, runRounds } from '../harness/rounds.ts';
import type { Topic } from '../harness/topic.ts';
import { createTokenSource } from '../model/tokens.ts';
import { type Case, createCases, renewed } from '../model/visits.ts';
import { createBenchWorld, drawQuestions, inFreshStrings } from '../model/world.ts';
import { createAuthorizers } from '../peers/authorizer.ts';
import {
  askEngine,
  askForPolicy,
  askInText,
  exchangesOf,
  parseAndWrite,
  verifyAlone,
} from '../peers/visitors.ts';

/** The candidates, in the order of the table. */
const KNOWN = {
  known: ['known token, REST, policy for the route', 'engine', 'json'],
  metered: ['known token, with metrics, their writing left out', 'known'],
  engine: ['of it the engine'],
  text: ['known token, text to text', 'json'],
  json: ['JSON.parse and JSON.stringify alone'],
} satisfies Titled;
const NEW = {
  'new-rs256': ['new token, RS256', 'jose-rs256'],
  'jose-rs256': ['jose alone, RS256'],
  'new-es256': ['new token, ES256', 'jose-es256'],
  'jose-es256': ['jose alone, ES256'],
} satisfies Titled;

const BATCH = { targetMs: 3, least: 4, now: processorMs };

/** New tokens in each round, about as many as a batch of the others. */
const NEW_AT_ONCE = 24;

/** A candidate that gets new cases each round, and is warmed up beforehand. */
async function withNew(
  name: string,
  next: (count: number) => readonly Case[],
  loop: Loop<Case>,
): Promise<Candidate> {
  for (let turn = 0; turn < 40; turn++) await loop(next(NEW_AT_ONCE));
  let cases: readonly Case[] = [];
  return {
    name,
    prepare: () => {
      cases = next(NEW_AT_ONCE);
    },
    run: () => loop(cases),
  };
}

export const topic: Topic = {
  title: "the authorizer's handler, from event to answer",
  run: ({ quick, log }) =>
    withEngine(async (endpoint) => {
      const world = createBenchWorld();
      const [rs256, es256] = [await createTokenSource('RS256'), await createTokenSource('ES256')];
      const { rest, withNewTokens } = await createCases(world, drawQuestions(world), rs256);
      const { create, engine, jwtVerify } = await createAuthorizers(world, [rs256, es256], endpoint);
      const options = { rounds: quick ? 61 : 301, warmUp: 5, now: processorMs };

      log('known tokens');
      const handler = create();
      const metered = create({ METRICS_NAMESPACE: 'Gatehouse' });
      await askForPolicy(metered)(rest);
      const exchanges = await exchangesOf(handler, rest);
      const questions = rest.map(({ question }) => question);
      for (const { subject, permission, scope } of questions) await engine.check(subject, permission, scope);
      const withKnown = [
        await inBatches('known', rest, askForPolicy(handler), { ...BATCH, renew: renewed }),
        await inBatches('metered', rest, askForPolicy(metered), { ...BATCH, renew: renewed }),
        await inBatches('engine', questions, askEngine(engine), { ...BATCH, renew: inFreshStrings }),
        await inBatches('text', exchanges, askInText(handler), BATCH),
        await inBatches('json', exchanges, parseAndWrite, BATCH),
      ];
      await collect();
      const known = await runRounds(withKnown, options);

      log('new tokens; signing them takes some seconds');
      const withOthers: Candidate[] = [];
      for (const [name, source] of Object.entries({ rs256, es256 })) {
        // New tokens evict others from the cache, so each kind has its own authorizer.
        const ask = askForPolicy(create());
        await ask(rest);
        const next = await withNewTokens(source);
        withOthers.push(await withNew(`new-${name}`, next(), ask));
        withOthers.push(await withNew(`jose-${name}`, next(), verifyAlone(jwtVerify, source)));
      }
      const others = await runRounds(withOthers, options);
      return [...figuresOf('ns', KNOWN, known), ...figuresOf('ns', NEW, others)];
    }),
};
