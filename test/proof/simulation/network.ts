import { DEFAULT_TTL_MS } from '../../../engine/index.ts';
import { GatehouseError } from '../../../table/errors.ts';
import type { Item } from '../../../table/item.ts';
import type { MemoryTable } from '../../../table/memory/index.ts';
import { noNotes, type Reader } from '../../../table/reader.ts';
import { LATE_ARRIVAL_MS, READ_DEADLINE_MS, WRITE_DEADLINE_MS } from '../../../table/timing.ts';
import type { Writer } from '../../../table/writer.ts';
import { createRandom, type Random } from '../oracle/random.ts';
import type { NetworkSetup, Pace } from './history.ts';
import type { Time } from './time.ts';

/** How long a write may take from its stamp to its commit. */
export const ARRIVAL_MS = WRITE_DEADLINE_MS + LATE_ARRIVAL_MS;

/** A process as its calls see it. */
export interface Caller {
  readonly number: number;
  /** Another one after every crash: what was called before is not answered any more. */
  readonly life: number;
  /** Until then nothing reaches it. */
  readonly frozenUntil: number;
  /** What the step says that goes on, if it does. */
  readonly pace: Pace | undefined;
  /** When a call of it failed last. */
  failedAt: number;
}

export interface NetworkOptions {
  readonly table: Pick<MemoryTable, 'reader' | 'writer'>;
  readonly time: Time;
  readonly seed: number;
  readonly network: NetworkSetup;
  readonly isDown: () => boolean;
  /** Whether a call goes as it mostly does, though chance has drawn something else for it. */
  readonly isSpared: (call: string) => boolean;
  /** Told of each call that goes as it seldom does. */
  readonly onFault: (call: string, what: string) => void;
}

export interface Connection {
  readonly reader: Reader;
  readonly writer: Writer;
  /** Reads something else, at one instant. */
  readonly once: <T>(read: () => Promise<T>) => Promise<T>;
  /** Resolves when something reaches the process that it waits for since that life: never, if it has crashed. */
  readonly delivered: (life: number) => Promise<void>;
}

/** How a call goes: milliseconds from when it begins. */
interface Course {
  readonly readsAt: readonly number[];
  /** When a transaction arrives; undefined: never. */
  readonly arrivesAfter: number | undefined;
  readonly answersAfter: number;
  /** When the keys are read that the first attempt has left unread. */
  readonly restAt?: number;
  /** What the caller is told in place of the answer. */
  readonly failure?: 'throttled' | 'contended' | 'transient';
}

const SEED_OF_CALLS = 0x9e3779b1;

