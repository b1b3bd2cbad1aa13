import { beforeAll, describe, expect, test } from 'vitest';
import type { Entity } from '../../table/entities/entity.ts';
import { ENTITIES } from '../../table/entities/registry.ts';
import { createOperatorsWorld, type OperatorsWorld } from './operators.ts';
import { createLedgerWorld, type Input } from './support.ts';

/** Who may run which command in which tenant (ADR 0032). */
const world: OperatorsWorld = await createOperatorsWorld(await createLedgerWorld());

const [ACME, GLOBEX] = ['tenant:acme', 'tenant:globex'];

describe('who the operator is', () => {
  test('without a token, with a wrong one or with one of a removed user, nothing is done', async () => {
    const read = (token?: unknown) =>
      world.provision({ command: 'tenant.read', input: { id: 'acme' }, token });
    const refused = { error: { code: 'not_permitted', field: 'token' } };
    const text = String(world.tokens.pam?.text);
    const wrong = `${text.slice(0, -1)}${text.endsWith('A') ? 'B' : 'A'}`;
    for (const token of [undefined, 'abc', wrong]) expect(await read(token)).toMatchObject(refused);
    const other = await world.run('token.create', { user: 'pam', tokenType: 'api' });
    expect(await read(other.token)).toMatchObject({ ok: true });
    await world.run('token.revoke', { id: other.id });
    expect(await read(other.token)).toMatchObject(refused);
  });

  test('an administrator who is disabled may do nothing from then on', async () => {
    await world.run('user.update', { id: 'pam', status: 'disabled' });
    expect(await world.outcome('pam', 'tenant.read', { id: 'acme' })).toBe('not_permitted id');
    await world.run('user.update', { id: 'pam', status: 'active' });
  });

  test('the audit record names the operator, whatever the event says', async () => {
    const { outcome, as, run } = world;
    const input = { tenant: ACME, action: 'seen', entityType: 'door', entityId: '1' };
    expect(await outcome('pam', 'audit.create', input, { actor: 'user:olga' })).toBe('not_permitted actor');
    expect(await outcome('pam', 'audit.create', input, { actor: 'user:pam' })).toBe('ok');
    expect((await as('pam', 'audit.create', input)).ok).toBe(true);
    const { items } = (await run('audit.list', { user: 'pam' })) as unknown as { items: { actor: string }[] };
    expect(items.map(({ actor }) => actor)).toEqual(['user:pam', 'user:pam']);
  });

  test('a refusal leaves a line without the token', async () => {
    const { as, lines, tokens } = world;
    lines.length = 0;
    await as('nobody', 'tenant.read', { id: 'acme' }, { operationId: 'try-1' });
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        level: 'WARN',
        service: 'provisioning',
        timestamp: expect.any(String),
        message: 'command refused',
        code: 'not_permitted',
        field: 'id',
        command: 'tenant.read',
        operationId: 'try-1',
        operator: 'user:nobody',
      },
    ]);
    expect(lines.join()).not.toContain(tokens.nobody?.text);
  });
});

