import { expect, test } from 'vitest';
import { size } from '../../support/tier.ts';
import { buildProgram, findGo, WITHOUT_GO } from './cel-go.ts';
import { compare } from './compare.ts';

const QUESTIONS = size(5_000, 100_000);
const SEED = 5;

test(`${QUESTIONS} random conditions are evaluated as cel-go evaluates them`, async ({ skip }) => {
  const go = await findGo();
  if (go === undefined && process.env.CI) throw new Error(WITHOUT_GO);
  if (go === undefined) return skip(WITHOUT_GO);
  const { compared, differences, outcomes } = await compare(await buildProgram(go), QUESTIONS, SEED);
  expect(differences.slice(0, 3)).toEqual([]);
  expect(compared).toBe(QUESTIONS);
  for (const outcome of ['true', 'false', 'none'])
    expect(outcomes.get(outcome), outcome).toBeGreaterThan(QUESTIONS / 10);
}, 1_800_000);
