import { bytesPerQuestion } from '../harness/allocation.ts';
import { inBatches, type Loop } from '../harness/batches.ts';
import { processorMs } from '../harness/clocks.ts';
import { withEngine } from '../harness/engine.ts';
import { figuresOf, type Titled, toFigure } from '../harness/figures.ts';
import { collect } from '../harness/heap.ts';
import { type Candidate, runRounds } from '../harness/rounds.ts';
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
const CANDIDATES = {
  session: ['Gatehouse, session.can', 'reference', 'casl-by-place'],
  reference: ['reference'],
  warm: [
    'Gatehouse, check',
    'reference',
    'naive',
    'casl',
    'casl-by-place',
    'casbin',
    'casbin-cached',
    'cedar',
  ],
  acting: ['Gatehouse, check with an actor and a mandate', 'warm'],
  fresh: ['Gatehouse, fresh strings', 'reference'],
  observed: ['Gatehouse, with an empty observer', 'reference'],
  anew: ['Gatehouse, decided anew and kept', 'reference', 'naive'],
  many: ['Gatehouse, checkMany of one subject', 'reference'],
  naive: ['naive lists', 'reference'],
  'casl-by-place': ['CASL, ability per user, place', 'reference'],
  casl: ['CASL, ability per user', 'reference'],
  'casbin-cached': ['casbin, cached answer', 'reference'],
  cedar: ['Cedar wasm, stateful', 'reference'],
  casbin: ['casbin, matcher of its guide', 'reference'],
  // Checks that conditions decide, and the same ones without. All are allowed: a refusal meets no condition.
  unconditional: ['Gatehouse, check, allowed'],
  'condition-stored': ['the same, with a condition over a stored property'],
  'condition-context': ['the same, with a condition over the context'],
} satisfies Titled;

/** What each adds to another, round by round. */
const ADDED = {
  observed: ['an empty observer', 'warm'],
  'condition-stored': [...CANDIDATES['condition-stored'], 'unconditional'],
  'condition-context': [...CANDIDATES['condition-context'], 'unconditional'],
};

/** Milliseconds per round and least number of questions: candidates differ widely in cost. */
const BATCH = { targetMs: 3, least: 4, now: processorMs };

async function createCandidates(world: World, questions: readonly Question[], endpoint: string) {
  const gatehouse = await createGatehouse(world, questions, endpoint);
  const allowed = questions.filter((question) => question.allowed);
  const acting = await createActing(world, questions, endpoint);
  const conditions = await createConditions(world, allowed, endpoint);
  const batch = (name: keyof typeof CANDIDATES, loop: Loop<Question>) =>
    inBatches(name, questions, loop, BATCH);
  const first = questions.slice(0, 2_000);
  const cached = await createCachedCasbin(world, first);
  const candidates: Candidate[] = [
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
  ];
  // One after the other: each finds by the clock how many questions a batch takes.
  for (const [name, { asked, loop }] of Object.entries(conditions))
    candidates.push(await inBatches(name, asked, loop, BATCH));
  return { gatehouse, candidates };
}

export const topic: Topic = {
  title: 'one warm decision in process, beside other libraries',
  run: async ({ quick, log }) => {
    const world = createBenchWorld();
    const questions = drawQuestions(world);
    log(`${questions.length} questions, half of them allowed; all candidates must give the same answers`);
    return withEngine(async (endpoint) => {
      const { gatehouse, candidates } = await createCandidates(world, questions, endpoint);
      const rounds = quick ? 61 : 301;
      await collect();
      const values = await runRounds(candidates, { rounds, warmUp: 5, now: processorMs });
      const some = questions.slice(0, 2_000);
      const least = quick ? 15 : 31;
      const bytes = await bytesPerQuestion(() => gatehouse.checkLoop(some), least);
      const bytesAnew = await bytesPerQuestion(() => gatehouse.anewLoop(some), least, gatehouse.forget);
      const adds = Object.entries(ADDED).map(([name, [what, without = '']]) => {
        const added = values(name).map((value, round) => value - (values(without)[round] as number));
        const against = { reference: values('reference') };
        return toFigure(`${name}-adds`, `${what}: what it adds`, 'ns', added, against);
      });
      return [
        ...figuresOf('ns', CANDIDATES, values),
        ...adds,
        toFigure('allocation', 'Gatehouse, check', 'bytes', bytes),
        toFigure('allocation-anew', 'Gatehouse, decided anew and kept', 'bytes', bytesAnew),
      ];
    });
  },
};