describe('where a command may run', () => {
  test('a permission that nobody registered is nobody’s but an administrator’s', async () => {
    const { outcome, register } = world;
    const input = { scope: ACME, name: 'night shift' };
    expect(await outcome('ann', 'role.create', input)).toBe('not_permitted scope');
    expect(await outcome('pam', 'role.create', input)).toBe('ok');
    await register('role.create');
    expect(await outcome('ann', 'role.create', { ...input, name: 'day shift' })).toBe('ok');
  });

  test('in a tenant whose operator one is, and in no other', async () => {
    const { outcome, register, run } = world;
    await register('group.create', 'group.update', 'group.read', 'group.list', 'membership.create');
    const ours = await run('group.create', { scope: ACME, name: 'ours' });
    const theirs = await run('group.create', { scope: GLOBEX, name: 'theirs' });
    for (const [group, expected] of [
      [ours.id, 'ok'],
      [theirs.id, 'not_permitted'],
    ] as const) {
      const at = (field: string) => (expected === 'ok' ? 'ok' : `${expected} ${field}`);
      expect(await outcome('ann', 'group.update', { id: group, name: 'x' })).toBe(at('id'));
      expect(await outcome('ann', 'group.read', { id: group })).toBe(at('id'));
      expect(await outcome('ann', 'membership.create', { user: 'bob', group })).toBe(at('group'));
    }
    expect(await outcome('ann', 'group.list', { scope: ACME })).toBe('ok');
    expect(await outcome('ann', 'group.list', { scope: GLOBEX })).toBe('not_permitted scope');
    // All groups of all tenants.
    expect(await outcome('ann', 'group.list', {})).toBe('not_permitted');
    expect(await outcome('olga', 'group.list', {})).toBe('ok');
  });

  test('in the tenant of a scope far below its root', async () => {
    const { outcome, register, run } = world;
    await register('location.create', 'group.create');
    const { id } = await run('location.create', { name: 'North', code: 'N', parent: ACME });
    expect(await outcome('ann', 'group.create', { scope: `location:${id}`, name: 'x' })).toBe('ok');
    expect(await outcome('gus', 'group.create', { scope: `location:${id}`, name: 'y' })).toBe(
      'not_permitted scope',
    );
  });

  test('what belongs to no tenant is for who has the right in the operations scope, and for administrators', async () => {
    const { outcome, register } = world;
    for (const [command, input] of [
      ['module.create', { name: 'billing' }],
      ['tenant.create', { name: 'Initech' }],
      ['admin.create', { user: 'bob' }],
      // Whoever changes a user can act as this user everywhere.
      ['user.update', { id: 'bob', displayName: 'Bob' }],
      ['token.create', { user: 'bob', tokenType: 'api', tenant: ACME }],
    ] as const) {
      await register(command);
      expect(await outcome('ann', command, input), command).toMatch(/^not_permitted/);
      expect(await outcome('nobody', command, input), command).toMatch(/^not_permitted/);
      expect(await outcome('olga', command, input), command).toBe('ok');
    }
  });

  test('a new user of the tenant is the exception, and no user that is there', async () => {
    const { as, outcome, register } = world;
    await register('user.create', 'user.update', 'membership.create', 'group.create');
    const person = { displayName: 'Carl', givenName: 'Carl', invitedBy: 'ann', status: 'active' };
    const answer = await as('ann', 'user.create', { ...person, tenant: ACME });
    const id = answer.ok ? String(answer.result.id) : '';
    await as('ann', 'group.create', { id: 'invited', scope: ACME, name: 'invited' });
    expect(await outcome('ann', 'membership.create', { user: id, group: 'invited' })).toBe('ok');
    expect(await outcome('ann', 'user.update', { id, displayName: 'C' })).toBe('not_permitted');
    expect(await outcome('ann', 'user.create', { displayName: 'Dora' })).toBe('not_permitted');
  });

  test('a right in the operations scope changes nothing in a tenant, and reads what all lists show', async () => {
    const { outcome, register } = world;
    await register('group.create', 'group.list');
    expect(await outcome('olga', 'group.create', { scope: ACME, name: 'x' })).toBe('not_permitted');
    for (const input of [{}, { scope: ACME }]) expect(await outcome('olga', 'group.list', input)).toBe('ok');
    expect(await outcome('pam', 'group.create', { scope: ACME, name: 'x' })).toBe('ok');
  });

  test('everything of a tenant is listed by who may list each type of it', async () => {
    const { apply, outcome, register, run, tokens } = world;
    const types = Object.values<Entity>(ENTITIES).flatMap(({ type, inTenant }) => (inTenant ? [type] : []));
    await register('tenant.list-all', ...types.map((type) => `${type}.list`));
    await apply(`
scopes: { Acme: { id: acme, type: tenant } }
roles:
  lister: { id: lister, owner: Acme, allow: ["provisioning:list-all:tenant", "provisioning:list:role"] }
users: { lee: { id: lee, grants: { Acme: [lister] } } }
`);
    const { id, token } = await run('token.create', { user: 'lee', tokenType: 'api' });
    tokens.lee = { id: String(id), text: String(token) };
    const list = (type?: string) => outcome('lee', 'tenant.list-all', { tenant: ACME, type });
    expect(await list('role')).toBe('ok');
    for (const type of ['user', 'token', 'mandate', 'site', 'agent', undefined])
      expect(await list(type), type).toBe('not_permitted tenant');
    await apply(`
scopes: { Acme: { id: acme, type: tenant } }
roles: { lister: { id: lister, owner: Acme, allow: ["provisioning:list-all:tenant", "provisioning:list:*"] } }
`);
    for (const type of ['user', 'site', 'agent', undefined]) expect(await list(type), type).toBe('ok');
  });

  test('a tenant that is suspended is opened again by the operations scope, not by its own operator', async () => {
    const { outcome, register } = world;
    await register('tenant.update');
    expect(await outcome('ann', 'tenant.update', { id: 'acme', status: 'suspended' })).toBe('ok');
    expect(await outcome('ann', 'tenant.update', { id: 'acme', status: 'active' })).toBe('not_permitted id');
    expect(await outcome('olga', 'tenant.update', { id: 'acme', status: 'active' })).toBe('ok');
  });

  test('a right that was taken is gone with the next command', async () => {
    const { outcome, register, run } = world;
    await register('group.create');
    expect(await outcome('ann', 'group.create', { scope: ACME, name: 'x' })).toBe('ok');
    await run('grant.delete', { user: 'ann', scope: ACME });
    expect(await outcome('ann', 'group.create', { scope: ACME, name: 'y' })).toBe('not_permitted scope');
    await run('grant.create', { user: 'ann', scope: ACME, roles: ['operator'] });
  });

  test('a dry run takes the same right', async () => {
    const { outcome, register } = world;
    await register('group.create');
    const input = { scope: ACME, name: 'x' };
    expect(await outcome('gus', 'group.create', input, { dryRun: true })).toBe('not_permitted scope');
    expect(await outcome('ann', 'group.create', input, { dryRun: true })).toBe('ok');
  });

  test('each part of a transaction, and each change of a manifest, takes its own right', async () => {
    const { outcome, register, run } = world;
    await register('group.create', 'tenant.apply');
    const group = (scope: string, name: string) => ({ command: 'group.create', input: { scope, name } });
    const both = { commands: [group(ACME, 'a'), group(GLOBEX, 'a')] };
    expect(await outcome('ann', 'transaction.write', both)).toBe('not_permitted commands.1.scope');
    expect(await outcome('ann', 'transaction.write', { commands: [group(ACME, 'a')] })).toBe('ok');
    const manifest = {
      scopes: { Acme: { type: 'tenant', id: 'acme' } },
      groups: { staff: { scope: 'Acme' } },
    };
    expect(await outcome('ann', 'tenant.apply', { manifest })).toBe('not_permitted');
    // Comparing is for the operations scope; each change is of its tenant.
    expect(await outcome('olga', 'tenant.apply', { manifest })).toBe('not_permitted');
    await run('grant.create', { user: 'olga', scope: ACME, roles: ['operator'] });
    expect(await outcome('olga', 'tenant.apply', { manifest })).toBe('ok');
  });
});

