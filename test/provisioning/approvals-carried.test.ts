import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { COMMANDS } from '../../provisioning/all-commands.ts';
import type { Entity } from '../../table/entities/entity.ts';
import { ENTITIES } from '../../table/entities/registry.ts';
import { createOperatorsWorld, type OperatorsWorld, operatorsOn } from './operators.ts';
import { copyOf, createLedgerWorld, type Input, type LedgerWorld } from './support.ts';

/** Approval by two (ADR 0038) holds for what is changed, whichever command carries it, and all of it is shown. */
const [ACME, GLOBEX] = ['tenant:acme', 'tenant:globex'];

const MANIFEST = {
  scopes: { Initech: { type: 'tenant' } },
  roles: { chief: { owner: 'Initech', allow: ['*:*:*'] } },
  users: { Ivy: { email: 'ivy@example.com', grants: { Initech: ['chief'] } } },
};

/** A world in which every permission of a command is registered, and what waits. */
const worldWhere = async (...approvalFor: readonly string[]): Promise<OperatorsWorld> =>
  operatorsOn(await copyOf(made.table), made.world, approvalFor);

let made: { readonly table: LedgerWorld; readonly world: OperatorsWorld };
beforeAll(async () => {
  const table = await createLedgerWorld();
  const world = await createOperatorsWorld(table);
  await world.register(
    ...[...COMMANDS.values()].filter(({ kind }) => kind === 'write').map(({ name }) => name),
    ...['approval.list', 'access.compare'],
  );
  made = { table, world };
});

/** Gives a new user commands in the operations scope, and nowhere else. */
async function operatorOf(world: OperatorsWorld, id: string, ...commands: readonly string[]) {
  const { run, tokens } = world;
  await run('user.create', { id });
  await run('role.create', { id: `of-${id}`, name: `of ${id}`, scope: 'tenant' });
  for (const name of commands) {
    const [entity, verb] = name.split('.');
    const permission = `provisioning:${verb}:${entity}`;
    await run('role-permission.create', { role: `of-${id}`, permission, effect: 'ALLOW' });
  }
  await run('grant.create', { user: id, scope: 'tenant:operations', roles: [`of-${id}`] });
  const { id: tokenId, token } = await run('token.create', { user: id, tokenType: 'api' });
  tokens[id] = { id: tokenId, text: String(token) };
}

