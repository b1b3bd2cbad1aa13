import { ulid } from 'ulid';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createProvisioning, readScimCredential } from '../../../provisioning/index.ts';
import { nodeKey } from '../../../table/keys.ts';
import { findingsOn } from '../findings.ts';
import { createLedgerWorld, type Input, type LedgerWorld } from '../support.ts';

/** People whom an identity provider sends to the tenant acme; other is a tenant of its own. */
const MANIFEST = `
pages: [home]
scopes:
  acme: { id: acme, type: tenant }
  other: { id: other, type: tenant }
roles:
  reader: { id: reader, owner: acme, allow: [home] }
users:
  ann: { id: ann, email: ann@acme.example, grants: { acme: [reader] } }
  root: { id: root, email: root@acme.example, admin: true }
`;
const ISSUER = 'https://login.acme.example';
const BEA = 'bea@acme.example';
const REFUSED = (field: string) => ({
  code: 'invalid',
  field,
  message: `${field}: this connection may not name a user by it`,
  retryable: false,
});

let world: LedgerWorld;
beforeEach(async () => {
  world = await createLedgerWorld();
  await world.apply(MANIFEST);
  await world.run('domain.create', { name: 'acme.example', tenant: 'tenant:acme' });
  await world.run('domain.create', { name: 'other.example', tenant: 'tenant:other' });
  await world.run('scim-connection.create', { id: 'c', scope: 'tenant:acme', name: 'staff', issuer: ISSUER });
  await world.run('scim-connection.create', { id: 'd', scope: 'tenant:other', name: 'staff' });
});
afterEach(async () => expect(await findingsOn(world)).toEqual([]));

const create = (input: Input) => world.run('scim-user.create', { connection: 'c', ...input });
const update = (user: unknown, input: Input) =>
  world.run('scim-user.update', { connection: 'c', user, ...input });
const refused = (input: Input) => world.refused('scim-user.create', { connection: 'c', ...input });
const userOf = (id: unknown) => world.reader.get(nodeKey({ type: 'user', id: String(id) }));
const statusOf = async (id: unknown) =>
  (await world.reader.get({ PK: `USER#${id}`, SK: 'DECISION' }))?.status;

/** The domain of acme goes to another tenant, or comes back. */
async function lose(tenant = 'other'): Promise<void> {
  await world.run('domain.delete', { name: 'acme.example' });
  await world.run('domain.create', { name: 'acme.example', tenant: `tenant:${tenant}` });
}

