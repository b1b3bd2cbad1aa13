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
  name: keyof typeof NEW,
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

/** What all candidates share. */
async function setUp(endpoint: string) {
  const world = createBenchWorld();
  const [rs256, es256] = [await createTokenSource('RS256'), await createTokenSource('ES256')];
  const cases = await createCases(world, drawQuestions(world), rs256);
  const authorizers = await createAuthorizers(world, [rs256, es256], endpoint);
  return { ...authorizers, cases, rs256, es256 };
}
type SetUp = Awaited<ReturnType<typeof setUp>>;

async function withKnownTokens({ cases, create, engine }: SetUp) {
  const known = create();
  const exchanges = await exchangesOf(known, cases.rest);
  const questions = cases.rest.map(({ question }) => question);
  for (const { subject, permission, scope } of questions) await engine.check(subject, permission, scope);
  return [
    await inBatches('known', cases.rest, askForPolicy(known), { ...BATCH, renew: renewed }),
    await inBatches('engine', questions, askEngine(engine), { ...BATCH, renew: inFreshStrings }),
    await inBatches('text', exchanges, askInText(known), BATCH),
    await inBatches('json', exchanges, parseAndWrite, BATCH),
  ];
}

async function withOtherTokens({ cases, create, jwtVerify, rs256, es256 }: SetUp) {
  // New tokens evict others from the cache, so each kind has its own authorizer.
  const [first, second] = [create(), create()];
  for (const one of [first, second]) await askForPolicy(one)(cases.rest);
  const [newRs256, newEs256] = [await cases.withNewTokens(rs256), await cases.withNewTokens(es256)];
  return [
    await withNew('new-rs256', newRs256(), askForPolicy(first)),
    await withNew('jose-rs256', newRs256(), verifyAlone(jwtVerify, rs256)),
    await withNew('new-es256', newEs256(), askForPolicy(second)),
    await withNew('jose-es256', newEs256(), verifyAlone(jwtVerify, es256)),
  ];
}

export const topic: Topic = {
  title: "the authorizer's handler, from event to answer",
  run: async ({ quick, log }) => {
    return withEngine(async (endpoint) => {
      const parts = await setUp(endpoint);
      const rounds = quick ? 61 : 301;
      const options = { rounds, warmUp: 5, now: processorMs };
      log('known tokens');
      const first = await withKnownTokens(parts);
      await collect();
      const known = await runRounds(first, options);
      log('new tokens; signing them takes some seconds');
      const others = await runRounds(await withOtherTokens(parts), options);
      return [...figuresOf('ns', KNOWN, known), ...figuresOf('ns', NEW, others)];
    });
  },
};
