import { describe, expect, test } from 'vitest';
import { GatehouseError } from '../../table/errors.ts';
import type { Item } from '../../table/item.ts';
import type { Key } from '../../table/keys.ts';
import { createMemoryTable, type Faults, type MemoryTable } from '../../table/memory/index.ts';
import { noNotes } from '../../table/reader.ts';
import { MAX_ITEM_BYTES, MAX_TRANSACTION_BYTES, sizeOf } from '../../table/size.ts';
import { WRITE_DEADLINE_MS } from '../../table/timing.ts';
import type { Action } from '../../table/write/action.ts';
import { createRandom } from '../proof/oracle/random.ts';
import { createQueue } from '../proof/simulation/time.ts';
import { refusalOf } from './support.ts';

/** What the table in memory can do beside what every table does (conformance.ts). */
const [A, B, C] = ['A', 'B', 'C'].map((PK): Key => ({ PK, SK: 'META' })) as [Key, Key, Key];
const put = (key: Key, n: number): Action => ({ kind: 'put', item: { ...key, n } });
const numbersOf = (items: readonly (Item | undefined)[]) => items.map((item) => item?.n);

const seeded = (seed: number, faults: Omit<Faults, 'random'>): { readonly faults: Faults } => ({
  faults: { random: createRandom(seed).next, ...faults },
});
const LATE_MS = 1_000;
/** Writes are late while `isLate(true)`: their writer gives up at once, and they are carried out at LATE_MS. */
function lateOnDemand() {
  const time = createQueue(0);
  let share = 1;
  const faults = { random: () => share, lateRate: 1, lateMs: 2 * LATE_MS };
  const isLate = (late: boolean): void => {
    share = late ? 0.5 : 1;
  };
  return { time, isLate, options: { faults, schedule: time.schedule } };
}
const always = (faults: Omit<Faults, 'random'>) => ({ faults: { random: () => 0, ...faults } });

test('each transaction is reported when it is carried out, and of no other', async () => {
  const committed: (readonly Action[])[] = [];
  const { time, isLate, options } = lateOnDemand();
  const table = createMemoryTable({ ...options, onCommit: (actions) => committed.push(actions) });
  const [first, refused, late] = [
    [put(A, 1)],
    [
      {
        ...put(A, 2),
        when: { exists: false },
        failure: () => new GatehouseError('conflict', 'it is there'),
      } as Action,
    ],
    [put(B, 3)],
  ];
  await table.writer.send(first);
  await table.writer.send(refused).catch(() => {});
  isLate(true);
  await table.writer.send(late).catch(() => {});
  expect(committed).toEqual([first]);
  await time.passUntil(LATE_MS);
  expect(committed).toEqual([first, late]);
  expect(committed[1]).toBe(late);
});

test('items go in and out as copies, or as they are where they are to be shared', async () => {
  const item = { ...A, tags: new Set(['a']) };
  const read = async (sharesItems?: boolean) =>
    (await createMemoryTable({ items: [item], ...(sharesItems && { sharesItems }) }).reader.get(A))?.tags;
  expect(await read()).toEqual(item.tags);
  expect(await read()).not.toBe(item.tags);
  expect(await read(true)).toBe(item.tags);
});

describe('the items of one batch', () => {
  /** Reads three items; before the second one is read, a transaction changes all of them. */
  async function readWhileWriting(read: (table: MemoryTable) => Promise<readonly (Item | undefined)[]>) {
    const table: MemoryTable = createMemoryTable({
      onItemRead: async ({ PK }) => {
        if (PK === 'B') await table.writer.send([put(A, 2), put(B, 2), put(C, 2)]);
      },
    });
    await table.writer.send([put(A, 1), put(B, 1), put(C, 1)]);
    return numbersOf(await read(table));
  }

  test('are read one by one: a transaction in between is seen in half', async () => {
    expect(await readWhileWriting(({ reader }) => reader.getMany([A, B, C]))).toEqual([1, 2, 2]);
  });

  test('are of one instant in a snapshot', async () => {
    expect(await readWhileWriting(({ reader }) => reader.getSnapshot([A, B, C]))).toEqual([2, 2, 2]);
  });

  test('are read at instants of their own within a call that takes time', async () => {
    const time = createQueue(0);
    const table = createMemoryTable({ ...seeded(1, { delayMs: 100 }), schedule: time.schedule });
    for (const key of [A, B, C]) table.put({ ...key, n: 0 });
    let found: readonly (Item | undefined)[] = [];
    void table.reader.getMany([A, B, C]).then((items) => {
      found = items;
    });
    for (let n = 1; n <= 100; n++) {
      await time.passUntil(n);
      for (const key of [A, B, C]) table.put({ ...key, n });
    }
    const numbers = numbersOf(found) as number[];
    expect(new Set(numbers).size).toBe(3);
    expect([...numbers].sort((a, b) => a - b)).toEqual(numbers);
  });
});