describe('a connection that names somebody', () => {
  test('makes a user at home in its tenant where nobody has the login', async () => {
    const said = { userName: 'Bea', externalId: 'x#1', email: 'Bea@acme.example' };
    const link = await create({ ...said, sub: 'b1', givenName: 'Bea' });
    expect(link).toMatchObject({ made: true, active: true, root: 'tenant:acme', email: 'bea@acme.example' });
    expect(await userOf(link.user)).toMatchObject({
      email: 'bea@acme.example',
      issuer: ISSUER,
      sub: 'b1',
      givenName: 'Bea',
      tenant: 'tenant:acme',
      status: 'active',
      source: 'c',
      sourceActive: true,
    });
  });

  test('links somebody who has the email, and changes nothing of the user', async () => {
    const before = await userOf('ann');
    const link = await create({ userName: 'ann', email: 'ANN@acme.example', sub: 's', displayName: 'Ann A' });
    expect(link).toMatchObject({ user: 'ann', made: false });
    await update('ann', { active: false, displayName: 'Other', email: 'x@acme.example' });
    expect({ ...(await userOf('ann')), rev: 0 }).toEqual({ ...before, rev: 0 });
    expect(await statusOf('ann')).toBe('active');
  });

  test('links somebody who has the sub of its issuer', async () => {
    await world.run('user.create', { id: 'cem', issuer: ISSUER, sub: 'c1' });
    expect(await create({ userName: 'cem', sub: 'c1' })).toMatchObject({ user: 'cem', made: false });
  });

  test('makes one user, however many send the email at once', async () => {
    const outcomes = await Promise.all(
      [1, 2, 3, 4].map((n) =>
        world.outcome('scim-user.create', { connection: 'c', userName: `bea${n}`, email: BEA }),
      ),
    );
    expect(outcomes.toSorted()).toEqual([...Array(3).fill('conflict userName'), 'ok']);
  });

  test('keeps userName without case and externalId exactly, within itself', async () => {
    const { user } = await create({ userName: 'Bea#EXT#@x', externalId: 'Id' });
    expect(await refused({ userName: 'bea#ext#@X' })).toMatchObject({ code: 'conflict', field: 'userName' });
    expect(await refused({ userName: 'b', externalId: 'Id' })).toMatchObject({ field: 'externalId' });
    await create({ userName: 'b', externalId: 'id' });
    await world.run('scim-user.create', { connection: 'd', userName: 'Bea#EXT#@x', externalId: 'Id' });
    const find = (by: Input) => world.run('scim-user.find', { connection: 'c', ...by });
    expect(await find({ userName: 'BEA#ext#@x' })).toMatchObject({ user });
    expect(await find({ externalId: 'Id' })).toMatchObject({ user });
    const unlike = { connection: 'c', externalId: 'ID' };
    expect(await world.outcome('scim-user.find', unlike)).toBe('not_found externalId');
  });

  test.each([
    ['an administrator', { email: 'root@acme.example' }, 'email'],
    ['an email of nobody’s domain', { email: 'x@nowhere.example' }, 'email'],
    ['an email of another tenant’s domain', { email: 'x@other.example' }, 'email'],
    ['a domain below its own', { email: 'x@sub.acme.example' }, 'email'],
    ['an email and a sub of two users', { email: 'ann@acme.example', sub: 'two' }, 'email'],
    ['an email of somebody with another sub', { email: 'one@acme.example', sub: 'new' }, 'email'],
    ['a sub of somebody who goes', { sub: 'gone' }, 'sub'],
  ])('is refused %s, always alike', async (_, login, field) => {
    await world.run('user.create', { id: 'two', issuer: ISSUER, sub: 'two' });
    await world.run('user.create', { id: 'one', issuer: ISSUER, sub: 'one', email: 'one@acme.example' });
    await world.run('user.create', { id: 'gone', issuer: ISSUER, sub: 'gone' });
    const key = nodeKey({ type: 'user', id: 'gone' });
    await world.writer.send([{ kind: 'update', key, set: { deletingSince: 'now' } }]);
    expect(await refused({ userName: 'x', ...login })).toEqual(REFUSED(field));
    await world.writer.send([{ kind: 'update', key, remove: ['deletingSince'] }]);
  });

  test('is refused a sub without an issuer', async () => {
    const error = await world.refused('scim-user.create', { connection: 'd', userName: 'x', sub: 'y' });
    expect(error).toEqual(REFUSED('sub'));
  });
});

describe('two states', () => {
  test('of a user whom it made: an operator’s suspension stays when the connection says active', async () => {
    const { user } = await create({ userName: 'bea', email: BEA });
    await update(user, { active: false });
    expect(await statusOf(user)).toBe('inactive');
    await world.run('user.update', { id: user, status: 'disabled' });
    await update(user, { active: true });
    expect(await statusOf(user)).toBe('disabled');
    await update(user, { active: false });
    await world.run('user.update', { id: user, status: 'active' });
    expect(await statusOf(user)).toBe('inactive');
    await update(user, { active: true });
    expect(await statusOf(user)).toBe('active');
  });

  test('are no input of a user’s own commands', async () => {
    const error = await world.refused('user.update', { id: 'ann', sourceActive: true });
    expect(error).toMatchObject({ code: 'invalid', field: 'sourceActive' });
  });

  test('both hold when an operator and the connection write at once', async () => {
    const { user } = await create({ userName: 'bea' });
    await world.run('user.update', { id: user, status: 'disabled' });
    const open = { command: 'user.update', input: { id: user, status: 'active' } };
    await world.provisionAround(open, () => update(user, { active: false }));
    expect(await statusOf(user)).toBe('inactive');
  });
});

