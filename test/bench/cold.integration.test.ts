import { beforeAll, describe, expect, inject, test } from 'vitest';
import { drawGroupQuestions, type Shape } from '../../bench/model/group-world.ts';
import { isAllowed } from '../../bench/model/world.ts';
import { type ColdCandidate, createColdCandidates, writeColdTables } from '../../bench/peers/cold.ts';

/** Each request takes exactly 3 ms. */
const latency = { medianMs: 3, p99Ms: 3 };

/** The cost and time of each question; the answers must be the oracle's. */
async function cost({ prepare, ask, reset, spent }: ColdCandidate, questions: Questions) {
  const seen = [];
  for (const question of questions) {
    await prepare?.(question);
    reset();
    expect(await ask(question)).toBe(question.allowed);
    seen.push(spent());
  }
  return seen;
}
type Questions = ReturnType<typeof drawGroupQuestions>;

describe.each([
  ['flat', { calls: 1, rounds: 1, units: 5 }, 5],
  ['nested', { calls: 2, rounds: 2, units: 7 }, 7],
] as const)('a cold decision in a %s scope', (shape: Shape, cold, unitsExpired) => {
  let candidates: ReturnType<typeof createColdCandidates>;
  let questions: Questions;
  let elsewhere: Questions;
  beforeAll(async () => {
    const world = await writeColdTables(inject('endpoint'), shape, 50);
    candidates = createColdCandidates({ endpoint: inject('endpoint'), shape, latency }, world);
    questions = drawGroupQuestions(world, 20);
    const homes = [...new Set(world.home.values())];
    elsewhere = questions.map(({ subject, permission }, n) => {
      const scope = homes[n % homes.length] as string;
      return { subject, permission, scope, allowed: isAllowed(world, subject, permission, scope) };
    });
  });
  const comparable = ({ units, ...rest }: { units: number; ms: number; calls: number; rounds: number }) =>
    inject('countsAbsent') ? { units, ...rest } : rest;

  test('of Gatehouse takes one request per round, and one when only the user is new', async () => {
    for (const seen of await cost(candidates.gatehouse, questions))
      expect(comparable(seen)).toEqual(comparable({ ...cold, ms: 3 * cold.rounds }));
    for (const seen of await cost(candidates['new-user'], questions))
      expect(comparable(seen)).toEqual(comparable({ calls: 1, rounds: 1, units: 1, ms: 3 }));
  });

  test('of Gatehouse takes one request when all cached items have expired', async () => {
    for (const seen of await cost(candidates.expired, questions))
      expect(comparable(seen)).toEqual(comparable({ calls: 1, rounds: 1, units: unitsExpired, ms: 3 }));
  });

  test('of Gatehouse takes one request when the path names the ancestors', async () => {
    for (const seen of await cost(candidates.named, questions))
      expect(comparable(seen)).toEqual(comparable({ calls: 1, rounds: 1, units: cold.units, ms: 3 }));
  });

  test("of the seeds' flow takes three rounds, and more calls", async () => {
    for (const { ms, rounds, calls } of await cost(candidates.seeds, questions)) {
      expect({ ms, rounds }).toEqual({ ms: 9, rounds: 3 });
      expect(calls).toBeGreaterThanOrEqual(7);
    }
  });

  test('is right for all candidates also where few or no groups of the user count', async () => {
    for (const candidate of Object.values(candidates)) await cost(candidate, elsewhere);
    expect(elsewhere.filter(({ allowed }) => !allowed).length).toBeGreaterThan(0);
  });
});
