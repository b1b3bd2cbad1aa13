import { ulid } from 'ulid';
import { type Answer, createProvisioning } from '../../provisioning/index.ts';
import type { Writer } from '../../table/writer.ts';
import type { Input, LedgerWorld } from './support.ts';

/** Commands of several steps, stopped and watched between two of them. */
export interface Event {
  readonly command: string;
  readonly input: Input;
  readonly operationId?: string;
}

type Table = Pick<LedgerWorld, 'reader' | 'writer' | 'clock' | 'newSecret'>;

/** Carries out `event` with a writer of the test's own. */
const carryOut = (world: Table, event: Event, send: Writer['send']): Promise<Answer> =>
  createProvisioning({ ...world, writer: { send }, newId: () => ulid() })(event);

/** What ends a process in the middle. */
const KILLED = new Error('killed');

/** Carries out the first `steps` transactions of a command; the next one is never sent. */
export function interruptAfter(world: Table, event: Event, steps: number): Promise<Answer> {
  let left = steps;
  return carryOut(world, event, async (actions) => {
    if (left === 0) throw KILLED;
    await world.writer.send(actions);
    left -= 1;
  });
}

/** Carries out a command and runs `probe` after each of its transactions. */
export function provisionWatched(
  world: Table,
  event: Event,
  probe: (step: number) => Promise<unknown>,
): Promise<Answer> {
  let steps = 0;
  return carryOut(world, event, async (actions) => {
    await world.writer.send(actions);
    await probe(++steps);
  });
}

/** Carries out a command and runs `act` once, before its transaction number `step`. */
export function provisionWith(
  world: Table,
  event: Event,
  step: number,
  act: () => Promise<unknown>,
): Promise<Answer> {
  let count = 0;
  let done = false;
  return carryOut(world, event, async (actions) => {
    if (count === step && !done) {
      done = true;
      await act();
    }
    await world.writer.send(actions);
    count += 1;
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
