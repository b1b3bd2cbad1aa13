import { expect, test } from 'vitest';
import type { Measured } from '../../bench/load/open-loop.ts';
import { achievedRate, describeLoad, errorsOf, percentileOf } from '../../bench/load/report.ts';

const thousand = Array.from({ length: 1_000 }, (_, n) => n + 1);
const measured = (changes: Partial<Measured> = {}): Measured => ({
  ...{ elapsedMs: 20_000, outcomes: { 200: 900, 403: 90, 500: 10 }, answered: 1_000 },
  ...{ latencies: thousand, waits: thousand.map(() => 0), unsent: 0, unfinished: 0 },
  ...changes,
});

test('percentiles need enough answers', () => {
  expect(percentileOf(thousand, 0.5)).toBeCloseTo(500.5);
  expect(percentileOf(thousand, 0.99)).toBeCloseTo(990.01);
  expect(percentileOf(thousand, 0.999)).toBeCloseTo(999.001);
  expect(percentileOf(thousand.slice(0, 500), 0.999)).toBeUndefined();
  expect(percentileOf([], 0.5)).toBeUndefined();
});

test('errors are all but successes, redirects and refusals', () => {
  const outcomes = {
    200: 50,
    302: 10,
    401: 1,
    403: 30,
    404: 2,
    429: 3,
    503: 4,
    'timed out': 5,
    ECONNRESET: 6,
  };
  expect(errorsOf(measured({ outcomes, unsent: 9 }))).toEqual({ count: 30, share: 0.25 });
  expect(errorsOf(measured({ outcomes: {} })).share).toBe(1);
});

test('the achieved rate is over the elapsed time, not the planned one', () => {
  expect(achievedRate(measured())).toBe(50);
  expect(achievedRate(measured({ elapsedMs: 40_000 }))).toBe(25);
});

test('a report has the rates, the answers and the latencies', () => {
  expect(describeLoad(60, measured({ unsent: 200, unfinished: 3 }))).toBe(
    `requests per second  asked  achieved  seconds
                        60        50       20

answers           count   share
200                 900    75 %
403                  90   7.5 %
500                  10  0.83 %
not sent in time    200  16.7 %

milliseconds               p50  p90  p99  p99.9    max
from when it was due       501  900  990    999  1,000
of that until it was sent    0    0    0      0      0

errors: 210 of 1200 (17.5 %): all but 2xx, 3xx and 403
in flight when it was ended: 3
requests that timed out or were not sent count with the time that they had waited`,
  );
});
