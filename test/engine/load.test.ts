import { describe, expect, test } from 'vitest';
import type { Kind } from '../../engine/items.ts';
import { type Consistency, createLoad, type LoadOptions, type Plan } from '../../engine/load.ts';
import { FORMS } from '../../table/form.ts';
import type { Item } from '../../table/item.ts';
import type { Key } from '../../table/keys.ts';
import { READ_DEADLINE_MS } from '../../table/timing.ts';

/** How often plans are run and what is read for them, on a reader whose reads take as long as a test says. */
const MARGIN = 1_000;
const keyOf = (id: string): Key | undefined => (id.includes('?') ? undefined : { PK: id, SK: 'DECISION' });
const KIND: Kind<unknown> = { keyOf, decode: (_, item) => item.value };

function setUp(options: Partial<LoadOptions> = {}, readTakesMs = 0) {
  let [time, writes] = [100_000, 0];
  const items = new Map<string, Partial<Item>>();
  const waits: number[] = [];
  const reads: (readonly string[])[] = [];
  const read = async (keys: readonly Key[]) => {
    reads.push(keys.map(({ PK }) => PK));
    const found = keys.map((key) => {
      const item = items.get(key.PK);
      return item && ({ ...key, v: FORMS.usual, ...item } as Item);
    });
    time += readTakesMs;
    return found;
  };
  const { load } = createLoad({
    reader: { getMany: read, getSnapshot: read },
    clock: { now: () => time },
    random: () => 0,
    coherenceMarginMs: MARGIN,
    wait: async (milliseconds) => {
      waits.push(milliseconds);
      time += milliseconds;
    },
    ...options,
  });
  return {
    reads,
    waits,
    /** Writes an item, so long ago. */
    write: (id: string, value: unknown, agoMs = 60_000) =>
      items.set(id, { value, writtenAt: time - agoMs, writeId: `write-${++writes}` }),
    load: <T>(plans: readonly Plan<T>[], consistency: Consistency = 'cached') =>
      load(plans, consistency, (loaded) => loaded.map(({ value }) => value)),
  };
}

/** All of these items, once they are all loaded. */
const all =
  (...ids: readonly string[]): Plan<readonly unknown[]> =>
  (look) => {
    const values = ids.map((id) => look.item(KIND, id));
    return values.includes(undefined) ? undefined : values;
  };
const named = (prefix: string, count: number) => Array.from({ length: count }, (_, n) => `${prefix}${n}`);
/** Wants another item each time, and never comes to an end. */
function endless(): Plan<never> {
  let asked = 0;
  return (look) => {
    look.item(KIND, `item-${asked++}`);
    return undefined;
  };
}

test.each(['cached', 'strong'] as const)(
  'an id that no item can have is absent, and not read: %s',
  async (how) => {
    const { load, reads, write } = setUp();
    write('a', 1);
    expect(await load([all('a', '?')], how)).toEqual([[1, null]]);
    expect(reads).toEqual([['a']]);
  },
);

describe.each(['cached', 'strong'] as const)('a plan that always wants more: %s', (how) => {
  test.each([
    ['64 rounds while the clock stands still', 0, 64],
    ['rounds of a second until the deadline of a read', READ_DEADLINE_MS / 3, 3],
    ['two rounds, however long they take', READ_DEADLINE_MS * 2, 2],
  ])('is contended after %s', async (_, readTakesMs, rounds) => {
    const { load, reads } = setUp({}, readTakesMs);
    await expect(load([endless()], how)).rejects.toMatchObject({ code: 'contended' });
    expect(reads).toHaveLength(rounds);
  });
});

describe('a snapshot', () => {
  test.each([
    ['two plans', [3, 4], [7]],
    ['100 items for two plans', [50, 50], [100]],
    ['101 items for two plans, of which each has its own', [50, 51], [50, 51]],
    ['101 items for three plans', [40, 30, 31], [70, 31]],
    ['101 items for one plan, which the reader refuses', [101], [101]],
  ])('is one for %s', async (_, counts, sizes) => {
    const { load, reads } = setUp();
    const plans = counts.map((count, n) => all(...named(`plan-${n}-`, count)));
    expect(await load(plans, 'strong')).toEqual(counts.map((count) => Array(count).fill(null)));
    expect(reads.map(({ length }) => length)).toEqual(sizes);
  });

  test.each([
    [READ_DEADLINE_MS - 1, [['a']]],
    [READ_DEADLINE_MS, 'contended'],
  ])('that took %i ms: %j', async (readTakesMs, expected) => {
    const { load, reads } = setUp({ ttlMs: 0 }, readTakesMs);
    const outcome = await load([all('a')], 'strong').then(
      () => reads,
      ({ code }) => code,
    );
    expect(outcome).toEqual(expected);
  });
});

describe('what was written within the margin', () => {
  test('is read again with what ends before it begins; what is only prefetched is not', async () => {
    const { load, reads, write, waits } = setUp();
    write('old', 1);
    write('new', 2, MARGIN - 500);
    const plan: Plan<unknown> = (look, run) => {
      if (look.item(KIND, 'old') !== undefined) look.prefetch(KIND, 'next');
      return all('old', 'new')(look, run, undefined);
    };
    expect(await load([plan])).toEqual([[1, 2]]);
    expect(reads).toEqual([
      ['old', 'new'],
      ['old', 'new'],
    ]);
    expect(waits).toEqual([1]);
  });

  test('is read again once, though the cache holds nothing', async () => {
    const { load, reads, write } = setUp({ maxBytes: 1 });
    write('a', 1, 0);
    expect(await load([all('a')])).toEqual([[1]]);
    expect(reads).toEqual([['a'], ['a']]);
  });

  test('and stands in several items is read again once, though the cache holds nothing', async () => {
    const { load, reads, write } = setUp({ maxBytes: 1 });
    let members = 0;
    const kind: Kind<unknown> = {
      keyOf,
      decode: (_, __, items) => items,
      membersOf: async () => {
        members += 1;
        return [];
      },
    };
    write('a', 1, 0);
    expect(await load([(look) => look.item(kind, 'a') ?? undefined])).toEqual([[]]);
    expect([reads.length, members]).toEqual([2, 2]);
  });
});

test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
  'a cache of %d bytes is refused',
  (maxBytes) => {
    expect(() => setUp({ maxBytes })).toThrowError(
      expect.objectContaining({ code: 'invalid', field: 'maxBytes' }),
    );
  },
);