test('a write that takes time is carried out within it, and over at its end', async () => {
  const time = createQueue(0);
  const faults = { random: () => 0.5, delayMs: 1_000 };
  const table = createMemoryTable({ faults, schedule: time.schedule });
  const sent = table.writer.send([put(A, 1)]).then(() => time.now());
  await time.passUntil(249);
  expect(table.items()).toEqual([]);
  await time.passUntil(250);
  expect(table.items()).toHaveLength(1);
  await time.passUntil(10_000);
  expect(await sent).toBe(500);
});

describe('what items may take when they are written', () => {
  /** An item of so many bytes, or a smaller one and what it grows by. */
  const filled = (name: string, bytes: number): Item => {
    const item = { PK: name, SK: 'META', text: '' };
    return { ...item, text: 'x'.repeat(bytes - sizeOf(item)) };
  };
  const growing = (name: string, bytes: number): readonly [Item, Action] => {
    const { text, ...key } = filled(name, bytes);
    return [{ ...key }, { kind: 'update', key, set: { text } } as Action];
  };
  const putting = (item: Item): Action => ({ kind: 'put', item });

  test.each([
    [MAX_ITEM_BYTES, 'done'],
    [MAX_ITEM_BYTES + 1, 'limit_exceeded'],
  ])('one that grows to %i bytes: %s', async (bytes, outcome) => {
    const [item, update] = growing('A', bytes);
    const { writer } = createMemoryTable({ items: [item] });
    const done = await writer.send([update]).then(
      () => 'done',
      ({ code }) => code,
    );
    expect(done).toBe(outcome);
  });

  test.each([
    [MAX_TRANSACTION_BYTES, 'done'],
    [MAX_TRANSACTION_BYTES + 1, 'limit_exceeded'],
  ])('all together, those that are put and those that grow, %i bytes: %s', async (bytes, outcome) => {
    const full = Array.from({ length: 10 }, (_, n) => `item-${n}`);
    const grown = full.slice(5).map((name) => growing(name, MAX_ITEM_BYTES));
    const last = growing('last', bytes - 10 * MAX_ITEM_BYTES);
    const { writer } = createMemoryTable({ items: [...grown, last].map(([item]) => item) });
    const puts = full.slice(0, 5).map((name) => putting(filled(name, MAX_ITEM_BYTES)));
    const done = await writer.send([...puts, ...[...grown, last].map(([, update]) => update)]).then(
      () => 'done',
      ({ code }) => code,
    );
    expect(done).toBe(outcome);
  });

  test('is not what is only asked about', async () => {
    const items = Array.from({ length: 11 }, (_, n) => filled(`item-${n}`, MAX_ITEM_BYTES));
    const { writer, reader } = createMemoryTable({ items });
    const failure = () => new GatehouseError('conflict', 'there is none');
    const checks = items.map(
      ({ PK, SK }): Action => ({ kind: 'check', key: { PK, SK }, when: { exists: true }, failure }),
    );
    await writer.send([...checks, put(A, 1)]);
    expect(await reader.get(A)).toMatchObject({ n: 1 });
  });
});

