import { describe, expect, test, vi } from 'vitest';
import { createItemCache, type Entry } from '../../engine/item-cache.ts';
import type { Kind } from '../../engine/items.ts';
import { GatehouseError } from '../../table/errors.ts';
import type { Item } from '../../table/item.ts';
import { until } from '../support/eventually.ts';

/** What is known of an item after reads: which write it is of, and in which span that write was current (ADR 0020). */
const MARGIN = 1_000;

const keyOf = (id: string) => ({ PK: id, SK: 'DECISION' });
function decode(_: string, item: Item): unknown {
  if (item.value === 'damaged') throw new GatehouseError('damaged_item', 'damaged');
  return item.value;
}
const KIND: Kind<unknown> = { keyOf, decode };
const MAY_LACK_STAMP: Kind<unknown> = { keyOf, decode, mayLackStamp: true };

type Found = Readonly<Record<string, unknown>> | undefined;
const write = (writeId: string, writtenAt: number, value: unknown = writeId): Found => ({
  writeId,
  writtenAt,
  value,
});

function setUp({ kind = KIND, maxBytes = 1_000_000 }: { kind?: Kind<unknown>; maxBytes?: number } = {}) {
  let time = 0;
  let returned: readonly Found[] = [];
  const calls: (readonly string[])[] = [];
  const answers: { readonly answer: () => void; readonly fail: (error: Error) => void }[] = [];
  const getMany = vi.fn((keys: readonly { readonly PK: string; readonly SK: string }[]) => {
    calls.push(keys.map(({ PK }) => PK));
    const items = keys.map((key, at) => (returned[at] ? ({ ...key, ...returned[at] } as Item) : undefined));
    return new Promise<readonly (Item | undefined)[]>((resolve, reject) => {
      answers.push({ answer: () => resolve(items), fail: reject });
    });
  });
  const cache = createItemCache({
    reader: { getMany, getSnapshot: getMany },
    now: () => time,
    marginMs: MARGIN,
    maxBytes,
  });

  /** Begins a read of its own, which returns these items of the table; it answers when the test ends it. */
  function begin(start: number, found: Readonly<Record<string, Found>>, each = kind) {
    time = start;
    returned = Object.values(found);
    const reading = cache.read(
      Object.keys(found).map((id) => ({ kind: each, id })),
      Number.POSITIVE_INFINITY,
    );
    const { answer, fail } = answers.at(-1) as (typeof answers)[number];
    return {
      end: (at: number) => {
        time = at;
        answer();
        return reading;
      },
      fail: (error: Error) => {
        fail(error);
        return reading;
      },
    };
  }
  /** One read of one item, from its begin to its end: what it answers with. */
  const read = async (start: number, end: number, found: Found, id = 'a') =>
    (await begin(start, { [id]: found }).end(end)).get(id) as Entry;
  const spanOf = (id = 'a', each = kind) => {
    const entry = cache.find(each, id);
    return entry && { value: entry.value, from: entry.from, until: entry.until };
  };
  return { cache, calls, begin, read, spanOf, setTime: (at: number) => (time = at) };
}

describe('the span of a write', () => {
  test('begins a margin after its stamp, and ends with the begin of the read', async () => {
    const { read, spanOf } = setUp();
    await read(5_000, 5_100, write('w1', 3_000));
    expect(spanOf()).toEqual({ value: 'w1', from: 4_000, until: 5_000 });
  });

  test('begins after the end of the read where that is earlier: then it is empty until it is read again', async () => {
    const { read, spanOf } = setUp();
    await read(5_000, 5_100, write('w1', 4_900));
    expect(spanOf()).toEqual({ value: 'w1', from: 5_101, until: 5_000 });
    await read(5_101, 5_200, write('w1', 4_900));
    expect(spanOf()).toEqual({ value: 'w1', from: 5_101, until: 5_101 });
  });

  test('is extended by every read that returns it, in whatever order they end', async () => {
    const { begin, spanOf } = setUp();
    const [slow, quick] = [begin(5_000, { a: write('w1', 4_900) }), begin(5_010, { a: write('w1', 4_900) })];
    const late = begin(5_020, { a: write('w1', 4_900) });
    await late.end(5_300);
    expect(spanOf()).toEqual({ value: 'w1', from: 5_301, until: 5_020 });
    await slow.end(5_400);
    expect(spanOf()).toEqual({ value: 'w1', from: 5_301, until: 5_020 });
    await quick.end(5_100);
    expect(spanOf()).toEqual({ value: 'w1', from: 5_101, until: 5_020 });
  });

  test('is not extended by a read that returns another write', async () => {
    const { read } = setUp();
    const first = await read(5_000, 5_100, write('w1', 0));
    await read(6_000, 6_100, write('w2', 5_500));
    expect(first).toMatchObject({ value: 'w1', from: 1_000, until: 5_000 });
  });

  test('of a millisecond tells writes apart by their ids', async () => {
    const { read, spanOf } = setUp();
    await read(5_000, 5_100, write('w1', 0));
    await read(6_000, 6_100, write('w2', 0));
    expect(spanOf()).toEqual({ value: 'w2', from: 1_000, until: 6_000 });
  });
});

