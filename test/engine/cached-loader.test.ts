import { describe, expect, test } from 'vitest';
import { createCachedLoader } from '../../engine/cached-loader.ts';

/** A cache that is bounded in bytes, and shared loads: nothing of ages. */
interface Value {
  readonly name: string;
  readonly bytes: number;
}
const value = (name: string, bytes = 10): Value => ({ name, bytes });

function setUp(maxBytes = 100) {
  let time = 0;
  let onAsk = () => {};
  const now = () => {
    onAsk();
    return time;
  };
  const loader = createCachedLoader<Value>({ maxBytes, sizeOf: ({ bytes }) => bytes, now });
  const started: (readonly string[])[] = [];
  const loads: { readonly resolve: (value: Value) => void; readonly reject: (error: Error) => void }[] = [];
  const start = (keys: readonly string[]) => {
    started.push(keys);
    return keys.map(() => new Promise<Value>((resolve, reject) => loads.push({ resolve, reject })));
  };
  const load = (keys: readonly string[], since: number) => loader.load(keys, since, start);
  return {
    loader,
    load,
    loads,
    started,
    setTime: (at: number) => (time = at),
    whenAsked: (action: () => void) => {
      onAsk = action;
    },
  };
}

test('values are kept until they are forgotten', () => {
  const { loader } = setUp();
  expect(loader.find('a')).toBeUndefined();
  loader.keep('a', value('first'));
  loader.keep('a', value('second'));
  expect(loader.find('a')).toEqual(value('second'));
  loader.forget('a');
  expect(loader.find('a')).toBeUndefined();
});

test('the cache is bounded in bytes: what was used least recently goes first, what is larger is not kept', () => {
  const { loader } = setUp(30);
  for (const name of ['a', 'b', 'c']) loader.keep(name, value(name));
  loader.find('a');
  loader.keep('d', value('d'));
  loader.keep('c', value('large', 31));
  expect(['a', 'b', 'c', 'd'].filter((key) => loader.find(key))).toEqual(['a', 'd']);
});

describe('loads', () => {
  test('of one key in flight are shared if they began in time', async () => {
    const { load, loads, started, setTime } = setUp();
    setTime(5);
    const [first] = load(['a'], 0);
    setTime(9);
    const [second] = load(['a'], 5);
    expect(second).toBe(first);
    const [third] = load(['a'], 6);
    expect(third).not.toBe(first);
    expect(started).toEqual([['a'], ['a']]);
    loads[0]?.resolve(value('early'));
    loads[1]?.resolve(value('late'));
    expect(await Promise.all([first, second, third])).toEqual(
      ['early', 'early', 'late'].map((name) => value(name)),
    );
  });

  test('that are not shared are started together, in order; results are in the order of the keys', async () => {
    const { load, loads, started } = setUp();
    load(['b'], 0);
    const answers = load(['a', 'b', 'c'], 0);
    expect(started).toEqual([['b'], ['a', 'c']]);
    for (const [n, name] of ['b', 'a', 'c'].entries()) loads[n]?.resolve(value(name));
    expect((await Promise.all(answers)).map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  });

  test.each(['resolve', 'reject'] as const)('that have ended are no longer shared: %s', async (how) => {
    const { load, loads, started } = setUp();
    const [first] = load(['a'], 0);
    if (how === 'resolve') loads[0]?.resolve(value('a'));
    else loads[0]?.reject(new Error('no'));
    await first?.catch(() => undefined);
    load(['a'], 0);
    expect(started).toHaveLength(2);
  });

  test('that end do not hide a later one of the same key', async () => {
    const { load, loads, started, setTime } = setUp();
    const [early] = load(['a'], 0);
    setTime(5);
    const [late] = load(['a'], 5);
    loads[0]?.resolve(value('early'));
    await early;
    expect(load(['a'], 5)[0]).toBe(late);
    expect(started).toHaveLength(2);
  });

  test('do not fill the cache by themselves: the caller decides what to keep', async () => {
    const { loader, load, loads } = setUp();
    const [loaded] = load(['a'], 0);
    loads[0]?.resolve(value('a'));
    await loaded;
    expect(loader.find('a')).toBeUndefined();
  });
});

describe('clear', () => {
  test('forgets values and loads in flight; waiting callers still get their results', async () => {
    const { loader, load, loads, started } = setUp();
    loader.keep('b', value('b'));
    const [waiting] = load(['a'], 0);
    loader.clear();
    expect(loader.find('b')).toBeUndefined();
    const [after] = load(['a'], 0);
    expect(after).not.toBe(waiting);
    expect(started).toHaveLength(2);
    loads[0]?.resolve(value('before'));
    expect(await waiting).toEqual(value('before'));
    // The end of a load that was forgotten does not hide the one that took its place.
    expect(load(['a'], 0)[0]).toBe(after);
  });

  test('during the reading of the clock also stops sharing loads in flight', () => {
    const { loader, load, started, whenAsked } = setUp();
    load(['a'], 0);
    whenAsked(() => loader.clear());
    expect(load(['a', 'b'], 0)).toHaveLength(2);
    expect(started).toEqual([['a'], ['a', 'b']]);
  });
});
