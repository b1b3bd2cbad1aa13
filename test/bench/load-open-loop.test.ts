import { describe, expect, test } from 'vitest';
import { percentile } from '../../bench/harness/statistics.ts';
import { createSchedule, type Measured, runOpenLoop, TIMED_OUT } from '../../bench/load/open-loop.ts';
import { createRandom } from '../proof/oracle/random.ts';
import { createQueue } from '../proof/simulation/time.ts';

interface Server {
  /** Milliseconds that each answer takes. */
  readonly takes: number;
  /** When it does not answer. */
  readonly stall?: readonly [from: number, to: number];
  readonly outcome?: (n: number) => string;
}

interface Load {
  readonly rate?: number;
  readonly seconds?: number;
  readonly connections?: number;
  readonly abortAt?: number;
}

/** Measures a server that answers requests in parallel, except while it stalls. */
async function measure(server: Server, load: Load = {}): Promise<Measured & { readonly mostAtOnce: number }> {
  const { takes, stall = [0, 0], outcome = () => '200' } = server;
  const { rate = 100, seconds = 10, connections = 1_000, abortAt } = load;
  const { now, schedule: plan, wait, passUntil } = createQueue(0);
  const abort = new AbortController();
  if (abortAt !== undefined) plan(abortAt, () => abort.abort());
  let [atOnce, mostAtOnce] = [0, 0];
  const send = async (n: number): Promise<string> => {
    const begins = now() >= stall[0] && now() < stall[1] ? stall[1] : now();
    atOnce += 1;
    mostAtOnce = Math.max(mostAtOnce, atOnce);
    await wait(begins + takes - now());
    atOnce -= 1;
    return outcome(n);
  };
  const schedule = Array.from({ length: rate * seconds }, (_, n) => (n * 1_000) / rate);
  const running = runOpenLoop({
    schedule,
    seconds,
    connections,
    send,
    time: { now, wait },
    signal: abort.signal,
  });
  await passUntil(Number.MAX_SAFE_INTEGER);
  return { ...(await running), mostAtOnce };
}

const rounded = (values: readonly number[], share: number): number => Math.round(percentile(values, share));

describe('a server that keeps up', () => {
  test('has latencies equal to its service time', async () => {
    const { latencies, answered, elapsedMs, outcomes, unsent } = await measure({ takes: 5 });
    expect(latencies).toHaveLength(1_000);
    expect([0, 0.5, 0.999, 1].map((share) => rounded(latencies, share))).toEqual([5, 5, 5, 5]);
    expect({ answered, elapsedMs, outcomes, unsent }).toEqual({
      answered: 1_000,
      elapsedMs: 10_000,
      unsent: 0,
      outcomes: { 200: 1_000 },
    });
  });
});

describe('a server that stalls for a second in ten', () => {
  const stalling: Server = { takes: 1, stall: [2_000, 3_000] };

  test('delays all requests of that second: 100 of 1,000 wait, 50 of them over half of it', async () => {
    const { latencies } = await measure(stalling);
    const over = (ms: number) => latencies.filter((latency) => latency > ms).length;
    expect([over(2), over(501), over(901)]).toEqual([100, 50, 10]);
    expect(rounded(latencies, 0.5)).toBe(1);
    expect(rounded(latencies, 0.95)).toBeGreaterThan(490);
  });

  test('delays them also over a single connection, where only one request is in flight', async () => {
    const { latencies, waits, mostAtOnce } = await measure(stalling, { connections: 1 });
    expect(mostAtOnce).toBe(1);
    // A closed loop would see one slow answer of 1,000.
    expect(latencies.filter((latency, n) => latency - (waits[n] ?? 0) > 2)).toHaveLength(1);
    expect(latencies.filter((latency) => latency > 501).length).toBeGreaterThanOrEqual(50);
    expect(rounded(latencies, 0.95)).toBeGreaterThan(490);
  });
});

test('a server that cannot keep up looks slow, and gets nothing after the planned time', async () => {
  // 50 a second over one connection, asked for 100.
  const asked = { seconds: 10, connections: 1 };
  const { latencies, answered, unsent, elapsedMs, mostAtOnce } = await measure({ takes: 20 }, asked);
  expect({ answered, unsent, elapsedMs, mostAtOnce }).toEqual({
    answered: 500,
    unsent: 500,
    elapsedMs: 10_000,
    mostAtOnce: 1,
  });
  // Unsent requests count with the time that they had waited.
  expect(latencies).toHaveLength(1_000);
  expect(rounded(latencies, 0.5)).toBeGreaterThan(2_400);
  expect(rounded(latencies, 1)).toBeGreaterThan(4_900);
});

describe('a request without an answer', () => {
  const every = (times: number, fault: string) => (n: number) => (n % times === 0 ? fault : '200');

  test('has a latency if it timed out: a lower bound', async () => {
    const { latencies, outcomes, answered } = await measure({ takes: 5, outcome: every(4, TIMED_OUT) });
    expect(outcomes).toEqual({ 200: 750, [TIMED_OUT]: 250 });
    expect(answered).toBe(750);
    expect(latencies).toHaveLength(1_000);
  });

  test('has none if it failed at once: a refused connection is not fast', async () => {
    const { latencies, outcomes } = await measure({ takes: 0, outcome: every(4, 'ECONNREFUSED') });
    expect(outcomes).toEqual({ 200: 750, ECONNREFUSED: 250 });
    expect(latencies).toHaveLength(750);
  });
});

test('an aborted run sends nothing more, and returns what it measured', async () => {
  const { answered, elapsedMs, unsent } = await measure({ takes: 25 }, { abortAt: 2_001 });
  // Those in flight are answered.
  expect({ answered, elapsedMs, unsent }).toEqual({ answered: 201, elapsedMs: 2_025, unsent: 0 });
});

test('Poisson arrivals have the number that is asked for, and gaps whose deviation equals their mean', () => {
  const due = createSchedule({ rate: 200, seconds: 50 }, createRandom(3));
  const gaps = due.slice(1).map((at, n) => at - (due[n] ?? 0));
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const deviation = Math.sqrt(mean(gaps.map((gap) => (gap - mean(gaps)) ** 2)));
  expect(due).toHaveLength(10_000);
  expect(deviation / mean(gaps)).toBeCloseTo(1, 1);
  expect(due.at(-1)).toBeLessThan(50_000);
});