describe('of two writes', () => {
  test('the one whose read began when the other was certainly there takes its place', async () => {
    const { read, spanOf } = setUp();
    await read(5_000, 5_100, write('w1', 4_900));
    await read(5_101, 5_200, write('w2', 5_050));
    expect(spanOf()).toMatchObject({ value: 'w2' });
  });

  test('the cached one stays where nobody knows which is newer; the read answers with what it read', async () => {
    const { read, spanOf } = setUp();
    await read(5_000, 5_100, write('w1', 4_900));
    const entry = await read(5_100, 5_200, write('w2', 5_050));
    expect(entry).toMatchObject({ value: 'w2', from: 5_201, until: 5_100 });
    expect(spanOf()).toEqual({ value: 'w1', from: 5_101, until: 5_000 });
  });

  test('the older one does not come back with a slow read', async () => {
    const { begin, read, spanOf } = setUp();
    const slow = begin(5_000, { a: write('w1', 4_000) });
    await read(5_200, 5_300, write('w2', 5_100));
    expect((await slow.end(5_400)).get('a')).toMatchObject({ value: 'w1', until: 5_000 });
    expect(spanOf()).toMatchObject({ value: 'w2' });
  });
});

describe('an absent item', () => {
  test('is cached: absent since ever, up to the begin of the last read', async () => {
    const { read, spanOf } = setUp();
    const absent = { value: null, from: Number.NEGATIVE_INFINITY };
    await read(5_000, 5_100, undefined);
    expect(spanOf()).toEqual({ ...absent, until: 5_000 });
    await read(6_000, 6_100, undefined);
    expect(spanOf()).toEqual({ ...absent, until: 6_000 });
  });

  test('has the value that its kind has for it', async () => {
    const kind: Kind<unknown> = { ...KIND, absent: () => 'nothing' };
    const { read, spanOf } = setUp({ kind });
    await read(5_000, 5_100, undefined);
    expect(spanOf()).toMatchObject({ value: 'nothing' });
  });

  test.each([
    [5_101, 'present'],
    [5_100, null],
  ])('gives way to a read that began after it was seen: at %i it is %s', async (start, value) => {
    const { read, spanOf } = setUp();
    await read(5_000, 5_100, undefined);
    const entry = await read(start, 5_200, write('w1', 5_050, 'present'));
    expect(entry.value).toBe('present');
    expect(spanOf()).toMatchObject({ value });
  });

  test.each([
    [5_101, null],
    [5_100, 'w1'],
  ])(
    'takes the place of a write that was there when its read began: at %i it is %s',
    async (start, value) => {
      const { read, spanOf } = setUp();
      await read(5_000, 5_100, write('w1', 4_900));
      await read(start, 5_200, undefined);
      expect(spanOf()).toMatchObject({ value });
    },
  );
});

describe('an item without a stamp', () => {
  const old = (value: string): Found => ({ value });

  test('counts as written when it was read, where its kind may lack one: a second read confirms it', async () => {
    const { read, spanOf } = setUp({ kind: MAY_LACK_STAMP });
    await read(5_000, 5_100, old('x'));
    expect(spanOf()).toEqual({ value: 'x', from: 5_101, until: 5_000 });
    await read(5_101, 5_200, old('x'));
    expect(spanOf()).toEqual({ value: 'x', from: 5_101, until: 5_101 });
  });

  test('with other content is another write', async () => {
    const { read, spanOf } = setUp({ kind: MAY_LACK_STAMP });
    await read(5_000, 5_100, old('x'));
    await read(6_000, 6_100, old('y'));
    expect(spanOf()).toEqual({ value: 'y', from: 6_101, until: 6_000 });
    await read(7_000, 7_100, write('w1', 6_500, 'y'));
    expect(spanOf()).toEqual({ value: 'y', from: 7_101, until: 7_000 });
  });

  test('is damaged where its kind has one', async () => {
    const { read, spanOf } = setUp();
    expect(await read(5_000, 5_100, old('x'))).toMatchObject({ code: 'damaged_item' });
    expect(spanOf()).toBeUndefined();
  });
});

