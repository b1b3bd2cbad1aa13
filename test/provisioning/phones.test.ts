import { expect, test } from 'vitest';
import { guardKey } from '../../table/keys.ts';
import { createWorld } from '../support/world.ts';

const { run, refused, writer, reader } = await createWorld();

/** A number with the zero of national calls is one that nobody can call, and another text than the one that is meant. */
test.each([
  ...['+49 (0)30 123456', '+49(0)30123456', '+490301234567', '+44 (0) 20 7946 0018', '+41 (0)44 668 18 00'],
  ...['+43 01 234567', '+33 (0)1 23 45 67 89', '+358 (0)9 1234567', '+971 (0)4 1234567'],
  ...['+1 (0)212 5550100', '+7 0495 1234567'],
])('%s is refused, when it is made and when it is changed', async (phone) => {
  const error = { code: 'invalid', field: 'phone', message: expect.stringContaining('leave it out') };
  expect(await refused('user.create', { phone })).toMatchObject(error);
  const { id } = await run('user.create', {});
  expect(await refused('user.update', { id, phone })).toMatchObject(error);
});

test.each([
  ['+49 30 123456', '+4930123456'],
  // Italy and others dial it from abroad as well.
  ['+39 06 698 1234', '+39066981234'],
  ['+378 0549 886377', '+3780549886377'],
  ['+225 07 07 07 07 07', '+2250707070707'],
  ['+229 01 97 97 97 97', '+2290197979797'],
  ['+1 202 555 0100', '+12025550100'],
  ['+800 0123 4567', '+80001234567'],
])('%s is %s', async (phone, stored) => {
  expect(await run('user.create', { phone })).toMatchObject({ phone: stored });
});

test('a number that stands in a table with it is found, changed and freed', async () => {
  const { id } = await run('user.create', { phone: '+4930999999' });
  // As an older release wrote it.
  const [old, now] = ['+49030999999', '+4930999999'];
  const node = { PK: `USER#${id}`, SK: 'META' };
  const guard = await reader.get(guardKey('PHONE', now));
  await writer.send([
    { kind: 'delete', key: guardKey('PHONE', now) },
    { kind: 'put', item: { ...guard, ...guardKey('PHONE', old), value: old } },
    { kind: 'update', key: node, set: { phone: old } },
  ]);
  expect(await run('user.read', { phone: '+49 (0)30 999999' })).toMatchObject({ id });
  expect(await run('user.update', { id, displayName: 'Ann' })).toMatchObject({ phone: old });
  expect(await run('user.update', { id, phone: now })).toMatchObject({ phone: now });
  expect(await reader.get(guardKey('PHONE', old))).toBeUndefined();
  expect(await reader.get(guardKey('PHONE', now))).toMatchObject({ owner: `user:${id}` });
});
