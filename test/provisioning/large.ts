import type { Event } from './stepwise.ts';
import type { Input, LedgerWorld } from './support.ts';

/** Nodes with more edges than one transaction holds, of all kinds that they can have. */
export const MANY = [...Array(60).keys()];
const each = (count: number, of: (i: number) => Input) =>
  Object.fromEntries(MANY.slice(0, count).map((i) => [`of many ${i}`, of(i)]));

/** A tenant under deny-overrides, one role that allows and one that forbids: u0 may, u1 may not, u2 has both, u3 neither. */
const TENANT = {
  pages: ['home', 'grades'],
  scopes: { Acme: { id: 'acme', type: 'tenant', combination: 'deny-overrides' } },
  roles: {
    allows: { id: 'allows', owner: 'Acme', allow: ['home', 'grades'] },
    forbids: { id: 'forbids', owner: 'Acme', deny: ['home'] },
  },
  users: {
    u0: { id: 'u0', assignments: [{ role: 'allows', scope: 'Acme' }] },
    u1: { id: 'u1', assignments: [{ role: 'forbids', scope: 'Acme' }] },
    u2: { id: 'u2', assignments: ['allows', 'forbids'].map((role) => ({ role, scope: 'Acme' })) },
    u3: { id: 'u3' },
  },
};
const { roles: ROLES, users: USERS } = TENANT;

/** Furnishes a world with that tenant, and with more in its sections. */
export async function furnishTenant(world: Pick<LedgerWorld, 'run'>, more: Input = {}): Promise<void> {
  const sections = Object.entries({ ...TENANT, ...more }).map(([section, added]) => {
    const own = TENANT[section as keyof typeof TENANT] ?? {};
    return [section, Array.isArray(added) ? added : { ...own, ...(added as Input) }];
  });
  await world.run('tenant.apply', { manifest: Object.fromEntries(sections) });
}

export interface Large {
  readonly manifest: Input;
  /** What a manifest has no section for. */
  readonly beside?: (world: Pick<LedgerWorld, 'run'>) => Promise<unknown>;
  readonly event: Event;
  /** What nothing says any more when it is gone. */
  readonly named: string;
  /** What somebody tries meanwhile. */
  readonly meanwhile: readonly (readonly [string, Input])[];
}

const IN_ACME = each(40, () => ({ scope: 'Acme' }));
const TOKEN = { user: 'large-user', tenant: 'tenant:acme' };
const AT_ACME = { scope: 'tenant:acme' };

export const LARGE = {
  'a group with 60 members that forbids': {
    named: 'large-group',
    manifest: {
      groups: { large: { id: 'large-group', scope: 'Acme', roles: ['forbids'] } },
      users: { ...each(59, () => ({ groups: ['large'] })), u0: { ...USERS.u0, groups: ['large'] } },
    },
    event: { command: 'group.delete', input: { id: 'large-group' } },
    meanwhile: [
      ['membership.create', { user: 'u3', group: 'large-group' }],
      ['group-role.create', { group: 'large-group', role: 'allows' }],
      ['group.update', { id: 'large-group', name: 'other' }],
      [
        'group-role.update',
        { group: 'large-group', role: 'forbids', assignedAt: '2026-01-01T00:00:00.000Z' },
      ],
    ],
  },
  'a role with 60 holders of three kinds': {
    named: 'forbids',
    manifest: {
      roles: { kept: { id: 'kept', owner: 'Acme' } },
      groups: each(20, () => ({ scope: 'Acme', roles: ['forbids'] })),
      users: each(40, (i) =>
        i % 2
          ? { assignments: [{ role: 'forbids', scope: 'Acme' }] }
          : { grants: { Acme: i % 4 ? ['forbids'] : ['forbids', 'kept'] } },
      ),
    },
    event: { command: 'role.delete', input: { id: 'forbids' } },
    meanwhile: [
      ['assignment.create', { ...AT_ACME, user: 'u3', role: 'forbids' }],
      ['grant.create', { ...AT_ACME, user: 'u3', roles: ['forbids'] }],
      ['role.create', { ...AT_ACME, name: 'child', parent: 'forbids' }],
      ['role-permission.create', { role: 'forbids', permission: 'grades', effect: 'ALLOW' }],
      ['role-permission.update', { role: 'forbids', permission: 'home', effect: 'ALLOW' }],
      ['role.update', { id: 'forbids', parent: 'allows' }],
    ],
  },
  'a role with 60 permissions, patterns too': {
    named: 'forbids',
    manifest: {
      pages: [...TENANT.pages, ...MANY.map((i) => `page-${i}`)],
      roles: {
        forbids: {
          ...ROLES.forbids,
          allow: MANY.slice(0, 30).map((i) => (i % 2 ? `page-${i}` : `m${i}:*:*`)),
          deny: ['home', '*:*:*', ...MANY.slice(30).map((i) => (i % 2 ? `page-${i}` : `m${i}:*:*`))],
        },
      },
    },
    event: { command: 'role.delete', input: { id: 'forbids' } },
    meanwhile: [['role-permission.create', { role: 'forbids', permission: 'grades', effect: 'ALLOW' }]],
  },
  'a page on which 60 roles have an effect': {
    named: 'PAGE#home',
    manifest: {
      roles: each(60, (i) => ({
        ...(i % 2 ? { owner: 'Acme' } : { global: true }),
        [i % 3 ? 'allow' : 'deny']: ['home'],
      })),
    },
    event: { command: 'page.delete', input: { name: 'home' } },
    meanwhile: [['page.update', { name: 'home', description: 'x' }]],
  },
  'a user with 60 memberships, grants, tokens, sessions': {
    named: 'large-user',
    manifest: {
      groups: IN_ACME,
      users: {
        u2: {
          ...USERS.u2,
          id: 'large-user',
          admin: true,
          groups: Object.keys(IN_ACME),
          grants: { Acme: ['allows'] },
        },
      },
      settings: [{ user: 'u2', key: 'theme', value: 'dark' }],
    },
    beside: ({ run }) =>
      Promise.all(
        MANY.slice(0, 20).map((i) =>
          i % 2
            ? run('session.create', { user: 'large-user' })
            : run('token.create', { ...TOKEN, tokenType: i % 4 ? 'api' : 'refresh' }),
        ),
      ),
    event: { command: 'user.delete', input: { id: 'large-user' } },
    meanwhile: [
      ['token.create', { user: 'large-user', tokenType: 'api' }],
      ['session.create', { user: 'large-user' }],
      ['assignment.create', { ...AT_ACME, user: 'large-user', role: 'allows' }],
      ['setting.create', { scope: 'user:large-user', key: 'other', value: 'dark' }],
      ['user.update', { id: 'large-user', status: 'active' }],
    ],
  },
} satisfies Record<string, Large>;

/** Furnishes a world with one of them, and answers how it is deleted. */
export async function furnishLarge(world: Pick<LedgerWorld, 'run'>, large: Large): Promise<Event> {
  await furnishTenant(world, large.manifest);
  await large.beside?.(world);
  return large.event;
}
