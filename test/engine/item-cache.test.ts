import { describe, expect, test, vi } from 'vitest';
import { createItemCache, type Entry } from '../../engine/item-cache.ts';
import type { Kind } from '../../engine/items.ts';
import { GatehouseError } from '../../table/errors.ts';
import { FORMS } from '../../table/form.ts';
import type { Item } from '../../table/item.ts';
import type { Key } from '../../table/keys.ts';
import type { ReadNotes } from '../../table/reader.ts';
import { until } from '../support/eventually.ts';

/** What is known of an item after reads: which write it is of, and in which span that write was current (ADR 0014). */
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
  const getMany = vi.fn((keys: readonly Key[], notes?: ReadNotes) => {
    calls.push(keys.map(({ PK }) => PK));
    if (notes) notes.calls += 1;
    if (notes?.units !== undefined) notes.units += keys.length;
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
    return entry && { value: entry.value, from: entry.span.from, until: entry.span.until };
  };
  return { cache, calls, getMany, answers, begin, read, spanOf, setTime: (at: number) => (time = at) };
}

/** What a read finds: `none`, `~x` for a value without a stamp, `w1@3000` for a write and its stamp, `w1@3000=x` for its value. */
function foundBy(text: string): Found {
  if (text === 'none') return undefined;
  if (text.startsWith('~')) return { value: text.slice(1) };
  const [stamp = '', value] = text.split('=');
  const [writeId = '', writtenAt] = stamp.split('@');
  return write(writeId, Number(writtenAt), value ?? writeId);
}

describe('what is known after reads, each from its start to its end', () => {
  test.each([
    ['a write begins a margin after its stamp', '5000-5100 w1@3000', 'w1 4000-5000'],
    ['or after the end of the read, if that is earlier', '5000-5100 w1@4900', 'w1 5101-5000'],
    ['it is empty until the next read', '5000-5100 w1@4900, 5101-5200 w1@4900', 'w1 5101-5101'],
    ['a slow read does not shorten it', '5000-5400 w1@4900, 5020-5300 w1@4900', 'w1 5301-5020'],
    ['writes within a millisecond differ by their ids', '5000-5100 w1@0, 6000-6100 w2@0', 'w2 1000-6000'],
    [
      'of two writes the one that was certainly committed when it was read counts',
      '5000-5100 w1@4900, 5101-5200 w2@5050',
      'w2 5201-5101',
    ],
    ['whatever was read in between', '4500-5200 w2@4600, 5000-5100 w1@3000', 'w2 5201-4500'],
    ['if their order is unknown, that of before', '5000-5100 w1@4900, 5100-5200 w2@5050', 'w1 5101-5000'],
    ['a slow read does not bring back the older', '5000-5400 w1@4000, 5200-5300 w2@5100', 'w2 5301-5200'],
    ['a damaged write leaves it', '5000-5100 w1@0, 6000-6100 w2@0=damaged', 'w1 1000-5000'],
    ['what is absent was so always', '5000-5100 none', 'null -Infinity-5000'],
    ['up to the start of the last read', '5000-5100 none, 6000-6100 none', 'null -Infinity-6000'],
    ['it gives way to a read after it was seen', '5000-5100 none, 5101-5200 w1@5050', 'w1 5201-5101'],
    ['and to no earlier one', '5000-5100 none, 5100-5200 w1@5050', 'null -Infinity-5000'],
    [
      'it was seen at the latest end of the reads that did not find it',
      '5000-5400 none, 5010-5100 none, 5400-5500 w1@5050',
      'null -Infinity-5010',
    ],
    ['and not later', '5000-5400 none, 5010-5100 none, 5401-5500 w1@5050', 'w1 5501-5401'],
    ['it takes the place of what was there', '5000-5100 w1@4900, 5101-5200 none', 'null -Infinity-5101'],
    ['unless it was read too early', '5000-5100 w1@4900, 5100-5200 none', 'w1 5101-5000'],
    [
      // The write was deleted again, which leaves no trace.
      'absent twice, it is kept against a slow read of the write between',
      '5000-5100 none, 5200-5500 w1@4000, 5300-5400 none',
      'null -Infinity-5300',
    ],
    ['without a stamp it counts as written when it was read', '5000-5100 ~x', 'x 5101-5000'],
    ['a second read confirms it', '5000-5100 ~x, 5101-5200 ~x', 'x 5101-5101'],
    ['with other content it is another write', '5000-5100 ~x, 6000-6100 ~y', 'y 6101-6000'],
    ['and so it is with a stamp', '5000-5100 ~x, 6000-6100 ~y, 7000-7100 w1@6500=y', 'y 7101-7000'],
  ])('%s: %s → %s', async (_, reads, expected) => {
    const { begin, spanOf } = setUp({ kind: reads.includes('~') ? MAY_LACK_STAMP : KIND });
    const all = reads.split(', ').map((each) => {
      const [, start, end, text = ''] = /^(\d+)-(\d+) (.+)$/.exec(each) ?? [];
      return { start: Number(start), end: Number(end), text };
    });
    const moments = all.flatMap(({ start, end, text }) => {
      let reading: ReturnType<typeof begin> | undefined;
      return [
        {
          at: start,
          act: () => {
            reading = begin(start, { a: foundBy(text) });
          },
        },
        { at: end, act: () => reading?.end(end) },
      ];
    });
    for (const { act } of moments.sort((one, other) => one.at - other.at)) await act();
    const span = spanOf();
    expect(`${span?.value} ${span?.from}-${span?.until}`).toBe(expected);
  });

  test('reads extend it in whatever order they end', async () => {
    const { begin, spanOf } = setUp();
    const [late, quick] = [begin(5_020, { a: write('w1', 4_900) }), begin(5_010, { a: write('w1', 4_900) })];
    await late.end(5_300);
    await quick.end(5_100);
    expect(spanOf()).toEqual({ value: 'w1', from: 5_101, until: 5_020 });
  });

  test('a read returns what it read, also where that is not cached, and leaves what others have read', async () => {
    const { read } = setUp();
    const first = await read(5_000, 5_100, write('w1', 4_900));
    const second = await read(5_100, 5_200, write('w2', 5_050));
    expect(second).toMatchObject({ value: 'w2', span: { from: 5_201, until: 5_100 } });
    await read(6_000, 6_100, write('w3', 5_500));
    expect(first).toMatchObject({ value: 'w1', span: { from: 5_101, until: 5_000 } });
  });

  test('what is absent has the value that its kind defines', async () => {
    const { read, spanOf } = setUp({ kind: { ...KIND, absent: () => 'nothing' } });
    await read(5_000, 5_100, undefined);
    expect(spanOf()).toMatchObject({ value: 'nothing' });
  });

  test('what lacks a stamp is damaged if its kind requires one', async () => {
    const { read, spanOf } = setUp();
    expect(await read(5_000, 5_100, { value: 'x' })).toMatchObject({ code: 'damaged_item' });
    expect(spanOf()).toBeUndefined();
  });
});

