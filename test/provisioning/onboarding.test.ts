import { beforeEach, describe, expect, test } from 'vitest';
import { formatFreshnessToken } from '../../table/freshness-token.ts';
import { decisionsOf, rebuild } from './rebuild.ts';
import { asState, createLedgerWorld, type Input, type LedgerWorld, NOBODY } from './support.ts';
import { faultsOf } from './verify.ts';

/** `tenant.onboard`: a tenant, its roles and its first administrator in one transaction, or nothing. */
let world: LedgerWorld;
let template: string;
beforeEach(async () => {
  world = await createLedgerWorld();
  await world.run('module.create', { name: 'reports' });
  for (const name of ['home', 'grades', 'users']) await world.run('page.create', { name });
  await world.run('permission.create', { name: 'reports:read:report' });
  const permissions = [
    { permission: 'grades', effect: 'ALLOW' },
    { permission: 'reports:*:*', effect: 'ALLOW' },
    { permission: 'users', effect: 'DENY' },
  ];
  template = (await world.run('role-template.create', { name: 'teacher', permissions })).id;
});

const input = (more: Input = {}): Input => ({
  name: 'Acme',
  attributes: { combination: 'deny-overrides', description: 'a customer' },
  email: 'Ann@Example.com',
  displayName: 'Ann',
  roles: [
    { name: 'admin', permissions: [{ permission: 'users' }, { permission: 'home', effect: 'ALLOW' }] },
    { name: 'teacher', template, permissions: [{ permission: 'home' }] },
  ],
  adminRoles: ['Admin'],
  ...more,
});
interface Onboarded {
  readonly scope: string;
  readonly roles: readonly { readonly id: string; readonly name: string }[];
  readonly admin: { readonly id: string; readonly isNew: boolean; readonly grant: string };
}
const onboard = async (more: Input = {}) =>
  (await world.run('tenant.onboard', input(more))) as unknown as Onboarded;

async function expectWhole(): Promise<void> {
  const items = await world.everything();
  expect(faultsOf(items)).toEqual([]);
  expect(decisionsOf(items)).toEqual(rebuild(items));
}