describe('a write that its writer gave up', () => {
  const transient = { code: 'transient', retryable: true };

  test('commits later, against what the table has by then', async () => {
    const { time, isLate, options } = lateOnDemand();
    const table = createMemoryTable(options);
    isLate(true);
    expect(await refusalOf(() => table.writer.send([put(A, 1)]))).toMatchObject(transient);
    isLate(false);
    await table.writer.send([put(B, 1)]);
    expect(numbersOf(await table.reader.getMany([A, B]))).toEqual([undefined, 1]);
    await time.passUntil(LATE_MS);
    expect(numbersOf(await table.reader.getMany([A, B]))).toEqual([1, 1]);
  });

  test('does not commit where its condition no longer holds', async () => {
    const { time, isLate, options } = lateOnDemand();
    const table = createMemoryTable(options);
    const create: Action = {
      ...(put(A, 1) as Extract<Action, { kind: 'put' }>),
      when: { exists: false },
      failure: () => new GatehouseError('conflict', 'there is one'),
    };
    isLate(true);
    expect(await refusalOf(() => table.writer.send([create]))).toMatchObject(transient);
    isLate(false);
    await table.writer.send([put(A, 2)]);
    await time.passUntil(LATE_MS);
    expect(await table.reader.get(A)).toMatchObject({ n: 2 });
  });

  test('commits at some time from a seed', async () => {
    const time = createQueue(0);
    const late = { faults: { random: () => 0.75, lateRate: 1, giveUpMs: WRITE_DEADLINE_MS, lateMs: 5_000 } };
    const table = createMemoryTable({ ...late, schedule: time.schedule });
    const sent = refusalOf(() => table.writer.send([put(A, 1)])).then((refusal) => [
      refusal.code,
      time.now(),
    ]);
    await time.passUntil(5_999);
    expect(await sent).toEqual(['transient', WRITE_DEADLINE_MS]);
    expect(await table.reader.get(A)).toBeUndefined();
    await time.passUntil(6_000);
    expect(await table.reader.get(A)).toMatchObject({ n: 1 });
  });
});

describe('an index', () => {
  const listed = async ({ reader }: MemoryTable) =>
    (await reader.listAll({ ranges: [{ partition: 'LIST' }], index: 'GSI1' })).map(({ n }) => n);
  const row = (n: number): Item => ({ ...A, GSI1PK: 'LIST', GSI1SK: 'A', n });

  test('stays as it was until its lag has passed, while the table is up to date', async () => {
    const time = createQueue(0);
    const lag = { faults: { random: () => 1, indexLagMs: 1_000 }, schedule: time.schedule };
    const table = createMemoryTable({ items: [row(1)], ...lag });
    await time.passUntil(1_000);
    await table.writer.send([{ kind: 'put', item: row(2) }]);
    expect(await listed(table)).toEqual([1]);
    expect(await table.reader.get(A)).toMatchObject({ n: 2 });
    expect(await table.reader.listAll({ ranges: [{ partition: 'A' }] })).toMatchObject([{ n: 2 }]);
    await time.passUntil(2_000);
    expect(await listed(table)).toEqual([2]);
    await table.writer.send([{ kind: 'delete', key: A }]);
    await time.passUntil(3_000);
    expect(await listed(table)).toEqual([]);
  });

  test('follows within its lag, and never goes back', async () => {
    const time = createQueue(0);
    const table = createMemoryTable({ ...seeded(7, { indexLagMs: 1_000 }), schedule: time.schedule });
    const seen: unknown[] = [];
    for (let n = 1; n <= 50; n++) {
      await table.writer.send([{ kind: 'put', item: row(n) }]);
      await time.passUntil(n * 100);
      seen.push(...(await listed(table)));
    }
    expect(seen).not.toEqual(seen.map((_, position) => position + 1));
    expect([...seen].sort((a, b) => Number(a) - Number(b))).toEqual(seen);
    await time.passUntil(6_000);
    expect(await listed(table)).toEqual([50]);
  });
});

