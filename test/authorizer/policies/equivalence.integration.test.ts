import { beforeAll, expect, inject, test } from 'vitest';
import { createStage, type Stage } from '../../oracle/stage.ts';
import { again, SEED } from '../../support/seed.ts';
import { size } from '../../support/tier.ts';
import { newPolicyTally, playPolicies } from './worlds.ts';

/** `npm run policies -- --pairs 100000` compares more of them. */
let stage: Stage;
beforeAll(() => {
  stage = createStage(inject('isSoak') ? inject('endpoint') : '');
});

test('a policy for the whole API says what the oracle says, path by path', async () => {
  const tally = newPolicyTally();
  await playPolicies(stage, SEED, size(6, 40), tally);
  expect(tally.differences.slice(0, 3), again()).toEqual([]);
  expect(tally.pairs).toBeGreaterThan(500);
  expect(tally.whole).toBeGreaterThan(3);
  expect(tally.allowed).toBeGreaterThan(0);
}, 60_000);
