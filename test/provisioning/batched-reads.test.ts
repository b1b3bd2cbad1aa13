import { expect, test } from 'vitest';
import { createBatchedReads } from '../../provisioning/batched-reads.ts';
import { identityOf, type Key } from '../../table/keys.ts';
import { createLightWorld } from '../support/world.ts';

/** Pieces of work side by side, whose reads go out together. */
const key = (id: string): Key => ({ PK: `USER#${id}`, SK: 'META' });

async function createStage() {
  const world = await createLightWorld();
  for (const id of ['a', 'b', 'c']) await world.run('user.create', { id });
  const calls: (readonly string[])[] = [];
  const reads = createBatchedReads({
    ...world.reader,
    get: () => Promise.reject(new Error('one by one')),
    getMany: (keys) => {
      calls.push(keys.map(identityOf));
      return world.reader.getMany(keys);
    },
  });
  return { reads, calls };
}
const named = (...ids: readonly string[]) => ids.map((id) => identityOf(key(id)));

test('what all of them wait for is one call, and what was read is not read again', async () => {
  const { reads, calls } = await createStage();
  const found = await Promise.all(
    ['a', 'b', 'a', 'none'].map((id) =>
      reads.work(async (reader, seen) => {
        const item = await reader.get(key(id));
        const [second] = await reader.getMany([key('c'), key(id)]);
        return [item?.id, second?.id, [...seen.keys]];
      }),
    ),
  );
  expect(calls).toEqual([named('a', 'b', 'none'), named('c')]);
  expect(found).toEqual(['a', 'b', 'a', undefined].map((id) => [id, 'c', named(id ?? 'none', 'c')]));
});

test('one that ends, or waits for something else, holds nobody up for good', async () => {
  const { reads, calls } = await createStage();
  const [, , late] = await Promise.all([
    reads.work(async () => 'at once'),
    reads.work(async (reader) => (await reader.get(key('a')))?.id),
    reads.work(async (reader) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return (await reader.get(key('b')))?.id;
    }),
  ]);
  expect(late).toBe('b');
  expect(calls).toEqual([named('a', 'b')]);
});

test('a call that fails is told to all who wait for it', async () => {
  const reads = createBatchedReads({
    ...(await createLightWorld()).reader,
    getMany: () => Promise.reject(new Error('no answer')),
  });
  const all = await Promise.allSettled(['a', 'b'].map((id) => reads.work((reader) => reader.get(key(id)))));
  expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

test('one that ended while it still reads keeps no other reading waiting', async () => {
  const { reads, calls } = await createStage();
  let goOn = () => {};
  const ended = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  // As a command does that looks at two roles at once, of which the first one is refused.
  const left: Promise<unknown>[] = [];
  await reads.work(async (reader) => {
    left.push(ended.then(() => reader.get(key('a'))));
  });
  goOn();
  await Promise.resolve();
  await Promise.resolve();
  expect((await reads.reader.get(key('b')))?.id).toBe('b');
  await Promise.all(left);
  expect(calls.flat()).toEqual(named('a', 'b'));
});