/** One number of several, which looks like none of them. */
export function mix(...numbers: readonly number[]): number {
  let mixed = SEED_OF_CALLS;
  for (const number of numbers) {
    mixed = Math.imul(mixed ^ Math.trunc(number), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    mixed ^= mixed >>> 16;
  }
  return mixed >>> 0;
}

/**
 * DynamoDB as processes reach it: calls take time, and seldom go as they may. How each call goes follows from the process
 * and the instant alone, so that it stays the same where other things are left out.
 */
export function createNetwork(options: NetworkOptions) {
  const { table, time, seed, network, isDown, isSpared, onFault } = options;
  const { delayMs, withFaults } = network;

  const usual = (random: Random): Course => {
    const takes = delayMs * random.next();
    const at = takes * random.next();
    return { readsAt: [at], arrivesAfter: at, answersAfter: takes };
  };

  function readCourse(random: Random, fault: (what: string) => boolean): Course {
    const course = usual(random);
    const { answersAfter: takes } = course;
    const retriedAfter = () => takes + random.below(800);
    const what = random.below(64);
    if (what < 8) {
      const readsAt = [takes * random.next(), takes * random.next(), takes * random.next()];
      return fault('reads each item at an instant of its own') ? { ...course, readsAt } : course;
    }
    if (what < 11) {
      const restAt = retriedAfter();
      const left = { restAt, answersAfter: restAt + delayMs * random.next() };
      return fault('leaves keys unread at first') ? { ...course, ...left } : course;
    }
    if (what < 14) {
      const at = retriedAfter();
      const again = { readsAt: [at], answersAfter: at + delayMs * random.next() };
      return fault('is refused at first') ? { ...course, ...again } : course;
    }
    if (what === 14) {
      const answersAfter = random.below(2 * DEFAULT_TTL_MS);
      return fault('is answered late') ? { ...course, answersAfter: takes + answersAfter } : course;
    }
    if (what === 15) {
      const at = random.below(READ_DEADLINE_MS);
      const slow = { readsAt: [at], answersAfter: at + random.below(READ_DEADLINE_MS - at) };
      return fault('is slow') ? { ...course, ...slow } : course;
    }
    if (what === 16 && random.oneIn(3) && fault('is refused until its deadline'))
      return { ...course, answersAfter: READ_DEADLINE_MS, failure: 'throttled' };
    return course;
  }

  function writeCourse(random: Random, fault: (what: string) => boolean): Course {
    const course = usual(random);
    const { answersAfter: takes } = course;
    const what = random.below(48);
    if (what < 5) {
      const arrivesAfter = random.oneIn(5) ? undefined : random.next() * ARRIVAL_MS;
      const givenUp = { arrivesAfter, answersAfter: WRITE_DEADLINE_MS, failure: 'transient' } as const;
      const how =
        arrivesAfter === undefined ? 'never arrives' : `arrives after ${Math.ceil(arrivesAfter)} ms`;
      return fault(`is given up and ${how}`) ? { ...course, ...givenUp } : course;
    }
    if (what < 7) {
      const answersAfter = takes + random.below(WRITE_DEADLINE_MS - takes);
      return fault('is acknowledged late, at the second attempt') ? { ...course, answersAfter } : course;
    }
    if (what < 10) {
      const arrivesAfter = takes + random.below(800);
      const again = { arrivesAfter, answersAfter: arrivesAfter + delayMs * random.next() };
      return fault('meets a conflict at first') ? { ...course, ...again } : course;
    }
    if (what === 10 && random.oneIn(2) && fault('meets conflicts until its deadline'))
      return { ...course, arrivesAfter: undefined, answersAfter: WRITE_DEADLINE_MS, failure: 'contended' };
    return course;
  }

  const FAILURES = {
    throttled: () => new GatehouseError('throttled', 'it was throttled'),
    contended: () => new GatehouseError('contended', 'other changes to the same items were under way'),
    transient: () => new GatehouseError('transient', 'there was no answer in time'),
  };

  /**
   * Reader and writer of a process.
   *
   * @param canBeDown whether DynamoDB is down for it too, when it is
   */
  function connect(caller: Caller, canBeDown: boolean): Connection {
    let [instant, calls] = [Number.NaN, 0];
    function courseOf(kind: 'read' | 'write'): Course {
      if (time.now() !== instant) [instant, calls] = [time.now(), 0];
      calls += 1;
      const random = createRandom(mix(seed, caller.number, instant % 1e9, (instant * 1e3) % 1e9, calls));
      const { pace } = caller;
      if (pace !== undefined) {
        const { readsAt = [0], arrivesAfter = 0 } = pace;
        const { answersAfter = Math.max(...(kind === 'read' ? readsAt : [arrivesAfter])) } = pace;
        return { readsAt, arrivesAfter, answersAfter };
      }
      const name = `process ${caller.number} at ${instant} ${calls}`;
      const fault = (what: string): boolean => {
        if (!withFaults || isSpared(name)) return false;
        onFault(name, `${kind} ${what}`);
        return true;
      };
      return kind === 'read' ? readCourse(random, fault) : writeCourse(random, fault);
    }

    /** Waits from one instant of a call to a later one. */
    const until = async (from: number, to: number): Promise<void> => {
      if (to > from) await time.wait(to - from);
    };

    /** When the answer reaches the process: never, if it is not there any more. */
    async function delivered(life: number): Promise<void> {
      while (caller.life === life && caller.frozenUntil > time.now())
        await time.wait(caller.frozenUntil - time.now());
      if (caller.life !== life) await NEVER();
    }

    async function call<T>(kind: 'read' | 'write', act: (course: Course) => Promise<T>): Promise<T> {
      const { life } = caller;
      const course = courseOf(kind);
      try {
        if (canBeDown && isDown()) throw FAILURES[course.answersAfter % 2 < 1 ? 'transient' : 'throttled']();
        const found = await act(course);
        await delivered(life);
        return found;
      } catch (error) {
        await delivered(life);
        caller.failedAt = time.now();
        throw error;
      }
    }

    /** What is read at one instant. */
    const readOnce = <T>(read: () => Promise<T>): Promise<T> =>
      call('read', async ({ readsAt: [at = 0], answersAfter, failure }) => {
        await until(0, at);
        const found = failure === undefined ? await read() : undefined;
        await until(at, answersAfter);
        if (failure !== undefined) throw FAILURES[failure]();
        return found as T;
      });

    const getMany: Reader['getMany'] = (keys, notes = noNotes()) =>
      call('read', async ({ readsAt, answersAfter, restAt, failure }) => {
        notes.calls += 1;
        const found: (Item | undefined)[] = [];
        /** The keys that are read at each instant. */
        const instants = new Map<number, number[]>();
        for (const position of keys.keys()) {
          const isLeft = restAt !== undefined && position % 2 === 1;
          const at = isLeft ? restAt : (readsAt[position % readsAt.length] as number);
          instants.set(at, [...(instants.get(at) ?? []), position]);
        }
        let last = 0;
        for (const [at, positions] of [...instants].sort(([a], [b]) => a - b)) {
          await until(last, at);
          last = at;
          if (failure !== undefined) continue;
          const items = await table.reader.getMany(positions.map((position) => keys[position] as never));
          for (const [n, position] of positions.entries()) found[position] = items[n];
        }
        await until(last, answersAfter);
        if (failure !== undefined) throw FAILURES[failure]();
        return keys.map((_, position) => found[position]);
      });

    const others = Object.fromEntries(
      Object.entries(table.reader).map(([name, read]) => [
        name,
        (...input: unknown[]) => readOnce(() => (read as (...all: unknown[]) => Promise<unknown>)(...input)),
      ]),
    ) as unknown as Reader;

    const send: Writer['send'] = (actions) =>
      call('write', async ({ arrivesAfter, answersAfter, failure }) => {
        let refusal: unknown;
        const arrive = async (after: number): Promise<void> => {
          await time.wait(after);
          await table.writer.send(actions).catch((error: unknown) => {
            refusal = error ?? new Error('refused');
          });
        };
        const arrived = arrivesAfter === undefined ? undefined : arrive(arrivesAfter);
        if (failure === undefined) await arrived;
        await until(failure === undefined ? (arrivesAfter ?? 0) : 0, answersAfter);
        if (failure !== undefined) throw FAILURES[failure]();
        if (refusal !== undefined) throw refusal;
      });
    return { reader: { ...others, getMany }, writer: { send }, once: readOnce, delivered };
  }

  return { connect };
}

const NEVER = (): Promise<never> => new Promise(() => {});