describe('a change', () => {
  test('of a user whom it made reaches the user, under the same rules', async () => {
    const { user } = await create({ userName: 'bea', email: 'bea@acme.example', sub: 'b' });
    await update(user, { email: 'eve@acme.example', sub: 'e', givenName: 'Eve', userName: 'eve' });
    expect(await userOf(user)).toMatchObject({ email: 'eve@acme.example', sub: 'e', givenName: 'Eve' });
    const change = (input: Input) => world.refused('scim-user.update', { connection: 'c', user, ...input });
    expect(await change({ email: 'ann@acme.example' })).toEqual(REFUSED('email'));
    expect(await change({ email: 'ann@other.example' })).toEqual(REFUSED('email'));
    await update(user, { email: null, sub: null, givenName: null });
    const left = Object.keys((await userOf(user)) ?? {});
    expect(left.filter((name) => ['email', 'issuer', 'sub', 'givenName'].includes(name))).toEqual([]);
  });

  test('of an administrator stays with the link', async () => {
    const { user } = await create({ userName: 'bea', email: BEA });
    await world.run('admin.create', { user });
    const link = await update(user, { active: false, email: 'eve@acme.example' });
    expect(link).toMatchObject({ made: false, administered: true });
    expect(await userOf(user)).toMatchObject({ email: 'bea@acme.example', sourceActive: true });
    expect(await statusOf(user)).toBe('active');
  });

  test('that is said while somebody is an administrator holds when the flag goes', async () => {
    const { user } = await create({ userName: 'bea', email: BEA });
    await world.run('admin.create', { user });
    await update(user, { active: false });
    await world.run('admin.delete', { user });
    expect(await statusOf(user)).toBe('active');
    expect(await update(user, { givenName: 'Bea' })).toMatchObject({ made: true, active: false });
    expect(await statusOf(user)).toBe('inactive');
    await update(user, { active: true });
    expect(await statusOf(user)).toBe('active');
  });

  test('of a login is refused where others rely on it: another tenant, or the rights of an operator', async () => {
    const named = async (userName: string) =>
      (await create({ userName, email: `${userName}@acme.example` })).user;
    const [bea, eve, may, zoe] = [
      await named('bea'),
      await named('eve'),
      await named('may'),
      await named('zoe'),
    ];
    await world.run('grant.create', { user: bea, scope: 'tenant:other' });
    await world.apply(`
permissions: ["provisioning:create:group"]
scopes: { acme: { id: acme, type: tenant } }
roles: { operator: { id: operator, owner: acme, allow: ["provisioning:create:group"] } }
`);
    await world.run('grant.create', { user: eve, scope: 'tenant:acme', roles: ['operator'] });
    await lose();
    const there = { connection: 'd', userName: 'may', email: 'may@acme.example' };
    expect(await world.run('scim-user.create', there)).toMatchObject({ user: may, made: false });
    for (const user of [bea, eve, may])
      for (const login of [{ sub: 'stolen' }, { email: null }]) {
        const error = await world.refused('scim-user.update', { connection: 'c', user, ...login });
        expect(error).toMatchObject({ code: 'invalid', message: expect.stringContaining('may not name') });
      }
    expect(await update(zoe, { sub: 'z' })).toMatchObject({ sub: 'z' });
  });

  test('of a login on which others rely is refused where its end and a new beginning make it, too', async () => {
    const bea = { connection: 'c', userName: 'bea', email: 'bea@acme.example' };
    const { user } = await create({ userName: 'bea', email: bea.email });
    await world.run('grant.create', { user, scope: 'tenant:other' });
    await world.run('scim-user.delete', { connection: 'c', user });
    const error = await world.refused('scim-user.create', { ...bea, sub: 'stolen' });
    expect(error).toMatchObject({ code: 'invalid', message: expect.stringContaining('may not name') });
    // As the same person she may come back.
    expect(await world.run('scim-user.create', bea)).toMatchObject({ user });
  });

  test('that races with a flag of an administrator finds it', async () => {
    const { user } = await create({ userName: 'bea', email: BEA });
    await world.provisionAround(
      { command: 'scim-user.update', input: { connection: 'c', user, email: 'eve@acme.example' } },
      () => world.run('admin.create', { user }),
    );
    expect(await userOf(user)).toMatchObject({ email: 'bea@acme.example' });
  });

  test.each([
    ['an administrator', 'admin.create', { user: 'ann' }],
    ['closed', 'user.delete', { id: 'ann' }],
  ])('that races with somebody who becomes %s links nobody to what was read', async (_, command, input) => {
    const sent = { connection: 'c', userName: 'ann', email: 'ann@acme.example' };
    const answer = await world.provisionAround({ command: 'scim-user.create', input: sent }, () =>
      world.run(command, input),
    );
    expect(answer).toMatchObject(
      command === 'admin.create'
        ? { ok: false, error: REFUSED('email') }
        : { ok: true, result: { made: true, user: expect.not.stringMatching(/^ann$/) } },
    );
  });

  test('that races with the loss of the domain is refused', async () => {
    const { user } = await create({ userName: 'bea', email: BEA });
    const around = (command: string, input: Input) =>
      world.provisionAround({ command, input: { connection: 'c', ...input } }, () => lose());
    const error = REFUSED('email');
    expect(await around('scim-user.update', { user, email: 'eve@acme.example' })).toMatchObject({ error });
    await lose('acme');
    const fay = { userName: 'fay', email: 'fay@acme.example' };
    expect(await around('scim-user.create', fay)).toMatchObject({ error });
  });

  test('of an issuer meanwhile is found: a sub counts under the issuer that there is', async () => {
    await world.run('user.create', { id: 'cem', issuer: 'https://new.example', sub: 's' });
    const answer = await world.provisionAround(
      { command: 'scim-user.create', input: { connection: 'c', userName: 'x', sub: 's' } },
      () => world.run('scim-connection.update', { id: 'c', issuer: 'https://new.example' }),
    );
    expect(answer).toMatchObject({ ok: true, result: { user: 'cem', made: false } });
  });
});

