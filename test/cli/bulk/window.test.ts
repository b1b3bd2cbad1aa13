import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createColumns } from '../../../cli/bulk/columns.ts';
import { fieldsOf, ROW_KINDS, type RowKind } from '../../../cli/bulk/kinds.ts';
import { type LoadOptions, startLoad } from '../../../cli/bulk/load.ts';
import { duration, progressLine, startMeter } from '../../../cli/bulk/progress.ts';
import type { Provision } from '../../../cli/bulk/settle.ts';
import { readSource } from '../../../cli/bulk/source.ts';
import { createThrottle } from '../../../cli/bulk/throttle.ts';
import type { Answer } from '../../../provisioning/index.ts';

/** How many rows are under way, what is held of them, and what is said meanwhile; over a transport that only answers. */
const USERS = ROW_KINDS[0] as RowKind;
const done = (): Answer => ({
  ok: true,
  result: { id: 'x', createdAt: '9999-01-01T00:00:00.000Z' },
  token: '',
});
const refused = (code: 'throttled' | 'transient' | 'internal'): Answer => ({
  ok: false,
  error: { code, message: `it is ${code}`, retryable: code !== 'internal' },
});
const LINE = (n: number) => `user-${n}@example.com,The user of number ${n}\n`;

async function* bytesOf(rows: number): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  yield encoder.encode('email,displayName\n');
  for (let n = 0; n < rows; n += 500)
    yield encoder.encode(Array.from({ length: Math.min(500, rows - n) }, (_, m) => LINE(n + m)).join(''));
}

async function load(rows: number, provision: Provision, more: Partial<LoadOptions> = {}) {
  const { rows: source } = await readSource(bytesOf(rows), createColumns(fieldsOf(USERS)));
  return startLoad(source, {
    ...{ kind: USERS, provision, parallel: 16, now: Date.now, onRefused: () => {}, onProgress: () => {} },
    ...more,
  });
}

test('200,000 rows: memory does not grow with them', async () => {
  const heap = () => process.memoryUsage().heapUsed;
  const samples: number[] = [];
  let calls = 0;
  const loading = await load(200_000, async () => {
    if (++calls % 2_000 === 0) samples.push(heap());
    await Promise.resolve();
    return done();
  });
  const { progress, fault } = await loading.done;
  expect({ fault, ...progress }).toMatchObject({ fault: undefined, rows: 200_000, created: 200_000 });
  // What is held shows in the least that is in use between two collections, early and late.
  const least = (from: number, to: number) => Math.min(...samples.slice(from, to)) / 2 ** 20;
  const [early, late, most] = [least(5, 30), least(70, 100), Math.max(...samples) / 2 ** 20];
  console.info(
    `heap: least early ${early.toFixed(0)} MB, late ${late.toFixed(0)} MB; most ${most.toFixed(0)} MB`,
  );
  expect(late - early).toBeLessThan(20);
});

test('never more at once than --parallel, and reading waits for what is under way', async () => {
  let [active, most] = [0, 0];
  const loading = await load(500, async () => {
    most = Math.max(most, ++active);
    await pause(1);
    active -= 1;
    return done();
  });
  await loading.done;
  expect(most).toBe(16);
});

describe('a table at its limit', () => {
  test('the window halves once for what was under way together, and grows slowly again', () => {
    let time = 0;
    const throttle = createThrottle(32, () => time);
    for (let n = 0; n < 2_000; n++) throttle.wentWell();
    expect(throttle.limit()).toBe(32);
    for (let n = 0; n < 32; n++) throttle.congested();
    expect(throttle.limit()).toBe(16);
    time = 1_000;
    throttle.congested();
    expect(throttle.limit()).toBe(8);
    for (let n = 0; n < 8; n++) throttle.wentWell();
    expect(throttle.limit()).toBe(8);
    for (let n = 0; n < 9; n++) throttle.wentWell();
    expect(throttle.limit()).toBe(9);
    for (time = 2_000; time < 20_000; time += 1_000) throttle.congested();
    expect(throttle.limit()).toBe(1);
  });

  test('fewer rows are sent at once until it takes them, and every row comes in', async () => {
    let [active, most] = [0, 0];
    const inside: number[] = [];
    const loading = await load(3_000, async () => {
      active += 1;
      most = Math.max(most, active);
      inside.push(active);
      await pause(2);
      const answer = active > 6 ? refused('throttled') : done();
      active -= 1;
      return answer;
    });
    const { progress } = await loading.done;
    expect(progress).toMatchObject({ rows: 3_000, created: 3_000 });
    const { throttled } = loading.now();
    expect(throttled).toBeGreaterThan(0);
    // Refused attempts are few beside those that went well.
    expect(throttled).toBeLessThan(1_500);
  });
});

