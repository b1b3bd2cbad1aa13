import { describeCommands, type Property } from '../../provisioning/documents/commands.ts';
import { COMMANDS } from '../../provisioning/index.ts';
import { DAY_MS, type Entity } from '../../table/entities/entity.ts';
import { ENTITIES } from '../../table/entities/registry.ts';
import { SCOPE_TYPES } from '../../table/entities/scope-types.ts';
import { type Input, type LedgerWorld, NOBODY, type Result } from './support.ts';

/** A kind of node or edge with an example of each input, so that tests can walk all commands. */
export interface Kind {
  readonly type: string;
  /** Input of a creation with every field, and all that it points at in place. */
  readonly create: () => Promise<Input>;
  /** Where its type is data: the field by which read, update and delete name one, by reference. */
  readonly reference?: 'scope' | 'user' | undefined;
  /** Fields that name one, as read, update and delete take them without a reference; the first set is that of update. */
  readonly named: readonly (readonly string[])[];
  /** Input of an update beside the name; null where it clears. Left out where there is no update. */
  readonly changes?: () => Promise<Input>;
  /** Fields by which it is listed; the empty list stands for the list of all. */
  readonly lists: readonly (readonly string[])[];
}

const STAFF = 'staff.example';
const [EARLY, LATE] = ['2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'];

type Fields = Readonly<Record<string, Property>>;
const INPUTS = new Map(describeCommands().map(({ name, input }) => [name, input]));
/** The fields of a command's input, as its JSON Schema has them. */
export const fieldsOf = (command: string): Fields => (INPUTS.get(command)?.properties ?? {}) as Fields;
const requiredOf = (command: string) => (INPUTS.get(command)?.required ?? []) as readonly string[];
const entityOf = (type: string): Entity | undefined => ENTITIES[type as keyof typeof ENTITIES];

/** The kinds that commands create and delete; the audit log only grows. */
export const TYPES: readonly string[] = [...COMMANDS.keys()]
  .filter((name) => name.endsWith('.create') && name !== 'audit.create')
  .map((name) => name.slice(0, name.indexOf('.')));

/** Fields of a creation that say how it is done, that exclude others, or whose value is chosen when they are left out. */
const LEFT_OUT = ['id', 'again', 'ifExists', 'customTemplateId', 'never', 'except'];

/** Fields of a list that select nothing by themselves. */
const OF_PAGES = ['limit', 'cursor', 'from', 'until', 'at', 'prefix'];

function namesOf(type: string): readonly (readonly string[])[] {
  if (type === 'grant') return [['id'], ['user', 'scope']];
  const { guards = [], namedIn } = entityOf(type) ?? {};
  const own = namedIn ? ['type', 'id'] : requiredOf(`${type}.delete`);
  // Users have no identity here, and a path with its parameters is a form of key.
  const others = guards.filter(({ field }) => ![...own, 'sub', 'path'].includes(field));
  return [own, ...others.map(({ field, within = [] }) => [field, ...within])];
}

function listsOf(type: string): readonly (readonly string[])[] {
  const { input } = COMMANDS.get(`${type}.list`) ?? {};
  const takes = (given: Input) => input?.safeParse(given).success === true;
  const selecting = Object.entries(fieldsOf(`${type}.list`)).filter(
    ([field, { enum: [first] = [`location:${NOBODY}`] }]) =>
      !OF_PAGES.includes(field) && [first, NOBODY, 'campus'].some((value) => takes({ [field]: value })),
  );
  // Routes without an API are those of the API `default`.
  const isAll = takes({}) && type !== 'route';
  return [...(isAll ? [[]] : []), ...selecting.map(([field]) => [field])];
}

export const isNullable = ({ type, anyOf = [] }: Property): boolean =>
  [type, ...anyOf.map((each) => each.type)].flat().includes('null');

/**
 * Every kind with its examples: what a schema says of a field, and in words what it does not say. Each call of `create`
 * names things that do not exist yet.
 */
