import { expect, test } from 'vitest';
import type { Composed } from '../../authorizer/sockets/compose.ts';
import { connectOnce, warmUpOf } from '../../authorizer/sockets/warm-up.ts';
import { warmUp } from '../../engine/warm-up.ts';

const sockets: Composed['sockets'] = () => Promise.reject(new Error('no event is for the real one'));

test('connects to DynamoDB, and gives no made-up event to the real function', async () => {
  const done: string[] = [];
  await warmUp(warmUpOf({ sockets, prefetch: async () => void done.push('prefetch') }));
  expect(done).toEqual(['prefetch']);
});

test('makes up a connection that is allowed', async () => {
  expect(await connectOnce()).toEqual({ statusCode: 200 });
});
