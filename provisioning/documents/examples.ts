import { PLAIN_ENTITIES } from '../../table/entities/registry.ts';

/**
 * An example of each command. In their order they are one story that begins with an empty table, and each one
 * succeeds: a test runs it. (Only approvals are of operators who are verified.) Creations give ids so that later examples can
 * name what was created; left out, an id is chosen.
 */
type Input = Readonly<Record<string, unknown>>;
type Ids = Readonly<Record<string, string | undefined>>;

/** An entity or an edge of the story. */
interface Part {
  readonly type: string;
  readonly create: Input;
  /** What names it: a part of `create`, or its reference. */
  readonly name: Input;
  /** What an update gives; none for those that cannot be updated. */
  readonly update?: Input;
  readonly list: Input;
}

const id = (number: number): string => `01J8Z0E2Z8D2A3J7A7Y2H9GQ${String(number).padStart(2, '0')}`;
const [tenant, location, client, project, building, zone, device] = [10, 11, 12, 13, 14, 15, 16].map(id);
const [account, enterprise, workstream, campus, old] = [20, 21, 22, 23, 24].map(id);
const [user, robot, group, role, auditor, template, grant, assignment] = [30, 31, 32, 33, 34, 35, 36, 37].map(
  id,
);
const [subscription, license] = [40, 41].map(id);
/** Of the scopes on which plain kinds hang. */
const OF_CLIENTS = { client, project, building, zone, device };
const SCOPE_IDS: Ids = { ...OF_CLIENTS, tenant, location, account, enterprise, workstream };
const idOfPlain = (type: string): string => id(42 + PLAIN_ENTITIES.findIndex((each) => each.type === type));
const [token, session, notification, route] = [50, 51, 52, 53].map(id);
const [external, invariant, connection, credential, mandate] = [54, 55, 55, 56, 57].map(id);
const TENANT = `tenant:${tenant}`;
const [IN_TENANT, OF_TENANT] = [{ parent: TENANT }, { scope: TENANT }];
const [OF_ACCOUNT, IN_ACCOUNT] = [{ account: `account:${account}` }, { parent: `account:${account}` }];
const OF_ENTERPRISE = { enterprise: `enterprise:${enterprise}` };
const acting = { subject: `user:${user}`, actor: 'identity:billing-worker' };

const [SPRING, SUMMER] = ['2026-03-01T00:00:00Z', '2026-06-01T00:00:00Z'];

const named = (
  type: string,
  by: readonly string[] | Input,
  create: Input,
  update?: Input,
  list: Input = {},
): Part => ({
  type,
  create,
  list,
  name: Array.isArray(by) ? Object.fromEntries(by.map((field) => [field, create[field]])) : (by as Input),
  ...(update ? { update } : {}),
});
const node = (type: string, create: Input, update: Input, list: Input = {}): Part =>
  named(type, ['id'], create, update, list);

