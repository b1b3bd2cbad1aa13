import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { again, SEED } from '../../support/seed.ts';
import { size } from '../../support/tier.ts';
import { findGo, WITHOUT_GO } from './cel/cel-go.ts';
import { judge } from './oracle.ts';
import { createCelGoOutcomes, type Outcomes } from './outcomes.ts';
import { createStage, type Stage } from './stage.ts';
import { describeDifference, type Judge, newTally, playWorld, shrink } from './worlds.ts';

/**
 * The engine answers as the oracle does, in worlds that chance has made through provisioning:
 * `npm run proof -- oracle` does the same for longer. Without Go the worlds have no conditions.
 */
let stage: Stage;
let outcomes: Outcomes | undefined;
beforeAll(async () => {
  stage = createStage(inject('isSoak') ? inject('endpoint') : '');
  const go = await findGo();
  if (go === undefined && process.env.CI) throw new Error(WITHOUT_GO);
  if (go === undefined) console.warn(`worlds without conditions: ${WITHOUT_GO}`);
  else outcomes = await createCelGoOutcomes(go);
});
afterAll(() => outcomes?.stop());

/** Without conditions at least; with them there are more. */
const REASONS = 20;
const WORLDS = size(5, 20);
const CHECKS = 400;

test('the engine and the oracle agree', async () => {
  const tally = newTally();
  for (let world = 0; world < WORLDS && tally.differences.length === 0; world++) {
    await playWorld(stage, SEED + world, CHECKS, tally, { judge, outcomes });
  }
  const [first] = tally.differences;
  if (first)
    expect.fail(`${again()}: ${describeDifference(await shrink(stage, first, { judge, outcomes }))}`);
  expect(tally.checks).toBeGreaterThanOrEqual(WORLDS * CHECKS);
  // Agreement says little unless there was something to agree about.
  expect(tally.refused).toBeLessThan(tally.operations / 2);
  // Of 28, some of which take three things at once.
  expect(tally.reasons.size).toBeGreaterThanOrEqual(outcomes ? REASONS + 1 : REASONS);
  expect(tally.acting).toBeGreaterThan(0);
  if (outcomes) {
    expect(tally.conditional).toBeGreaterThan(tally.questions / 10);
    for (const count of Object.values(outcomes.counts)) expect(count).toBeGreaterThan(tally.conditional / 20);
  }
  expect(tally.reasons.get('role')).toBeGreaterThan(tally.checks / 20);
});

test('a difference is found, and shrunk to the operations that it takes', async () => {
  const wrong: Judge = (model, question, outcomeOf) => {
    const right = judge(model, question, outcomeOf);
    return right.reason === 'admin' ? { allowed: false, reason: 'no_grant' } : right;
  };
  const oracle = { judge: wrong };
  const tally = newTally();
  for (let seed = 1; tally.differences.length === 0; seed++) await playWorld(stage, seed, 100, tally, oracle);
  const [first] = tally.differences;
  if (!first) throw new Error('no difference');
  const reported = await shrink(stage, first, oracle);
  expect(reported.operations.length).toBeLessThan(12);
  expect(reported.operations.map(({ command }) => command)).toContain('admin.create');
  const lines = describeDifference(reported).split('\n');
  expect(lines).toHaveLength(reported.operations.length + 2);
  expect(lines.at(-1)).toContain('allow admin; the oracle: deny no_grant');
});