describe('a kind with members, of which every change rewrites the main item', () => {
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

  test('is current only after its members were read and the item was confirmed', async () => {
    const { readWith, read, spanOf, reads } = withMembers();
    await readWith(5_000, 5_200, write('w1', 0), ['one', 'two']);
    expect(spanOf()).toEqual({ value: ['one', 'two'], from: 5_201, until: 5_000 });
    await read(5_201, 5_300, write('w1', 0));
    expect(spanOf()).toEqual({ value: ['one', 'two'], from: 5_201, until: 5_201 });
    expect(reads).toHaveLength(0);
  });

  test('keeps the same value object while the write is the same', async () => {
    const { readWith, read } = withMembers();
    const first = await readWith(5_000, 5_200, write('w1', 0), ['one']);
    expect((await read(6_000, 6_100, write('w1', 0))).value).toBe(first.value);
  });

  test('is read again with its members after another write', async () => {
    const { readWith, spanOf } = withMembers();
    await readWith(5_000, 5_200, write('w1', 0), ['one']);
    // These are of a write that came between the two reads: the next one tells, and does not confirm them.
    await readWith(6_000, 6_200, write('w2', 5_500), ['one', 'three']);
    expect(spanOf()).toEqual({ value: ['one', 'three'], from: 6_201, until: 6_000 });
    await readWith(6_300, 6_500, write('w3', 6_100), ['three']);
    expect(spanOf()).toEqual({ value: ['three'], from: 6_501, until: 6_300 });
  });

  test('does not take an earlier start from a read that did not include the members', async () => {
    const { readWith, begin, spanOf } = withMembers();
    const other = begin(5_000, { a: write('w1', 0) });
    await readWith(5_000, 5_200, write('w1', 0), ['one']);
    await other.end(5_050);
    expect(spanOf()).toMatchObject({ from: 5_201, until: 5_000 });
  });

  test('of two reads at the same time is current from when the later one had its members', async () => {
    const { begin, reads, setTime, spanOf } = withMembers();
    const both = [begin(5_000, { a: write('w1', 0) }), begin(5_010, { a: write('w1', 0) })];
    const [first, second] = both.map((each, at) => each.end(5_100 + at));
    await vi.waitUntil(() => reads.length === 2, { timeout: 30_000 });
    setTime(5_200);
    reads[0]?.(['one']);
    await first;
    setTime(5_300);
    reads[1]?.(['one']);
    await second;
    expect(spanOf()).toEqual({ value: ['one'], from: 5_301, until: 5_010 });
  });

  test('has its members even if the cache was cleared during the read', async () => {
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

  test('has no members if the item is absent', async () => {
    const { read, spanOf } = withMembers();
    await read(5_000, 5_100, undefined);
    expect(spanOf()).toMatchObject({ value: null });
  });
});

describe('clear', () => {
  test('removes cached entries', async () => {
    const { cache, read, spanOf } = setUp();
    await read(5_000, 5_100, write('w1', 0));
    cache.clear();
    expect(spanOf()).toBeUndefined();
  });

  test('detaches reads in flight: they answer their callers only and are not cached', async () => {
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
  test.each([
    ['a damaged item', 'damaged_item', write('w1', 0, 'damaged')],
    ['one of a newer form', 'newer_form', { ...write('w1', 0), v: FORMS.reads + 1 }],
  ])('%s fails alone, and is not cached', async (_, code, item) => {
    const { begin, spanOf } = setUp();
    const found = await begin(5_000, { a: item, b: write('w1', 0) }).end(5_100);
    expect(found.get('a')).toMatchObject({ code });
    expect(found.get('b')).toMatchObject({ value: 'w1' });
    expect([spanOf('a'), spanOf('b')]).toEqual([undefined, expect.objectContaining({ value: 'w1' })]);
  });

  test('a failed read fails for all its items and is not cached', async () => {
    const { begin, spanOf } = setUp();
    const failing = begin(5_000, { a: write('w1', 0), b: write('w1', 0) });
    await expect(failing.fail(new GatehouseError('throttled', 'no'))).rejects.toMatchObject({
      code: 'throttled',
    });
    expect([spanOf('a'), spanOf('b')]).toEqual([undefined, undefined]);
  });
});

describe('sharing', () => {
  test('a read that began in time is shared, an earlier one is not; its initiator bears the cost', async () => {
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

  test('an item that is requested twice is read once', () => {
    const { cache, calls } = setUp();
    void cache.read(
      ['a', 'b', 'a'].map((id) => ({ kind: KIND, id })),
      0,
    );
    expect(calls).toEqual([['a', 'b']]);
  });
});

describe('what a read costs', () => {
  const WANTED = ['a', 'b'].map((id) => ({ kind: KIND, id }));

  test.each(['read', 'readSnapshot'] as const)('is added up where it is asked for: %s', async (how) => {
    const { cache, answers } = setUp();
    const cost = { calls: 1, units: 5 };
    const reading = how === 'read' ? cache.read(WANTED, 0, cost) : cache.readSnapshot(WANTED, cost);
    answers[0]?.answer();
    expect((await reading).get('b')).toMatchObject({ value: null });
    expect(cost).toEqual({ calls: 2, units: 7 });
  });

  test('is added up where the read fails, too', async () => {
    const { cache, answers } = setUp();
    const cost = { calls: 0, units: 0 };
    const reading = cache.read(WANTED, 0, cost);
    answers[0]?.fail(new GatehouseError('throttled', 'no'));
    await expect(reading).rejects.toMatchObject({ code: 'throttled' });
    expect(cost).toEqual({ calls: 1, units: 2 });
  });

  test('is not asked of the table otherwise', async () => {
    const { cache, answers, getMany } = setUp();
    const reading = cache.read(WANTED, 0);
    answers[0]?.answer();
    await reading;
    expect(getMany.mock.lastCall?.[1]?.units).toBeUndefined();
  });
});

describe('the estimated size of an entry', () => {
  const sizeWith = async (attributes: Readonly<Record<string, unknown>>, id = 'a') =>
    (await setUp().read(5_000, 5_100, { writeId: 'w1', writtenAt: 0, ...attributes }, id)).size;

  test('is that of its place, of its id, and of an id of its write', async () => {
    expect(await sizeWith({})).toBe(360 + 'a'.length + 130 + 'writeId'.length + 'w1'.length);
    expect((await sizeWith({}, 'abc')) - (await sizeWith({}))).toBe(2);
  });

  test.each([
    ['a text', { text: 'xyz' }, 130 + 4 + 3],
    ['a number', { count: 7 }, 130 + 5],
    ['a set', { names: new Set(['a', 'b']) }, 130 + 5 + 2 * 16],
    ['a list', { list: ['a', 'b', 'c'] }, 130 + 4 + 3 * 16],
    ['what every decision item has', { Type: 'Decision', v: 1, status: 'active' }, 0],
  ])('grows by %s', async (_, attributes, bytes) => {
    expect((await sizeWith(attributes)) - (await sizeWith({}))).toBe(bytes);
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

test('an entry larger than the bound is returned but not cached', async () => {
  const { read, spanOf } = setUp({ maxBytes: 1_000 });
  expect(await read(5_000, 5_100, write('w1', 0, 'x'.repeat(1_000)))).toMatchObject({
    span: { until: 5_000 },
  });
  expect(spanOf()).toBeUndefined();
});

test('an entry of another kind under the same id is not found', async () => {
  const { read, spanOf } = setUp();
  await read(5_000, 5_100, write('w1', 0));
  expect(spanOf('a', MAY_LACK_STAMP)).toBeUndefined();
});
