import { describe, expect, test } from 'vitest';
import type { Item } from '../../table/item.ts';
import { createHedging, type HedgingOptions } from '../../table/read/hedging.ts';

/** A read that takes too long is asked for once more; what comes first counts. */
interface Attempt {
  readonly answer: (name: string) => void;
  readonly fail: (error: Error) => void;
}

function setUp(options: Partial<HedgingOptions> = {}) {
  const attempts: Attempt[] = [];
  const timers = new Map<() => void, number>();
  let time = 0;
  const hedging = createHedging({
    clock: { now: () => time },
    schedule: (milliseconds, act) => {
      timers.set(act, milliseconds);
      return () => timers.delete(act);
    },
    getMany: () =>
      new Promise((resolve, reject) => {
        attempts.push({ answer: (PK) => resolve([{ PK, SK: 'META' } as Item]), fail: reject });
      }),
    maxShare: 1,
    ...options,
  });
  const read = () => hedging.getMany([{ PK: 'USER#x', SK: 'META' }]);
  /** Reads that took 1 ms to `many` ms, so that the percentile is known. */
  const learn = async (many = 100) => {
    for (let latency = 1; latency <= many; latency++) {
      const reading = read();
      time += latency;
      attempts.shift()?.answer('learnt');
      await reading;
    }
    timers.clear();
  };
  const fire = () => {
    for (const act of [...timers.keys()]) {
      timers.delete(act);
      act();
    }
  };
  return { attempts, timers, hedging, read, learn, fire };
}
const nameOf = async (reading: Promise<readonly (Item | undefined)[]>) => (await reading)[0]?.PK;

describe('a hedged read', () => {
  test('waits for the 95th percentile of what was measured, and is then asked once more', async () => {
    const { attempts, timers, read, learn, fire, hedging } = setUp();
    await learn();
    const reading = read();
    expect([...timers.values()]).toEqual([96]);
    expect(attempts).toHaveLength(1);
    fire();
    expect(attempts).toHaveLength(2);
    attempts[1]?.answer('second');
    expect(await nameOf(reading)).toBe('second');
    attempts[0]?.answer('first');
    expect(hedging.figures()).toMatchObject({ hedged: 1, won: 1 });
  });

  test('that is answered in time is not asked again, and leaves no timer', async () => {
    const { attempts, timers, read, learn, hedging } = setUp();
    await learn();
    const reading = read();
    attempts[0]?.answer('first');
    expect(await nameOf(reading)).toBe('first');
    expect(timers.size).toBe(0);
    expect(hedging.figures()).toMatchObject({ reads: 101, hedged: 0, won: 0 });
  });

  test('of which one attempt fails takes the other; of which both fail, fails', async () => {
    const { attempts, read, learn, fire } = setUp();
    await learn();
    const one = read();
    fire();
    attempts[0]?.fail(new Error('reset'));
    attempts[1]?.answer('second');
    expect(await nameOf(one)).toBe('second');
    attempts.length = 0;
    const both = read();
    fire();
    attempts[0]?.fail(new Error('reset'));
    attempts[1]?.fail(new Error('again'));
    await expect(both).rejects.toThrow(/reset|again/);
  });

  test('that fails before it is asked again, fails at once', async () => {
    const { attempts, timers, read, learn } = setUp();
    await learn();
    const reading = read();
    attempts[0]?.fail(new Error('denied'));
    await expect(reading).rejects.toThrow('denied');
    expect(timers.size).toBe(0);
  });

  test('is none while too little is known, and never more than the share allows', async () => {
    const few = setUp();
    await few.learn(20);
    void few.read();
    expect(few.timers.size).toBe(0);
    const capped = setUp({ maxShare: 0.02 });
    await capped.learn();
    for (let i = 0; i < 10; i++) {
      void capped.read();
      capped.fire();
    }
    expect(capped.hedging.figures()).toMatchObject({ reads: 110, hedged: 2 });
  });
});
