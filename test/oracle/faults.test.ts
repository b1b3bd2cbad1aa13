import { expect, inject, test } from 'vitest';
import { FAULTS, newFaultTally, playFaults } from './faults.ts';
import { createStage } from './stage.ts';

/** While DynamoDB fails, a check is answered as the oracle does or fails with a code that names the cause. */
test('no fault lets anybody in, none hangs, and none is remembered', async () => {
  const tally = newFaultTally();
  await playFaults(createStage(inject('endpoint')), 20_260_115, 12, tally);
  console.log(`${tally.checks} checks with faults, ${tally.violations.length} violations`);
  expect(tally.violations).toEqual([]);
  expect(tally.checks).toBeGreaterThan(Object.keys(FAULTS).length * 12);
  for (const [name, { code }] of Object.entries(FAULTS)) {
    const outcome = `${name}: ${code === undefined ? 'answered' : `fault ${code}`}`;
    expect(tally.outcomes.get(outcome), outcome).toBeGreaterThan(1);
  }
}, 60_000);