export function createKinds(world: Pick<LedgerWorld, 'run'>): Readonly<Record<string, Kind>> {
  let count = 0;
  const fresh = (word: string) => `${word}-${++count}`;

  /** What others point at: no more of it than must be there. */
  const made = async (type: string, more: Input = {}): Promise<Result> => {
    const given = requiredOf(`${type}.create`).filter((field) => !(field in more));
    return world.run(`${type}.create`, { ...(await valuesOf(type, given)), ...more });
  };
  const id = (type: string, more?: Input) => async () => (await made(type, more)).id;
  const ref = (type: string) => async () => `${type}:${(await made(type)).id}`;
  const name = (type: string) => async () => String((await made(type)).name);
  const user = id('user');
  const role = id('role', { scope: 'global' });
  let known: Promise<Result> | undefined;
  /** A connection with a domain of its tenant. */
  const staff = () => {
    known ??= made('scim-connection', { issuer: 'https://login.example' }).then(async (of) => {
      await made('domain', { name: STAFF, tenant: of.scope });
      return of;
    });
    return known;
  };

  /** What fields of this name hold: what stands elsewhere, or text of a form. */
  const FIELDS: Readonly<Record<string, (type: string) => unknown>> = {
    scope: ref('location'),
    tenant: ref('tenant'),
    account: ref('account'),
    enterprise: ref('enterprise'),
    workstream: ref('workstream'),
    parent: (type) =>
      type === 'role'
        ? id('role', { scope: 'global', allowOnly: true })()
        : ref(SCOPE_TYPES[type]?.parents[0] ?? 'project')(),
    user,
    userId: user,
    createdBy: user,
    updatedBy: user,
    grantedBy: user,
    invitedBy: user,
    ownerUserId: user,
    group: id('group'),
    role,
    product: id('product'),
    service: id('service'),
    connection: id('scim-connection'),
    module: name('module'),
    permission: name('page'),
    roles: async () => [await role(), await id('role', { scope: 'tenant' })()],
    permissions: async () => [
      { permission: await name('page')(), effect: 'ALLOW' },
      { permission: 'reports:*:*', effect: 'DENY' },
    ],
    parents: () => ['project'],
    children: () => ['building'],
    name: (type) => fresh(type),
    displayName: () => fresh('Ann'),
    username: () => fresh('ann'),
    userName: () => fresh('ann'),
    externalId: () => fresh('ann'),
    policyId: () => fresh('policy'),
    code: () => fresh('N').toUpperCase(),
    phone: () => `+4930${1_000_000 + ++count}`,
    allowOnly: () => true,
    ipAddress: () => '2001:db8::1',
    issuer: () => 'https://login.example',
    key: () => 'theme',
    timezone: () => 'Europe/Berlin',
    when: () => 'action.name == "read"',
  };

  /** An example by the schema alone; `isOther` for another one. */
  function exampleOf(field: string, { type, enum: words, format, minimum = 0 }: Property, isOther: boolean) {
    if (words) return words.at(isOther ? -1 : 0);
    const [kind] = [type].flat();
    if (kind === 'boolean') return !isOther;
    if (kind === 'number' || kind === 'integer') return Math.max(minimum, isOther ? 8 : 7);
    if (field === 'properties')
      return isOther ? { department: 'Legal' } : { level: 3, cleared: true, tags: ['a'], site: { floor: 2 } };
    if (kind === 'object') return { rate: isOther ? 25 : 30, modes: ['day', 'night'] };
    const at = /^(?:end|expires)|End$/.test(field) ? LATE : EARLY;
    if (format === 'date-time') return isOther ? at?.replace('-01T', '-02T') : at;
    if (format === 'date') return at?.slice(0, isOther ? 8 : 10).padEnd(10, '02');
    if (format === 'uri') return `https://${fresh('page')}.example/`;
    return /email$/i.test(field) ? `${fresh('ann')}@example.com` : fresh(`the ${field}`);
  }

  /** Examples of these fields of a creation or an update. */
  async function valuesOf(type: string, fields: readonly string[], isUpdate = false) {
    const properties = fieldsOf(`${type}.${isUpdate ? 'update' : 'create'}`);
    const values: [string, unknown][] = [];
    for (const field of fields) {
      const { anyOf: [first] = [], ...schema } = properties[field] ?? {};
      values.push([
        field,
        await (FIELDS[field]?.(type) ?? exampleOf(field, { ...first, ...schema } as Property, isUpdate)),
      ]);
    }
    return Object.fromEntries(values);
  }

  /** What creations of a kind need beside, or otherwise. */
  const CREATED: Readonly<Record<string, () => Promise<Input>>> = {
    assignment: async () => ({ id: (await user()).replace(/.$/, '0') }),
    domain: async () => ({ name: `${fresh('d')}.example` }),
    'external-group': async () => {
      const scope = await ref('tenant')();
      return { scope, group: await id('group', { scope, allowOnly: true })() };
    },
    invariant: async () => ({ separate: [await name('page')(), await name('page')()], within: 'scope' }),
    mandate: async () => ({
      subject: `user:${await user()}`,
      actor: `agent:${await id('subject', { type: 'agent' })()}`,
      permissions: [await name('page')(), 'invoices:read:*'],
      scopes: [await ref('location')()],
      budget: { uses: 5 },
      endsAt: undefined,
    }),
    // What is sold is not deleted.
    module: async () => ({ soldBySubscription: false }),
    permission: async () => ({ name: `reports:${fresh('read')}:all` }),
    property: async () => ({ of: 'subject:user', name: fresh('level').replace('-', '_') }),
    'resource-type': async () => ({
      permission: 'billing:{action}:{type}',
      actions: { pay: 'billing:settle:invoice' },
      scope: 'tenant:{tenant}',
    }),
    route: async () => ({
      path: '/locations/{locationId}/pages/{page}',
      permission: '{page}',
      scope: 'location:{locationId}',
      api: fresh('api'),
    }),
    scope: async () => ({
      type: (await made('scope-type', { parents: ['project'] })).name,
      combination: 'allow-overrides',
    }),
    'scim-credential': async () => {
      const { id: connection, createdAt } = await made('scim-connection');
      return { connection, expiresAt: new Date(Date.parse(String(createdAt)) + 300 * DAY_MS).toISOString() };
    },
    'scim-user': async () => {
      // All of one connection, so that one can be created again.
      const { id: connection, issuer } = await staff();
      const [email, sub] = [`${fresh('ann')}@${STAFF}`, fresh('ann')];
      await world.run('user.create', { email, issuer, sub });
      return { connection, email, sub };
    },
    'scim-group': async () => {
      const { id: connection, scope, issuer } = await staff();
      const externalId = fresh('staff');
      const group = await id('group', { scope, allowOnly: true })();
      await made('external-group', { scope, issuer, externalId, group });
      return { connection, externalId };
    },
    setting: async () => ({ value: '7', valueType: 'number' }),
    subject: async () => ({ type: 'agent' }),
    token: async () => ({ tokenType: 'refresh', expiresAt: '2026-02-20T00:00:00.000Z' }),
    user: async () => ({ issuer: undefined, sub: undefined }),
  };

  /** And what their updates do. */
  const CHANGED: Readonly<Record<string, Input>> = {
    grant: { user: undefined, scope: undefined },
    invariant: { separate: undefined, within: null, never: undefined, except: undefined },
    location: { combination: undefined },
    'resource-type': { permission: undefined, actions: { pay: 'billing:pay:invoice' }, scope: null },
    route: { permission: 'dashboard', scope: 'tenant:{claim:tenant}' },
    scope: { combination: undefined },
    'scim-user': { email: null, sub: null },
    'scope-type': { parents: ['client'], children: [] },
    setting: { value: 'dark', valueType: 'string' },
    user: { issuer: undefined, sub: undefined },
  };
  const given = (input: Input): Input =>
    Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));

  const kindOf = (type: string): Kind => {
    const named = namesOf(type);
    const { secret = [], namedIn } = entityOf(type) ?? {};
    const left = [...LEFT_OUT, ...secret];
    const create = async () => {
      const own = (await CREATED[type]?.()) ?? {};
      const fields = Object.keys(fieldsOf(`${type}.create`)).filter(
        (field) => !left.includes(field) && !(field in own),
      );
      return given({ ...(await valuesOf(type, fields)), ...own });
    };
    /** One after the other what may be cleared is cleared, changed, or left as it is; all else is changed. */
    const changes = async () => {
      const own = CHANGED[type] ?? {};
      const names = [...(named[0] ?? []), namedIn];
      const updated = Object.entries(fieldsOf(`${type}.update`)).filter(
        ([field]) => !names.includes(field) && !left.includes(field) && !(field in own),
      );
      const turns = updated.filter(([field, of]) => isNullable(of) && !named.flat().includes(field));
      const turnOf = (field: string) => turns.findIndex(([each]) => each === field) % 3;
      const fields = updated.map(([field]) => field);
      const cleared = fields.filter((field) => turnOf(field) === 0).map((field) => [field, null]);
      const changed = fields.filter((field) => turnOf(field) === 1 || turnOf(field) === -1);
      return given({ ...Object.fromEntries(cleared), ...(await valuesOf(type, changed, true)), ...own });
    };
    return {
      type,
      create,
      named,
      reference: namedIn,
      lists: listsOf(type),
      ...(COMMANDS.has(`${type}.update`) ? { changes } : {}),
    };
  };
  return Object.fromEntries(TYPES.map((type) => [type, kindOf(type)]));
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

/** What only verified operators may do: approvals.test.ts is about these. */
export const OF_OPERATORS: ReadonlySet<string> = new Set(['approval.approve', 'approval.reject']);

export const WRITE_COMMANDS: readonly string[] = [...COMMANDS.values()]
  .filter(({ kind, name }) => kind === 'write' && !OF_OPERATORS.has(name))
  .map(({ name }) => name);
