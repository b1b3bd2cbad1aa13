import { beforeAll, expect, inject, test } from 'vitest';
import { again, SEED } from '../support/seed.ts';
import { size } from '../support/tier.ts';
import { judge } from './oracle.ts';
import { createStage, type Stage } from './stage.ts';
import { describeDifference, type Judge, newTally, playWorld, shrink } from './worlds.ts';

/**
 * The engine answers as the oracle does, in worlds that chance has made through provisioning:
 * `npm run oracle` does the same for longer.
 */
let stage: Stage;
beforeAll(() => {
  stage = createStage(inject('isSoak') ? inject('endpoint') : '');
});

const REASONS = 12;
const WORLDS = size(3, 20);
const CHECKS = 400;

test('the engine and the oracle agree', async () => {
  const tally = newTally();
  for (let world = 0; world < WORLDS && tally.differences.length === 0; world++) {
    await playWorld(stage, SEED + world, CHECKS, tally);
  }
  const [first] = tally.differences;
  if (first) expect.fail(`${again()}: ${describeDifference(await shrink(stage, first))}`);
  expect(tally.checks).toBeGreaterThanOrEqual(WORLDS * CHECKS);
  // Agreement says little unless there was something to agree about.
  expect(tally.refused).toBeLessThan(tally.operations / 2);
  expect(tally.reasons.size).toBe(REASONS);
  expect(tally.reasons.get('role')).toBeGreaterThan(tally.checks / 20);
}, 120_000);

test('a difference is found, and shrunk to the operations that it takes', async () => {
  const wrong: Judge = (model, question) => {
    const right = judge(model, question);
    return right.reason === 'admin' ? { allowed: false, reason: 'no_grant' } : right;
  };
  const tally = newTally();
  for (let seed = 1; tally.differences.length === 0; seed++) await playWorld(stage, seed, 100, tally, wrong);
  const [first] = tally.differences;
  if (!first) throw new Error('no difference');
  const reported = await shrink(stage, first, wrong);
  expect(reported.operations.length).toBeLessThan(12);
  expect(reported.operations.map(({ command }) => command)).toContain('admin.create');
  const lines = describeDifference(reported).split('\n');
  expect(lines).toHaveLength(reported.operations.length + 2);
  expect(lines.at(-1)).toContain('allow admin; the oracle: deny no_grant');
}, 120_000);
