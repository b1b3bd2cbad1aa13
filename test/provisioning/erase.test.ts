import { beforeEach, describe, expect, test } from 'vitest';
import { createProvisioning } from '../../provisioning/index.ts';
import { relationsOf } from '../../provisioning/verify/of-item.ts';
import type { Item } from '../../table/item.ts';
import { pseudonymKey } from '../../table/keys.ts';
import { watchWrites } from '../support/watched-writer.ts';
import { commandsOf } from '../support/world.ts';
import { createOperatorsWorld, operatorsOn } from './operators.ts';
import { createLedgerWorld, type LedgerWorld } from './support.ts';

/** What is personal never stands in the log in clear, and a user who is erased is nowhere in the table. */
const PERSONAL = {
  email: 'seeded.person@example.com',
  phone: '+4930123456',
  username: 'seeded-person',
  issuer: 'https://issuer.example',
  sub: 'seeded-sub',
  displayName: 'Seeded Person',
  givenName: 'Seeded',
  familyName: 'Personovic',
  title: 'Seeded title',
  department: 'Seeded department',
};
const ORIGIN = { ipAddress: '198.51.100.77', userAgent: 'SeededBrowser/1.0' };
const VALUES = [...Object.values(PERSONAL), ...Object.values(ORIGIN), 'seeded-theme', 'seeded-note'].filter(
  (value) => !value.startsWith('https:'),
);

let world: LedgerWorld;
let user: string;
let tenant: string;
beforeEach(async () => {
  world = await createLedgerWorld();
  tenant = `tenant:${(await world.run('tenant.create', { name: 'Acme' })).id}`;
  user = '01J8Z0E2Z8D2A3J7A7Y2H9GQ9C';
});

const send = async (command: string, input: Record<string, unknown>, more: Record<string, unknown> = {}) => {
  const answer = await world.provision({ command, input, ...more });
  expect(answer).toMatchObject({ ok: true });
  return answer.ok ? answer.result : {};
};

const createPerson = () =>
  send('user.create', { id: user, tenant, ...PERSONAL }, { operationId: 'create-person' });

/** All that a person leaves behind. */
async function live(): Promise<void> {
  await createPerson();
  await send('grant.create', { user, scope: tenant });
  await send('session.create', { user, tenant, ...ORIGIN, location: 'seeded-note' });
  await send('setting.create', { scope: `user:${user}`, key: 'theme', value: 'seeded-theme' });
  await send('user.update', { id: user, title: 'Other' }, { actor: `user:${user}`, origin: ORIGIN });
  await send('audit.create', { tenant, action: 'login', entityType: 'user', entityId: user, ...ORIGIN });
  const account = (await world.run('account.create', { name: 'Account' })).id;
  await send('notification.create', {
    notificationType: 'welcome',
    deliveryStatus: 'sent',
    account: `account:${account}`,
    userId: user,
    recipientEmail: PERSONAL.email,
    recipientFirstName: PERSONAL.givenName,
  });
}

const inClear = (items: readonly Item[]): readonly string[] => {
  const text = JSON.stringify(items, (_, value) => (value instanceof Set ? [...value] : value));
  return VALUES.filter((value) => text.includes(value));
};
const log = async () =>
  (await world.everything()).filter(({ Type }) => Type === 'AuditLog' || Type === 'Operation');

test('the log and the recorded answers hold no personal value in clear', async () => {
  await live();
  expect(inClear(await log())).toEqual([]);
});

test('who may read the log through provisioning sees the values, and a repeated command gets its first answer', async () => {
  await live();
  const { items } = await world.run('audit.list', { tenant, limit: 100 });
  const created = { action: 'user.create', after: expect.objectContaining(PERSONAL) };
  expect(items).toContainEqual(expect.objectContaining(created));
  expect(items).toContainEqual(expect.objectContaining({ action: 'login', ...ORIGIN }));
  expect(await createPerson()).toMatchObject(PERSONAL);
});