describe('an end', () => {
  test('leaves the user, who is made again by the next link', async () => {
    const { user } = await create({ userName: 'bea', email: 'bea@acme.example', givenName: 'Bea' });
    await world.run('scim-user.delete', { connection: 'c', user });
    expect(await statusOf(user)).toBe('inactive');
    expect(await world.outcome('scim-user.read', { connection: 'c', user })).toBe('not_found user');
    const again = await create({ userName: 'bea', email: BEA, givenName: 'Beate' });
    expect(again).toMatchObject({ user, made: true });
    expect(await userOf(user)).toMatchObject({ givenName: 'Beate', sourceActive: true });
    expect(await statusOf(user)).toBe('active');
  });

  test('of somebody who administers the tenant is done, and said in the record', async () => {
    await world.apply(`
scopes: { acme: { id: acme, type: tenant } }
roles: { boss: { id: boss, owner: acme, allow: ["provisioning:*:user"] } }
`);
    const { user } = await create({ userName: 'bea' });
    await world.run('assignment.create', { user, scope: 'tenant:acme', role: 'boss' });
    expect(await update(user, { active: false })).toMatchObject({ active: false, administered: true });
    const log = await world.listed('audit.list', { tenant: 'tenant:acme' });
    expect(log.filter(({ administered }) => administered === true)).toMatchObject([
      { action: 'scim-user.update', entityId: `c:${user}` },
    ]);
    await update(user, { active: true });
    const end = await world.run('scim-user.delete', { connection: 'c', user });
    expect(end).toMatchObject({ deleted: true, administered: true });
  });

  test('of a user takes the links along, and leaves nothing of the person in the log', async () => {
    const { user } = await create({ userName: 'bea-name', email: 'bea@acme.example', externalId: 'bea-id' });
    await world.run('scim-user.create', { connection: 'd', userName: 'zz' });
    await update(user, { familyName: 'Bergsson' });
    await world.run('user.erase', { id: user });
    const left = JSON.stringify(await world.everything());
    expect(left).not.toMatch(/bea-name|bea@acme|bea-id|Bergsson/);
    expect((await world.listed('scim-user.list', { connection: 'c' })).length).toBe(0);
  });

  test('of a connection waits for its users, and takes its credentials along', async () => {
    const { user } = await create({ userName: 'bea' });
    await world.run('scim-credential.create', { id: 'k', connection: 'c' });
    expect(await world.refused('scim-connection.delete', { id: 'c' })).toMatchObject({ code: 'conflict' });
    await world.run('scim-user.delete', { connection: 'c', user });
    await world.run('scim-connection.delete', { id: 'c' });
    expect(await world.reader.get(nodeKey({ type: 'scim-credential', id: 'k' }))).toBeUndefined();
  });
});

