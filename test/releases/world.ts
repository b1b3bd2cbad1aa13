import { createProvisioning } from '../../provisioning/index.ts';
import { migrate } from '../../provisioning/migrate/migrate.ts';
import { formOf, SPLIT_FORM } from '../../table/form.ts';
import type { Item } from '../../table/item.ts';
import { identityOf } from '../../table/keys.ts';
import { createMemoryTable, type MemoryTable } from '../../table/memory/index.ts';

/**
 * A sample world with every kind of item, by commands that stay as they are: whatever is different in its items is a
 * difference between releases.
 */
type Input = Readonly<Record<string, unknown>>;

export const NOW = Date.parse('2026-04-01T12:00:00.000Z');
const [LONG_AGO, SPRING, SUMMER] = ['2026-01-01T00:00:00Z', '2026-03-01T00:00:00Z', '2026-06-01T00:00:00Z'];
const [NORTHWIND, SCHOOL, CONTOSO] = ['tenant:northwind', 'location:school', 'account:contoso'];

const STORY: readonly (readonly [command: string, input: Input])[] = [
  ['tenant.create', { id: 'northwind', name: 'Northwind' }],
  ['tenant.create', { id: 'strict', name: 'Strict', combination: 'deny-overrides' }],
  ['location.create', { id: 'school', name: 'North school', code: 'NORTH', parent: NORTHWIND }],
  ['location.create', { id: 'closed', name: 'Closed', parent: NORTHWIND, status: 'suspended' }],
  ['client.create', { id: 'acme', name: 'Acme', timezone: 'Europe/Berlin', properties: { tier: 'gold' } }],
  ['project.create', { id: 'tower', parent: 'client:acme', name: 'Tower' }],
  ['building.create', { id: 'house', parent: 'project:tower', name: 'House', city: 'Berlin' }],
  ['zone.create', { id: 'lobby', parent: 'building:house', name: 'Lobby', geoJson: { type: 'Point' } }],
  ['device.create', { id: 'camera', parent: 'zone:lobby', name: 'Camera 1', type: 'camera' }],
  ['account.create', { id: 'contoso', name: 'Contoso' }],
  ['enterprise.create', { id: 'fabrikam', name: 'Fabrikam' }],
  [
    'workstream.create',
    { id: 'payroll', parent: CONTOSO, enterprise: 'enterprise:fabrikam', name: 'Payroll' },
  ],
  ['scope-type.create', { name: 'campus', parents: ['project'] }],
  ['scope.create', { type: 'campus', id: 'north', parent: 'project:tower', name: 'North campus' }],
  ['property.create', { of: 'subject:user', name: 'department', type: 'string', source: 'stored' }],
  ['property.create', { of: 'resource:client', name: 'tier', type: 'string', source: 'stored' }],
  [
    'user.create',
    {
      id: 'ann',
      email: 'ann@example.com',
      phone: '+49301234567',
      username: 'ann',
      displayName: 'Ann',
      issuer: 'https://issuer.example',
      sub: 'auth0|ann',
      passwordHash: 'of ann',
      mfaSecret: 'sealed',
      tenant: NORTHWIND,
      properties: { department: 'Sales' },
    },
  ],
  ['user.create', { id: 'bea', email: 'bea@example.com' }],
  ['user.create', { id: 'carl', status: 'disabled' }],
  ['user.create', { id: 'dora', endsAt: LONG_AGO }],
  ['user.create', { id: 'root', email: 'root@example.com' }],
  ['user.create', { id: 'nobody' }],
  ['subject-type.create', { name: 'identity' }],
  ['subject.create', { type: 'identity', id: 'worker', name: 'Worker' }],
  ['technical-user.create', { id: 'robot', account: CONTOSO, name: 'robot' }],
  ['module.create', { name: 'reports', soldBySubscription: true }],
  ['page.create', { name: 'dashboard', module: 'reports' }],
  ['page.create', { name: 'home' }],
  ['permission.create', { name: 'reports:read:monthly' }],
  ['permission.create', { name: 'doors:open:front' }],
  ['permission.create', { name: 'payroll:run:monthly' }],
  ['group.create', { id: 'staff', scope: NORTHWIND, name: 'Staff', allowOnly: true }],
  [
    'external-group.create',
    { id: 'staff', scope: NORTHWIND, issuer: 'https://issuer.example', externalId: 'staff', group: 'staff' },
  ],
  [
    'invariant.create',
    {
      id: 'eyes',
      scope: NORTHWIND,
      name: 'Four eyes',
      separate: ['doors:open:front', 'payroll:run:monthly'],
    },
  ],
  [
    'resource-type.create',
    { name: 'invoice', permission: 'billing:{action}:invoice', scope: 'tenant:{tenant}' },
  ],
  ['role.create', { id: 'teacher', name: 'teacher', scope: NORTHWIND }],
  ['role.create', { id: 'head', name: 'head', scope: NORTHWIND, parent: 'teacher' }],
  ['role.create', { id: 'barred', name: 'barred', scope: 'tenant:strict' }],
  ['role.create', { id: 'keeper', name: 'keeper', scope: 'client:acme' }],
  ['role.create', { id: 'payer', name: 'payer', scope: CONTOSO }],
  ['role.create', { id: 'auditor', name: 'auditor', scope: 'global' }],
  ['role.create', { id: 'guest', name: 'guest', scope: 'tenant' }],
  [
    'role-template.create',
    { id: 'reader', name: 'reader', permissions: [{ permission: 'reports:read:*', effect: 'ALLOW' }] },
  ],
  [
    'role-permission.create',
    {
      role: 'teacher',
      permission: 'dashboard',
      effect: 'ALLOW',
      when: 'subject.properties.department == "Sales"',
    },
  ],
  ['role-permission.create', { role: 'head', permission: 'reports:read:monthly', effect: 'ALLOW' }],
  ['role-permission.create', { role: 'teacher', permission: 'doors:*:*', effect: 'ALLOW' }],
  ['role-permission.create', { role: 'barred', permission: 'home', effect: 'DENY' }],
  [
    'role-permission.create',
    {
      role: 'keeper',
      permission: 'doors:open:*',
      effect: 'ALLOW',
      when: 'resource.properties.tier == "gold"',
    },
  ],
  ['role-permission.create', { role: 'payer', permission: 'payroll:run:monthly', effect: 'ALLOW' }],
  ['role-permission.create', { role: 'auditor', permission: 'reports:*:*', effect: 'ALLOW' }],
  ['role-permission.create', { role: 'guest', permission: 'home', effect: 'ALLOW' }],
  ['role-template.apply', { id: 'reader', role: 'guest' }],
  ['group.create', { id: 'teachers', scope: SCHOOL, name: 'teachers' }],
  ['group.create', { id: 'all', scope: NORTHWIND, name: 'everyone', everyone: true }],
  ['group-role.create', { group: 'teachers', role: 'teacher' }],
  ['group-role.create', { group: 'all', role: 'guest' }],
  ['membership.create', { user: 'ann', group: 'teachers' }],
  ['membership.create', { user: 'carl', group: 'teachers' }],
  ['membership.create', { user: 'technical-user:robot', group: 'teachers' }],
  ['assignment.create', { id: 'a1', user: 'bea', scope: SCHOOL, role: 'head', startsAt: SPRING }],
  ['assignment.create', { id: 'a2', user: 'ann', scope: SCHOOL, role: 'head', startsAt: SUMMER }],
  ['assignment.create', { id: 'a3', user: 'ann', scope: 'building:house', role: 'keeper', endsAt: SUMMER }],
  ['assignment.create', { id: 'a4', user: 'technical-user:robot', scope: CONTOSO, role: 'payer' }],
  ['assignment.create', { id: 'a5', user: 'dora', scope: NORTHWIND, role: 'head' }],
  ['grant.create', { id: 'g1', user: 'ann', scope: 'tenant:strict', roles: ['barred', 'guest'] }],
  ['grant.create', { id: 'g2', user: 'bea', scope: 'tenant:strict', roles: ['guest'] }],
  ['grant.create', { id: 'g3', user: 'identity:worker', scope: NORTHWIND, roles: ['head'] }],
  ['global-role.create', { user: 'bea', role: 'auditor' }],
  ['admin.create', { user: 'root' }],
  ['subscription.create', { id: 'sub', scope: NORTHWIND, module: 'reports', status: 'active' }],
  [
    'license.create',
    { id: 'lic', account: CONTOSO, enterprise: 'enterprise:fabrikam', status: 'active', endDate: SUMMER },
  ],
  ['setting.create', { scope: NORTHWIND, key: 'theme', value: 'dark' }],
  ['address.create', { id: 'home', account: CONTOSO, city: 'Berlin' }],
  ['tool.create', { id: 'board', workstream: 'workstream:payroll', name: 'Board' }],
  ['product.create', { id: 'ledger', name: 'Ledger' }],
  ['service.create', { id: 'support', name: 'Support' }],
  ['workstream-member.create', { user: 'ann', workstream: 'workstream:payroll' }],
  ['enterprise-product.create', { enterprise: 'enterprise:fabrikam', product: 'ledger' }],
  ['enterprise-service.create', { enterprise: 'enterprise:fabrikam', service: 'support' }],
  ['token.create', { id: 'key', user: 'technical-user:robot', tokenType: 'api' }],
  ['token.revoke', { id: 'key' }],
  ['subject.create', { type: 'agent', id: 'clerk', name: 'Clerk', mandateOptional: true }],
  [
    'mandate.create',
    {
      id: 'invoices',
      subject: 'user:ann',
      actor: 'agent:clerk',
      permissions: ['home', 'doors:open:*'],
      scopes: [SCHOOL, NORTHWIND],
      purpose: 'opens doors',
      when: 'action.name == "open"',
      budget: { uses: 100 },
      token: true,
    },
  ],
  ['domain.create', { name: 'example.com', tenant: NORTHWIND }],
  [
    'scim-connection.create',
    { id: 'staff', scope: NORTHWIND, name: 'staff', issuer: 'https://login.example' },
  ],
  ['scim-credential.create', { id: 'staff-key', connection: 'staff' }],
  ['scim-user.create', { connection: 'staff', userName: 'Eve', email: 'eve@example.com', sub: 'eve' }],
  ['scim-user.create', { connection: 'staff', userName: 'bea', email: 'bea@example.com', active: false }],
  [
    'external-group.create',
    { id: 'people', scope: NORTHWIND, issuer: 'https://login.example', externalId: 'all', group: 'staff' },
  ],
  ['scim-group.create', { connection: 'staff', displayName: 'Staff', externalId: 'all' }],
  ['scim-group.members', { connection: 'staff', group: 'staff', add: ['bea'] }],
  ['session.create', { id: 'login', user: 'ann', ipAddress: '192.0.2.1' }],
  ['notification.create', { id: 'welcome', notificationType: 'welcome', deliveryStatus: 'sent' }],
  ['policy.create', { policyId: 'p-1', name: 'ticket.open' }],
  [
    'route.create',
    {
      id: 'r1',
      method: 'GET',
      path: '/schools/{school}/reports',
      permission: 'dashboard',
      scope: 'location:{school}',
    },
  ],
  ['scope.move', { scope: 'device:camera', parent: 'building:house' }],
];

