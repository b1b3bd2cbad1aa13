import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createPacing } from '../../table/read/pacing.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const never = () => new AbortController().signal;

/** Milliseconds for which a pause lasts. */
async function lengthOf(pause: Promise<void>): Promise<number> {
  const start = Date.now();
  let end: number | undefined;
  const ended = pause.then(() => {
    end = Date.now();
  });
  await vi.runAllTimersAsync();
  await ended;
  return (end ?? Number.NaN) - start;
}

describe('a pause', () => {
  test.each([
    [1, 25],
    [2, 50],
    [3, 100],
    [4, 200],
    [5, 400],
    [6, 400],
    [60, 400],
  ])('before attempt %i lasts a random share of %i ms', async (attempt, most) => {
    const shares: number[] = [];
    for (const share of [0, 0.5, 0.999]) {
      const { pause } = createPacing({ deadlineMs: 1_000, random: () => share });
      shares.push((await lengthOf(pause(attempt, never()))) / most);
    }
    expect(shares[0]).toBeLessThan(0.05);
    expect(shares[1]).toBeCloseTo(0.5, 1);
    expect(shares[2]).toBeGreaterThan(0.95);
    // A timer that is set while timers run takes a millisecond.
    expect(shares[2]).toBeLessThanOrEqual((most + 1) / most);
  });

  test('ends at once when the time is up, before it or while it lasts', async () => {
    const { pause } = createPacing({ deadlineMs: 1_000, random: () => 0.999 });
    expect(await lengthOf(pause(5, AbortSignal.abort()))).toBe(0);

    const controller = new AbortController();
    setTimeout(() => controller.abort(), 7);
    expect(await lengthOf(pause(5, controller.signal))).toBe(7);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('of a process that was stopped beyond the deadline ends when the deadline has struck', async () => {
    vi.useRealTimers();
    const { deadline, pause } = createPacing({ deadlineMs: 20, random: () => 0.4 });
    const signal = deadline();
    const pausing = pause(1, signal);
    // Stopped: nothing else runs until both are over.
    const stoppedAt = performance.now();
    while (performance.now() - stoppedAt < 60);
    await pausing;
    expect(signal.aborted).toBe(true);
  });

  test('leaves no listener behind on the signal', async () => {
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, 'addEventListener');
    const removed = vi.spyOn(signal, 'removeEventListener');
    const { pause } = createPacing({ deadlineMs: 1_000, random: () => 0.5 });
    for (let attempt = 1; attempt <= 20; attempt++) await lengthOf(pause(attempt, signal));
    expect(added).toHaveBeenCalledTimes(20);
    expect(removed.mock.calls.map(([, listener]) => listener)).toEqual(
      added.mock.calls.map(([, listener]) => listener),
    );
  });
});

test('each call has a deadline of its own', () => {
  const timeout = vi.spyOn(AbortSignal, 'timeout');
  const { deadline } = createPacing({ deadlineMs: 1_234 });
  expect(deadline()).not.toBe(deadline());
  expect(timeout.mock.calls).toEqual([[1_234], [1_234]]);
  timeout.mockRestore();
});

test('a deadline is over once the wall clock says so, even if the timers stood still: the machine slept', () => {
  let instant = 1_000_000;
  const { deadline } = createPacing({ deadlineMs: 3_000, now: () => instant });
  const signal = deadline();
  instant += 2_999;
  expect(signal.aborted).toBe(false);
  instant += 1;
  expect(signal.aborted).toBe(true);
});
