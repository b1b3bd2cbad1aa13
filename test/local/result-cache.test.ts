import { expect, test } from 'vitest';
import { createResultCache } from '../../local/gateway/result-cache.ts';
import { frozenClock } from './support.ts';

function cacheOf(maxEntries: number) {
  const clock = frozenClock();
  return { clock, cache: createResultCache<boolean>({ ttlSeconds: 10, maxEntries, clock: clock.now }) };
}

test('an entry lives for the TTL and not a millisecond longer', () => {
  const { clock, cache } = cacheOf(5);
  cache.put('a', false);
  clock.advance(9_999);
  expect(cache.get('a')).toBe(false);
  clock.advance(1);
  expect(cache.get('a')).toBeUndefined();
});

test('reading does not extend the life of an entry, storing does', () => {
  const { clock, cache } = cacheOf(5);
  cache.put('read', true);
  cache.put('stored', true);
  clock.advance(6_000);
  cache.get('read');
  cache.put('stored', true);
  clock.advance(6_000);
  expect(cache.get('read')).toBeUndefined();
  expect(cache.get('stored')).toBe(true);
});

test('the oldest entry makes room, and storing makes an entry young', () => {
  const { cache } = cacheOf(2);
  cache.put('a', true);
  cache.put('b', true);
  cache.put('a', true);
  cache.put('c', true);
  expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([true, undefined, true]);
});
