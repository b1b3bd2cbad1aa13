import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import type { Item } from '../../table/item.ts';
import { createWorld } from '../support/world.ts';
import { gatehouse } from './support.ts';

/** `gatehouse migrate`, on a table in which the release before has written. */
const key = { PK: '', SK: 'META' };
const world = await createWorld();
key.PK = `USER#${(await world.run('user.create', { email: 'ann@example.com' })).id}`;
const migrate = (...args: readonly string[]) =>
  gatehouse(['migrate', ...args], { env: { TABLE_NAME: world.table }, now: world.clock.now });
const read = async () => (await world.reader.get(key)) as Item;
const put = (item: Item) => world.client.send(new PutCommand({ TableName: world.table, Item: item }));

test('a dry run counts: 1; a migration: 0; a table of this form: 0', async () => {
  const { v: _, ...older } = await read();
  await put(older as Item);
  const counted = await migrate('--dry-run');
  expect(counted).toMatchObject({ code: 1, error: '' });
  expect(counted.out).toMatch(
    /^form 1: 0 migrated, 1 of an older form, 0 of a newer form \(\d+ items\)\nsplit: 0 decision items, 0 left\n$/,
  );
  expect(await read()).toEqual(older);

  const done = await migrate('--rate', '100000');
  expect(done).toMatchObject({ code: 0, error: '' });
  expect(done.out).toMatch(/^form 1: 1 migrated, 0 of an older form, 0 of a newer form/);
  expect(await read()).toEqual({ ...older, v: 1 });

  const again = await migrate('--json');
  expect(again.code).toBe(0);
  expect(JSON.parse(again.out)).toMatchObject({ form: 1, migrated: 0, older: 0, newer: 0 });
});

test('an item of a newer form stays as it is, and the exit code is 1', async () => {
  const item = await read();
  await put({ ...item, v: 3 });
  const { code, out } = await migrate();
  expect([code, await read()]).toEqual([1, { ...item, v: 3 }]);
  expect(out).toContain('1 of a newer form');
  await put(item);
});