describe('a kind of several items under one that every change of them rewrites', () => {
  /** An API and its routes, read when the test says so. */
  function withMembers() {
    const reads: ((members: readonly string[]) => void)[] = [];
    const kind: Kind<unknown> = {
      keyOf,
      decode: (_, __, members) => members.map(({ name }) => name),
      membersOf: () =>
        new Promise((resolve) => {
          reads.push((names) => resolve(names.map((name) => ({ PK: 'a', SK: name, name }) as Item)));
        }),
    };
    const world = setUp({ kind });
    /** A read of the API with a read of its routes after it. */
    const readWith = async (start: number, end: number, found: Found, members: readonly string[]) => {
      const reading = world.begin(start, { a: found }).end(end - 1);
      await until(() => reads.length > 0);
      world.setTime(end);
      reads.shift()?.(members);
      return (await reading).get('a') as Entry;
    };
    return { ...world, reads, kind, readWith };
  }

  test('is current only from when its members had been read, and that the item stood so still', async () => {
    const { readWith, read, spanOf, reads } = withMembers();
    await readWith(5_000, 5_200, write('w1', 0), ['one', 'two']);
    expect(spanOf()).toEqual({ value: ['one', 'two'], from: 5_201, until: 5_000 });
    await read(5_201, 5_300, write('w1', 0));
    expect(spanOf()).toEqual({ value: ['one', 'two'], from: 5_201, until: 5_201 });
    expect(reads).toHaveLength(0);
  });

  test('keeps what it had, the very same value, as long as the write is the same', async () => {
    const { readWith, read } = withMembers();
    const first = await readWith(5_000, 5_200, write('w1', 0), ['one']);
    expect((await read(6_000, 6_100, write('w1', 0))).value).toBe(first.value);
  });

  test('is read anew with its members under another write', async () => {
    const { readWith, spanOf } = withMembers();
    await readWith(5_000, 5_200, write('w1', 0), ['one']);
    // These are of a write that came between the two reads: the next one tells, and does not confirm them.
    await readWith(6_000, 6_200, write('w2', 5_500), ['one', 'three']);
    expect(spanOf()).toEqual({ value: ['one', 'three'], from: 6_201, until: 6_000 });
    await readWith(6_300, 6_500, write('w3', 6_100), ['three']);
    expect(spanOf()).toEqual({ value: ['three'], from: 6_501, until: 6_300 });
  });

  test('is not begun earlier by a read that had ended before: that one did not see the members', async () => {
    const { readWith, begin, spanOf } = withMembers();
    const other = begin(5_000, { a: write('w1', 0) });
    await readWith(5_000, 5_200, write('w1', 0), ['one']);
    await other.end(5_050);
    expect(spanOf()).toMatchObject({ from: 5_201, until: 5_000 });
  });

  test('has its members also where everything was forgotten while it was read', async () => {
    const { cache, readWith, begin, reads, setTime } = withMembers();
    const early = begin(5_000, { a: write('w1', 0) });
    cache.clear();
    await readWith(5_010, 5_100, write('w1', 0), ['one']);
    const reading = early.end(5_200);
    await until(() => reads.length > 0);
    setTime(5_300);
    reads.shift()?.(['one']);
    expect((await reading).get('a')).toMatchObject({ value: ['one'] });
  });

  test('has none where the item is absent', async () => {
    const { read, spanOf } = withMembers();
    await read(5_000, 5_100, undefined);
    expect(spanOf()).toMatchObject({ value: null });
  });
});

describe('clear', () => {
  test('forgets what is cached', async () => {
    const { cache, read, spanOf } = setUp();
    await read(5_000, 5_100, write('w1', 0));
    cache.clear();
    expect(spanOf()).toBeUndefined();
  });

  test('forgets reads in flight: they answer who asked, but nobody after it, and leave nothing', async () => {
    const { cache, begin, calls, spanOf } = setUp();
    const before = begin(5_000, { a: write('w1', 0) });
    cache.clear();
    const joining = cache.read([{ kind: KIND, id: 'a' }], 0);
    expect(calls).toHaveLength(2);
    expect((await before.end(5_100)).get('a')).toMatchObject({ value: 'w1' });
    expect(spanOf()).toBeUndefined();
    void joining;
  });

  test('changes the generation', () => {
    const { cache } = setUp();
    const before = cache.generation();
    cache.clear();
    expect(cache.generation()).not.toBe(before);
  });
});

