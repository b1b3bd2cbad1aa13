import type * as z from 'zod';
import { COMMANDS } from '../../provisioning/index.ts';
import type { Kind } from './kind.ts';
import { platformKinds } from './platform-kinds.ts';
import { scopeKinds } from './scope-kinds.ts';
import type { Input, LedgerWorld, Result } from './support.ts';

const STAFF = 'staff.example';

/**
 * Every kind of node and edge with an example of each input, so that tests can walk all commands. Each
 * call of `create` names things that do not exist yet.
 */
export function createKinds(world: Pick<LedgerWorld, 'run'>): Readonly<Record<string, Kind>> {
  let count = 0;
  const fresh = (word: string) => `${word}-${++count}`;
  const id = async (command: string, input: Input) => (await world.run(command, input)).id;
  const user = () => id('user.create', {});
  const tenant = () => id('tenant.create', { name: fresh('Tenant') });
  const location = () => id('location.create', { name: 'Place' });
  const role = (more: Input = {}) => id('role.create', { name: fresh('role'), scope: 'global', ...more });
  const group = async () => id('group.create', { scope: `location:${await location()}`, name: 'group' });
  const page = async () => {
    const name = fresh('page');
    await world.run('page.create', { name });
    return name;
  };
  const module = async () => {
    const name = fresh('module');
    await world.run('module.create', { name });
    return name;
  };
  const connection = async () =>
    world.run('scim-connection.create', {
      scope: `tenant:${await tenant()}`,
      name: 'staff',
      issuer: 'https://login.example',
    });
  let known: Promise<Result> | undefined;
  /** A connection with a domain of its tenant. */
  const staff = () => {
    known ??= (async () => {
      const of = await connection();
      await world.run('domain.create', { name: STAFF, tenant: of.scope });
      return of;
    })();
    return known;
  };
  const phone = () => `+4930${1_000_000 + ++count}`;
  const [early, late] = ['2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'];

  const kinds: readonly Kind[] = [
    {
      type: 'tenant',
      create: async () => ({
        name: fresh('Acme'),
        description: 'a customer',
        status: 'active',
        combination: 'deny-overrides',
      }),
      named: [['id'], ['name']],
      changes: async () => ({
        name: fresh('Acme'),
        description: null,
        status: 'suspended',
        combination: 'allow-overrides',
      }),
      lists: [[]],
    },
    {
      type: 'location',
      create: async () => ({
        name: 'North',
        code: fresh('N').toUpperCase(),
        address: 'Hill 1',
        parent: `tenant:${await tenant()}`,
        status: 'active',
        combination: 'allow-overrides',
      }),
      named: [['id'], ['code']],
      changes: async () => ({
        name: 'South',
        code: fresh('S').toUpperCase(),
        address: null,
        status: 'suspended',
      }),
      lists: [[], ['parent']],
    },
    ...scopeKinds(id, fresh),
    ...platformKinds(id, fresh),
    {
      type: 'user',
      create: async () => ({
        email: `${fresh('ann')}@example.com`,
        emailProvider: 'google',
        phone: phone(),
        username: fresh('ann'),
        displayName: 'Ann',
        givenName: 'Ann',
        familyName: 'Arbor',
        title: 'Dr',
        department: 'Sales',
        userType: 'LEAD',
        tenant: `tenant:${await tenant()}`,
        status: 'active',
        endsAt: late,
        lastLoginAt: early,
        invitedBy: await user(),
        invitedAt: early,
        mfaEnabled: true,
        mfaType: 'totp',
        passwordLastChangedAt: early,
      }),
      named: [['id'], ['email'], ['phone'], ['username']],
      changes: async () => ({
        email: `${fresh('bea')}@example.com`,
        emailProvider: 'github',
        phone: phone(),
        username: fresh('bea'),
        displayName: null,
        givenName: 'Bea',
        familyName: null,
        department: null,
        userType: null,
        tenant: null,
        status: 'disabled',
        endsAt: null,
        mfaEnabled: false,
        lastLoginAt: late,
      }),
      lists: [[], ['tenant'], ['status']],
    },
    {
      type: 'group',
      create: async () => ({
        scope: `location:${await location()}`,
        name: 'teachers',
        groupType: 'TEACHER',
        description: 'who teach',
        everyone: true,
      }),
      named: [['id']],
      changes: async () => ({
        name: 'helpers',
        groupType: 'VOLUNTEER',
        description: null,
        allowOnly: true,
      }),
      lists: [[], ['scope']],
    },
    {
      type: 'external-group',
      create: async () => {
        const scope = `tenant:${await tenant()}`;
        const group = await id('group.create', { scope, name: fresh('staff'), allowOnly: true });
        const [issuer, externalId] = ['https://login.example', fresh('staff')];
        return { scope, issuer, externalId, group, description: 'the staff' };
      },
      named: [['id'], ['externalId', 'scope', 'issuer']],
      changes: async () => ({ description: null }),
      lists: [[], ['scope']],
    },
    {
      type: 'invariant',
      create: async () => {
        const scope = `tenant:${await tenant()}`;
        const separate = [await page(), await page()];
        return { scope, name: fresh('four eyes'), separate, within: 'scope', description: 'both' };
      },
      named: [['id'], ['name', 'scope']],
      changes: async () => ({ name: fresh('six eyes'), within: null, description: null }),
      lists: [[], ['scope']],
    },
    {
      type: 'domain',
      create: async () => ({ name: `${fresh('d')}.example`, tenant: `tenant:${await tenant()}` }),
      named: [['name']],
      lists: [[], ['tenant']],
    },
    {
      type: 'scim-connection',
      create: async () => ({
        scope: `tenant:${await tenant()}`,
        name: 'the staff',
        issuer: 'https://login.example',
        lastSyncAt: early,
      }),
      named: [['id']],
      changes: async () => ({ name: 'all', issuer: null, lastSyncAt: late }),
      lists: [[], ['scope']],
    },
    {
      type: 'mandate',
      create: async () => ({
        subject: `user:${await user()}`,
        actor: `agent:${await id('subject.create', { type: 'agent', id: fresh('agent') })}`,
        permissions: [await page(), 'invoices:read:*'],
        scopes: [`location:${await location()}`],
        purpose: 'reads invoices',
        when: 'action.name == "read"',
        budget: { uses: 5 },
        token: true,
      }),
      named: [['id']],
      lists: [['subject'], ['actor'], ['tenant'], []],
    },
    {
      type: 'scim-credential',
      create: async () => {
        const { id: of, createdAt } = await connection();
        const expiresAt = new Date(Date.parse(String(createdAt)) + 300 * 86_400_000).toISOString();
        return { connection: of, expiresAt };
      },
      named: [['id']],
      lists: [['connection']],
    },
    {
      type: 'scim-user',
      create: async () => {
        // All of one connection, so that one can be created again.
        const of = await staff();
        const [email, sub] = [`${fresh('ann')}@${STAFF}`, fresh('ann')];
        await world.run('user.create', { email, issuer: of.issuer, sub });
        return {
          connection: of.id,
          userName: fresh('Ann'),
          externalId: fresh('ann'),
          active: true,
          email,
          sub,
          displayName: 'Ann',
          givenName: 'Ann',
          familyName: 'Arbor',
        };
      },
      named: [
        ['connection', 'user'],
        ['userName', 'connection'],
        ['externalId', 'connection'],
      ],
      changes: async () => ({
        userName: fresh('bea'),
        externalId: fresh('bea'),
        active: false,
        email: null,
        sub: null,
        displayName: 'Bea',
        givenName: null,
        familyName: null,
      }),
      lists: [['connection']],
    },
    {
      type: 'scim-group',
      create: async () => {
        const { id: connection, scope, issuer } = await staff();
        const externalId = fresh('staff');
        const { id: group } = await world.run('group.create', { scope, name: 'staff', allowOnly: true });
        await world.run('external-group.create', { scope, issuer, externalId, group });
        return { connection, displayName: fresh('Staff'), externalId };
      },
      named: [
        ['connection', 'group'],
        ['displayName', 'connection'],
        ['externalId', 'connection'],
      ],
      changes: async () => ({ displayName: fresh('all'), externalId: fresh('all') }),
      lists: [['connection']],
    },
    {
      type: 'role',
      create: async () => ({
        name: fresh('clerk'),
        scope: `tenant:${await tenant()}`,
        parent: await role({ allowOnly: true }),
        description: 'writes',
        allowOnly: true,
        createdBy: await user(),
      }),
      named: [['id']],
      changes: async () => ({ name: fresh('clerk'), parent: null, description: null }),
      lists: [[], ['scope']],
    },
    {
      type: 'page',
      create: async () => ({ name: fresh('page'), description: 'a page', module: await module() }),
      named: [['name']],
      changes: async () => ({ description: 'another page', module: null }),
      lists: [[]],
    },
    {
      type: 'property',
      create: async () => ({
        of: 'subject:user',
        name: fresh('level').replace('-', '_'),
        type: 'string',
        source: 'stored',
        description: 'a level',
      }),
      named: [['of', 'name']],
      changes: async () => ({ description: null }),
      lists: [[]],
    },
    {
      type: 'resource-type',
      create: async () => ({
        name: fresh('invoice'),
        permission: 'billing:{action}:{type}',
        actions: { pay: 'billing:settle:invoice' },
        scope: 'tenant:{tenant}',
        description: 'an invoice',
      }),
      named: [['name']],
      changes: async () => ({ actions: { pay: 'billing:pay:invoice' }, scope: null }),
      lists: [[]],
    },
    {
      type: 'permission',
      create: async () => ({ name: `reports:${fresh('read')}:all`, description: 'reads', isDangerous: true }),
      named: [['name']],
      changes: async () => ({ description: null, isDangerous: false }),
      lists: [[]],
    },
    {
      type: 'route',
      create: async () => ({
        api: fresh('api'),
        method: 'GET',
        path: '/locations/{locationId}/pages/{page}',
        permission: '{page}',
        scope: 'location:{locationId}',
        description: 'a route',
      }),
      named: [['id']],
      changes: async () => ({
        permission: 'dashboard',
        scope: 'tenant:{claim:tenant}',
        description: null,
      }),
      lists: [['api']],
    },
    {
      type: 'membership',
      create: async () => ({ user: await user(), group: await group(), joinedAt: early }),
      named: [['user', 'group']],
      changes: async () => ({ joinedAt: late }),
      lists: [['user'], ['group']],
    },
    {
      type: 'group-role',
      create: async () => ({ group: await group(), role: await role(), assignedAt: early }),
      named: [['group', 'role']],
      changes: async () => ({ assignedAt: late }),
      lists: [['group'], ['role']],
    },
    {
      type: 'role-permission',
      create: async () => ({
        role: await role(),
        permission: await page(),
        effect: 'ALLOW',
        when: 'context.method == "GET"',
        grantedBy: await user(),
        grantedAt: early,
      }),
      named: [['role', 'permission']],
      changes: async () => ({ effect: 'DENY', when: null }),
      lists: [['role'], ['permission']],
    },
    {
      type: 'assignment',
      create: async () => ({
        user: await user(),
        scope: `location:${await location()}`,
        role: await role(),
        id: (await user()).replace(/.$/, '0'),
        startsAt: early,
        endsAt: late,
        createdBy: await user(),
      }),
      named: [['user', 'scope', 'role']],
      changes: async () => ({ startsAt: null, endsAt: '2026-04-01T00:00:00.000Z' }),
      lists: [['user'], ['scope'], ['role']],
    },
    {
      type: 'global-role',
      create: async () => ({ user: await user(), role: await role() }),
      named: [['user', 'role']],
      lists: [['user'], ['role']],
    },
    { type: 'admin', create: async () => ({ user: await user() }), named: [['user']], lists: [[]] },
    {
      type: 'grant',
      create: async () => ({
        user: await user(),
        scope: `tenant:${await tenant()}`,
        roles: [await role(), await role({ scope: 'tenant' })],
        joinedAt: early,
      }),
      named: [['id'], ['user', 'scope']],
      changes: async () => ({ roles: [await role({ scope: 'tenant' })] }),
      lists: [['user'], ['scope'], ['role']],
    },
  ];
  return Object.fromEntries(kinds.map((kind) => [kind.type, withProperties(kind)]));
}

