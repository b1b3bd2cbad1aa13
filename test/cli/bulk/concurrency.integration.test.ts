import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createColumns } from '../../../cli/bulk/columns.ts';
import { createConcurrency } from '../../../cli/bulk/concurrency.ts';
import { startLoad } from '../../../cli/bulk/load.ts';
import { duration, progressLine, showProgress } from '../../../cli/bulk/report.ts';
import { readSource } from '../../../cli/bulk/source.ts';
import type { Answer } from '../../../provisioning/index.ts';
import { bytesOf, done, load, USERS } from './loading.ts';

/** How many rows are in flight, and the progress shown; over a stub transport. Memory: memory.soak.test.ts. */
const refused = (code: 'throttled' | 'transient' | 'internal'): Answer => ({
  ok: false,
  error: { code, message: `it is ${code}`, retryable: code !== 'internal' },
});
test('never more rows in flight than --parallel, and reading waits for them', async () => {
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
  test('the limit halves once for rows in flight together, and grows slowly again', () => {
    let time = 0;
    const concurrency = createConcurrency(32, () => time);
    for (let n = 0; n < 2_000; n++) concurrency.succeeded();
    expect(concurrency.limit()).toBe(32);
    for (let n = 0; n < 32; n++) concurrency.congested();
    expect(concurrency.limit()).toBe(16);
    time = 1_000;
    concurrency.congested();
    expect(concurrency.limit()).toBe(8);
    for (let n = 0; n < 8; n++) concurrency.succeeded();
    expect(concurrency.limit()).toBe(8);
    for (let n = 0; n < 9; n++) concurrency.succeeded();
    expect(concurrency.limit()).toBe(9);
    for (time = 2_000; time < 20_000; time += 1_000) concurrency.congested();
    expect(concurrency.limit()).toBe(1);
  });

  test('fewer rows are sent at once, and every row is loaded', async () => {
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
    const { throttled } = loading.status();
    expect(throttled).toBeGreaterThan(0);
    // Throttled attempts are few beside those that succeed.
    expect(throttled).toBeLessThan(1_500);
  });
});

describe('a load ends', () => {
  test('when the patience for a row is over: the message has its line and for how long it was tried', async () => {
    const loading = await load(
      300,
      async (event) => {
        await pause(1);
        const { email } = event.input;
        return email === 'user-100@example.com' ? refused('transient') : done();
      },
      { patienceMs: 300 },
    );
    const { fault, progress } = await loading.done;
    expect(fault).toMatch(/^line 102: it is transient \(tried for \d+ s\)$/);
    expect(progress).toMatchObject({ rows: 100, created: 100 });
  });

  test('at a fault at once, and takes no further row', async () => {
    let calls = 0;
    const loading = await load(10_000, async () => (++calls > 50 ? refused('internal') : done()));
    expect((await loading.done).fault).toMatch(/^line \d+: it is internal$/);
    expect(calls).toBeLessThan(100);
  });

  test('when the transport throws', async () => {
    const loading = await load(10, () => Promise.reject(new Error('no such function')));
    expect((await loading.done).fault).toBe('line 2: no such function');
  });

  test('when stopped: rows in flight are finished', async () => {
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

  test('when the input fails', async () => {
    async function* broken() {
      yield* bytesOf(20_000);
      throw new Error('EIO: read');
    }
    const { rows } = await readSource(broken(), createColumns(USERS.fields));
    const { fault, progress } = await startLoad(rows, {
      ...{ kind: USERS, transport: async () => done(), parallel: 4, now: Date.now },
      ...{ onRefused: () => {}, onProgress: () => {} },
    }).done;
    expect(fault).toBe('EIO: read');
    expect(progress.rows).toBe(progress.created);
    expect(progress.rows).toBeGreaterThan(100);
  });
});

test('a row that conflicts with an item being deleted is refused', async () => {
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
      if (event.command === 'user.create') return taken;
      const found = {
        email: 'user-0@example.com',
        displayName: 'The user of number 0',
        deletingSince: 'now',
      };
      return { ok: true, result: found };
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
    inFlight: 7,
  };

  test('share, rate and remaining time', () => {
    const since = { rows: 500, bytes: 250, milliseconds: 10_000 };
    expect(progressLine(at, since, { kind: 'users', size: 1_000 })).toBe(
      'users 50 %, 1,500 rows, 100/s, 20 s left, 2 refused, 3 throttled, 7 in flight',
    );
    expect(progressLine({ ...at, retried: 4 }, since, { kind: 'users', size: undefined })).toBe(
      'users, 1,500 rows, 100/s, 2 refused, 3 throttled, 4 retried, 7 in flight',
    );
    expect([59_000, 61_000, 4_800_000].map(duration)).toEqual(['59 s', '2 min', '1 h 20 min']);
  });

  test('one line on a terminal, which is cleared at the end', async () => {
    const written: string[] = [];
    const loading = { status: () => at, stop: () => {}, done: new Promise<never>(() => {}) };
    const hide = showProgress({
      ...{ loading, kind: 'users', size: 1_000, isTerminal: true, now: Date.now },
      write: (text) => written.push(text),
    });
    await pause(300);
    hide();
    showProgress({
      ...{ loading, kind: 'users', size: 1_000, isTerminal: false, now: Date.now },
      write: () => expect.fail('progress is for terminals'),
    })();
    expect(written[0]?.startsWith('\r\u001b[Kusers 50 %')).toBe(true);
    expect(written.at(-1)).toBe('\r\u001b[K');
  });
});