test('the same value has the same pseudonym, and another user another one', async () => {
  const other = '01J8Z0E2Z8D2A3J7A7Y2H9GQ9D';
  for (const id of [user, other]) await send('user.create', { id, title: 'Doctor' });
  await send('user.update', { id: user, department: 'North' });
  const titles = (await log()).flatMap(({ entityId, before, after }) =>
    [before, after].flatMap((of) => (of ? [[entityId, (of as Record<string, unknown>).title]] : [])),
  );
  const of = (id: string) => new Set(titles.filter(([entity]) => entity === id).map(([, title]) => title));
  expect([of(user).size, of(other).size]).toEqual([1, 1]);
  expect([...of(user)]).not.toEqual([...of(other)]);
  expect(JSON.stringify(titles)).not.toContain('Doctor');
});

describe('user.erase', () => {
  test('afterwards no item of the table holds a personal value, and no pseudonym can be linked', async () => {
    await live();
    await send('user.erase', { id: user });
    expect(inClear(await world.everything())).toEqual([]);
    expect(await world.reader.get(pseudonymKey({ type: 'user', id: user }))).toBeUndefined();
    const { items } = await world.run('audit.list', { tenant, limit: 100 });
    const [created] = (items as Record<string, Record<string, string>>[]).filter(
      ({ action }) => String(action) === 'user.create',
    );
    expect(created?.after?.email).toMatch(/^pseudonym:user:/);
    expect(await world.refused('user.read', { id: user })).toMatchObject({ code: 'not_found' });
  });

  test('leaves the id and the day, and nobody has the id again without saying so', async () => {
    await live();
    await send('user.erase', { id: user });
    const [kept, ...others] = (await world.everything()).filter(({ Type }) => Type === 'Erasure');
    expect(others).toEqual([]);
    const { PK, SK, Type: _, v: __, erasedAt, ...rest } = kept as Item;
    expect([PK, SK, rest]).toEqual([`SECRET#USER#${user}`, 'ERASED', {}]);
    // It is a record of what happened: verification expects nothing beside it.
    expect(relationsOf(kept as Item, world.clock.now())).toEqual([]);
    const refusal = await world.refused('user.create', { id: user, displayName: 'Back' });
    expect(refusal).toMatchObject({ code: 'erased', field: 'id', retryable: false });
    expect(refusal.message).toContain(`user:${user} was erased on ${String(erasedAt).slice(0, 10)}`);
    const back = await send('user.create', { id: user, displayName: 'Back', again: true });
    expect(back).not.toHaveProperty('again');
    await send('user.delete', { id: user });
    await send('user.create', { id: user });
  });

  test('a manifest from before says whom it would bring back, and is applied with a word for it alone', async () => {
    const [ann, ben] = [{ id: user, email: 'ann@example.com' }, { email: 'ben@example.com' }];
    const manifest = { users: { ann, ben } };
    await send('tenant.apply', { manifest });
    await send('user.erase', { id: user });
    await send('user.delete', { id: (await world.run('user.read', ben)).id });
    const { changes } = await world.run('tenant.plan', { manifest });
    const today = new Date(world.clock.now()).toISOString().slice(0, 10);
    expect(changes).toMatchObject([
      { command: 'user.create', label: 'ann', danger: `erased on ${today}`, id: expect.any(String) },
      { command: 'user.create', label: 'ben' },
    ]);
    expect((changes as { danger?: string }[])[1]).not.toHaveProperty('danger');
    expect(await world.refused('tenant.apply', { manifest })).toMatchObject({
      code: 'erased',
      field: 'manifest/users/ann',
      message: expect.stringContaining(`user ann was erased on ${today}: nothing was done`),
    });
    expect(await world.outcome('user.read', ben)).toBe('not_found email');
    await send('tenant.apply', { manifest, again: true });
    expect(await world.run('tenant.plan', { manifest })).toMatchObject({ changes: [], unchanged: 2 });
  });

  test('an onboarding brings nobody back either', async () => {
    await send('user.create', { id: user, displayName: 'Ann' });
    await send('user.erase', { id: user });
    const manifest = { scopes: { Other: { type: 'tenant' } }, users: { ann: { id: user } } };
    expect(await world.refused('tenant.onboard', { manifest })).toMatchObject({ code: 'erased' });
  });

  test('a user who was deleted or erased before can be erased, one who never was cannot', async () => {
    await live();
    await send('user.delete', { id: user });
    const day = new Date(world.clock.now()).toISOString();
    for (const _ of [1, 2]) {
      await send('user.erase', { id: user });
      world.clock.advance(24 * 3_600_000);
    }
    expect(inClear(await world.everything())).toEqual([]);
    expect((await world.everything()).filter(({ Type }) => Type === 'Erasure')).toMatchObject([
      { erasedAt: day },
    ]);
    expect(await world.outcome('user.erase', { id: 'nobody' })).toBe('not_found id');
  });

  describe.each(['sent', 'approved'])('while it is under way, %s', (how) => {
    const create = (more: object) => world.outcome('user.create', { id: user, title: 'Other', ...more });
    let known: Awaited<ReturnType<typeof createOperatorsWorld>> | undefined;
    /** Does `act` before the transaction of this number: the user goes with the first, the key with the last. */
    const eraseAround = async (transaction: number, act: () => Promise<unknown>) => {
      const writer = watchWrites(world.writer, (number) => number === transaction && act());
      const [command, input] = ['user.erase', { id: user }];
      if (!known) return commandsOf({ ...world, writer }).provision({ command, input });
      await known.as('olga', command, input, { operationId: 'erase' });
      return operatorsOn({ ...known, writer }, known).as('pam', 'approval.approve', { id: 'erase' });
    };
    beforeEach(async () => {
      // The operators have an Acme of their own.
      world = await createLedgerWorld();
      known = how === 'approved' ? await createOperatorsWorld(world, ['user.erase']) : undefined;
      await known?.register('user.erase', 'approval.approve');
      await send('user.create', { id: user, title: 'Doctor' });
    });

    test.each([false, true])('nobody has the id, of one who was deleted before: %s', async (isGone) => {
      if (isGone) {
        await send('notification.create', {
          userId: user,
          notificationType: 'welcome',
          deliveryStatus: 'sent',
        });
        await send('user.delete', { id: user });
      }
      const answer = await eraseAround(2, async () => {
        expect(await create({})).toBe('erased id');
        expect(await create({ again: true })).toBe('conflict id');
      });
      expect(answer).toMatchObject({ ok: true });
      expect(await world.reader.get(pseudonymKey({ type: 'user', id: user }))).toBeUndefined();
      expect(await create({ again: true })).toBe('ok');
    });

    test('whoever follows one who was deleted before stays, and so does the key', async () => {
      await send('user.delete', { id: user });
      expect(await eraseAround(1, async () => expect(await create({})).toBe('ok'))).toMatchObject({
        ok: false,
        error: { code: 'invalid', field: 'id', retryable: false },
      });
      expect(await world.run('user.read', { id: user })).toMatchObject({ title: 'Other' });
      expect(await world.reader.get(pseudonymKey({ type: 'user', id: user }))).toBeDefined();
    });

    // Between the two notifications, and after them.
    test.each([2, 3])(
      'nobody has the id of one who is deleted before transaction %i',
      async (transaction) => {
        for (const notificationType of ['welcome', 'reminder'])
          await send('notification.create', { userId: user, notificationType, deliveryStatus: 'sent' });
        const closed = async () => {
          await send('user.delete', { id: user });
          world.clock.advance(1);
          expect(await create({})).toBe('erased id');
          expect(await create({ again: true })).toBe('conflict id');
        };
        expect(await eraseAround(transaction, closed)).toMatchObject({ ok: true });
        expect(await create({ again: true })).toBe('ok');
      },
    );

    test('nor where it is stopped and sent again', async () => {
      for (const notificationType of ['welcome', 'reminder'])
        await send('notification.create', { userId: user, notificationType, deliveryStatus: 'sent' });
      const stop = () => Promise.reject(new Error('stopped'));
      expect(await eraseAround(2, stop)).toMatchObject({ ok: false });
      await send('user.delete', { id: user });
      expect(await create({ again: true })).toBe('conflict id');
      await send('user.erase', { id: user });
      expect(await create({ again: true })).toBe('ok');
    });

    test.each([{ title: 'Doctor' }, {}])('stopped before it, it can be sent again: %j', async (of) => {
      user = '01J8Z0E2Z8D2A3J7A7Y2H9GQ9E';
      await send('user.create', { id: user, ...of });
      const stop = () => Promise.reject(new Error('stopped'));
      expect(await eraseAround(2, stop)).toMatchObject({ ok: false });
      expect(await create({})).toBe('erased id');
      await send('user.erase', { id: user });
      expect(await create({ again: true })).toBe('ok');
    });
  });

  test('records and recorded answers from before pseudonyms lose their personal values', async () => {
    await live();
    const old = await asBefore();
    expect(inClear(old).length).toBeGreaterThan(8);
    await send('user.erase', { id: user });
    expect(inClear(await world.everything())).toEqual([]);
    const kept = (await log()).filter(({ Type }) => Type === 'AuditLog');
    expect(kept.length).toBeGreaterThan(old.filter(({ Type }) => Type === 'AuditLog').length);
  });

  test('of another user nothing is taken away', async () => {
    await live();
    const other = '01J8Z0E2Z8D2A3J7A7Y2H9GQ9D';
    await send('user.create', { id: other, tenant, email: 'other@example.com' });
    await send('user.erase', { id: user });
    expect(await world.run('user.read', { id: other })).toMatchObject({ email: 'other@example.com' });
    const { items } = await world.run('audit.list', { tenant, limit: 100 });
    expect(JSON.stringify(items)).toContain('other@example.com');
  });

  test('stopped between two steps, the same command goes on', async () => {
    await live();
    await asBefore();
    const stop = new AbortController();
    const provision = createProvisioning({ ...world, newId: () => `01J8Z0E2Z8D2A3J7A7Y2H9${counted()}` });
    let n = 0;
    const counted = () => String(n++).padStart(4, '0');
    stop.abort();
    const first = await provision({ command: 'user.erase', input: { id: user } }, { signal: stop.signal });
    expect(first).toMatchObject({ ok: false, error: { code: 'unfinished', retryable: true } });
    await send('user.erase', { id: user });
    expect(inClear(await world.everything())).toEqual([]);
  });
});

