import { describe, expect, test } from 'vitest';
import { createWorld } from '../support/world.ts';

/** Lists by tenant, by status and by time: right rows, right order, page by page, one tenant at a time. */
const HOUR = 3_600_000;
const created: Record<string, string[]> = {};

type Row = Readonly<Record<string, unknown>>;

/** All rows of a list, two a page, and the indexes that were asked. */
async function walk(command: string, input: Row): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  do {
    const page = await world.run(command, { ...input, limit: 2, ...(cursor ? { cursor } : {}) });
    expect((page.items as Row[]).length).toBeLessThanOrEqual(2);
    rows.push(...(page.items as Row[]));
    cursor = page.cursor as string | undefined;
  } while (cursor !== undefined);
  return rows;
}
const ids = async (command: string, input: Row) => (await walk(command, input)).map(({ id }) => id);

const world = await createWorld();
const tenants = await Promise.all(
  ['One', 'One more'].map(async (name) => `account:${(await world.run('account.create', { name })).id}`),
);
for (let n = 0; n < 5; n++) {
  for (const tenant of tenants) {
    const endsAt = new Date(Date.parse('2026-06-10T00:00:00.000Z') - n * 24 * HOUR).toISOString();
    const { id } = await world.run('user.create', { tenant, ...(n === 4 ? {} : { endsAt }) });
    created[tenant] = [...(created[tenant] ?? []), id];
  }
  world.clock.advance(HOUR);
}

describe('users of a tenant', () => {
  test('in the order of their creation, none of the other tenant', async () => {
    for (const tenant of tenants) expect(await ids('user.list', { tenant })).toEqual(created[tenant]);
  });

  test('in the opposite order', async () => {
    for (const tenant of tenants)
      expect(await ids('user.list', { tenant, descending: true })).toEqual(created[tenant]?.toReversed());
    const up = await ids('user.list', { status: 'active' });
    expect(await ids('user.list', { status: 'active', descending: true })).toEqual(up.toReversed());
  });

  test('from an instant on, until before another', async () => {
    const [tenant = ''] = tenants;
    const at = (n: number) => new Date(Date.parse('2026-01-15T12:00:00.000Z') + n * HOUR).toISOString();
    expect(await ids('user.list', { tenant, from: at(1), until: at(3) })).toEqual(
      created[tenant]?.slice(1, 3),
    );
    expect(await ids('user.list', { tenant, until: at(0) })).toEqual([]);
    // A period that ends before it begins is empty, not a fault.
    expect(await ids('user.list', { tenant, from: at(3), until: at(1) })).toEqual([]);
    expect(await ids('user.list', { status: 'active', from: at(3), until: at(1) })).toEqual([]);
  });

  test('a user who moves to another tenant moves to its list', async () => {
    const [from = '', to = ''] = tenants;
    const { id } = await world.run('user.create', { tenant: from });
    await world.run('user.update', { id, tenant: to });
    expect(await ids('user.list', { tenant: from })).not.toContain(id);
    expect(await ids('user.list', { tenant: to })).toContain(id);
    await world.run('user.update', { id, tenant: null });
    expect(await ids('user.list', { tenant: to })).not.toContain(id);
    await world.run('user.delete', { id });
  });
});

describe('users by status', () => {
  test('the active ones by their end, those without one last', async () => {
    const rows = await walk('user.list', { status: 'active' });
    const ends = rows.map(({ endsAt }) => endsAt ?? 'never');
    expect(ends).toEqual([...ends].sort());
    expect(rows).toHaveLength(10);
  });

  test('those who end before a date, the one who ends on it left out', async () => {
    const rows = await walk('user.list', { status: 'active', until: '2026-06-09T00:00:00.000Z' });
    expect(rows.map(({ endsAt }) => endsAt)).toEqual([
      ...['2026-06-07', '2026-06-07', '2026-06-08', '2026-06-08'].map((day) => `${day}T00:00:00.000Z`),
    ]);
  });

  test('a user who is disabled leaves one list for the other', async () => {
    const { id } = await world.run('user.create', {});
    await world.run('user.update', { id, status: 'inactive' });
    expect(await ids('user.list', { status: 'active' })).not.toContain(id);
    expect(await ids('user.list', { status: 'inactive' })).toEqual([id]);
  });
});

describe('the audit log', () => {
  test('of a tenant by time, with what was done and to what', async () => {
    const [tenant = ''] = tenants;
    const rows = await walk('audit.list', { tenant });
    expect(rows.map(({ timestamp }) => timestamp)).toEqual(rows.map(({ timestamp }) => timestamp).sort());
    const users = rows.filter(({ action }) => action === 'user.create').map(({ entityId }) => entityId);
    expect(users).toEqual(expect.arrayContaining(created[tenant] ?? []));
    for (const other of created[tenants[1] ?? ''] ?? []) expect(users).not.toContain(other);
  });

  test('a range of it', async () => {
    const [tenant = ''] = tenants;
    const [from, until] = ['2026-01-15T13:00:00.000Z', '2026-01-15T15:00:00.000Z'];
    const rows = await walk('audit.list', { tenant, from, until });
    expect(rows.map(({ entityId }) => entityId)).toEqual(created[tenant]?.slice(1, 3));
  });
});