/** Subjects and scopes have stored properties. */
function withProperties(kind: Kind): Kind {
  const shape = (COMMANDS.get(`${kind.type}.create`)?.input as z.ZodObject | undefined)?.shape ?? {};
  if (!('properties' in shape)) return kind;
  const properties = { department: 'Sales', level: 3, cleared: true, tags: ['a'], site: { floor: 2 } };
  return {
    ...kind,
    create: async () => ({ ...(await kind.create()), properties }),
    ...(kind.changes
      ? { changes: async () => ({ ...(await kind.changes?.()), properties: { department: 'Legal' } }) }
      : {}),
  };
}

export const pick = (from: Input, fields: readonly string[] = []): Input =>
  Object.fromEntries(fields.map((name) => [name, from[name]]));

/** What names one, as read, update and delete take it. */
export const nameOf = ({ reference, named }: Kind, from: Input, set = 0): Input =>
  reference ? { [reference]: `${from.type}:${from.id}` } : pick(from, named[set]);

/** A good input of one command: what it names exists, what it creates does not. */
async function inputFor(world: Pick<LedgerWorld, 'run'>, kind: Kind, verb: string): Promise<Input> {
  const input = await kind.create();
  if (verb === 'create') return input;
  const made = await world.run(`${kind.type}.create`, input);
  if (verb === 'list') return pick(made, kind.lists[0]);
  return { ...nameOf(kind, made), ...(verb === 'update' ? await kind.changes?.() : {}) };
}