describe('what a refusal discloses', () => {
  test('the same of another tenant’s node and of one that does not exist', async () => {
    const { as, register, run } = world;
    await register('group.update', 'group.read', 'group-role.create', 'group.create');
    const theirs = await run('group.create', { scope: GLOBEX, name: 'theirs' });
    const ours = await run('group.create', { scope: ACME, name: 'ours' });
    await run('role.create', { id: 'secret-role', name: 'secret', scope: GLOBEX });
    for (const [command, inputOf] of [
      ['group.update', (id: string) => ({ id, name: 'x' })],
      ['group.read', (id: string) => ({ id })],
    ] as const)
      expect(await as('ann', command, inputOf('nothing'))).toEqual(
        await as('ann', command, inputOf(theirs.id)),
      );
    const give = (role: string) => as('ann', 'group-role.create', { group: ours.id, role });
    expect(await give('secret-role')).toEqual(await give('no-such-role'));
    const at = (scope: string) => as('ann', 'group.create', { scope, name: 'x' });
    expect(await at('tenant:nowhere')).toEqual(await at(GLOBEX));
  });

  test('no setting of a user whom another tenant lists, or none', async () => {
    const { as, outcome, register, run } = world;
    await register('setting.resolve');
    for (const [id, tenant] of [
      ['of-acme', ACME],
      ['of-globex', GLOBEX],
      ['of-none', undefined],
    ]) {
      await run('user.create', { id, tenant });
      await run('setting.create', { scope: `user:${id}`, key: 'home-address', value: String(id) });
    }
    const of = (user: string) => ({ keys: ['home-address'], scope: ACME, user });
    expect(await as('ann', 'setting.resolve', of('of-acme'))).toMatchObject({
      result: { settings: { 'home-address': { value: 'of-acme' } } },
    });
    for (const user of ['of-globex', 'of-none', 'nobody-at-all'])
      expect(await outcome('ann', 'setting.resolve', of(user)), user).toBe('not_permitted user');
    expect(await outcome('olga', 'setting.resolve', of('of-none'))).toBe('ok');
  });

  test('no invariant of another tenant that a change of a user of the own one would break', async () => {
    const { apply, run, register, outcome, clock } = world;
    await register('user.update');
    await apply(`
permissions: ["pay:make:bill", "pay:approve:bill"]
scopes: { Acme: { id: acme, type: tenant }, Globex: { id: globex, type: tenant } }
roles:
  maker: { id: maker, owner: Globex, allow: ["pay:make:bill"] }
  checker: { id: checker, owner: Globex, allow: ["pay:approve:bill"] }
users: { late: { id: late, tenant: Acme, until: 2030-01-01T00:00:00.000Z, grants: { Globex: [maker] } } }
`);
    const later = { user: 'late', scope: GLOBEX, role: 'checker', startsAt: '2031-01-01T00:00:00.000Z' };
    await run('assignment.create', later);
    const separate = ['pay:make:bill', 'pay:approve:bill'];
    await run('invariant.create', { scope: GLOBEX, name: 'four eyes', separate });
    clock.advance(60_000);
    const change = { id: 'late', endsAt: '2032-01-01T00:00:00.000Z' };
    expect(await outcome('olga', 'user.update', change)).toMatch(/^invariant_violated/);
    expect(await outcome('ann', 'user.update', change)).toBe('not_permitted');
  });

  describe('a comparison, of who has what in other tenants', () => {
    beforeAll(async () => {
      const { run, apply, register } = world;
      await register('access.compare', 'group.create', 'user.create');
      await apply(`
scopes: { Acme: { id: acme, type: tenant }, Globex: { id: globex, type: tenant } }
roles: { operator: { id: operator, existing: true } }
users: { wide: { id: wide, email: wide@example.com, tenant: Acme, grants: { Globex: [operator] } } }
`);
      await run('subject.create', { id: 'bot', type: 'agent', tenant: ACME, name: 'bot' });
      await run('domain.create', { name: 'acme.example', tenant: ACME });
      await run('scim-connection.create', {
        id: 'staff',
        scope: ACME,
        name: 'staff',
        issuer: 'https://a.example',
      });
      await run('scim-user.create', { connection: 'staff', userName: 'eva', email: 'eva@acme.example' });
    });
    const compare = (by: string, command: string, input: Input) =>
      world.as(by, 'access.compare', { commands: [{ command, input }] });
    const refused = { error: { code: 'not_permitted' } };

    test.each<[string, Input]>([
      ['user.update', { id: 'wide', status: 'inactive' }],
      ['user.delete', { id: 'wide' }],
      ['subject.update', { user: 'agent:bot', status: 'inactive' }],
      ['session.create', { user: 'wide', tenant: ACME }],
      ['token.create', { user: 'wide', tenant: ACME, tokenType: 'api' }],
      ['scim-user.create', { connection: 'staff', userName: 'eve', email: 'eve@acme.example' }],
      // Whether somebody has it.
      ['user.create', { tenant: ACME, email: 'wide@example.com' }],
    ])('%s %j takes the right for what belongs to no tenant', async (command, input) => {
      expect(await compare('ann', command, input)).toMatchObject(refused);
      const commands = [{ command, input }];
      expect(await compare('ann', 'transaction.write', { commands })).toMatchObject(refused);
    });

    test('of what the connection of a tenant says too, and with that right it is shown', async () => {
      const { items } = (await world.run('scim-user.list', { connection: 'staff' })) as unknown as {
        items: readonly { user: string }[];
      };
      const named = { connection: 'staff', user: items[0]?.user };
      expect(await compare('ann', 'scim-user.update', { ...named, active: false })).toMatchObject(refused);
      expect(await compare('ann', 'scim-user.delete', named)).toMatchObject(refused);
      expect(await compare('olga', 'user.delete', { id: 'wide' })).toMatchObject({
        result: { loses: { rows: [{ scope: GLOBEX, subjects: ['user:wide'] }] } },
      });
    });

    test.each<[string, Input]>([
      ['group.create', { scope: ACME, name: 'compared' }],
      ['user.create', { tenant: ACME, displayName: 'Cara' }],
    ])('%s %j takes that of the tenant', async (command, input) => {
      expect(await compare('ann', command, input)).toMatchObject({ ok: true });
    });
  });

  test('nothing at all to somebody without rights, and no holder of a value to an operator of one tenant', async () => {
    const { as, outcome, register } = world;
    await register('user.create', 'location.create');
    await world.run('user.create', { id: 'first', email: 'bob@example.com' });
    for (const email of ['bob@example.com', 'new@example.com']) {
      expect(await outcome('nobody', 'user.create', { email })).toBe('not_permitted');
      expect(await outcome('ann', 'user.create', { email, tenant: ACME })).toBe('not_permitted email');
    }
    await world.run('location.create', { name: 'theirs', code: 'T1', parent: GLOBEX });
    const answer = await as('ann', 'location.create', { name: 'ours', code: 'T1', parent: ACME });
    expect(answer).toMatchObject({ error: { code: 'conflict', field: 'code' } });
    expect(answer).not.toHaveProperty('error.holder');
  });
});