describe('a command that carries others', () => {
  /** Each with a group, or what makes one, as a part. */
  const SAMPLES: Readonly<Record<string, { readonly of: string; readonly input: Input }>> = {
    'transaction.write': {
      of: 'group.create',
      input: { commands: [{ command: 'group.create', input: { scope: ACME, name: 'a' } }] },
    },
    'tenant.apply': {
      of: 'group.create',
      input: {
        manifest: { scopes: { Acme: { type: 'tenant', id: 'acme' } }, groups: { b: { scope: 'Acme' } } },
      },
    },
    'tenant.onboard': {
      of: 'group.create',
      input: { manifest: { ...MANIFEST, groups: { c: { scope: 'Initech' } } } },
    },
  };

  test('is one of these, and says so', () => {
    const carries = [...COMMANDS.values()].filter((each) => each.kind === 'write' && each.carries);
    expect(carries.map(({ name }) => name).sort()).toEqual(Object.keys(SAMPLES).sort());
    const takesOthers = [...COMMANDS.values()].filter(({ input }) => {
      const { properties = {} } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' });
      return 'manifest' in properties || 'commands' in properties;
    });
    const writes = takesOthers.filter(({ kind }) => kind === 'write').map(({ name }) => name);
    expect(writes.sort()).toEqual(Object.keys(SAMPLES).sort());
  });

  test.each(Object.entries(SAMPLES))('%s waits for what it carries', async (command, { of, input }) => {
    const { outcome, run } = await worldWhere(of);
    await run('grant.create', { user: 'pam', scope: ACME, roles: [] });
    expect(await outcome('pam', command, input)).toBe('approval_required');
  });

  test.each(Object.entries(SAMPLES))(
    '%s needs the right to what it carries',
    async (command, { of, input }) => {
      const world = await worldWhere();
      const others = [
        'tenant.create',
        'role.create',
        'role-permission.create',
        'user.create',
        'grant.create',
      ];
      await operatorOf(world, 'opal', command, ...others);
      expect(await world.outcome('opal', command, input)).toMatch(/^not_permitted/);
      await operatorOf(world, 'oscar', command, ...others, of);
      await world.run('grant.create', { user: 'oscar', scope: ACME, roles: ['of-oscar'] });
      expect(await world.outcome('oscar', command, input)).toBe('ok');
    },
  );

  test.each([
    ...['tenant.create', 'role.create', 'grant.create', 'role-permission.create', 'effect:operator-rights'],
  ])('an onboarding waits where %s does', async (approvalFor) => {
    const { outcome } = await worldWhere(approvalFor);
    expect(await outcome('pam', 'tenant.onboard', { manifest: MANIFEST })).toBe('approval_required');
  });

  test('a manifest within a tenant takes the rights of that tenant, also for what is in new scopes', async () => {
    const world = await worldWhere();
    await operatorOf(world, 'opal', 'tenant.apply');
    await world.apply(`
pages: [roster]
scopes: { Acme: { id: acme, type: tenant } }
roles: { operator: { id: operator, existing: true }, reader: { id: reader, owner: Acme } }
users:
  opal: { id: opal, grants: { Acme: [operator] } }
  chief: { id: chief, email: chief@example.com, grants: { Acme: [operator] } }
`);
    const apply = (more: Input, roles: readonly string[]) =>
      world.outcome('opal', 'tenant.apply', {
        manifest: {
          scopes: {
            Acme: { type: 'tenant', id: 'acme' },
            North: { type: 'location', code: 'n', parent: 'Acme' },
          },
          roles: {
            operator: { id: 'operator', allow: ['provisioning:*:*'] },
            reader: { owner: 'Acme', allow: ['roster'] },
          },
          groups: { staff: { scope: 'North', roles: ['reader'] } },
          users: { Chief: { email: 'chief@example.com', grants: { Acme: roles } } },
          ...more,
        },
      });
    // The grant keeps the role of operators, which opal could not hand on.
    expect(await apply({}, ['operator', 'reader'])).toBe('ok');
    expect(await apply({ users: { Bob: { id: 'bob', grants: { Acme: ['operator'] } } } }, [])).toBe(
      'not_permitted',
    );
    const scopes = {
      Globex: { type: 'tenant', id: 'globex' },
      South: { type: 'location', code: 's', parent: 'Globex' },
    };
    const other = { scopes, roles: {}, users: {}, groups: { staff: { scope: 'South' } } };
    expect(await apply(other, [])).toBe('not_permitted');
  });

  test.each<[string, string, Input, string]>([
    ['*.delete', 'scope.delete-tree', { scope: ACME }, 'approval_required'],
    ['group.delete', 'scope.delete-tree', { scope: ACME }, 'approval_required'],
    ['location.delete', 'scope.delete-tree', { scope: ACME }, 'approval_required'],
    ['user.*', 'scope.delete-tree', { scope: ACME }, 'ok'],
    ['page.delete', 'scope.delete-tree', { scope: ACME }, 'ok'],
    ['user.delete', 'user.erase', { id: 'bob' }, 'approval_required'],
    ['group.delete', 'user.erase', { id: 'bob' }, 'ok'],
  ])('where %s waits, %s %j: %s', async (approvalFor, command, input, expected) => {
    const { outcome } = await worldWhere(approvalFor);
    expect(await outcome('pam', command, input)).toBe(expected);
  });

  test('the parts of an event are commands by themselves', async () => {
    const { provision, tokens } = await worldWhere('group.create');
    const batch = ['a', 'b'].map((name) => ({ command: 'group.create', input: { scope: ACME, name } }));
    const answers = batch.map(() => ({ error: { code: 'approval_required' } }));
    expect(await provision({ batch, token: tokens.ann?.text })).toMatchObject({ result: { answers } });
  });
});

