import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createConcurrency } from '../../../cli/bulk/concurrency.ts';
import type { LoadOptions } from '../../../cli/bulk/load.ts';
import { duration, loadedCounts, progressLine, showProgress } from '../../../cli/bulk/report.ts';
import type { Answer } from '../../../provisioning/index.ts';
import { answering, bytesOf, done, load, loadOf, MEMBERSHIPS, membershipsOf, USERS } from './loading.ts';

/** How many batches of rows are in flight, and the progress shown; over a stub transport. Memory: memory.soak.test.ts. */
const refused = (code: 'throttled' | 'transient' | 'internal'): Answer => ({
  ok: false,
  error: { code, message: `it is ${code}`, retryable: code !== 'internal' },
});
const taken = (holder: string): Answer => ({
  ok: false,
  error: { code: 'conflict', message: 'email is taken', field: 'email', holder, retryable: false },
});

describe('rows on their way', () => {
  /** The most batches in flight of a load of memberships, and what it comes to. */
  async function inFlight(groups: readonly number[], options: Partial<LoadOptions>) {
    const open: Set<string>[] = [];
    const sizes: number[] = [];
    let [most, isOneNamedTwice] = [0, false];
    const loading = await loadOf(
      membershipsOf(groups),
      async (event) => {
        const names = new Set(('batch' in event ? event.batch : []).map(({ input }) => String(input.group)));
        isOneNamedTwice ||= open.some((each) => [...each].some((name) => names.has(name)));
        sizes.push('batch' in event ? event.batch.length : 0);
        open.push(names);
        most = Math.max(most, open.length);
        await pause(20);
        open.splice(open.indexOf(names), 1);
        return answering(done)(event);
      },
      { kind: MEMBERSHIPS, ...options },
    );
    const { rows, created } = (await loading.done).progress;
    expect(created).toBe(rows);
    return { rows, most, largest: Math.max(...sizes), isOneNamedTwice };
  }

  test('are never in more batches than --parallel, of 100 rows each', async () => {
    const groups = Array.from({ length: 5_000 }, (_, n) => n);
    expect(await inFlight(groups, { parallel: 4 })).toMatchObject({ rows: 5_000, most: 4, largest: 100 });
  });

  test('no two batches in flight name one node, and rows of another one go ahead', async () => {
    const groups = Array.from({ length: 900 }, (_, n) => Math.floor(n / 300));
    expect(await inFlight(groups, { parallel: 8 })).toMatchObject({
      rows: 900,
      most: 3,
      isOneNamedTwice: false,
    });
  });

  test('where one process carries out all batches, they may name one node', async () => {
    const { rows, most } = await inFlight(Array(400).fill(0), { parallel: 4, isOneProcess: true });
    expect(rows).toBe(400);
    expect(most).toBeGreaterThan(1);
  });

  test('a row whose attempt got no answer counts as created when it is there and as new as the load', async () => {
    let isFirst = true;
    const loading = await load(
      2,
      answering(({ command, input }) => {
        if (command === 'user.read') {
          const found = { email: `user-${input.id}@example.com`, createdAt: '9999-01-01T00:00:00.000Z' };
          return { ok: true, result: found } as unknown as Answer;
        }
        const n = String(input.email).slice(5, 6);
        // The first row was created by the attempt that got no answer; the second one by somebody else before.
        if (!isFirst || n !== '0') return taken(`user:${n}`);
        isFirst = false;
        return refused('transient');
      }),
      { kind: { ...USERS, secret: ['displayName'] } },
    );
    expect((await loading.done).progress).toMatchObject({ created: 1, present: 1 });
  });
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
    let active = 0;
    const loading = await load(6_000, async (event) => {
      active += 1;
      await pause(2);
      const answer = active > 6 ? refused('throttled') : done();
      active -= 1;
      return answering(() => answer)(event);
    });
    expect((await loading.done).progress).toMatchObject({ rows: 6_000, created: 6_000 });
    const { throttled } = loading.status();
    expect(throttled).toBeGreaterThan(0);
    // Throttled attempts are few beside those that succeed.
    expect(throttled).toBeLessThan(3_000);
  });
});

