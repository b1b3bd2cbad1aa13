import { afterEach, beforeEach, expect, test } from 'vitest';
import { decisionKey } from '../../../table/keys.ts';
import { findingsOn } from '../findings.ts';
import { createLightLedgerWorld, type Input, type LedgerWorld } from '../support.ts';

/** Somebody whom a connection made, and has no more. */
const MANIFEST = `
scopes:
  acme: { id: acme, type: tenant }
  other: { id: other, type: tenant }
`;
let world: LedgerWorld;
beforeEach(async () => {
  world = await createLightLedgerWorld();
  await world.apply(MANIFEST);
  await world.run('domain.create', { name: 'acme.example', tenant: 'tenant:acme' });
  await world.run('scim-connection.create', { id: 'c', scope: 'tenant:acme', name: 'staff' });
});
afterEach(async () => expect(await findingsOn(world)).toEqual([]));

const create = (input: Input) => world.run('scim-user.create', { connection: 'c', ...input });
const release = (id: unknown) => ({ command: 'user.release', input: { id } });
const accessOf = async (user: unknown) =>
  (await world.reader.get(decisionKey({ type: 'user', id: String(user) })))?.status === 'active'
    ? 'open'
    : 'closed';

test('somebody whom a connection made stays closed until an operator releases the user, who is the operators’ from then on', async () => {
  const { user } = await create({ userName: 'bea', email: 'bea@acme.example' });
  await world.run('scim-user.delete', { connection: 'c', user });
  await world.run('scim-connection.delete', { id: 'c' });
  await world.run('user.update', { id: user, status: 'active' });
  expect(await accessOf(user)).toBe('closed');
  const released = await world.run('user.release', { id: user });
  expect(released).not.toHaveProperty('source');
  expect(released).not.toHaveProperty('sourceActive');
  expect(await accessOf(user)).toBe('open');
  const log = await world.listed('audit.list', { tenant: 'tenant:acme' });
  const [record] = log.filter(({ action }) => action === 'user.release');
  expect(record).toMatchObject({ entityId: user, before: { source: 'c' } });
  // The same again writes nothing.
  const writes = world.transactions.length;
  expect(await world.run('user.release', { id: user })).toEqual({ ...released, kept: true });
  expect(world.transactions.length).toBe(writes);
  // A connection of that name has no more say than of anybody else.
  await world.run('scim-connection.create', { id: 'c', scope: 'tenant:acme', name: 'staff' });
  expect(await create({ userName: 'bea', email: 'bea@acme.example', active: false })).toMatchObject({
    made: false,
  });
  expect(await accessOf(user)).toBe('open');
});

test('whoever moved home is released as well, once the connection has the user no more', async () => {
  const { user } = await create({ userName: 'bea', active: false });
  await world.run('user.update', { id: user, tenant: 'tenant:other' });
  expect(await world.outcome('user.release', { id: user })).toBe('conflict id');
  await world.run('scim-user.delete', { connection: 'c', user });
  await world.run('user.release', { id: user });
  expect(await accessOf(user)).toBe('open');
});

test('nobody is released from a connection that has taken the user up meanwhile', async () => {
  const { user } = await create({ userName: 'bea', email: 'bea@acme.example' });
  await world.run('scim-user.delete', { connection: 'c', user });
  const answer = await world.provisionAround(release(user), () =>
    create({ userName: 'bea', email: 'bea@acme.example', active: false }),
  );
  expect(answer).toMatchObject({ ok: false, error: { code: 'conflict', field: 'id' } });
  expect(await accessOf(user)).toBe('closed');
});

test('a release keeps a suspension of the operators', async () => {
  const { user } = await create({ userName: 'bea' });
  await world.run('scim-user.delete', { connection: 'c', user });
  await world.run('user.update', { id: user, status: 'disabled' });
  await world.run('user.release', { id: user });
  expect(await accessOf(user)).toBe('closed');
});