/** Maker of good inputs, for tests that walk the commands. */
export function createInputs(world: Pick<LedgerWorld, 'run'>): (command: string) => Promise<Input> {
  const kinds = createKinds(world);
  const others = otherInputs(world, kinds);
  return (command) => {
    const [type = '', verb = ''] = command.split('.');
    const kind = kinds[type];
    return others[command]?.() ?? (kind ? inputFor(world, kind, verb) : Promise.resolve({}));
  };
}

/** Inputs of the commands that are none of the usual five. */
function otherInputs(
  world: Pick<LedgerWorld, 'run'>,
  kinds: Readonly<Record<string, Kind>>,
): Readonly<Record<string, () => Promise<Input>>> {
  const made = async (type: string) => world.run(`${type}.create`, (await kinds[type]?.create()) ?? {});
  const tenantManifest = async () => {
    const page = String((await made('page')).name);
    const tenant = `Tenant of ${page}`;
    return {
      scopes: { [tenant]: { type: 'tenant', description: 'a customer' } },
      roles: { admin: { owner: tenant, allow: [page] } },
      users: { 'The first': { email: `${page}@example.com`, grants: { [tenant]: ['admin'] } } },
    };
  };
  const name = async () => ({ name: 'Acme/North', kind: 'scope' });
  return {
    'name.find': name,
    'name.suggest': name,
    'name.labels': async () => ({ names: [{ name: 'location:1', kind: 'scope' }] }),
    'name.owners': async () => ({ names: [await name()] }),
    'approval.list': async () => ({}),
    'approval.approve': async () => ({ id: 'no-1' }),
    'approval.reject': async () => ({ id: 'no-1' }),
    'audit.create': async () => ({
      tenant: `tenant:${(await made('tenant')).id}`,
      action: 'login',
      entityType: 'session',
      entityId: '01J8Z0E2Z8D2A3J7A7Y2H9GQ9C',
      status: 'failure',
      severity: 'warning',
      relatedEntities: { user: 'ann' },
      ipAddress: '192.0.2.1',
      userAgent: 'browser/1',
      sessionId: '01J8Z0E2Z8D2A3J7A7Y2H9GQ9C',
      metadata: { try: 3 },
    }),
    'transaction.write': async () => {
      const { id: user } = await made('user');
      const { scope } = await made('group');
      const { id: group } = await world.run('group.create', { scope, name: 'members' });
      return {
        commands: [
          { command: 'membership.create', input: { user, group } },
          { command: 'user.update', input: { id: user, displayName: 'In a group' } },
        ],
      };
    },
    'access.compare': async () => ({
      commands: [
        { command: 'user.delete', input: { id: (await made('user')).id } },
        {
          command: 'transaction.write',
          input: { commands: [{ command: 'user.delete', input: { id: (await made('user')).id } }] },
        },
      ],
    }),
    'tenant.onboard': async () => ({ manifest: await tenantManifest() }),
    'tenant.plan': async () => ({ manifest: await tenantManifest() }),
    'tenant.apply': async () => ({ manifest: await tenantManifest() }),
    'token.revoke': async () => ({ id: (await made('token')).id, revokedBy: (await made('user')).id }),
    'mandate.end': async () => ({ id: (await made('mandate')).id }),
    'mandate.end-all': async () => ({ subject: (await made('mandate')).subject }),
    'mandate.use': async () => {
      const { when: _, token: __, ...of } = (await kinds.mandate?.create()) ?? {};
      const { id: mandate, subject, actor, scopes, permissions } = await world.run('mandate.create', of);
      for (const ref of [subject, actor])
        await world.run('admin.create', { user: String(ref).replace(/^user:/, '') });
      const [[scope], [permission]] = [scopes as string[], permissions as string[]];
      return { mandate, subject, actor, scope, permission, properties: {} };
    },
    'role-template.apply': async () => ({
      id: (await made('role-template')).id,
      // One that may deny.
      role: (await made('group-role')).role,
    }),
    'setting.resolve': async () => {
      const { scope, key } = await made('setting');
      return { keys: [key], scope, user: (await made('user')).id };
    },
    'role.read': async () => {
      const { name, scope } = await made('role');
      return { name, scope };
    },
    'scim-group.find': async () => pick(await made('scim-group'), ['connection', 'displayName']),
    'scim-group.members': async () => {
      const { connection, group } = await made('scim-group');
      const [{ user: a }, { user: b }] = [await made('scim-user'), await made('scim-user')];
      return { connection, group, add: [a], remove: [(await made('user')).id], replace: [b] };
    },
    'scim-group.list-members': async () => pick(await made('scim-group'), ['connection', 'group']),
    'scim-user.list-groups': async () => pick(await made('scim-user'), ['connection', 'user']),
    'scim-user.find': async () => pick(await made('scim-user'), ['connection', 'userName']),
    'user.find': async () => ({ email: String((await made('user')).email) }),
    'user.access': async () => ({ id: (await made('user')).id }),
    'tenant.list-all': async () => ({ tenant: `tenant:${(await made('tenant')).id}` }),
    'user.erase': async () => ({ id: (await made('user')).id }),
    'user.release': async () => {
      const { connection, userName } = await made('scim-user');
      const email = `released.${userName}@${STAFF}`;
      const { user } = await world.run('scim-user.create', { connection, userName: email, email });
      await world.run('scim-user.delete', { connection, user });
      return { id: user };
    },
    'scope.delete-tree': async () => ({ scope: `client:${(await made('client')).id}` }),
    'scope.move': async () => {
      const { id, root } = await made('building');
      const parent = await world.run('project.create', { parent: root, name: 'Another' });
      return { scope: `building:${id}`, parent: `project:${parent.id}` };
    },
  };
}

/** The kinds that commands create and delete; the audit log only grows. */
export const TYPES: readonly string[] = [...COMMANDS.keys()]
  .filter((name) => name.endsWith('.create') && name !== 'audit.create')
  .map((name) => name.slice(0, name.indexOf('.')));

/** What only verified operators may do: approvals.test.ts is about these. */
export const OF_OPERATORS: ReadonlySet<string> = new Set(['approval.approve', 'approval.reject']);

export const WRITE_COMMANDS: readonly string[] = [...COMMANDS.values()]
  .filter(({ kind, name }) => kind === 'write' && !OF_OPERATORS.has(name))
  .map(({ name }) => name);
