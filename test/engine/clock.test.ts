import { describe, expect, test } from 'vitest';
import { createWatchedClock, systemClock } from '../../engine/clock.ts';

/** A wall clock with a watch on it: it tells when it went back, for then what was read before looks younger than it is. */
function setUp({ hasSecondClock = true } = {}) {
  let [wall, elapsed, setBacks] = [1_000_000, 0, 0];
  const now = createWatchedClock(
    { now: () => wall, monotonic: hasSecondClock ? () => elapsed : undefined },
    () => {
      setBacks += 1;
    },
  );
  /** Time goes by on both clocks, or on each as much as it is told. */
  const pass = (onWall: number, inTruth = onWall) => {
    wall += onWall;
    elapsed += inTruth;
  };
  return {
    pass,
    now,
    setBacks: () => {
      now();
      return setBacks;
    },
  };
}

test('returns the time of the wall clock', () => {
  const { now, pass } = setUp();
  expect(now()).toBe(1_000_000);
  pass(5);
  expect(now()).toBe(1_000_005);
});

test('does not report time that passes, nor a tick without progress', () => {
  const { pass, setBacks } = setUp();
  for (const by of [0, 1, 60_000, 86_400_000]) {
    pass(by);
    expect(setBacks()).toBe(0);
  }
});

describe('a clock that is set back', () => {
  test.each([true, false])(
    'is reported once, at the next reading; with a monotonic clock: %s',
    (hasSecondClock) => {
      const { pass, setBacks } = setUp({ hasSecondClock });
      setBacks();
      pass(-1, 0);
      expect(setBacks()).toBe(1);
      pass(1);
      expect(setBacks()).toBe(1);
    },
  );

  test('is reported even if more time passed until the next reading', () => {
    const { pass, setBacks } = setUp();
    setBacks();
    pass(60_000 - 54_000, 60_000);
    expect(setBacks()).toBe(1);
  });

  test('is not noticed then without a monotonic clock', () => {
    const { pass, setBacks } = setUp({ hasSecondClock: false });
    setBacks();
    pass(60_000 - 54_000, 60_000);
    expect(setBacks()).toBe(0);
  });

  test('in small steps is reported when they exceed the tolerance', () => {
    const { pass, setBacks } = setUp();
    const seen = Array.from({ length: 6 }, () => {
      pass(1_000 - 5, 1_000);
      return setBacks();
    });
    // The first look has nothing before it to compare with.
    expect(seen).toEqual([0, 0, 0, 0, 0, 1]);
  });

  test('is reported each time', () => {
    const { pass, setBacks } = setUp();
    setBacks();
    for (const times of [1, 2, 3]) {
      pass(10_000 - 1_000, 10_000);
      expect(setBacks()).toBe(times);
    }
  });

  test('is reported after it was set forward, even if it is not behind its start', () => {
    const { pass, setBacks } = setUp();
    setBacks();
    pass(3_600_000, 0);
    expect(setBacks()).toBe(0);
    pass(-1_800_000, 1_000);
    expect(setBacks()).toBe(1);
  });
});

test('a frozen process with a stopped monotonic clock is not reported: the wall clock is right', () => {
  const { pass, setBacks } = setUp();
  setBacks();
  pass(3_600_000, 0);
  expect(setBacks()).toBe(0);
});

test('the clock of the process has both clocks', () => {
  expect(systemClock.now()).toBeGreaterThan(Date.parse('2020-01-01'));
  expect(systemClock.monotonic?.()).toBeGreaterThan(0);
});