/** Whom, what and where a comparison of decisions asks for. */
export const SUBJECTS = [
  ...['user:ann', 'user:bea', 'user:carl', 'user:dora', 'user:root', 'user:nobody', 'user:unknown'],
  ...['identity:worker', 'technical-user:robot'],
];
export const PERMISSIONS = [
  ...['dashboard', 'home', 'reports:read:monthly', 'doors:open:front', 'payroll:run:monthly'],
  'reports:read:unknown',
];
export const SCOPES = [
  ...[NORTHWIND, 'tenant:strict', SCHOOL, 'location:closed', 'client:acme', 'project:tower'],
  ...['building:house', 'zone:lobby', 'device:camera', CONTOSO, 'enterprise:fabrikam', 'workstream:payroll'],
  ...['campus:north', 'tenant:unknown'],
];

/** The sample world as today's commands write it, in memory. */
export async function createSampleWorld(): Promise<MemoryTable> {
  const table = createMemoryTable();
  let count = 0;
  const next = () => {
    count += 1;
    return String(count).padStart(4, '0');
  };
  const provision = createProvisioning({
    ...table,
    clock: { now: () => NOW - 3_600_000 },
    newId: () => `01J8Z0E2Z8D2A3J7A7Y2H9${next()}`,
    newSecret: () => `secret-${next()}`.padEnd(43, 'x'),
  });
  for (const [command, input] of STORY) {
    const answer = await provision({ command, input, actor: 'user:root', operationId: `op-${next()}` });
    if (!answer.ok) throw new Error(`${command}: ${answer.error.code} ${answer.error.message}`);
  }
  return table;
}

