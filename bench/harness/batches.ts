import { wallMs } from './clocks.ts';
import type { Candidate } from './rounds.ts';

/** Asks all questions, throws on a wrong answer, and returns the number of questions. */
export type Loop<Q> = (questions: readonly Q[]) => number | Promise<number>;

export interface BatchOptions<Q> {
  /** Milliseconds that a candidate should take in a round. */
  readonly targetMs: number;
  readonly least?: number;
  /** Applied to the questions before each round, untimed. */
  readonly renew?: (question: Q) => Q;
  /** Called before each batch, untimed. */
  readonly before?: () => Promise<void> | void;
  readonly now?: () => number;
}

/**
 * A candidate that asks the next questions in each round, as many as take `targetMs`. All batches take the
 * same time: on a shared machine long batches are interrupted more often, so slow candidates would look even
 * slower.
 */
export async function inBatches<Q>(
  name: string,
  questions: readonly Q[],
  loop: Loop<Q>,
  { targetMs, least = 1, renew, before, now = wallMs }: BatchOptions<Q>,
): Promise<Candidate> {
  const part = (turn: number, count: number): readonly Q[] => {
    const from = (turn * count) % (questions.length - count + 1);
    return questions.slice(from, from + count);
  };
  let count = Math.min(least, questions.length);
  // Also warms the code up: by the second half it is optimised.
  for (let turn = 0; turn < 40; turn++) {
    const asked = part(turn, count);
    await before?.();
    const begun = now();
    await loop(asked);
    const took = now() - begun;
    if (took < targetMs / 2) count = Math.min(count * 2, questions.length);
    else if (took > targetMs * 2) count = Math.max(count >> 1, least);
  }
  let asked: readonly Q[] = [];
  return {
    name,
    prepare: async (round) => {
      await before?.();
      const next = part(round, count);
      asked = renew ? next.map(renew) : next;
    },
    run: () => loop(asked),
  };
}
