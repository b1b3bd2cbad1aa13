import { toFigure } from '../harness/figures.ts';
import { type Candidate, runRounds, samplesOf } from '../harness/rounds.ts';
import type { Topic } from '../harness/topic.ts';
import { createBenchWorld, drawQuestions, inFreshStrings, type Question } from '../model/world.ts';
import { createNaive } from '../peers/naive.ts';
import { createChainReference, createReference } from '../peers/reference.ts';

export const check: Topic = {
  name: 'check',
  title: 'one warm decision, in process',
  run: async ({ quick }) => {
    const world = createBenchWorld();
    const questions = drawQuestions(world);
    let fresh: readonly Question[] = [];
    const [reference, chain, naive] = [
      createReference(world),
      createChainReference(world),
      createNaive(world),
    ];
    const referenceFresh = createReference(world);
    const candidates: readonly Candidate[] = [
      { name: 'reference', run: () => reference(questions) },
      { name: 'reference-chain', run: () => chain(questions) },
      {
        name: 'reference-fresh',
        prepare: () => {
          fresh = questions.map(inFreshStrings);
        },
        run: () => referenceFresh(fresh),
      },
      { name: 'naive', run: () => naive(questions) },
    ];
    const samples = await runRounds(candidates, { rounds: quick ? 15 : 61, warmUp: 5 });
    const values = (name: string) => samplesOf(samples, name);
    return candidates.map(({ name }) =>
      toFigure({
        id: `check.${name}`,
        title: name,
        unit: 'ns',
        values: values(name),
        against: name === 'reference' ? {} : { reference: values('reference') },
      }),
    );
  },
};
