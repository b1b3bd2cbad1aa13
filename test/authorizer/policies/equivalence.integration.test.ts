import { expect, inject, test } from 'vitest';
import { createStage } from '../../proof/oracle/stage.ts';
import { again, SEED } from '../../support/seed.ts';
import { size } from '../../support/tier.ts';
import { newPolicyTally, playPolicies } from './worlds.ts';

/** `npm run proof -- policies --pairs 100000` compares more of them. */
const stage = createStage(inject('isSoak') ? inject('endpoint') : '');

test('a policy for the whole API says what the oracle says, path by path', async () => {
  const tally = newPolicyTally();
  // In some worlds nothing is allowed on the paths that were drawn: then the next one is played too.
  for (let world = 0; world === 0 || (tally.allowed === 0 && world < 5); world++)
    await playPolicies(stage, SEED + world, size(6, 40), tally);
  expect(tally.differences.slice(0, 3), again()).toEqual([]);
  expect(tally.pairs).toBeGreaterThan(500);
  expect(tally.whole).toBeGreaterThan(3);
  expect(tally.allowed).toBeGreaterThan(0);
});
