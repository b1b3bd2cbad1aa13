import { parse } from 'yaml';
import { createProvisioning } from '../../provisioning/index.ts';
import { migrate } from '../../provisioning/migrate/migrate.ts';
import { formOf, SPLIT_FORM } from '../../table/form.ts';
import type { Item } from '../../table/item.ts';
import { identityOf } from '../../table/keys.ts';
import { createMemoryTable, type MemoryTable } from '../../table/memory/index.ts';

/**
 * A sample world with every kind of item, by a manifest and commands that stay as they are: whatever is different in its
 * items is a difference between releases.
 */
type Input = Readonly<Record<string, unknown>>;

export const NOW = Date.parse('2026-04-01T12:00:00.000Z');
const [LONG_AGO, SPRING, SUMMER] = ['2026-01-01T00:00:00Z', '2026-03-01T00:00:00Z', '2026-06-01T00:00:00Z'];
const [NORTHWIND, SCHOOL, CONTOSO] = ['tenant:northwind', 'location:school', 'account:contoso'];

/** What a manifest can say of it. */
const MANIFEST = `
scopeTypes: { campus: { parents: [project] } }
subjectTypes: [identity]
properties:
  - { of: "subject:user", name: department, type: string, source: stored }
  - { of: "resource:client", name: tier, type: string, source: stored }
modules: { reports: { sold: true } }
pages: { dashboard: { module: reports }, home: }
permissions: ["reports:read:monthly", "doors:open:front", "payroll:run:monthly"]
resourceTypes: { invoice: { permission: "billing:{action}:invoice", scope: "tenant:{tenant}" } }
scopes:
  Northwind: { id: northwind, type: tenant }
  Strict: { id: strict, type: tenant, combination: deny-overrides }
  North school: { id: school, type: location, parent: Northwind, code: NORTH }
  Closed: { id: closed, type: location, parent: Northwind, status: suspended }
  Acme: { id: acme, type: client, timezone: Europe/Berlin, properties: { tier: gold } }
  Tower: { id: tower, type: project, parent: Acme }
  House: { id: house, type: building, parent: Tower, city: Berlin }
  Lobby: { id: lobby, type: zone, parent: House, geoJson: { type: Point } }
  Camera 1: { id: camera, type: device, parent: Lobby, kind: camera }
  Contoso: { id: contoso, type: account }
  Fabrikam: { id: fabrikam, type: enterprise }
  Payroll: { id: payroll, type: workstream, parent: Contoso, enterprise: Fabrikam }
  North campus: { id: north, type: campus, parent: Tower }
roles:
  teacher:
    id: teacher
    owner: Northwind
    allow: [{ permission: dashboard, when: 'subject.properties.department == "Sales"' }, "doors:*:*"]
  head: { id: head, owner: Northwind, parent: teacher, allow: ["reports:read:monthly"] }
  barred: { id: barred, owner: Strict, deny: [home] }
  keeper:
    id: keeper
    owner: Acme
    allow: [{ permission: "doors:open:*", when: 'resource.properties.tier == "gold"' }]
  payer: { id: payer, owner: Contoso, allow: ["payroll:run:monthly"] }
  auditor: { id: auditor, global: true, allow: ["reports:*:*"] }
  guest: { id: guest, allow: [home, "reports:read:*"] }
groups:
  Staff: { id: staff, scope: Northwind, allowOnly: true }
  teachers: { id: teachers, scope: North school, roles: [teacher] }
  everyone: { id: all, scope: Northwind, everyone: true, roles: [guest] }
users:
  ann:
    id: ann
    email: ann@example.com
    phone: "+49301234567"
    username: ann
    displayName: Ann
    issuer: https://issuer.example
    sub: auth0|ann
    tenant: Northwind
    properties: { department: Sales }
    groups: [teachers]
    assignments:
      - { role: head, scope: North school, from: ${SUMMER} }
      - { role: keeper, scope: House, until: ${SUMMER} }
    grants: { Strict: [barred, guest] }
  bea:
    id: bea
    email: bea@example.com
    assignments: [{ role: head, scope: North school, from: ${SPRING} }]
    grants: { Strict: [guest] }
    globalRoles: [auditor]
  carl: { id: carl, status: disabled, groups: [teachers] }
  dora: { id: dora, until: ${LONG_AGO}, assignments: [{ role: head, scope: Northwind }] }
  root: { id: root, email: root@example.com, admin: true }
  nobody: { id: nobody }
technicalUsers:
  robot: { id: robot, account: Contoso, groups: [teachers], assignments: [{ role: payer, scope: Contoso }] }
subjects:
  Worker: { id: worker, type: identity, grants: { Northwind: [head] } }
  Clerk: { id: clerk, type: agent, mandateOptional: true }
subscriptions: [{ id: sub, scope: Northwind, module: reports, status: active }]
licenses: [{ id: lic, account: Contoso, enterprise: Fabrikam, status: active, until: ${SUMMER} }]
externalGroups:
  - { id: staff, scope: Northwind, issuer: https://issuer.example, externalId: staff, group: Staff }
  - { id: people, scope: Northwind, issuer: https://login.example, externalId: all, group: Staff }
invariants: [{ id: eyes, scope: Northwind, name: Four eyes, separate: ["doors:open:front", "payroll:run:monthly"] }]
settings: [{ scope: Northwind, key: theme, value: dark }]
routes:
  - { method: GET, path: "/schools/{school}/reports", permission: dashboard, scope: "location:{school}" }
`;

const STORY: readonly (readonly [command: string, input: Input])[] = [
  ['tenant.apply', { manifest: parse(MANIFEST) }],
  ['user.update', { id: 'ann', passwordHash: 'of ann', mfaSecret: 'sealed' }],
  [
    'role-template.create',
    { id: 'reader', name: 'reader', permissions: [{ permission: 'reports:read:*', effect: 'ALLOW' }] },
  ],
  ['address.create', { id: 'home', account: CONTOSO, city: 'Berlin' }],
  ['tool.create', { id: 'board', workstream: 'workstream:payroll', name: 'Board' }],
  ['product.create', { id: 'ledger', name: 'Ledger' }],
  ['service.create', { id: 'support', name: 'Support' }],
  ['workstream-member.create', { user: 'ann', workstream: 'workstream:payroll' }],
  ['enterprise-product.create', { enterprise: 'enterprise:fabrikam', product: 'ledger' }],
  ['enterprise-service.create', { enterprise: 'enterprise:fabrikam', service: 'support' }],
  ['token.create', { id: 'key', user: 'technical-user:robot', tokenType: 'api' }],
  ['token.revoke', { id: 'key' }],
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
  ['scim-group.create', { connection: 'staff', displayName: 'Staff', externalId: 'all' }],
  ['scim-group.members', { connection: 'staff', group: 'staff', add: ['bea'] }],
  ['session.create', { id: 'login', user: 'ann', ipAddress: '192.0.2.1' }],
  ['notification.create', { id: 'welcome', notificationType: 'welcome', deliveryStatus: 'sent' }],
  ['policy.create', { policyId: 'p-1', name: 'ticket.open' }],
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