/**
 * The sample world with every item split that can be: groups of subjects apart, roles of roots folded (ADR
 * 0003). `gatehouse migrate` makes such items beyond thresholds that the sample world does not come to.
 */
export async function createSplitWorld(): Promise<MemoryTable> {
  const table = await createSampleWorld();
  const { unsplit } = await migrate({
    ...table,
    clock: { now: () => NOW - 1_800_000 },
    newId: () => '01J8Z0E2Z8D2A3J7A7Y2H9SPLT',
    thresholds: { groupsOfSubject: 0, groupsOfScope: 0, rolesOfRoot: 0 },
  });
  if (unsplit > 0) throw new Error('an item was not split');
  return table;
}

/** The items of a split world that no command writes: split ones, and their parts. */
export const splitItems = (items: readonly Item[]): readonly Item[] =>
  goldenItems(items).filter((item) => formOf(item) === SPLIT_FORM);

/** The sample world as it is kept: of the records of what happened, which are all alike, the first two of each kind. */
export function goldenItems(items: readonly Item[]): readonly Item[] {
  const inOrder = [...items].sort((a, b) => (identityOf(a) < identityOf(b) ? -1 : 1));
  return ['AuditLog', 'AuditCount', 'Operation'].reduce((kept, type) => {
    const [, , ...more] = kept.filter(({ Type }) => Type === type);
    return kept.filter((item) => !more.includes(item));
  }, inOrder);
}

/** Items as JSON, one a line: sets as `{ "set": [...] }`, everything in order. */
export const toJson = (items: readonly Item[]): string =>
  `[\n${items.map((item) => JSON.stringify(item, inOrder)).join(',\n')}\n]\n`;

function inOrder(_: string, value: unknown): unknown {
  if (value instanceof Set) return { set: [...value].sort() };
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

export const fromJson = (text: string): readonly Item[] =>
  JSON.parse(text, (_, value: unknown) => {
    const { set } = (value ?? {}) as { set?: unknown };
    return Array.isArray(set) && Object.keys(value as object).length === 1 ? new Set(set) : value;
  });