describe('a load ends', () => {
  test('when the patience for a row is over: the message has its line and for how long it was tried', async () => {
    const loading = await load(
      300,
      answering(async ({ input: { email } }) => {
        await pause(1);
        return email === 'user-100@example.com' ? refused('transient') : done();
      }),
      { patienceMs: 300 },
    );
    const { fault, progress } = await loading.done;
    expect(fault).toMatch(/^line 102: it is transient \(tried for \d+ s\)$/);
    expect(progress).toMatchObject({ rows: 100, created: 100 });
  });

  test('at a fault at once, and takes no further row', async () => {
    let calls = 0;
    const loading = await load(
      10_000,
      answering(() => (++calls > 1_000 ? refused('internal') : done())),
    );
    expect((await loading.done).fault).toMatch(/^line \d+: it is internal$/);
    expect(calls).toBeLessThan(3_000);
  });

  test('when the transport throws', async () => {
    const loading = await load(10, () => Promise.reject(new Error('no such function')));
    expect((await loading.done).fault).toBe('line 2: no such function');
  });

  test('when stopped: rows in flight are finished', async () => {
    let open = 0;
    const loading = await load(1_000_000, async (event) => {
      open += 1;
      await pause(2);
      open -= 1;
      return answering(done)(event);
    });
    await pause(50);
    loading.stop();
    const { isStopped, fault, progress } = await loading.done;
    expect({ isStopped, fault, open }).toEqual({ isStopped: true, fault: undefined, open: 0 });
    expect(progress.rows).toBeGreaterThan(10);
    expect(progress.rows).toBeLessThan(1_000_000);
  });

  test('when stopped: what was written after a row that was not sent counts', async () => {
    // The 151st row waits for the first batch, whose node it names.
    const groups = Array.from({ length: 300 }, (_, n) => (n < 100 || n === 150 ? 0 : n));
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let [calls, answered] = [0, 0];
    const loading = await loadOf(
      membershipsOf(groups),
      async (event) => {
        if (++calls === 1) await released;
        answered += 'batch' in event ? event.batch.length : 0;
        return answering(done)(event);
      },
      { kind: MEMBERSHIPS, parallel: 8 },
    );
    while (answered < 199) await pause(5);
    loading.stop();
    release();
    const ending = await loading.done;
    expect(ending.progress).toMatchObject({ rows: 150, created: 150 });
    expect(ending.ahead).toEqual({ created: 149, present: 0 });
    expect(loadedCounts(ending)).toEqual({ rows: 299, created: 299, present: 0, refused: 0 });
  });

  test('when the input fails', async () => {
    async function* broken() {
      yield* bytesOf(3_000);
      throw new Error('EIO: read');
    }
    const { fault, progress } = await (await loadOf(broken(), answering(done), { parallel: 4 })).done;
    expect(fault).toBe('EIO: read');
    expect(progress.rows).toBe(progress.created);
    expect(progress.rows).toBeGreaterThan(100);
  });
});

test('a row that conflicts with an item being deleted is refused', async () => {
  const refusals: string[] = [];
  const deleting = { email: 'user-0@example.com', displayName: 'The user of number 0', deletingSince: 'now' };
  const loading = await load(
    1,
    answering(({ command }) =>
      command === 'user.create' ? taken('user:x') : { ok: true, result: deleting },
    ),
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
    const shown = { loading, kind: 'users', size: 1_000, now: Date.now };
    const hide = showProgress({ ...shown, isTerminal: true, write: (text) => written.push(text) });
    await pause(300);
    hide();
    const write = () => expect.fail('progress is for terminals');
    showProgress({ ...shown, isTerminal: false, write })();
    expect(written[0]?.startsWith('\r\u001b[Kusers 50 %')).toBe(true);
    expect(written.at(-1)).toBe('\r\u001b[K');
  });
});
