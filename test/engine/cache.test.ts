import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createCache, GONE, KEPT, USED } from '../../engine/cache.ts';

/** What is used stays, what is not makes room; and never more than there is room for. */
const entry = (weight = 1) => ({ use: KEPT, weight });

function setUp(maxBytes: number) {
  const cache = createCache<ReturnType<typeof entry>>(maxBytes);
  const put = (...ids: readonly string[]) => {
    for (const id of ids) cache.set(id, entry());
  };
  const use = (...ids: readonly string[]) => {
    for (const id of ids) {
      const found = cache.get(id);
      if (found) found.use = USED;
    }
  };
  const among = (...ids: readonly string[]) => ids.filter((id) => cache.get(id) !== undefined);
  return { cache, put, use, among };
}

test('the oldest makes room first', () => {
  const { put, among } = setUp(3);
  put('a', 'b', 'c', 'd');
  expect(among('a', 'b', 'c', 'd')).toEqual(['b', 'c', 'd']);
});

test('what was used since the hand last passed stays', () => {
  const { put, use, among } = setUp(3);
  put('a', 'b', 'c');
  use('a', 'c');
  put('d');
  expect(among('a', 'b', 'c', 'd')).toEqual(['a', 'c', 'd']);
});

test('what was used once goes when the hand comes round again', () => {
  const { put, use, among } = setUp(3);
  put('a', 'b', 'c');
  use('a', 'b', 'c');
  put('d', 'e', 'f', 'g');
  expect(among('a', 'b', 'c')).toEqual([]);
});

test('who comes takes the place of another, of the oldest when all are in use', () => {
  const { put, use, among } = setUp(2);
  put('a', 'b');
  use('a', 'b');
  put('c');
  expect(among('a', 'b', 'c')).toEqual(['b', 'c']);
  use('c');
  put('d');
  expect(among('b', 'c', 'd')).toEqual(['c', 'd']);
});

test('an entry that was replaced or dropped says so, and one that is heavier than all the room is not kept', () => {
  const { cache } = setUp(10);
  const [first, second, heavy] = [entry(), entry(), entry(11)];
  cache.set('a', first);
  cache.set('a', second);
  expect([first.use, second.use, cache.get('a')]).toEqual([GONE, KEPT, second]);
  cache.set('b', heavy);
  expect([heavy.use, cache.get('b'), second.use]).toEqual([GONE, undefined, KEPT]);
});

test('an entry that grows makes others give way, itself as well', () => {
  const { cache, put, among } = setUp(3);
  put('a', 'b', 'c');
  const last = cache.get('c');
  if (!last) throw new Error('c is there');
  cache.grow(last, 1);
  expect(among('a', 'b', 'c')).toEqual(['b', 'c']);
  cache.grow(last, 5);
  expect([among('a', 'b', 'c'), last.use]).toEqual([[], GONE]);
  // What was dropped weighs nothing, however much it grows.
  cache.grow(last, 100);
  put('d', 'e', 'f');
  expect(among('d', 'e', 'f')).toEqual(['d', 'e', 'f']);
});

describe('whatever comes, is used and grows', () => {
  const step = fc.oneof(
    fc.record({ put: fc.nat(12), weight: fc.integer({ min: 1, max: 6 }) }),
    fc.record({ use: fc.nat(12) }),
    fc.record({ grow: fc.nat(12), by: fc.integer({ min: -1, max: 4 }) }),
  );

  test('no more is kept than there is room for, and each change shows', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.array(step, { maxLength: 200 }), (room, steps) => {
        const { cache, use } = setUp(room);
        const made: { id: string; entry: ReturnType<typeof entry> }[] = [];
        for (const each of steps) {
          const before = { version: cache.state.version, kept: made.filter((one) => one.entry.use !== GONE) };
          if ('put' in each) {
            const fresh = entry(each.weight);
            cache.set(String(each.put), fresh);
            made.push({ id: String(each.put), entry: fresh });
          } else if ('use' in each) use(String(each.use));
          else {
            const found = cache.get(String(each.grow));
            if (found && found.weight + each.by > 0) cache.grow(found, each.by);
          }
          const kept = made.filter((one) => one.entry.use !== GONE);
          expect(kept.reduce((sum, one) => sum + one.entry.weight, 0)).toBeLessThanOrEqual(room);
          for (const one of made) expect(cache.get(one.id) === one.entry).toBe(one.entry.use !== GONE);
          if (before.kept.some((one) => one.entry.use === GONE))
            expect(cache.state.version).not.toBe(before.version);
        }
      }),
    );
  });
});
