import { beforeEach, describe, expect, test } from 'vitest';
import { outcomeOf } from '../support/world.ts';
import { asState, createLedgerWorld, type Input, type LedgerWorld } from './support.ts';
import { expectWhole as expectAllWhole } from './whole.ts';

/** `tenant.onboard`: a tenant, its roles and its first administrator in one transaction, or nothing. */
let world: LedgerWorld;
let template: string;
const PERMISSIONS = [
  { permission: 'grades', effect: 'ALLOW' },
  { permission: 'reports:*:*', effect: 'ALLOW' },
  { permission: 'users', effect: 'DENY' },
];
beforeEach(async () => {
  world = await createLedgerWorld();
  await world.apply(`
modules: [reports]
pages: [home, grades, users]
permissions: ["reports:read:report"]
`);
  template = (await world.run('role-template.create', { name: 'teacher', permissions: PERMISSIONS })).id;
});

/** The manifest of a tenant with two roles and an administrator; `more` replaces sections or what is in them. */
const manifest = ({ type = 'tenant', scope = {}, roles = {}, user = {}, ...more }: Input = {}): Input => ({
  scopes: {
    Acme: {
      ...(type === 'tenant' ? { combination: 'deny-overrides', description: 'a customer' } : {}),
      type,
      ...(scope as object),
    },
  },
  roles: {
    admin: { owner: 'Acme', allow: ['users', 'home'] },
    teacher: { owner: 'Acme', template, allow: ['home'] },
    ...(roles as object),
  },
  users: { Ann: { email: 'Ann@Example.com', grants: { Acme: ['admin'] }, ...(user as object) } },
  ...more,
});
const input = (more: Input = {}): Input => ({ manifest: manifest(more) });
interface Onboarded {
  readonly scope: string;
  readonly roles: readonly { readonly id: string; readonly name: string }[];
  readonly users: readonly { readonly id: string; readonly name: string; readonly isNew: boolean }[];
}
const onboard = async (more: Input = {}) => {
  const done = (await world.run('tenant.onboard', input(more))) as unknown as Onboarded;
  const [admin] = done.users;
  if (!admin) throw new Error('there is no administrator');
  return { ...done, admin };
};

const expectWhole = () => expectAllWhole(world);

describe('in one transaction', () => {
  test('all of it, whose decision items are what the edges say, and which checks agree with', async () => {
    const first = world.transactions.length;
    const { scope, roles, admin } = await onboard();
    expect(world.transactions.length).toBe(first + 1);
    await expectWhole();
    expect(admin.isNew).toBe(true);
    const decided = async () => {
      world.settle();
      const engine = world.newEngine();
      const of = async (permission: string) =>
        (await engine.check(`user:${admin.id}`, permission, scope)).reason;
      return Promise.all(['users', 'home', 'grades', 'reports:read:report'].map(of));
    };
    expect(await decided()).toEqual(['role', 'role', 'no_grant', 'no_grant']);
    expect(roles.map(({ name }) => name)).toContain('teacher');
    await world.run('grant.update', { user: admin.id, scope, roles: roles.map(({ id }) => id) });
    expect(await decided()).toEqual(['denied_by_role', 'role', 'role', 'role']);
  });

  test.each([
    ['client', {}],
    ['location', { scope: { code: 'N1' } }],
    ['campus', {}],
  ])('of a root that is a %s', async (type, more) => {
    await world.run('scope-type.create', { name: 'campus', root: true });
    const { scope, admin } = await onboard({ type, ...more });
    expect(scope).toMatch(new RegExp(`^${type}:`));
    await expectWhole();
    expect((await world.newEngine().check(`user:${admin.id}`, 'users', scope)).allowed).toBe(true);
  });

  test('with a role that exists, for a user who exists, found by email or by id', async () => {
    const { id: user } = await world.run('user.create', { email: 'ann@example.com' });
    const { id: role } = await world.run('role.create', { name: 'owner', scope: 'tenant' });
    await world.run('role-permission.create', { role, permission: 'home', effect: 'ALLOW' });
    const owner = { owner: { id: role, existing: true } };
    const { scope, admin } = await onboard({ roles: owner, user: { grants: { Acme: ['owner'] } } });
    expect(admin).toMatchObject({ id: user, isNew: false });
    const { admin: same } = await onboard({
      scopes: { Second: { type: 'tenant' } },
      roles: { ...owner, admin: {}, teacher: {} },
      users: { [user]: { id: user, existing: true, grants: { Second: ['owner'] } } },
    });
    expect(same).toMatchObject({ id: user, isNew: false });
    await expectWhole();
    expect(await world.newEngine().check(`user:${user}`, 'home', scope)).toMatchObject({ allowed: true });
  });
});