describe('somebody who is linked and in more groups than one transaction holds', () => {
  /** Links ann, who is in 40 groups then. */
  async function link() {
    await create({ userName: 'ann', email: 'ann@acme.example' });
    for (let n = 0; n < 40; n++) {
      const { group } = await world.run('scim-group.create', { connection: 'c', displayName: `g${n}` });
      await world.run('scim-group.members', { connection: 'c', group, add: ['ann'] });
    }
  }
  const groups = async () => (await world.listed('membership.list', { user: 'ann' })).length;
  const inForce = async () => {
    const item = await world.reader.get({ PK: 'USER#ann', SK: 'DECISION' });
    return item?.groups instanceof Set ? item.groups.size : 0;
  };

  test('is ended and taken back in steps, each of which leaves the table whole', async () => {
    await link();
    const before = await inForce();
    expect(before).toBe(40);
    const first = world.transactions.length;
    await update('ann', { active: false });
    expect(world.transactions.length - first).toBeGreaterThan(1);
    expect([await inForce(), await groups(), await statusOf('ann')]).toEqual([0, 40, 'active']);
    expect(await update('ann', { active: false })).toMatchObject({ kept: true });
    await update('ann', { active: true });
    expect(await inForce()).toBe(40);
  });

  test('goes on where it was stopped', async () => {
    await link();
    const stopped = createProvisioning({ ...world, newId: () => ulid(), budgetMs: -1 });
    const ann = { connection: 'c', user: 'ann' };
    const off = { command: 'scim-user.update', input: { ...ann, active: false } };
    expect(await stopped(off)).toMatchObject({ error: { code: 'unfinished', retryable: true } });
    expect(await inForce()).toBeGreaterThan(0);
    expect(await findingsOn(world)).toEqual([]);
    await update('ann', { active: false });
    expect(await inForce()).toBe(0);
    const end = { command: 'scim-user.delete', input: ann };
    expect(await stopped(end)).toMatchObject({ error: { code: 'unfinished' } });
    expect(await world.outcome('scim-user.update', { ...ann, active: true })).toBe('not_found user');
    await world.run('scim-user.delete', ann);
    expect(await groups()).toBe(0);
  });
});

describe('a credential', () => {
  const shown = async (text: unknown) => readScimCredential(world.reader, String(text), world.clock.now());

  test('speaks for its connection until it ends', async () => {
    const { id, token, expiresAt } = await world.run('scim-credential.create', { connection: 'c' });
    expect(await shown(token)).toEqual({
      connection: 'c',
      credential: id,
      scope: 'tenant:acme',
      issuer: ISSUER,
      expiresAt,
      lastSyncAt: undefined,
    });
    const other = await world.run('scim-credential.create', { connection: 'd' });
    const text = String(token);
    expect(await shown(text.replace('_c_c_', '_c_d_'))).toBeUndefined();
    expect(await shown(text.replace(id, other.id))).toBeUndefined();
    expect(await shown(`${text.slice(0, -1)}${text.endsWith('A') ? 'B' : 'A'}`)).toBeUndefined();
    world.clock.advance(Date.parse(String(expiresAt)) - world.clock.now() - 1);
    expect(await shown(token)).toBeDefined();
    world.clock.advance(1);
    expect(await shown(token)).toBeUndefined();
    await world.run('scim-credential.delete', { id: other.id });
    expect(await shown(other.token)).toBeUndefined();
  });

  test.each(['scim-credential', 'scim-connection'])('is none while the %s is being deleted', async (type) => {
    const { id, token } = await world.run('scim-credential.create', { connection: 'c' });
    const key = nodeKey({ type, id: type === 'scim-connection' ? 'c' : String(id) });
    await world.writer.send([{ kind: 'update', key, set: { deletingSince: 'now' } }]);
    expect(await shown(token)).toBeUndefined();
    await world.writer.send([{ kind: 'update', key, remove: ['deletingSince'] }]);
    expect(await shown(token)).toBeDefined();
  });

  test('is shown once, and kept nowhere', async () => {
    const { token, id } = await world.run('scim-credential.create', { connection: 'c' });
    expect(JSON.stringify(await world.everything())).not.toContain(String(token).slice(-43));
    const read = await world.run('scim-credential.read', { id });
    expect(Object.keys(read)).not.toContain('hash');
  });

  test('is one of two at most, also when three are made at once', async () => {
    const make = () => world.outcome('scim-credential.create', { connection: 'c' });
    expect((await Promise.all([make(), make(), make()])).toSorted()).toEqual([
      'conflict connection',
      'ok',
      'ok',
    ]);
    world.clock.advance(366 * 86_400_000);
    expect(await make()).toBe('ok');
  });

  test('lives no longer than 366 days', async () => {
    const at = (days: number) => new Date(world.clock.now() + days * 86_400_000).toISOString();
    const until = (expiresAt: string) =>
      world.outcome('scim-credential.create', { connection: 'c', expiresAt });
    const outcomes = [await until(at(0)), await until(at(366.1)), await until(at(366))];
    expect(outcomes).toEqual(['invalid expiresAt', 'invalid expiresAt', 'ok']);
  });
});