describe('what an operator of a tenant creates counts in this tenant only', () => {
  const ACCOUNT = 'account:works';
  beforeAll(async () => {
    const { run, register } = world;
    await run('account.create', { id: 'works', name: 'Works' });
    for (const user of ['ann', 'zoe'])
      await run('grant.create', { user, scope: ACCOUNT, roles: ['operator'] });
    await run('subject-type.create', { name: 'robot' });
    for (const of of ['subject:user', 'subject:technical-user', 'subject:robot'])
      await run('property.create', { of, name: 'role', type: 'string', source: 'stored' });
    await register('user.create', 'technical-user.create', 'subject.create', 'tenant.apply');
  });

  const kinds: Readonly<Record<string, Input>> = {
    'user.create': { tenant: ACME },
    'technical-user.create': { account: ACCOUNT, name: 'r' },
    'subject.create': { type: 'robot', tenant: ACME, name: 'r' },
  };
  /** Conditions everywhere look at properties, log-ins at ids, emails and identities. */
  const everywhere: readonly Input[] = [
    { id: 'chosen' },
    { properties: { role: 'admin' } },
    { endsAt: '2026-02-01T00:00:00.000Z' },
    { status: 'inactive' },
  ];
  const ofUsers: readonly Input[] = [
    { email: 'new@example.com' },
    { phone: '+4930123456' },
    { username: 'newcomer' },
    { issuer: 'iam', sub: 'arn:aws:sts::123456789012:assumed-role/Admin/pam' },
    { passwordHash: 'x' },
    { userType: 'internal' },
  ];
  const cases = Object.entries(kinds).flatMap(([command, own]) =>
    [...everywhere, ...(command === 'user.create' ? ofUsers : [])].map(
      (given) => [command, given, own] as const,
    ),
  );

  test.each(cases)('%s %j takes the right for what belongs to no tenant', async (command, given, own) => {
    const { outcome, provision, tokens } = world;
    const input = { ...own, ...given };
    const [field] = Object.keys(given);
    expect(await outcome('ann', command, own)).toBe('ok');
    expect(await outcome('ann', command, input)).toBe(`not_permitted ${field}`);
    expect(await outcome('ann', 'transaction.write', { commands: [{ command, input }] })).toBe(
      'not_permitted',
    );
    expect(await provision({ batch: [{ command, input }], token: tokens.ann?.text })).toMatchObject({
      result: { answers: [{ error: { code: 'not_permitted', field } }] },
    });
    // With both rights it is done.
    expect(await outcome('zoe', command, input)).toBe('ok');
  });

  test('in a manifest too', async () => {
    const { outcome, run, apply } = world;
    await apply(`
scopes: { Operations: { id: operations, type: tenant }, Globex: { id: globex, type: tenant } }
roles: { applier: { id: applier, allow: ["provisioning:apply:tenant"] }, operator: { id: operator, existing: true } }
users:
  ann: { id: ann, grants: { Operations: [applier] } }
  zoe: { id: zoe, grants: { Globex: [operator] } }
`);
    const manifest = {
      scopes: { Acme: { type: 'tenant', id: 'acme' } },
      users: { eve: { email: 'eve@example.com', tenant: 'Acme', properties: { role: 'admin' } } },
    };
    expect(await outcome('ann', 'tenant.apply', { manifest })).toBe('not_permitted');
    expect(await outcome('zoe', 'tenant.apply', { manifest })).toBe('ok');
    await run('grant.delete', { user: 'ann', scope: 'tenant:operations' });
  });
});