/** Puts back what the releases before pseudonyms wrote: records and answers with values in clear. */
async function asBefore(): Promise<readonly Item[]> {
  const { items: shown } = await world.run('audit.list', { tenant, limit: 1_000 });
  const clear = new Map((shown as Record<string, unknown>[]).map((item) => [String(item.id), item]));
  const records = await log();
  const old = records.flatMap((item): Item[] => {
    const plain = clear.get(String(item.id));
    if (item.Type === 'AuditLog') return plain ? [{ ...item, ...plain } as Item] : [];
    return item.command === 'user.create' ? [{ ...item, result: { id: user, ...PERSONAL } }] : [];
  });
  await world.writer.send(old.map((item) => ({ kind: 'put', item })));
  return old;
}

test('an application cannot write a record that looks like one of ours', async () => {
  const forge = (more: object) =>
    world.outcome('audit.create', { action: 'login', entityType: 'user', entityId: user, ...more });
  for (const action of ['user.delete', 'grant.delete', 'verify.repair', 'audit.create'])
    expect(await forge({ action })).toBe('invalid action');
  // Of the kind that ours have: what is malformed would be refused anyway.
  const ours = { source: 'provisioning', actor: 'root', timestamp: '2020-01-01T00:00:00Z', after: {} };
  for (const [field, value] of Object.entries(ours))
    expect(await forge({ [field]: value })).toBe(`invalid ${field}`);
  await send('audit.create', { action: 'login', entityType: 'user', entityId: user }, { actor: 'app' });
  const [record] = (await log()).filter(({ action }) => action === 'login');
  expect(record).toMatchObject({ source: 'application', actor: 'app', status: 'success' });
});
