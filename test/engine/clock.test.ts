import { expect, test } from 'vitest';
import { createWatchedClock, systemClock } from '../../engine/clock.ts';

/** A wall clock with a watch on it: it tells when it went back, for then what was read before looks younger than it is. */
function setUp(hasSecondClock = true) {
  let [wall, elapsed, setBacks] = [1_000_000, 0, 0];
  const monotonic = hasSecondClock ? () => elapsed : undefined;
  const now = createWatchedClock({ now: () => wall, monotonic }, () => {
    setBacks += 1;
  });
  /** Time goes by on the wall and in truth: how often it went back so far. */
  const pass = (onWall: number, inTruth: number) => {
    wall += onWall;
    elapsed += inTruth;
    now();
    return setBacks;
  };
  return { pass, now };
}

test('returns the time of the wall clock', () => {
  const { now, pass } = setUp();
  expect(now()).toBe(1_000_000);
  pass(5, 5);
  expect(now()).toBe(1_000_005);
});

type Step = readonly [onWall: number, inTruth: number, setBacks: number];
const DAY = 86_400_000;
const slowly = (setBacks: number): Step => [995, 1_000, setBacks];
test.each<[string, readonly Step[], hasSecondClock?: boolean]>([
  ['time that passes, or a tick without progress', [0, 1, 60_000, DAY].map((by): Step => [by, by, 0])],
  [
    'a clock that goes back, once',
    [
      [-1, 0, 1],
      [1, 1, 1],
    ],
  ],
  [
    'the same without a monotonic clock',
    [
      [-1, 0, 1],
      [1, 1, 1],
    ],
    false,
  ],
  ['one that went back, though more time has passed until it was looked at', [[60_000 - 54_000, 60_000, 1]]],
  ['nothing of that without a monotonic clock', [[60_000 - 54_000, 60_000, 0]], false],
  ['small steps back, when they exceed the tolerance', [...[0, 0, 0, 0].map(slowly), slowly(1)]],
  ['each time that it goes back', [1, 2, 3].map((times): Step => [9_000, 10_000, times])],
  [
    'one that was set forward before, and is not behind its start',
    [
      [DAY, 0, 0],
      [-7_200_000, 1_000, 1],
    ],
  ],
  ['no process that was frozen with its monotonic clock: the wall clock is right', [[DAY, 0, 0]]],
])('notices %s', (_, steps, hasSecondClock) => {
  const { pass } = setUp(hasSecondClock);
  pass(0, 0);
  for (const [onWall, inTruth, setBacks] of steps) expect(pass(onWall, inTruth)).toBe(setBacks);
});

test('the clock of the process has both clocks', () => {
  expect(systemClock.now()).toBeGreaterThan(Date.parse('2020-01-01'));
  expect(systemClock.monotonic?.()).toBeGreaterThan(0);
});