describe('what ends it', () => {
  test('patience: the line and for how long; the low-water mark is below all that is open', async () => {
    const loading = await load(
      300,
      async (event) => {
        await pause(1);
        const { email } = (event as { input: { email: string } }).input;
        return email === 'user-100@example.com' ? refused('transient') : done();
      },
      { patienceMs: 300 },
    );
    const { fault, progress } = await loading.done;
    expect(fault).toMatch(/^line 102: it is transient \(tried for \d+ s\)$/);
    expect(progress).toMatchObject({ rows: 100, created: 100 });
  });

  test('a fault at once, and no further row', async () => {
    let calls = 0;
    const loading = await load(10_000, async () => (++calls > 50 ? refused('internal') : done()));
    expect((await loading.done).fault).toMatch(/^line \d+: it is internal$/);
    expect(calls).toBeLessThan(100);
  });

  test('a transport that throws', async () => {
    const loading = await load(10, () => Promise.reject(new Error('no such function')));
    expect((await loading.done).fault).toBe('line 2: no such function');
  });

  test('being told to: what is under way comes to its end', async () => {
    let open = 0;
    const loading = await load(10_000, async () => {
      open += 1;
      await pause(2);
      open -= 1;
      return done();
    });
    await pause(50);
    loading.stop();
    const { isStopped, fault, progress } = await loading.done;
    expect({ isStopped, fault, open }).toEqual({ isStopped: true, fault: undefined, open: 0 });
    expect(progress.rows).toBeGreaterThan(10);
    expect(progress.rows).toBeLessThan(10_000);
  });

  test('the input breaking off', async () => {
    async function* broken() {
      yield* bytesOf(20_000);
      throw new Error('EIO: read');
    }
    const { rows } = await readSource(broken(), createColumns(fieldsOf(USERS)));
    const { fault, progress } = await startLoad(rows, {
      ...{ kind: USERS, provision: async () => done(), parallel: 4, now: Date.now },
      ...{ onRefused: () => {}, onProgress: () => {} },
    }).done;
    expect(fault).toBe('EIO: read');
    expect(progress.rows).toBe(progress.created);
    expect(progress.rows).toBeGreaterThan(100);
  });
});

test('what stands in the way and is being deleted is no row that is in', async () => {
  const refusals: string[] = [];
  const taken: Answer = {
    ok: false,
    error: {
      code: 'conflict',
      message: 'email is taken',
      field: 'email',
      holder: 'user:x',
      retryable: false,
    },
  };
  const loading = await load(
    1,
    async (event) => {
      const { command } = event as { command: string };
      if (command === 'user.create') return taken;
      const found = {
        email: 'user-0@example.com',
        displayName: 'The user of number 0',
        deletingSince: 'now',
      };
      return { ok: true, result: found, token: '' };
    },
    { onRefused: (_, { message }) => refusals.push(message) },
  );
  expect((await loading.done).progress).toMatchObject({ refused: 1 });
  expect(refusals).toEqual(['email is taken: user:x is being deleted']);
});

describe('progress', () => {
  const at = {
    rows: 1_500,
    bytes: 500,
    created: 1_500,
    present: 0,
    refused: 2,
    throttled: 3,
    retried: 0,
    atOnce: 7,
  };

  test('how far, how fast, and how long yet', () => {
    const since = { rows: 500, bytes: 250, milliseconds: 10_000 };
    expect(progressLine(at, since, { kind: 'users', size: 1_000, isTerminal: true })).toBe(
      'users [##########----------] 50 %, 1,500 rows, 100/s, 20 s left, 2 refused, 3 throttled, 7 at once',
    );
    expect(
      progressLine({ ...at, retried: 4 }, since, { kind: 'users', size: undefined, isTerminal: false }),
    ).toBe('users, 1,500 rows, 100/s, 2 refused, 3 throttled, 4 tried again, 7 at once');
    expect([59_000, 61_000, 4_800_000].map(duration)).toEqual(['59 s', '2 min', '1 h 20 min']);
  });

  test('a bar on a terminal, which goes when it is over', async () => {
    const written: string[] = [];
    const loading = { now: () => at, stop: () => {}, done: new Promise<never>(() => {}) };
    const meter = startMeter({
      ...{ loading, kind: 'users', size: 1_000, isTerminal: true, now: Date.now },
      write: (text) => written.push(text),
    });
    await pause(300);
    meter.stop();
    expect(written[0]?.startsWith('\r\u001b[Kusers [')).toBe(true);
    expect(written.at(-1)).toBe('\r\u001b[K');
  });
});
