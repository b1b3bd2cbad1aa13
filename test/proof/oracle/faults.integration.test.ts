import { expect, inject, test } from 'vitest';
import { FAULTS } from './fault-kinds.ts';
import { newFaultTally, playFaults } from './faults.ts';
import { createStage } from './stage.ts';

/**
 * While DynamoDB fails, a check is answered as the oracle does or fails with a code that names the cause:
 * `npm run proof -- oracle --faults 100000` does the same for longer.
 */
const stage = createStage(inject('endpoint'));

const CHECKS = 600;

test('no fault lets anybody in, none hangs, and none is remembered', async () => {
  const tally = newFaultTally();
  await playFaults(stage, 20_260_115, CHECKS, tally);
  const { checks, besides, bridged, late } = tally;
  console.log(JSON.stringify({ checks, besides, bridged, late }));
  expect(tally.violations).toEqual([]);
  expect(checks).toBeGreaterThanOrEqual(CHECKS);
  for (const [name, { code, isHidden }] of Object.entries(FAULTS)) {
    if (isHidden) continue;
    const outcome = `${name}: ${code === undefined ? 'answered' : `fault ${code}`}`;
    expect(tally.outcomes.get(outcome), outcome).toBeGreaterThan(1);
  }
  // Much of what is asserted above is void without these.
  expect(bridged).toBeGreaterThan(5);
  expect(tally.states.size).toBe(6);
});
