import { bytesPerQuestion } from '../harness/allocation.ts';
import { inBatches, type Loop } from '../harness/batches.ts';
import { processorMs } from '../harness/clocks.ts';
import { withEngine } from '../harness/engine.ts';
import { type Figure, toFigure } from '../harness/figures.ts';
import { collect } from '../harness/heap.ts';
import { type Candidate, runRounds, samplesOf } from '../harness/rounds.ts';
import type { Topic } from '../harness/topic.ts';
import {
  createBenchWorld,
  drawQuestions,
  inFreshStrings,
  type Question,
  times,
  type World,
} from '../model/world.ts';
import { createActing } from '../peers/acting.ts';
import { createCachedCasbin, createCasbin } from '../peers/casbin.ts';
import { createCasl, createCaslByPlace } from '../peers/casl.ts';
import { createCedar } from '../peers/cedar.ts';
import { createConditions } from '../peers/conditions.ts';
import { createGatehouse, SUBJECTS } from '../peers/gatehouse.ts';
import { createNaive } from '../peers/naive.ts';
import { createReference } from '../peers/reference.ts';

/** The candidates, in the order of the table. */
const TITLES = {
  session: 'Gatehouse, session.can',
  reference: 'reference',
  warm: 'Gatehouse, check',
  acting: 'Gatehouse, check with an actor and a mandate',
  fresh: 'Gatehouse, fresh strings',
  observed: 'Gatehouse, with an empty observer',
  anew: 'Gatehouse, decided anew and kept',
  many: 'Gatehouse, checkMany of one subject',
  naive: 'naive lists',
  'casl-by-place': 'CASL, ability per user, place',
  casl: 'CASL, ability per user',
  'casbin-cached': 'casbin, cached answer',
  cedar: 'Cedar wasm, stateful',
  casbin: 'casbin, matcher of its guide',
} as const;
type Name = keyof typeof TITLES;

/** Checks that conditions decide, and the same ones without. All are allowed: a refusal meets no condition. */
const CONDITIONS = {
  unconditional: 'Gatehouse, check, allowed',
  'condition-stored': 'the same, with a condition over a stored property',
  'condition-context': 'the same, with a condition over the context',
} as const;
type Conditional = keyof typeof CONDITIONS;

/** The peers of ours; all others are compared with the reference. */
const AGAINST: Partial<Record<Name, readonly Name[]>> = {
  session: ['reference', 'casl-by-place'],
  reference: [],
  warm: ['reference', 'naive', 'casl', 'casl-by-place', 'casbin', 'casbin-cached', 'cedar'],
  acting: ['warm'],
  fresh: ['reference'],
  anew: ['reference', 'naive'],
};

/** Milliseconds per round and least number of questions: candidates differ widely in cost. */
const BATCH = { targetMs: 3, least: 4, now: processorMs };

async function createCandidates(world: World, questions: readonly Question[], endpoint: string) {
  const gatehouse = await createGatehouse(world, questions, endpoint);
  const allowed = questions.filter((question) => question.allowed);
  const acting = await createActing(world, questions, endpoint);
  const conditions = await createConditions(world, allowed, endpoint);
  const batch = (name: Name, loop: Loop<Question>) => inBatches(name, questions, loop, BATCH);
  const conditional = (name: Conditional, loop: Loop<Question>) => inBatches(name, allowed, loop, BATCH);
  const first = questions.slice(0, 2_000);
  const cached = await createCachedCasbin(world, first);
  const candidates: readonly Candidate[] = [
    await batch('warm', gatehouse.checkLoop),
    await inBatches('acting', acting.asked, acting.loop, BATCH),
    // In new strings, made before its turn.
    await inBatches('fresh', questions, gatehouse.checkLoop, { ...BATCH, renew: inFreshStrings }),
    await batch('observed', gatehouse.observedLoop),
    await inBatches('anew', questions, gatehouse.anewLoop, { ...BATCH, before: gatehouse.forget }),
    await inBatches('many', times(SUBJECTS, Number), gatehouse.manyLoop, { ...BATCH, least: 1 }),
    { name: 'session', run: gatehouse.sessionLoop },
    await batch('reference', createReference(world)),
    await batch('naive', createNaive(world)),
    await batch('casl', createCasl(world)),
    await batch('casl-by-place', createCaslByPlace(world, questions)),
    await inBatches('casbin-cached', first, cached, BATCH),
    await batch('casbin', await createCasbin(world)),
    await batch('cedar', await createCedar(world)),
    await conditional('unconditional', conditions.without),
    await conditional('condition-stored', conditions.stored),
    await conditional('condition-context', conditions.context),
  ];
  return { gatehouse, candidates };
}

export const check: Topic = {
  name: 'check',
  title: 'one warm decision in process, beside other libraries',
  run: async ({ quick, log }) => {
    const world = createBenchWorld();
    const questions = drawQuestions(world);
    log(`${questions.length} questions, half of them allowed; all candidates must give the same answers`);
    return withEngine(async (endpoint) => {
      const { gatehouse, candidates } = await createCandidates(world, questions, endpoint);
      const rounds = quick ? 61 : 301;
      await collect();
      const samples = await runRounds(candidates, { rounds, warmUp: 5, now: processorMs });
      const values = (name: Name | Conditional) => samplesOf(samples, name);
      const figures = figuresOf(values);
      const some = questions.slice(0, 2_000);
      const least = quick ? 15 : 31;
      const bytes = await bytesPerQuestion(() => gatehouse.checkLoop(some), least);
      const bytesAnew = await bytesPerQuestion(() => gatehouse.anewLoop(some), least, gatehouse.forget);
      return [
        ...figures,
        toFigure('check.allocation', 'Gatehouse, check', 'bytes', bytes),
        toFigure('check.allocation-anew', 'Gatehouse, decided anew and kept', 'bytes', bytesAnew),
      ];
    });
  },
};

/** With what an observer and conditions add, round by round. */
function figuresOf(values: (name: Name | Conditional) => readonly number[]): readonly Figure[] {
  const reference = { reference: values('reference') };
  const adds = (name: Name | Conditional, what: string, without: Name | Conditional): Figure => {
    const added = values(name).map((value, round) => value - (values(without)[round] as number));
    return toFigure(`check.${name}-adds`, `${what}: what it adds`, 'ns', added, reference);
  };
  const compared = (Object.keys(TITLES) as Name[]).map((name) => {
    const peers = AGAINST[name] ?? ['reference'];
    const against = Object.fromEntries(peers.map((peer) => [peer, values(peer)]));
    return toFigure(`check.${name}`, TITLES[name], 'ns', values(name), against);
  });
  const conditional = (Object.keys(CONDITIONS) as Conditional[]).flatMap((name) => [
    toFigure(`check.${name}`, CONDITIONS[name], 'ns', values(name)),
    ...(name === 'unconditional' ? [] : [adds(name, CONDITIONS[name], 'unconditional')]),
  ]);
  return [...compared, adds('observed', 'an empty observer', 'warm'), ...conditional];
}