describe('in one transaction', () => {
  test('all of it, whose decision items are what the edges say, and which checks agree with', async () => {
    const first = world.transactions.length;
    const { scope, roles, admin } = await onboard();
    expect(world.transactions.length).toBe(first + 1);
    await expectWhole();
    expect(admin.isNew).toBe(true);
    const engine = world.newEngine();
    const of = async (permission: string) =>
      (await engine.check(`user:${admin.id}`, permission, scope)).reason;
    expect(await Promise.all(['users', 'home', 'grades', 'reports:read:report'].map(of))).toEqual([
      'role',
      'role',
      'no_grant',
      'no_grant',
    ]);
    const teacher = roles.find(({ name }) => name === 'teacher')?.id;
    await world.run('grant.update', { id: admin.grant, roles: roles.map(({ id }) => id) });
    world.settle();
    const later = world.newEngine();
    const now = async (permission: string) =>
      (await later.check(`user:${admin.id}`, permission, scope)).reason;
    expect(teacher).toBeDefined();
    expect(await Promise.all(['users', 'home', 'grades', 'reports:read:report'].map(now))).toEqual([
      'denied_by_role',
      'role',
      'role',
      'role',
    ]);
  });

  test('is what the commands one by one would have made', async () => {
    const { scope, roles, admin } = await onboard();
    const all = async (sameAs: Onboarded, tenant: string) => {
      const names = new Map<string, string>([
        [tenant.slice(tenant.indexOf(':') + 1), 'TENANT'],
        [sameAs.admin.id, 'ADMIN'],
        [sameAs.admin.grant, 'GRANT'],
        ...sameAs.roles.map(({ id, name }) => [id, `ROLE ${name}`] as const),
      ]);
      const items = (await world.facts()).map((item) => {
        // Revisions count the writes, of which there are more one by one.
        const {
          rev: _,
          writtenAt: __,
          writeId: ___,
          GSI1PK: ____,
          GSI3PK: _____,
          ...rest
        } = item as Record<string, unknown>;
        const text = JSON.stringify(Object.entries(rest).sort(), (_key, value) =>
          value instanceof Set ? [...value].sort() : value,
        );
        return [...names].reduce((found, [id, name]) => found.replaceAll(id, name), text);
      });
      return items.filter((text) => /TENANT|ADMIN/.test(text)).sort();
    };
    const together = await all({ scope, roles, admin }, scope);

    world = await createLedgerWorld();
    await world.run('module.create', { name: 'reports' });
    for (const name of ['home', 'grades', 'users']) await world.run('page.create', { name });
    await world.run('permission.create', { name: 'reports:read:report' });
    const permissions = [
      { permission: 'grades', effect: 'ALLOW' },
      { permission: 'reports:*:*', effect: 'ALLOW' },
      { permission: 'users', effect: 'DENY' },
    ];
    const { id: again } = await world.run('role-template.create', {
      id: template,
      name: 'teacher',
      permissions,
    });
    const { id } = await world.run('tenant.create', {
      name: 'Acme',
      combination: 'deny-overrides',
      description: 'a customer',
    });
    const place = `tenant:${id}`;
    const one = (await world.run('role.create', { name: 'admin', scope: place })).id;
    const two = (await world.run('role.create', { name: 'teacher', scope: place, customTemplateId: again }))
      .id;
    for (const [role, permission] of [
      [one, 'users'],
      [one, 'home'],
      [two, 'home'],
    ])
      await world.run('role-permission.create', { role, permission, effect: 'ALLOW' });
    const user = (
      await world.run('user.create', { email: 'ann@example.com', displayName: 'Ann', tenant: place })
    ).id;
    const grant = (await world.run('grant.create', { user, scope: place, roles: [one] })).id;
    const made = [
      { id: one, name: 'admin' },
      { id: two, name: 'teacher' },
    ];
    expect(together).toEqual(
      await all({ scope: place, roles: made, admin: { id: user, isNew: true, grant } }, place),
    );
  });

  test.each([
    ['client', {}],
    ['account', {}],
    ['location', { attributes: { code: 'N1' } }],
  ])('of a root that is a %s', async (type, more) => {
    const { scope, admin } = await onboard({ type, attributes: {}, ...more });
    expect(scope).toMatch(new RegExp(`^${type}:`));
    await expectWhole();
    expect(await world.newEngine().check(`user:${admin.id}`, 'users', scope)).toMatchObject({
      allowed: true,
    });
  });

  test('of a root of a type that was added', async () => {
    await world.run('scope-type.create', { name: 'campus', root: true });
    const { scope } = await onboard({ type: 'campus', attributes: {} });
    expect(scope).toMatch(/^campus:/);
    await expectWhole();
  });

  test('with roles that are there already, for a user who is', async () => {
    const { id: user } = await world.run('user.create', { email: 'ann@example.com' });
    const { id: role } = await world.run('role.create', { name: 'owner', scope: 'tenant' });
    await world.run('role-permission.create', { role, permission: 'home', effect: 'ALLOW' });
    const { scope, admin } = await onboard({ roles: [], adminRoles: [role] });
    expect(admin).toMatchObject({ id: user, isNew: false });
    const { admin: same } = await onboard({
      ...{ name: 'Second', user, adminRoles: [role] },
      ...{ email: undefined, displayName: undefined },
    });
    expect(same).toMatchObject({ id: user, isNew: false });
    await expectWhole();
    expect(await world.newEngine().check(`user:${user}`, 'home', scope)).toMatchObject({ allowed: true });
  });

  test('a repetition answers the same and does nothing', async () => {
    const event = { command: 'tenant.onboard', input: input(), operationId: 'onboard' };
    const done = await world.provision(event);
    expect(done.ok && done.token).toBe(formatFreshnessToken(world.clock.now()));
    const before = asState(await world.everything());
    expect(await world.provision(event)).toEqual(done);
    expect(asState(await world.everything())).toEqual(before);
  });

  test('a dry run says what would be the matter, and writes nothing', async () => {
    const before = asState(await world.everything());
    const event = { command: 'tenant.onboard', input: input(), dryRun: true };
    expect(await world.provision(event)).toMatchObject({ ok: true, token: '' });
    expect(asState(await world.everything())).toEqual(before);
  });
});

