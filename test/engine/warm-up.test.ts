import { expect, test } from 'vitest';
import { warmUp, whenWarm } from '../../engine/warm-up.ts';

const never = () => new Promise(() => undefined);
const fails = () => Promise.reject(new Error('ECONNREFUSED'));

test('requests are under way before anything is computed', async () => {
  const order: string[] = [];
  const note = (what: string) => async () => void order.push(what);
  await warmUp({ requests: [note('read'), note('fetch')], compute: note('compute') });
  expect(order).toEqual(['read', 'fetch', 'compute']);
});

test('what fails is left to the first request, and the rest is done', async () => {
  const done: string[] = [];
  const note = (what: string) => async () => void done.push(what);
  await warmUp({ requests: [fails, note('fetch')], compute: fails });
  expect(done).toEqual(['fetch']);
});

test('it ends by its deadline when nobody answers', async () => {
  await expect(warmUp({ requests: [never], compute: never }, 1)).resolves.toBeUndefined();
});

test('whoever awaits a module gets its handler when it is warm: the one that it has then', async () => {
  let end = (): void => undefined;
  const warm = new Promise<void>((resolve) => {
    end = resolve;
  });
  const module = { handler: 'as loaded' };
  const got: string[] = [];
  const waiting = whenWarm(warm, module).then(({ handler }) => got.push(handler));
  module.handler = 'wrapped';
  expect(got).toEqual([]);
  end();
  await waiting;
  expect(got).toEqual(['wrapped']);
});
