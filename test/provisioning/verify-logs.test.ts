import { beforeEach, expect, test } from 'vitest';
import { createProvisioning } from '../../provisioning/index.ts';
import { verify } from '../../provisioning/verify/index.ts';
import type { Item } from '../../table/item.ts';
import { LOG_COUNTERS } from '../../table/keys.ts';
import { createLedgerWorld, type LedgerWorld } from './support.ts';

/** A log says how many records it must have: one that is taken away, or put there by another way, is missed. */
let world: LedgerWorld;
let tenant: string;
beforeEach(async () => {
  world = await createLedgerWorld();
  tenant = `tenant:${(await world.run('tenant.create', { name: 'Acme' })).id}`;
  for (let n = 0; n < 5; n++) await world.run('group.create', { scope: tenant, name: `G${n}` });
});

const findings = async () => {
  const { open } = await verify({ reader: world.reader, clock: world.clock, graceMs: 0 });
  return open.map(({ code, key, expected }) => ({ code, PK: key.PK, expected }));
};
const recordsOf = async () =>
  (await world.everything()).filter(({ Type, tenant: of }) => Type === 'AuditLog' && of === tenant);
const remove = ({ PK, SK }: Item) => world.writer.send([{ kind: 'delete', key: { PK, SK } }]);

test('as many records as were written: no finding, whatever wrote them', async () => {
  const { id } = await world.run('user.create', {});
  await world.run('transaction.write', {
    commands: [
      { command: 'grant.create', input: { user: id, scope: tenant } },
      { command: 'admin.create', input: { user: id } },
      { command: 'group.create', input: { scope: tenant, name: 'together' } },
    ],
  });
  await world.run('audit.create', { tenant, action: 'door-opened', entityType: 'door', entityId: '1' });
  expect(await findings()).toEqual([]);
});

test('a record that was taken away is missing', async () => {
  const [record] = await recordsOf();
  await remove(record as Item);
  expect(await findings()).toEqual([
    {
      code: 'log_missing',
      PK: expect.stringMatching(/^AUDIT_COUNT#TENANT#/),
      expected: expect.stringMatching(/^\d records of 2026-01; \d are there$/),
    },
  ]);
});

test('a record that no command wrote is a surplus', async () => {
  const [record] = await recordsOf();
  await world.writer.send([
    { kind: 'put', item: { ...(record as Item), SK: `${record?.timestamp}#FORGED` } },
  ]);
  expect(await findings()).toMatchObject([{ code: 'log_surplus' }]);
});

test('a count that was taken away shows its records as a surplus', async () => {
  const count = (await world.everything()).find(({ PK }) => PK.startsWith('AUDIT_COUNT#TENANT'));
  await remove(count as Item);
  expect(await findings()).toMatchObject([{ code: 'log_surplus' }]);
});

test('records from before counts are left out', async () => {
  const [record] = await recordsOf();
  const { counter: _, ...old } = record as Item;
  await world.writer.send([{ kind: 'put', item: { ...old, SK: '2025-12-31T00:00:00.000Z#OLD' } as Item }]);
  expect(await findings()).toEqual([]);
});

test('of a month that began a year ago records may have gone by themselves; a surplus is found all the same', async () => {
  const [record, other] = await recordsOf();
  await remove(record as Item);
  world.clock.advance(Date.parse('2027-01-10T00:00:00.000Z') - world.clock.now());
  expect(await findings()).toEqual([]);
  for (let n = 0; n < 2; n++)
    await world.writer.send([
      { kind: 'put', item: { ...(other as Item), SK: `${other?.timestamp}#FORGED${n}` } },
    ]);
  expect(await findings()).toMatchObject([{ code: 'log_surplus' }]);
});

test('a count goes when the last record of its month does', async () => {
  const items = await world.everything();
  const last = Math.max(...items.filter(({ Type }) => Type === 'AuditLog').map(({ ttl }) => Number(ttl)));
  for (const { ttl } of items.filter(({ Type }) => Type === 'AuditCount'))
    expect(Number(ttl)).toBeGreaterThanOrEqual(last);
});

test('concurrent commands of one process take different counts, and all of them are counted', async () => {
  const { writer, reader, clock, newSecret } = world;
  let n = 0;
  const newId = () => `01J8Z0E2Z8D2A3J7A7Y2H9${String(n++).padStart(4, '0')}`;
  const provision = createProvisioning({ reader, writer, clock, newSecret, newId });
  const first = world.transactions.length;
  const answers = await Promise.all(
    Array.from({ length: LOG_COUNTERS }, (_, each) =>
      provision({ command: 'group.create', input: { scope: tenant, name: `at once ${each}` } }),
    ),
  );
  expect(answers.filter(({ ok }) => ok)).toHaveLength(LOG_COUNTERS);
  const used = world.transactions
    .slice(first, first + LOG_COUNTERS)
    .flatMap((sent) => sent.filter(({ key }) => key.PK.startsWith('AUDIT_COUNT')).map(({ key }) => key.SK));
  expect(new Set(used).size).toBe(LOG_COUNTERS);
  expect(await findings()).toEqual([]);
});
