import { expect, test } from 'vitest';
import { createOperatorsWorld, type OperatorsWorld } from '../operators.ts';
import { createLedgerWorld } from '../support.ts';

/** Who may set up what people come by: ann is the operator of acme, zoe of that and of what is no tenant's. */
const world: OperatorsWorld = await createOperatorsWorld(await createLedgerWorld());
await world.register(
  ...['domain.create', 'domain.delete', 'domain.list', 'scim-connection.create', 'scim-connection.update'],
  ...['scim-connection.read', 'scim-credential.create', 'scim-credential.delete', 'scim-credential.list'],
  ...[
    'scim-user.create',
    'scim-user.update',
    'scim-user.list',
    'user.create',
    'user.update',
    'access.compare',
  ],
);
await world.run('domain.create', { name: 'acme.example', tenant: 'tenant:acme' });
await world.run('scim-connection.create', { id: 'c', scope: 'tenant:acme', name: 'staff' });
await world.run('scim-connection.create', { id: 'g', scope: 'tenant:globex', name: 'staff' });

test('a domain, and the issuer of a connection, take the right for what belongs to no tenant', async () => {
  const domain = { name: 'more.example', tenant: 'tenant:acme' };
  const login = { scope: 'tenant:acme', name: 'x', issuer: 'https://login.example' };
  const outcomes = async (who: string) => [
    await world.outcome(who, 'domain.create', domain, { dryRun: true }),
    await world.outcome(who, 'domain.delete', { name: 'acme.example' }, { dryRun: true }),
    await world.outcome(who, 'scim-connection.create', login, { dryRun: true }),
    await world.outcome(who, 'scim-connection.update', { id: 'c', issuer: 'https://x' }, { dryRun: true }),
    await world.outcome(who, 'scim-connection.update', { id: 'c', name: 'all' }, { dryRun: true }),
  ];
  expect(await outcomes('ann')).toEqual([
    ...['not_permitted', 'not_permitted', 'not_permitted issuer', 'not_permitted issuer', 'ok'],
  ]);
  expect(await outcomes('zoe')).toEqual(['ok', 'ok', 'ok', 'ok', 'ok']);
  const compared = (input: object) =>
    world.outcome('ann', 'access.compare', { commands: [{ command: 'scim-connection.update', input }] });
  expect(await compared({ id: 'c', name: 'all' })).toBe('ok');
  expect(await compared({ id: 'c', issuer: 'https://x' })).toMatch('not_permitted');
});

test('a tenant has a say in its own connections, and sees no difference to what is not there', async () => {
  const outcomes = async (connection: string) => [
    await world.outcome('ann', 'scim-connection.read', { id: connection }),
    await world.outcome('ann', 'scim-credential.create', { connection }, { dryRun: true }),
    await world.outcome('ann', 'scim-credential.list', { connection }),
    await world.outcome('ann', 'scim-user.list', { connection }),
  ];
  expect(await outcomes('c')).toEqual(['ok', 'ok', 'ok', 'ok']);
  const foreign = ['not_permitted id', ...Array.from({ length: 3 }, () => 'not_permitted connection')];
  expect(await outcomes('g')).toEqual(foreign);
  expect(await outcomes('nothing')).toEqual(foreign);
});

test('whoever makes or changes a user by a connection needs the right to the user as well', async () => {
  const make = { connection: 'c', userName: 'bea', email: 'bea@acme.example' };
  expect(await world.outcome('ann', 'scim-user.create', make)).toBe('not_permitted');
  expect(await world.outcome('zoe', 'scim-user.create', make)).toBe('ok');
  const { user } = await world.run('scim-user.find', { connection: 'c', userName: 'bea' });
  const change = { connection: 'c', user, displayName: 'Bea' };
  expect(await world.outcome('ann', 'scim-user.update', change)).toBe('not_permitted');
  expect(await world.outcome('zoe', 'scim-user.update', change)).toBe('ok');
  // As a part of a transaction as well.
  const commands = [{ command: 'scim-user.update', input: { ...change, displayName: 'Bee' } }];
  expect(await world.outcome('ann', 'transaction.write', { commands })).toMatch('not_permitted');
  expect(await world.outcome('zoe', 'transaction.write', { commands })).toBe('ok');
});