describe('or nothing', () => {
  const cases: readonly (readonly [string, () => Promise<Input>, Input])[] = [
    [
      'a name that is taken',
      async () => {
        await world.run('tenant.create', { name: ' ACME ' });
        return {};
      },
      { code: 'conflict', field: 'name', message: 'name is taken' },
    ],
    [
      'a code that is taken',
      async () => {
        await world.run('location.create', { name: 'North', code: 'n1' });
        return { type: 'location', attributes: { code: 'N1' } };
      },
      { code: 'conflict', field: 'attributes.code' },
    ],
    [
      'an id that is taken',
      async () => ({ id: (await world.run('tenant.create', { name: 'Other' })).id }),
      { code: 'conflict', field: 'id' },
    ],
    [
      'a user who is not active',
      async () => {
        await world.run('user.create', { email: 'ann@example.com', status: 'disabled' });
        return {};
      },
      { code: 'conflict', field: 'email' },
    ],
    [
      'a user who is not there',
      async () => ({ user: NOBODY, email: undefined, displayName: undefined }),
      { code: 'not_found', field: 'user' },
    ],
    [
      'a role that is not there',
      async () => ({ adminRoles: [NOBODY] }),
      { code: 'not_found', field: 'adminRoles' },
    ],
    [
      'a role of no known name',
      async () => ({ adminRoles: ['admn'] }),
      { code: 'invalid', field: 'adminRoles.0' },
    ],
    [
      'a role of another tenant',
      async () => {
        const { id } = await world.run('tenant.create', { name: 'Other' });
        return { adminRoles: [(await world.run('role.create', { name: 'x', scope: `tenant:${id}` })).id] };
      },
      { code: 'invalid', field: 'adminRoles' },
    ],
    [
      'a permission that is not registered',
      async () => ({ roles: [{ name: 'admin', permissions: [{ permission: 'nope' }] }] }),
      { code: 'not_found', field: 'roles.0.permissions.0' },
    ],
    [
      'a permission named twice',
      async () => ({
        roles: [{ name: 'admin', permissions: [{ permission: 'home' }, { permission: 'home' }] }],
      }),
      { code: 'invalid', field: 'roles.0.permissions.1' },
    ],
    [
      'a permission that its template has as well',
      async () => ({ roles: [{ name: 'admin', template, permissions: [{ permission: 'grades' }] }] }),
      { code: 'invalid', field: 'roles.0.permissions.0' },
    ],
    [
      'a template that is not there',
      async () => ({ roles: [{ name: 'admin', template: NOBODY }] }),
      { code: 'not_found', field: 'roles.0.template' },
    ],
    [
      'a role named twice',
      async () => ({ roles: [{ name: 'admin' }, { name: ' ADMIN' }] }),
      { code: 'invalid', field: 'roles' },
    ],
    [
      'a type that cannot stand alone',
      async () => ({ type: 'building', attributes: {} }),
      { code: 'invalid', field: 'type' },
    ],
    [
      'a type that there is not',
      async () => ({ type: 'planet', attributes: {} }),
      { code: 'invalid', field: 'type' },
    ],
    [
      'a field that such a root does not have',
      async () => ({ attributes: { colour: 'red' } }),
      { code: 'invalid', field: 'attributes.colour' },
    ],
    [
      'a parent',
      async () => ({ attributes: { parent: `tenant:${NOBODY}` } }),
      { code: 'invalid', field: 'attributes.parent' },
    ],
  ];
  test.each(cases)('%s', async (_, prepare, expected) => {
    const more = await prepare();
    const before = asState(await world.everything());
    expect(await world.refused('tenant.onboard', input(more))).toMatchObject(expected);
    expect(asState(await world.everything())).toEqual(before);
  });

  test('more than one transaction holds: it says what to do', async () => {
    for (let page = 0; page < 30; page++) await world.run('page.create', { name: `page-${page}` });
    const permissions = Array.from({ length: 30 }, (_, page) => ({ permission: `page-${page}` }));
    const before = asState(await world.everything());
    const error = await world.refused('tenant.onboard', input({ roles: [{ name: 'admin', permissions }] }));
    expect(error).toMatchObject({ code: 'limit_exceeded', field: 'roles' });
    expect(error.message).toMatch(/touches \d+ items; one transaction holds 100.*role-template\.apply/);
    expect(asState(await world.everything())).toEqual(before);
  });
});

describe('what happens between its reading and its writing', () => {
  const around = (act: () => Promise<unknown>, more: Input = {}) =>
    world.provisionAround({ command: 'tenant.onboard', input: input(more) }, act);

  test('the name is taken: nothing of it is there', async () => {
    const answer = await around(() => world.run('tenant.create', { name: 'acme' }));
    expect(answer).toMatchObject({ ok: false, error: { code: 'conflict', field: 'name' } });
    expect((await world.listed('role.list', {})).length).toBe(0);
    expect(await world.refused('user.read', { email: 'ann@example.com' })).toMatchObject({
      code: 'not_found',
    });
    await expectWhole();
  });

  test('the email is taken: it is that user', async () => {
    let user = '';
    const answer = await around(async () => {
      user = (await world.run('user.create', { email: 'ann@example.com' })).id;
    });
    expect(answer).toMatchObject({ ok: true, result: { admin: { id: user, isNew: false } } });
    await expectWhole();
  });

  test('the email goes from one user to another: it is the other', async () => {
    const { id: first } = await world.run('user.create', { email: 'ann@example.com' });
    let second = '';
    const answer = await around(async () => {
      await world.run('user.update', { id: first, email: null });
      second = (await world.run('user.create', { email: 'ann@example.com' })).id;
    });
    expect(answer).toMatchObject({ ok: true, result: { admin: { id: second } } });
    await expectWhole();
  });

  test('the user is disabled, a role or a permission goes: refused', async () => {
    const { id } = await world.run('user.create', { email: 'ann@example.com' });
    const disabled = await around(() => world.run('user.update', { id, status: 'disabled' }));
    expect(disabled).toMatchObject({ ok: false, error: { code: 'conflict', field: 'email' } });
    await world.run('user.update', { id, status: 'active' });
    const { id: role } = await world.run('role.create', { name: 'owner', scope: 'tenant' });
    const gone = await around(() => world.run('role.delete', { id: role }), { adminRoles: ['admin', role] });
    expect(gone).toMatchObject({ ok: false, error: { code: 'not_found', field: 'adminRoles' } });
    const page = await around(() => world.run('page.delete', { name: 'users' }));
    expect(page).toMatchObject({ ok: false, error: { code: 'not_found', field: 'roles.0.permissions.0' } });
    await expectWhole();
    expect(await world.listed('tenant.list', {})).toEqual([]);
  });
});