describe('what fails', () => {
  test('a damaged item fails alone, and is not cached', async () => {
    const { begin, spanOf } = setUp();
    const found = await begin(5_000, { a: write('w1', 0, 'damaged'), b: write('w1', 0) }).end(5_100);
    expect(found.get('a')).toMatchObject({ code: 'damaged_item' });
    expect(found.get('b')).toMatchObject({ value: 'w1' });
    expect([spanOf('a'), spanOf('b')]).toEqual([undefined, expect.objectContaining({ value: 'w1' })]);
  });

  test('a damaged item leaves alone what is cached', async () => {
    const { read, spanOf } = setUp();
    await read(5_000, 5_100, write('w1', 0));
    await read(6_000, 6_100, write('w2', 0, 'damaged'));
    expect(spanOf()).toEqual({ value: 'w1', from: 1_000, until: 5_000 });
  });

  test('a read fails for all that it was to bring, and is not cached', async () => {
    const { begin, spanOf } = setUp();
    const failing = begin(5_000, { a: write('w1', 0), b: write('w1', 0) });
    await expect(failing.fail(new GatehouseError('throttled', 'no'))).rejects.toMatchObject({
      code: 'throttled',
    });
    expect([spanOf('a'), spanOf('b')]).toEqual([undefined, undefined]);
  });
});

describe('sharing', () => {
  test('a read that began in time is joined, one that began before is not; the cost is of who began it', async () => {
    const { cache, begin, calls, setTime } = setUp();
    const first = begin(5_000, { a: write('w1', 0) });
    setTime(5_050);
    const cost = { calls: 0, units: 0 };
    const joined = cache.read([{ kind: KIND, id: 'a' }], 5_000, cost);
    expect(calls).toEqual([['a']]);
    void cache.read(
      [
        { kind: KIND, id: 'a' },
        { kind: KIND, id: 'b' },
      ],
      5_001,
    );
    expect(calls).toEqual([['a'], ['a', 'b']]);
    const found = (await first.end(5_100)).get('a');
    expect((await joined).get('a')).toBe(found);
    expect(cost).toEqual({ calls: 0, units: 0 });
  });

  test('what is asked for twice is read once', () => {
    const { cache, calls } = setUp();
    void cache.read(
      ['a', 'b', 'a'].map((id) => ({ kind: KIND, id })),
      0,
    );
    expect(calls).toEqual([['a', 'b']]);
  });
});

test('the sizes of the entries bound the cache', async () => {
  const MAX = 4_000;
  const { cache, read } = setUp({ maxBytes: MAX });
  const ids = Array.from({ length: 40 }, (_, n) => `id-${n}`);
  const sizes: number[] = [];
  for (const [n, id] of ids.entries())
    sizes.push((await read(5_000, 5_100, write('w1', 0, 'x'.repeat(20 * n)), id)).size);
  expect(sizes).toEqual([...sizes].sort((a, b) => a - b));
  const cached = ids.map((id) => cache.find(KIND, id)).filter((entry) => entry !== undefined);
  const total = cached.reduce((sum, { size }) => sum + size, 0);
  expect(total).toBeLessThanOrEqual(MAX);
  // Nothing more would have fitted.
  expect(total + Math.max(...sizes)).toBeGreaterThan(MAX);
});

test('an entry larger than the bound is answered with, and not cached', async () => {
  const { read, spanOf } = setUp({ maxBytes: 1_000 });
  expect(await read(5_000, 5_100, write('w1', 0, 'x'.repeat(1_000)))).toMatchObject({ until: 5_000 });
  expect(spanOf()).toBeUndefined();
});

test('room for the memos of a kind is part of its size', async () => {
  const [without, having] = await Promise.all(
    [KIND, { ...KIND, memoBytes: 500 }].map((kind) => setUp({ kind }).read(5_000, 5_100, write('w1', 0))),
  );
  expect(Number(having?.size) - Number(without?.size)).toBe(500);
});

test('what is cached under an id of another kind is not found', async () => {
  const { read, spanOf } = setUp();
  await read(5_000, 5_100, write('w1', 0));
  expect(spanOf('a', MAY_LACK_STAMP)).toBeUndefined();
});
