import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { stamped, touchDecision } from '../../table/decision/writes.ts';
import { createLightLedgerWorld } from './support.ts';

/** What is as deep or as large as may be works; one more is refused before anything is written. */
const world = await createLightLedgerWorld();
await world.apply(`
pages: [home]
scopes:
  deep: { id: deep, type: client }
  p: { id: p, type: project, parent: deep }
  b: { id: b, type: building, parent: p }
  other: { id: other, type: tenant }
roles: { visitor: { owner: deep, allow: [home] } }
groups: { last: { id: last, scope: other } }
users: { ann: { id: ann, assignments: [{ role: visitor, scope: deep }] }, full: { id: full } }
`);

test('a scope of sixteen levels is decided in two calls; the seventeenth is refused', async () => {
  let parent = 'building:b';
  for (let level = 3; level <= 16; level++)
    parent = `zone:${(await world.run('zone.create', { name: `z${level}`, parent })).id}`;
  world.settle();
  world.calls.length = 0;
  expect(await world.newEngine().check('user:ann', 'home', parent)).toMatchObject({ reason: 'role' });
  expect(world.calls.map(({ operation }) => operation)).toEqual(['BatchGetItem', 'BatchGetItem']);
  const written = world.transactions.length;
  for (const type of ['zone', 'device'])
    expect(await world.outcome(`${type}.create`, { name: 'x', parent })).toBe('limit_exceeded parent');
  expect(world.transactions.length).toBe(written);
  await world.run('scope.delete-tree', { scope: 'client:deep' });
  expect(await world.refused('client.read', { id: 'deep' })).toMatchObject({ code: 'not_found' });
});

test('the membership by which a decision item would pass 400 KB is refused, and nothing of it is written', async () => {
  // Groups that are not there, as many as it takes: only the size matters here.
  for (const portion of [1_000, 100, 10, 1]) {
    for (let isFull = false; !isFull; ) {
      const groups = new Set(Array.from({ length: portion }, () => ulid()));
      const joined = { ...touchDecision({ type: 'user', id: 'full' }), add: { groups } };
      isFull = await world.writer.send(stamped([joined], { writtenAt: 1, writeId: 'joined' })).then(
        () => false,
        ({ code }) => code === 'limit_exceeded',
      );
    }
  }
  const stateOf = () => world.reader.listAll({ ranges: [{ partition: 'USER#full' }] });
  const before = await stateOf();
  expect(await world.refused('membership.create', { user: 'full', group: 'last' })).toMatchObject({
    code: 'limit_exceeded',
    retryable: false,
  });
  expect(await stateOf()).toEqual(before);
  expect(await world.listed('membership.list', { group: 'last' })).toEqual([]);
});