describe('what changes decides, whichever command does it', () => {
  let world: OperatorsWorld;
  beforeAll(async () => {
    world = await worldWhere('effect:operator-rights', 'effect:tenant-end', 'effect:erasure');
    const { run, apply } = world;
    const many = Array.from({ length: 24 }, (_, n) => ({ permission: `roster-${n}`, effect: 'ALLOW' }));
    await apply(`
pages: [roster, ${many.map(({ permission }) => permission)}]
scopes:
  Acme: { id: acme, type: tenant }
  Globex: { id: globex, type: tenant }
  North: { id: north, type: location, code: n, parent: Globex }
  Empty: { id: empty, type: tenant }
roles:
  reader: { id: reader, owner: Acme, allow: [roster] }
  all: { id: all, global: true, allow: ["*:*:*"] }
users:
  dan: { id: dan }
  chief: { id: chief, email: chief@example.com, grants: { Acme: [all] } }
`);
    await run('scim-connection.create', { id: 'staff', scope: ACME, name: 'staff' });
    const last = { permission: '*:*:*', effect: 'ALLOW' };
    await run('role-template.create', { id: 'plain', name: 'plain', permissions: many });
    await run('role-template.create', { id: 'long', name: 'long', permissions: [...many, last] });
  });

  const part = (command: string, input: Input) => ({ commands: [{ command, input }] });
  /** A template, a role that is made from it, and a grant of that role. */
  const lending = (permission: string) => ({
    commands: [
      {
        command: 'role-template.create',
        input: { id: 'own', name: 'own', permissions: [{ permission, effect: 'ALLOW' }] },
      },
      { command: 'role.create', input: { id: 'new', name: 'new', scope: ACME, customTemplateId: 'own' } },
      { command: 'grant.create', input: { user: 'dan', scope: ACME, roles: ['new'] } },
    ],
  });
  /** Which changes hand on rights is said in operators.test.ts. */
  test.each<[string, Input, string]>([
    // The pattern is in its second step.
    ['role-template.apply', { id: 'long', role: 'reader' }, 'waits'],
    ['grant.create', { user: 'bob', scope: ACME, roles: ['operator'] }, 'waits'],
    ['admin.create', { user: 'bob' }, 'waits'],
    ['token.create', { user: 'ann', tokenType: 'api' }, 'waits'],
    ['scim-credential.create', { connection: 'staff' }, 'waits'],
    ['transaction.write', part('global-role.create', { user: 'bob', role: 'all' }), 'waits'],
    ['transaction.write', lending('provisioning:*:*'), 'waits'],
    ['transaction.write', lending('roster'), 'ok'],
    ['user.update', { id: 'pam', email: 'new@example.com' }, 'waits'],
    ['user.update', { id: 'pam', issuer: 'iam', sub: 'arn:aws:iam::123456789012:user/new' }, 'waits'],
    ['transaction.write', part('user.update', { id: 'chief', email: 'new@example.com' }), 'waits'],
    ['tenant.apply', { manifest: { users: { Pam: { id: 'pam', email: 'new@example.com' } } } }, 'waits'],
    ['user.update', { id: 'chief', email: 'Chief@example.com', title: 'Dr' }, 'ok'],
    ['user.update', { id: 'dan', email: 'new@example.com' }, 'ok'],
    ['tenant.delete', { id: 'empty' }, 'waits'],
    ['scope.delete-tree', { scope: GLOBEX }, 'waits'],
    ['transaction.write', part('tenant.delete', { id: 'operations' }), 'waits'],
    ['user.erase', { id: 'dan' }, 'waits'],
    ['group.create', { name: 'plain', scope: ACME }, 'ok'],
    ['grant.create', { user: 'bob', scope: ACME, roles: ['reader'] }, 'ok'],
    ['role-template.apply', { id: 'plain', role: 'reader' }, 'ok'],
    ['location.delete', { id: 'north' }, 'ok'],
    ['user.delete', { id: 'nobody' }, 'ok'],
  ])('%s %j: %s', async (command, input, expected) => {
    const answer = await world.outcome('pam', command, input);
    expect(answer).toBe(expected === 'waits' ? 'approval_required' : expected);
  });

  test('a manifest of many steps, as soon as one of them does it', async () => {
    const apply = (allow: string) =>
      world.outcome('pam', 'tenant.apply', {
        manifest: {
          scopes: { Acme: { type: 'tenant', id: 'acme' } },
          roles: { last: { owner: 'Acme', allow: [allow] } },
          groups: Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`g${n}`, { scope: 'Acme' }])),
        },
        atOnce: 1,
      });
    expect(await apply('*:*:*')).toBe('approval_required');
    expect(await apply('roster')).toBe('ok');
  });

  describe('that brings rights back which somebody holds', () => {
    let reviving: OperatorsWorld;
    let released: unknown;
    beforeAll(async () => {
      reviving = await worldWhere('effect:operator-rights');
      const { run, apply } = reviving;
      await apply(`
pages: [roster]
scopes: { Acme: { id: acme, type: tenant, combination: deny-overrides }, Globex: { id: globex, type: tenant } }
roles:
  operator: { id: operator, existing: true }
  no: { id: no, owner: Acme, deny: ["provisioning:create:grant"] }
  calm: { id: calm, owner: Acme, deny: [roster] }
  child: { id: child, owner: Acme, parent: no }
  alone: { id: alone, owner: Acme, deny: ["provisioning:*:*"] }
  never: { id: never, owner: Globex, deny: ["provisioning:create:grant"] }
groups: { denied: { id: denied, scope: Acme, roles: [no] }, calmed: { id: calmed, scope: Acme, roles: [calm] } }
users:
  off: { id: off, status: disabled, admin: true }
  late: { id: late, until: 2030-01-01T00:00:00.000Z, grants: { Acme: [operator, no] } }
  plain: { id: plain, groups: [denied, calmed], grants: { Acme: [calm] } }
  idle: { id: idle, status: disabled, until: 2030-01-01T00:00:00.000Z, grants: { Acme: [calm] } }
`);
      await run('subject.create', { type: 'agent', id: 'bot', tenant: ACME });
      await run('grant.create', { user: 'agent:bot', scope: ACME, roles: ['operator'] });
      await run('assignment.create', { user: 'plain', scope: ACME, role: 'no' });
      // The connection that closed her is gone.
      await run('domain.create', { name: 'acme.example', tenant: ACME });
      await run('scim-connection.create', { id: 'hr', scope: ACME, name: 'hr' });
      const cara = { connection: 'hr', userName: 'cara', email: 'cara@acme.example' };
      const { user } = await run('scim-user.create', cara);
      await run('scim-user.update', { connection: 'hr', user, active: false });
      await run('scim-user.delete', { connection: 'hr', user });
      await run('scim-connection.delete', { id: 'hr' });
      await run('grant.create', { user, scope: ACME, roles: ['operator'] });
      released = user;
    });

    test.each<[string, Input, string]>([
      ['user.update', { id: 'off', status: 'active' }, 'waits'],
      ['user.update', { id: 'late', endsAt: null }, 'waits'],
      ['user.update', { id: 'late', endsAt: '2031-01-01T00:00:00.000Z' }, 'waits'],
      ['user.update', { id: 'late', endsAt: '2029-01-01T00:00:00.000Z' }, 'ok'],
      ['subject.update', { user: 'agent:bot', mandateOptional: true }, 'waits'],
      ['user.update', { id: 'idle', status: 'active', endsAt: null }, 'ok'],
      ['user.update', { id: 'off', displayName: 'Off' }, 'ok'],
      ['tenant.update', { id: 'acme', combination: 'allow-overrides' }, 'waits'],
      ['tenant.update', { id: 'globex', combination: 'deny-overrides' }, 'ok'],
      ['tenant.update', { id: 'acme', name: 'ACME' }, 'ok'],
      ['grant.update', { user: 'late', scope: ACME, roles: ['operator'] }, 'waits'],
      ['grant.delete', { user: 'late', scope: ACME }, 'waits'],
      ['grant.update', { user: 'plain', scope: ACME, roles: [] }, 'ok'],
      ['assignment.delete', { user: 'plain', scope: ACME, role: 'no' }, 'waits'],
      ['membership.delete', { user: 'plain', group: 'denied' }, 'waits'],
      ['membership.delete', { user: 'plain', group: 'calmed' }, 'ok'],
      ['group-role.delete', { group: 'denied', role: 'no' }, 'waits'],
      ['group.delete', { id: 'denied' }, 'waits'],
      ['group.delete', { id: 'calmed' }, 'ok'],
      ['role.update', { id: 'child', parent: null }, 'waits'],
      ['role.delete', { id: 'alone' }, 'waits'],
      ['role.delete', { id: 'calm' }, 'ok'],
      ['permission.delete', { name: 'provisioning:create:grant' }, 'waits'],
      ['permission.create', { name: 'provisioning:erase:user' }, 'waits'],
      ['transaction.write', part('permission.create', { name: 'provisioning:erase:user' }), 'waits'],
      ['permission.create', { name: 'invoices:pay:bill' }, 'ok'],
      ['page.delete', { name: 'roster' }, 'ok'],
      ['transaction.write', part('user.update', { id: 'off', status: 'active' }), 'waits'],
      ['tenant.apply', { manifest: { users: { Off: { id: 'off', status: 'active' } } } }, 'waits'],
    ])('%s %j: %s', async (command, input, expected) => {
      const answer = await reviving.outcome('pam', command, input);
      expect(answer).toBe(expected === 'waits' ? 'approval_required' : expected);
    });

    test('the release of a user', async () => {
      expect(await reviving.outcome('pam', 'user.release', { id: released })).toBe('approval_required');
    });

    test('a grant that a later step of a manifest takes away', async () => {
      const apply = () =>
        reviving.outcome('pam', 'tenant.apply', {
          manifest: {
            scopes: { Globex: { type: 'tenant', id: 'globex' } },
            groups: Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`g${n}`, { scope: 'Globex' }])),
            users: {},
          },
          prune: true,
          atOnce: 1,
        });
      await reviving.run('grant.create', { user: 'bob', scope: GLOBEX, roles: ['never'] });
      expect(await apply()).toBe('approval_required');
      await reviving.run('grant.update', { user: 'bob', scope: GLOBEX, roles: [] });
      expect(await apply()).toBe('ok');
    });
  });

  test('any right that is handed on, where that is asked for', async () => {
    const { outcome, apply } = await worldWhere('effect:rights');
    await apply(`
pages: [roster]
scopes: { Acme: { id: acme, type: tenant } }
roles: { reader: { id: reader, owner: Acme, allow: [roster] }, calm: { id: calm, owner: Acme, deny: [roster] } }
users: { eve: { id: eve, grants: { Acme: [reader] } } }
`);
    expect(await outcome('pam', 'page.delete', { name: 'roster' })).toBe('approval_required');
    expect(await outcome('pam', 'page.create', { name: 'menu' })).toBe('ok');
    expect(await outcome('ann', 'group.create', { name: 'none', scope: ACME })).toBe('ok');
    const grant = { user: 'bob', scope: ACME, roles: ['reader'] };
    expect(await outcome('pam', 'grant.create', grant)).toBe('approval_required');
    for (const [id, expected] of [
      ['eve', 'approval_required'],
      ['bob', 'ok'],
    ] as const)
      expect(await outcome('pam', 'user.update', { id, email: `${id}@example.com` })).toBe(expected);
  });
});

