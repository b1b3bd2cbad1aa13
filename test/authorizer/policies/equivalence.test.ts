import { beforeAll, expect, inject, test } from 'vitest';
import { createStage, type Stage } from '../../oracle/stage.ts';
import { newPolicyTally, playPolicies } from './worlds.ts';

/** `npm run policies -- --pairs 100000` compares more of them. */
let stage: Stage;
beforeAll(() => {
  stage = createStage(inject('endpoint'));
});

test.each([
  ['a fixed seed', 20_260_115],
  ['a new seed', Date.now() % 1_000_000_000],
])(
  'a policy for the whole API says what the oracle says, path by path: %s',
  async (_, seed) => {
    const tally = newPolicyTally();
    await playPolicies(stage, seed, 4, tally);
    console.log(`seed ${seed}: ${JSON.stringify({ ...tally, differences: tally.differences.length })}`);
    expect(tally.differences.slice(0, 3)).toEqual([]);
    expect(tally.pairs).toBeGreaterThan(500);
    expect(tally.whole).toBeGreaterThan(3);
    expect(tally.allowed).toBeGreaterThan(0);
  },
  60_000,
);