/** In an order in which each finds what it names. */
const PARTS: readonly Part[] = [
  node('tenant', { id: tenant, name: 'Northwind' }, { description: 'since 2026' }),
  node(
    'location',
    { id: location, name: 'North school', code: 'NORTH', ...IN_TENANT },
    { address: 'Hill 1' },
    IN_TENANT,
  ),
  node('client', { id: client, name: 'Acme', timezone: 'Europe/Berlin' }, { phone: '+4930123456' }),
  node('project', { id: project, parent: `client:${client}`, name: 'Tower' }, { status: 'on-hold' }),
  node(
    'building',
    { id: building, parent: `project:${project}`, name: 'House', city: 'Berlin' },
    { floors: 4 },
    { parent: `project:${project}` },
  ),
  node(
    'zone',
    {
      id: zone,
      parent: `building:${building}`,
      name: 'Lobby',
      geoJson: { type: 'Point', coordinates: [13.4, 52.5] },
    },
    { type: 'lobby' },
  ),
  node(
    'device',
    { id: device, parent: `zone:${zone}`, name: 'Camera 1', type: 'camera' },
    { status: 'inactive' },
  ),
  node('account', { id: account, name: 'Contoso' }, { description: 'a customer' }),
  node('enterprise', { id: enterprise, name: 'Fabrikam' }, { description: 'a group of companies' }),
  node(
    'workstream',
    { id: workstream, ...IN_ACCOUNT, ...OF_ENTERPRISE, name: 'Payroll' },
    { description: 'pays' },
    IN_ACCOUNT,
  ),
  named(
    'scope-type',
    ['name'],
    { name: 'campus', parents: ['project'] },
    { description: 'several buildings' },
  ),
  named(
    'scope',
    { scope: `campus:${campus}` },
    { type: 'campus', id: campus, parent: `project:${project}`, name: 'North campus' },
    { attributes: { area: 12 } },
    { type: 'campus' },
  ),
  node(
    'user',
    { id: user, email: 'ann@example.com', displayName: 'Ann Arbor' },
    { department: 'Sales', properties: { department: 'Sales' } },
  ),
  named('subject-type', ['name'], { name: 'identity' }, { description: 'workloads of the platform' }),
  named(
    'subject',
    { user: 'identity:billing-worker' },
    { type: 'identity', id: 'billing-worker', name: 'Billing worker' },
    { status: 'inactive' },
    { type: 'identity' },
  ),
  node('technical-user', { id: robot, ...OF_ACCOUNT, name: 'robot' }, { description: 'counts' }),
  node(
    'group',
    { id: group, scope: `location:${location}`, name: 'teachers', allowOnly: true },
    { description: 'who teach' },
    { scope: `location:${location}` },
  ),
  node(
    'external-group',
    { id: external, ...OF_TENANT, issuer: 'https://login.example', externalId: 'staff-north', group },
    { description: 'the staff, as the login knows them' },
    OF_TENANT,
  ),
  named('domain', ['name'], { name: 'example.com', tenant: TENANT }, undefined, { tenant: TENANT }),
  node(
    'scim-connection',
    { id: connection, ...OF_TENANT, name: 'the login of the staff', issuer: 'https://login.example' },
    { name: 'the staff' },
    OF_TENANT,
  ),
  named('scim-credential', ['id'], { id: credential, connection }, undefined, { connection }),
  named(
    'scim-user',
    { connection, user },
    { connection, userName: 'ann@example.com', email: 'ann@example.com' },
    { active: false },
    { connection },
  ),
  named(
    'scim-group',
    { connection, group },
    { connection, displayName: 'Teachers', externalId: 'staff-north' },
    { displayName: 'Staff' },
    { connection },
  ),
  named('module', ['name'], { name: 'reports' }, { description: 'all reports' }),
  named('page', ['name'], { name: 'dashboard', module: 'reports' }, { description: 'the first page' }),
  named('permission', ['name'], { name: 'reports:read:monthly' }, { isDangerous: false }),
  node(
    'invariant',
    {
      id: invariant,
      ...OF_TENANT,
      name: 'one of both',
      separate: ['reports:read:monthly', 'reports:delete:*'],
      within: 'tenant',
    },
    { description: 'who reads the reports deletes none' },
    OF_TENANT,
  ),
  named(
    'property',
    ['of', 'name'],
    { of: 'subject:user', name: 'department', type: 'string', source: 'stored' },
    { description: 'where the user works' },
  ),
  named(
    'resource-type',
    ['name'],
    { name: 'invoice', permission: 'billing:{action}:invoice', scope: 'tenant:{tenant}' },
    { actions: { pay: 'billing:settle:invoice' } },
  ),
  node(
    'role',
    { id: role, name: 'teacher', ...OF_TENANT, allowOnly: true },
    { description: 'sees reports' },
    OF_TENANT,
  ),
  node(
    'role-template',
    { id: template, name: 'reader', permissions: [{ permission: 'reports:read:*', effect: 'ALLOW' }] },
    { description: 'reads all reports' },
  ),
  named('membership', ['user', 'group'], { user, group }, { joinedAt: SPRING }, { user, withNames: true }),
  named('group-role', ['group', 'role'], { group, role }, { assignedAt: SPRING }, { group }),
  named(
    'role-permission',
    ['role', 'permission'],
    {
      role,
      permission: 'dashboard',
      effect: 'ALLOW',
      when: 'subject.properties.department == "Sales"',
    },
    { effect: 'ALLOW', when: null },
    { role },
  ),
  named(
    'assignment',
    ['user', 'scope', 'role'],
    { id: assignment, user, scope: `location:${location}`, role, startsAt: SPRING },
    { endsAt: SUMMER },
    { user },
  ),
  named('admin', ['user'], { user }),
  named('grant', ['user', 'scope'], { id: grant, user, ...OF_TENANT }, { roles: [role] }, { user }),
  node(
    'subscription',
    { id: subscription, ...OF_TENANT, module: 'reports', status: 'trial', endDate: SUMMER },
    { status: 'active' },
    OF_TENANT,
  ),
  node(
    'license',
    { id: license, ...OF_ACCOUNT, ...OF_ENTERPRISE, status: 'active' },
    { endDate: SUMMER },
    OF_ACCOUNT,
  ),
  named(
    'setting',
    ['scope', 'key'],
    { ...OF_TENANT, key: 'theme', value: 'dark' },
    { value: 'light' },
    OF_TENANT,
  ),
  ...PLAIN_ENTITIES.map(({ type, hangsOn: [owner] = [], example: { create, update } }) => {
    const place = owner === undefined ? {} : { [owner]: `${owner}:${SCOPE_IDS[owner]}` };
    return node(type, { id: idOfPlain(type), ...place, ...create }, update);
  }),
  named(
    'workstream-member',
    ['user', 'workstream'],
    { user, workstream: `workstream:${workstream}` },
    { assignedAt: SPRING },
    { user },
  ),
  ...['product', 'service'].map((type) =>
    named(
      `enterprise-${type}`,
      ['enterprise', type],
      { ...OF_ENTERPRISE, [type]: idOfPlain(type) },
      { assignedAt: SPRING },
      OF_ENTERPRISE,
    ),
  ),
  node('token', { id: token, user: `technical-user:${robot}`, tokenType: 'api' }, { deviceId: 'printer-1' }),
  named('mandate', ['id'], {
    id: mandate,
    ...acting,
    permissions: ['dashboard'],
    scopes: [`location:${location}`],
    purpose: 'writes the report',
    budget: { uses: 10 },
  }),
  node('session', { id: session, user, ipAddress: '192.0.2.1' }, { status: 'revoked' }, { user }),
  node(
    'notification',
    {
      id: notification,
      notificationType: 'welcome',
      deliveryStatus: 'failed',
      ...OF_ACCOUNT,
    },
    { deliveryStatus: 'sent' },
    OF_ACCOUNT,
  ),
  named(
    'policy',
    ['policyId'],
    { policyId: 'p-1', name: 'ticket.open' },
    { description: 'who may open' },
    { prefix: 'ticket' },
  ),
  node(
    'route',
    {
      id: route,
      method: 'GET',
      path: '/schools/{school}/reports',
      permission: 'dashboard',
      scope: 'location:{school}',
    },
    { description: 'the reports of a school' },
  ),
];

