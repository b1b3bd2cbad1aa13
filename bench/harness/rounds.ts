import { createRandom, type Random } from '../../test/oracle/random.ts';
import { wallMs } from './clocks.ts';

/**
 * One of those that are compared. Each has a loop of its own in `run`: a call site that all shared would be slower
 * for each of them.
 */
export interface Candidate {
  readonly name: string;
  /** Before each round, untimed: strings that nobody has seen, say. */
  readonly prepare?: (round: number) => void | Promise<void>;
  /** Asks a batch of questions, throws on a wrong answer, and says how many it asked. */
  readonly run: (round: number) => number | Promise<number>;
}

export interface RoundsOptions {
  readonly rounds: number;
  /** Rounds before the first that counts. */
  readonly warmUp: number;
  readonly seed?: number;
  /** Milliseconds, from any start; as they go by when left out. */
  readonly now?: () => number;
}

/** By candidate: nanoseconds for one question, a value for each round. */
export type Samples = ReadonlyMap<string, readonly number[]>;

/**
 * Lets all candidates run in every round, in an order that is shuffled anew: what else the machine does, and what
 * one leaves behind for the next, falls on all alike.
 */
export async function runRounds(
  candidates: readonly Candidate[],
  { rounds, warmUp, seed = 1, now = wallMs }: RoundsOptions,
): Promise<Samples> {
  const random = createRandom(seed);
  const samples = new Map(candidates.map(({ name }) => [name, [] as number[]]));
  if (samples.size < candidates.length) throw new Error('two candidates have the same name');
  for (let round = 0; round < warmUp + rounds; round++) {
    for (const { name, prepare, run } of shuffled(candidates, random)) {
      await prepare?.(round);
      const begun = now();
      const asked = run(round);
      const count = typeof asked === 'number' ? asked : await asked;
      const took = now() - begun;
      if (!(count > 0)) throw new Error(`${name} asked nothing`);
      if (round >= warmUp) samples.get(name)?.push((took * 1e6) / count);
    }
  }
  return samples;
}

function shuffled<T>(list: readonly T[], random: Random): T[] {
  const left = [...list];
  return list.map(() => left.splice(random.below(left.length), 1)[0] as T);
}

export function samplesOf(samples: Samples, name: string): readonly number[] {
  const found = samples.get(name);
  if (!found) throw new Error(`${name} did not run`);
  return found;
}

/** The answer is part of what is timed; a candidate that is wrong is not fast. */
export function wrongAnswer(candidate: string, question: object): Error {
  return new Error(`${candidate} answers wrongly: ${JSON.stringify(question)}`);
}