describe('rights of operators are handed on by who has the right for what belongs to no tenant', () => {
  beforeAll(async () => {
    const { apply, register, run } = world;
    await register(
      ...['grant.create', 'grant.update', 'assignment.create', 'membership.create', 'group-role.create'],
      ...['role.create', 'role.update', 'role-template.apply'],
      ...['role-permission.create', 'role-permission.delete'],
    );
    await apply(`
pages: [roster]
scopes: { Acme: { id: acme, type: tenant } }
roles:
  operator: { id: operator, existing: true }
  reader: { id: reader, owner: Acme, allow: [roster] }
  everything: { id: everything, allow: ["*:*:*"] }
  heir: { id: heir, parent: operator }
groups: { plain: { id: plain, scope: Acme }, chiefs: { id: chiefs, scope: Acme, roles: [heir] } }
users: { u1: { id: u1 }, u2: { id: u2 }, u3: { id: u3 } }
`);
    const permissions = [{ permission: 'provisioning:create:group', effect: 'ALLOW' }];
    await register('group.create', 'group.update');
    await run('role-template.create', { id: 'lent', name: 'lent', permissions });
  });

  const grants = [
    ['grant.create', { user: 'bob', scope: ACME, roles: ['reader'] }, 'ok'],
    ['grant.update', { user: 'ann', scope: ACME, roles: ['operator', 'reader'] }, 'ok'],
    ['assignment.create', { user: 'bob', scope: ACME, role: 'reader' }, 'ok'],
    ['membership.create', { user: 'bob', group: 'plain' }, 'ok'],
    ['group-role.create', { group: 'plain', role: 'reader' }, 'ok'],
    ['role.create', { name: 'r1', scope: ACME, parent: 'reader' }, 'ok'],
    ['role-permission.create', { role: 'reader', permission: 'billing:*:*', effect: 'ALLOW' }, 'ok'],
    ['grant.create', { user: 'u1', scope: ACME, roles: ['reader', 'operator'] }, 'not_permitted'],
    ['grant.create', { user: 'u2', scope: ACME, roles: ['heir'] }, 'not_permitted'],
    ['grant.create', { user: 'u3', scope: ACME, roles: ['everything'] }, 'not_permitted'],
    ['grant.update', { user: 'ann', scope: ACME, roles: ['operator', 'heir'] }, 'not_permitted'],
    ['assignment.create', { user: 'ann', scope: ACME, role: 'everything' }, 'not_permitted'],
    ['membership.create', { user: 'bob', group: 'chiefs' }, 'not_permitted'],
    ['group-role.create', { group: 'plain', role: 'heir' }, 'not_permitted'],
    ['role.create', { name: 'r2', scope: ACME, parent: 'operator' }, 'not_permitted'],
    ['role.create', { name: 'r3', scope: ACME, customTemplateId: 'lent' }, 'not_permitted'],
    ['role-template.apply', { id: 'lent', role: 'reader' }, 'not_permitted'],
    ['role-permission.create', { role: 'reader', permission: '*:*:*', effect: 'ALLOW' }, 'not_permitted'],
    [
      'role-permission.create',
      { role: 'reader', permission: 'provisioning:update:group', effect: 'DENY' },
      'not_permitted',
    ],
    // The row before has made it.
    ['role-permission.delete', { role: 'reader', permission: 'provisioning:update:group' }, 'not_permitted'],
    ['role.update', { id: 'reader', parent: 'operator' }, 'not_permitted'],
  ] as const;

  test.each(grants)('%s %j by the operator of the tenant: %s', async (command, input, expected) => {
    expect(await world.outcome('ann', command, input)).toBe(expected);
    if (expected === 'ok') return;
    // One by one or in a transaction; and with both rights it is done.
    expect(await world.outcome('ann', 'transaction.write', { commands: [{ command, input }] })).toBe(
      expected,
    );
    expect(await world.outcome('zoe', command, input)).toBe('ok');
  });
});