describe('faults that pass', () => {
  test('conflicts and throttling are tried again, keys that were left unread are asked for again', async () => {
    const rates = { conflictRate: 0.3, unprocessedRate: 0.3 };
    const table = createMemoryTable(seeded(11, rates));
    for (let n = 0; n < 50; n++) await table.writer.send([{ kind: 'update', key: A, add: { n: 1 } }]);
    expect(numbersOf(await table.reader.getSnapshot([A]))).toEqual([50]);
    const keys = Array.from({ length: 100 }, (_, n): Key => ({ PK: String(n).padStart(4, '0'), SK: 'META' }));
    for (const key of keys) table.put({ ...key });
    const notes = noNotes();
    expect(await table.reader.getMany(keys, notes)).toEqual(keys);
    expect(notes.calls).toBeGreaterThan(1);
  });

  test('the same seed is the same run', async () => {
    const run = async (seed: number) => {
      const table = createMemoryTable(seeded(seed, { throttleRate: 0.4 }));
      const outcomes: string[] = [];
      for (let n = 0; n < 40; n++)
        outcomes.push(
          await table.reader.get(A).then(
            () => 'read',
            (error: GatehouseError) => error.code,
          ),
        );
      return outcomes;
    };
    expect(await run(3)).toEqual(await run(3));
    expect(await run(3)).not.toEqual(await run(4));
    expect(new Set(await run(3))).toEqual(new Set(['read', 'throttled']));
  });

  test('a failed condition is certain whatever else happens', async () => {
    const table = createMemoryTable(always({ conflictRate: 1 }));
    const failing: Action = {
      kind: 'check',
      key: A,
      when: { exists: true },
      failure: () => new GatehouseError('not_found', 'nothing there'),
    };
    expect(await refusalOf(() => table.writer.send([failing]))).toMatchObject({ code: 'not_found' });
  });
});

test('a writer that meets others all the time gives up by its deadline', async () => {
  const time = createQueue(0);
  const table = createMemoryTable({
    ...seeded(5, { conflictRate: 1, delayMs: 200 }),
    schedule: time.schedule,
  });
  const sent = refusalOf(() => table.writer.send([put(A, 1)])).then((refusal) => [refusal.code, time.now()]);
  await time.passUntil(60_000);
  const [code, gaveUp] = await sent;
  expect(code).toBe('contended');
  expect(gaveUp).toBeLessThanOrEqual(WRITE_DEADLINE_MS + 200);
  expect(table.items()).toEqual([]);
});

describe('faults that do not pass end the call:', () => {
  const rates: readonly (readonly [
    string,
    Omit<Faults, 'random'>,
    (table: MemoryTable) => Promise<unknown>,
    string,
  ])[] = [
    ['conflicts of a write', { conflictRate: 1 }, ({ writer }) => writer.send([put(A, 1)]), 'contended'],
    ['conflicts of a snapshot', { conflictRate: 1 }, ({ reader }) => reader.getSnapshot([A]), 'contended'],
    ['throttled writes', { throttleRate: 1 }, ({ writer }) => writer.send([put(A, 1)]), 'throttled'],
    ['throttled reads', { throttleRate: 1 }, ({ reader }) => reader.getMany([A]), 'throttled'],
    [
      'throttled lists',
      { throttleRate: 1 },
      ({ reader }) => reader.list({ ranges: [{ partition: 'A' }] }),
      'throttled',
    ],
    ['keys left unread', { unprocessedRate: 1 }, ({ reader }) => reader.getMany([A]), 'throttled'],
  ];
  test.each(rates)('%s', async (_what, faults, call, code) => {
    const table = createMemoryTable(always(faults));
    expect(await refusalOf(() => call(table))).toMatchObject({ code, retryable: true });
    expect(table.items()).toEqual([]);
  });
});

test('faults that take time need somebody who lets it pass', async () => {
  expect(await refusalOf(() => createMemoryTable(always({ delayMs: 1 })))).toMatchObject({
    code: 'invalid',
    field: 'schedule',
  });
});

describe('what DynamoDB refuses and not every engine does:', () => {
  const update = (change: object): Action => ({ kind: 'update', key: A, ...change });
  const refused: readonly (readonly [string, Action])[] = [
    ['two things done to one attribute', update({ set: { n: 1 }, remove: ['n'] })],
    ['a key that changes', update({ set: { SK: 'OTHER' } })],
    ['an update of nothing', update({})],
    ['an empty key', put({ PK: '', SK: 'META' }, 1)],
    ['a key of more than 1,024 bytes', put({ PK: 'A', SK: 'ä'.repeat(513) }, 1)],
    ['a key with more than its two attributes', { kind: 'delete', key: { ...A, n: 1 } as Key }],
    ['a number added to a text', update({ add: { text: 1 } })],
    ['members taken out of a text', update({ takeOut: { text: new Set(['x']) } })],
  ];
  test.each(refused)('%s', async (_what, action) => {
    const table = createMemoryTable({ items: [{ ...A, text: 'x' }] });
    expect(await refusalOf(() => table.writer.send([action]))).toMatchObject({ code: 'internal' });
    expect(table.items()).toEqual([{ ...A, text: 'x' }]);
  });
});