/** The other commands, in between: everything is there, and nothing deleted. */
const OTHERS: readonly (readonly [command: string, input: Input])[] = [
  ['role-template.apply', { id: template, role }],
  ['user.find', { email: 'ann@example.com' }],
  ['scim-group.find', { connection, displayName: 'staff' }],
  ['scim-group.members', { connection, group, add: [user] }],
  ['scim-group.list-members', { connection, group }],
  ['scim-user.list-groups', { connection, user }],
  ['scim-user.find', { connection, userName: 'Ann@Example.com' }],
  ['name.find', { name: 'Northwind/North school', kind: 'scope' }],
  ['name.owners', { names: [{ name: 'ann@example.com', kind: 'subject' }] }],
  ['name.labels', { names: [{ name: `user:${user}`, kind: 'subject' }] }],
  ['name.suggest', { name: 'North shcool', kind: 'scope' }],
  ['user.read-all', { id: user }],
  ['user.access', { id: user, at: '2026-04-01T00:00:00Z' }],
  ['user.release', { id: user }],
  ['access.compare', { commands: [{ command: 'role.delete', input: { id: role } }] }],
  ['role.read-all', { id: role }],
  ['account.read-all', { id: account }],
  ['enterprise.read-all', { id: enterprise }],
  ['tenant.list-all', { tenant: TENANT, type: 'location' }],
  ['setting.resolve', { keys: ['theme'], scope: `location:${location}`, user }],
  ['token.revoke', { id: token, revokedBy: user }],
  ['mandate.use', { mandate, ...acting, permission: 'dashboard', scope: `location:${location}` }],
  ['mandate.end', { id: mandate }],
  ['mandate.end-all', { subject: acting.subject }],
  [
    'audit.create',
    { tenant: TENANT, action: 'login', entityType: 'user', entityId: user, status: 'failure' },
  ],
  ['audit.list', { tenant: TENANT, limit: 10 }],
  [
    'transaction.write',
    {
      commands: [
        { command: 'role.create', input: { id: auditor, name: 'auditor', scope: 'global' } },
        {
          command: 'role-permission.create',
          input: { role: auditor, permission: 'reports:*:*', effect: 'ALLOW' },
        },
      ],
    },
  ],
  ['global-role.create', { user, role: auditor }],
  ['global-role.read', { user, role: auditor }],
  ['global-role.list', { user }],
  ['global-role.delete', { user, role: auditor }],
  ['scope.move', { scope: `device:${device}`, parent: `building:${building}` }],
  ['tenant.plan', { manifest: { scopes: { Old: { type: 'client', id: old } } } }],
  ['tenant.apply', { manifest: { scopes: { Old: { type: 'client', id: old } } } }],
  [
    'tenant.onboard',
    {
      manifest: {
        scopes: { Southwind: { type: 'tenant' } },
        roles: { 'head teacher': { owner: 'Southwind', allow: ['reports:*:*'] } },
        users: { Bea: { email: 'bea@example.com', grants: { Southwind: ['head teacher'] } } },
      },
    },
  ],
  ['scope.delete-tree', { scope: `client:${old}` }],
  ['approval.list', {}],
  ['approval.approve', { id: 'delete-acme' }],
  ['approval.reject', { id: 'delete-acme' }],
];

/** The input of each command, by its name, in the order of the story. */
export const EXAMPLES: ReadonlyMap<string, Input> = new Map([
  ...PARTS.map(({ type, create }): [string, Input] => [`${type}.create`, create]),
  ...PARTS.map(({ type, name }): [string, Input] => [`${type}.read`, name]),
  ...PARTS.flatMap(({ type, name, update }): [string, Input][] =>
    update ? [[`${type}.update`, { ...name, ...update }]] : [],
  ),
  ...PARTS.map(({ type, list }): [string, Input] => [`${type}.list`, list]),
  ...OTHERS,
  ...PARTS.toReversed().map(({ type, name }): [string, Input] => [`${type}.delete`, name]),
  ['user.erase', { id: user }],
]);