describe('what closes a tenant in several steps takes, before the first one, the right that the others take', () => {
  test.each([
    ['scope.delete-tree', { scope: ACME }],
    [
      'tenant.apply',
      {
        manifest: {
          scopes: { Acme: { id: 'acme', type: 'tenant', status: 'suspended' } },
          groups: { late: { id: 'late', scope: 'Acme' } },
        },
        atOnce: 1,
      },
    ],
  ] as const)('%s', async (command, input) => {
    const { outcome, register, run } = await createOperatorsWorld(await createLedgerWorld());
    await register('scope.delete-tree', 'tenant.update', 'group.create');
    await run('group.create', { scope: ACME, name: 'below' });
    await run('permission.create', { name: 'provisioning:apply:tenant' });
    await run('role.create', { id: 'applier', name: 'applier', scope: 'global' });
    await run('role-permission.create', {
      role: 'applier',
      permission: 'provisioning:apply:tenant',
      effect: 'ALLOW',
    });
    await run('grant.create', { user: 'ann', scope: 'tenant:operations', roles: ['applier'] });
    const before = await run('tenant.read', { id: 'acme' });
    expect(await outcome('ann', command, input)).toBe('not_permitted');
    expect(await run('tenant.read', { id: 'acme' })).toEqual(before);
    expect(await outcome('zoe', command, input)).toBe('ok');
  });
});