describe('what is shown to the one who approves', () => {
  test('no other entity has an attribute with the name of a secret', () => {
    const entities: readonly Entity[] = Object.values(ENTITIES);
    for (const { secret = [], hidden = [], type } of entities)
      for (const name of [...secret, ...hidden])
        for (const other of entities.filter((each) => each.type !== type))
          expect(Object.keys(other.attributes.shape), other.type).not.toContain(name);
  });

  test('is all that was sent, whatever it is named, but secrets', async () => {
    const { as, outcome } = await worldWhere('tenant.apply', 'transaction.write', 'user.*');
    const manifest = {
      scopes: { Acme: { type: 'tenant', id: 'acme' } },
      roles: { hash: { owner: 'Acme', allow: ['*:*:*'] } },
      groups: { passwordHash: { scope: 'Acme', everyone: true, roles: ['hash'] } },
    };
    const change = (passwordHash: string, mfaSecret: string) =>
      ({ command: 'user.update', input: { id: 'bob', passwordHash, mfaSecret } }) as const;
    const creation = { command: 'group.create', input: { scope: ACME, name: 'mfaSecret' } };
    const commands = [change('argon2-of-bob', 'otp-of-bob'), creation];
    const properties = { hash: 'x', mfaSecret: 'y' };
    const declared = { of: 'subject:user', type: 'string', source: 'stored' };
    for (const name of Object.keys(properties)) await as('pam', 'property.create', { ...declared, name });
    for (const [operationId, command, input] of [
      ['manifest', 'tenant.apply', { manifest }],
      ['transaction', 'transaction.write', { commands }],
      ['alone', 'user.update', { id: 'bob', properties, passwordHash: 'argon2-of-bob' }],
    ] as const)
      expect(await outcome('pam', command, input, { operationId }), command).toBe('approval_required');
    const listed = await as('olga', 'approval.list', {});
    if (!listed.ok) throw new Error(listed.error.message);
    const inputs = Object.fromEntries(
      (listed.result.items as { id: string; input: Input }[]).map(({ id, input }) => [id, input]),
    );
    expect(inputs).toEqual({
      manifest: { manifest },
      transaction: { commands: [change('hidden', 'hidden'), creation] },
      alone: { id: 'bob', properties, passwordHash: 'hidden' },
    });
  });
});
