import { createRandom, type Random } from '../../test/proof/oracle/random.ts';
import { wallMs } from './clocks.ts';

/**
 * One of the compared implementations. Each has a loop of its own in `run`: a shared call site would slow all
 * of them.
 */
export interface Candidate {
  readonly name: string;
  /** Before each round, untimed; for example to make new strings. */
  readonly prepare?: (round: number) => void | Promise<void>;
  /** Asks a batch of questions, throws on a wrong answer, and returns their number. */
  readonly run: (round: number) => number | Promise<number>;
}

export interface RoundsOptions {
  readonly rounds: number;
  /** Rounds before those that count. */
  readonly warmUp: number;
  readonly seed?: number;
  /** Milliseconds from any origin; the wall clock by default. */
  readonly now?: () => number;
}

/** Of a candidate: nanoseconds per question, one value per round. */
export type Samples = (candidate: string) => readonly number[];

/**
 * Runs all candidates in every round, each time in a new order, so that other load on the machine and the
 * effects of one candidate on the next are the same for all.
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
      if (!(count > 0)) throw new Error(`${name} asked no question`);
      if (round >= warmUp) samples.get(name)?.push((took * 1e6) / count);
    }
  }
  return (name) => {
    const found = samples.get(name);
    if (!found) throw new Error(`candidate ${name} did not run`);
    return found;
  };
}

function shuffled<T>(list: readonly T[], random: Random): T[] {
  const left = [...list];
  return list.map(() => left.splice(random.below(left.length), 1)[0] as T);
}

/** Checking the answer is part of the timed work. */
export function wrongAnswer(candidate: string, question: object): Error {
  return new Error(`wrong answer of ${candidate}: ${JSON.stringify(question)}`);
}