describe('or nothing', () => {
  const [SCOPE, ANN] = ['manifest/scopes/Acme', 'manifest/users/Ann'];
  const ann = (more: Input) => ['user.create', { email: 'ann@example.com', ...more }] as const;
  const north = ['location.create', { name: 'North', code: 'n1' }] as const;
  const OTHER = { id: 'o', name: 'O' };
  const twice = { scopes: { Acme: { type: 'tenant' }, Other: { type: 'tenant' } } };
  const unknown = { roles: { admin: { owner: 'Acme', allow: ['nope'] } } };

  test.each<[string, readonly [string, Input] | undefined, Input, code: string, field: string]>([
    ['a name that is taken', ['tenant.create', { name: ' ACME ' }], {}, 'conflict', SCOPE],
    ['a code that is taken', north, { type: 'location', scope: { code: 'N1' } }, 'conflict', SCOPE],
    ['an id that is taken', ['tenant.create', OTHER], { scope: { id: 'o' } }, 'conflict', SCOPE],
    ['two roots', undefined, twice, 'invalid', 'manifest/scopes'],
    ['a user who is not active', ann({ status: 'disabled' }), {}, 'conflict', ANN],
    ['a user who would change', ann({ displayName: 'A' }), { user: { displayName: 'B' } }, 'conflict', ANN],
    ['a permission that is not registered', undefined, unknown, 'invalid', 'manifest/roles/admin/allow/0'],
  ])('%s', async (_, made, more, code, field) => {
    if (made) await world.run(...made);
    const before = asState(await world.everything());
    expect(await world.outcome('tenant.onboard', input(more))).toBe(`${code} ${field}`);
    expect(asState(await world.everything())).toEqual(before);
  });

  test('more than one transaction holds: it says what to do', async () => {
    for (let page = 0; page < 30; page++) await world.run('page.create', { name: `page-${page}` });
    const allow = Array.from({ length: 30 }, (_, page) => `page-${page}`);
    const before = asState(await world.everything());
    const large = input({ roles: { admin: { owner: 'Acme', allow } } });
    const error = await world.refused('tenant.onboard', large);
    expect(error).toMatchObject({ code: 'limit_exceeded', field: 'manifest' });
    expect(error.message).toMatch(/touches \d+ items; one transaction holds 100.*tenant\.apply/);
    expect(asState(await world.everything())).toEqual(before);
  });
});

describe('what happens between its reading and its writing', () => {
  const around = async (act: () => Promise<unknown>, more: Input = {}) =>
    outcomeOf(await world.provisionAround({ command: 'tenant.onboard', input: input(more) }, act));

  test('the name is taken: nothing of it is there', async () => {
    const outcome = await around(() => world.run('tenant.create', { name: 'acme' }));
    expect(outcome).toBe('conflict manifest/scopes/Acme');
    expect((await world.listed('role.list', {})).length).toBe(0);
    expect(await world.outcome('user.read', { email: 'ann@example.com' })).toBe('not_found email');
    await expectWhole();
  });

  test('the email goes from one user to another: it is the other', async () => {
    const { id: first } = await world.run('user.create', { email: 'ann@example.com' });
    let second = '';
    const answer = await world.provisionAround({ command: 'tenant.onboard', input: input() }, async () => {
      await world.run('user.update', { id: first, email: null });
      second = (await world.run('user.create', { email: 'ann@example.com' })).id;
    });
    expect(answer).toMatchObject({ ok: true, result: { users: [{ id: second }] } });
    expect(await world.listed('grant.list', { user: second })).toHaveLength(1);
    await expectWhole();
  });

  test('the user is disabled, a role or a permission goes: refused', async () => {
    const { id } = await world.run('user.create', { email: 'ann@example.com' });
    const disabled = await around(() => world.run('user.update', { id, status: 'disabled' }));
    expect(disabled).toBe('conflict manifest/users/Ann');
    await world.run('user.update', { id, status: 'active' });
    const { id: role } = await world.run('role.create', { name: 'owner', scope: 'tenant' });
    const gone = await around(() => world.run('role.delete', { id: role }), {
      roles: { owner: { id: role, existing: true } },
      user: { grants: { Acme: ['admin', 'owner'] } },
    });
    expect(gone).toBe('invalid manifest/roles/owner/id');
    const page = await around(() => world.run('page.delete', { name: 'users' }));
    expect(page).toBe('invalid manifest/roles/admin/allow/0');
    await expectWhole();
    expect(await world.listed('tenant.list', {})).toEqual([]);
  });
});
