import { describe, expect, test } from 'vitest';
import { createSharedItems } from '../../provisioning/shared-items.ts';
import { decisionKey, type Key, nodeKey } from '../../table/keys.ts';
import { WRITE_DEADLINE_MS } from '../../table/timing.ts';
import { createClock } from '../support/world.ts';

/** No two transactions of jobs on one item; what many decisions share stays free for as long as it was held. */
const update = (key: Key) => ({ kind: 'update', key, set: { status: 'active' } }) as const;
const SCOPE = update(decisionKey({ type: 'tenant', id: 't' }));
const OTHER = update(decisionKey({ type: 'role', id: 'r' }));

function withResolvers() {
  let [resolve, reject]: [() => void, (error: Error) => void] = [() => {}, () => {}];
  const promise = new Promise<void>((onDone, onFailed) => {
    [resolve, reject] = [onDone, onFailed];
  });
  return { promise, resolve, reject };
}

function createStage() {
  const clock = createClock();
  const waits: number[] = [];
  const items = createSharedItems({
    clock,
    sleep: async (milliseconds) => {
      waits.push(milliseconds);
      clock.advance(milliseconds);
    },
  });
  /** Holds items for so many milliseconds; answers how long it waited before. */
  const hold = async (action: ReturnType<typeof update>, milliseconds: number, error?: Error) => {
    waits.length = 0;
    const sending = items.sparingly([action], async () => {
      clock.advance(milliseconds);
      if (error) throw error;
    });
    await sending.catch(() => {});
    return waits.reduce((sum, each) => sum + each, 0);
  };
  return { clock, hold };
}

describe('between two transactions that write it', () => {
  test('it is free for as long as the first one held it', async () => {
    const { hold } = createStage();
    expect([await hold(SCOPE, 30), await hold(SCOPE, 50), await hold(SCOPE, 1)]).toEqual([0, 30, 50]);
  });

  test('time that has gone by anyway counts', async () => {
    const { hold, clock } = createStage();
    await hold(SCOPE, 30);
    clock.advance(20);
    expect(await hold(SCOPE, 1)).toBe(10);
    clock.advance(1_000);
    expect(await hold(SCOPE, 1)).toBe(0);
  });

  test('nobody waits for longer than a write takes, whatever the clock did meanwhile', async () => {
    const { hold, clock } = createStage();
    await hold(SCOPE, 3_600_000);
    clock.advance(-3_600_000);
    expect(await hold(SCOPE, 1)).toBe(WRITE_DEADLINE_MS);
  });

  test('a transaction that failed held it too', async () => {
    const { hold } = createStage();
    await hold(SCOPE, 30, new Error('contended'));
    expect(await hold(SCOPE, 1)).toBe(30);
  });
});

test.each([
  ['another item', OTHER],
  ['what no decision reads', update(nodeKey({ type: 'tenant', id: 't' }))],
  ["a subject's own item", update(decisionKey({ type: 'user', id: 'u' }))],
])('%s is not waited for', async (_, action) => {
  const { hold } = createStage();
  await hold(SCOPE, 30);
  await hold(action, 40);
  if (action !== OTHER) expect(await hold(action, 1)).toBe(0);
  else expect(await hold(action, 1)).toBe(40);
});

describe('at once', () => {
  const USER = update(nodeKey({ type: 'user', id: 'u' }));
  const GROUP = update(nodeKey({ type: 'group', id: 'g' }));
  /** Transactions that end when the test says so, with what was sent so far. */
  function createTransactions() {
    const items = createSharedItems({ clock: createClock(), sleep: async () => {} });
    const sent: string[] = [];
    const begin = (name: string, ...actions: readonly ReturnType<typeof update>[]) => {
      const { promise, resolve, reject } = withResolvers();
      const done = items.sparingly(actions, () => {
        sent.push(name);
        return promise;
      });
      return { done, resolve, reject };
    };
    return { begin, sent, settled: () => new Promise((resolve) => setImmediate(resolve)) };
  }

  test('of several that write one item, one after the other, in the order in which they came', async () => {
    const { begin, sent, settled } = createTransactions();
    const [first, second, third] = [begin('1', USER, GROUP), begin('2', GROUP), begin('3', USER, GROUP)];
    await settled();
    expect(sent).toEqual(['1']);
    first.resolve();
    await settled();
    expect(sent).toEqual(['1', '2']);
    second.resolve();
    await settled();
    expect(sent).toEqual(['1', '2', '3']);
    third.resolve();
    await Promise.all([first.done, second.done, third.done]);
  });

  test('those that have no item in common', async () => {
    const { begin, sent, settled } = createTransactions();
    begin('user', USER);
    begin('group', GROUP);
    await settled();
    expect(sent).toEqual(['user', 'group']);
  });

  test('after one that failed, the next is sent', async () => {
    const { begin, sent, settled } = createTransactions();
    const [first, second] = [begin('1', USER), begin('2', USER)];
    first.reject(new Error('contended'));
    await expect(first.done).rejects.toThrow('contended');
    await settled();
    expect(sent).toEqual(['1', '2']);
    second.resolve();
    await second.done;
  });
});
