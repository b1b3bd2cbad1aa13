import type { Answer } from '../../provisioning/index.ts';
import { watchWrites } from '../support/watched-writer.ts';
import { commandsOf } from '../support/world.ts';
import type { Input, LedgerWorld } from './support.ts';

/** Commands of several steps, stopped and watched between two of them. */
export interface Event {
  readonly command: string;
  readonly input: Input;
  readonly operationId?: string;
}

type Table = Pick<LedgerWorld, 'reader' | 'writer' | 'clock' | 'newSecret'>;

type Act = (step: number) => Promise<unknown>;

/** Carries out `event`, with something before and after each of its transactions: so many have been sent by then. */
function carryOut(world: Table, event: Event, before: Act, after: Act = async () => {}): Promise<Answer> {
  let steps = 0;
  // One that is refused and planned anew is no step.
  const done = () => {
    steps += 1;
    return after(steps);
  };
  const writer = watchWrites(world.writer, () => before(steps), done);
  return commandsOf({ ...world, writer }).provision(event);
}

/** Carries out the first `steps` transactions of a command; the next one is never sent. */
export const interruptAfter = (world: Table, event: Event, steps: number): Promise<Answer> =>
  carryOut(world, event, async (sent) => {
    if (sent === steps) throw new Error('killed');
  });

/** Carries out a command and runs `probe` after each of its transactions. */
export const provisionWatched = (world: Table, event: Event, probe: Act): Promise<Answer> =>
  carryOut(world, event, async () => {}, probe);

/** Carries out a command and runs `act` once, before its transaction number `step`. */
export function provisionWith(
  world: Table,
  event: Event,
  step: number,
  act: () => Promise<unknown>,
): Promise<Answer> {
  let isDone = false;
  return carryOut(world, event, async (sent) => {
    if (sent !== step || isDone) return;
    isDone = true;
    await act();
  });
}

/** Acts on many, a few at a time. */
export async function inParallel<T, R>(
  all: readonly T[],
  width: number,
  act: (each: T, position: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const work = async () => {
    for (let i = next++; i < all.length; i = next++) results[i] = await act(all[i] as T, i);
  };
  await Promise.all(Array.from({ length: width }, work));
  return results;
}
