import { PLAIN_ENTITIES } from '../../table/entities/registry.ts';

/**
 * What editors show of a key. The last two words of its path name it, `scopes.type`; the last one where it means the same
 * everywhere. Attributes that say what they are by their name have none.
 */
const GRANTS = {
  groups: 'The groups that it is a member of, by name.',
  assignments: 'Roles at a scope and at everything below it, optionally for a period.',
  grants: 'Roles in a whole tenant: the name of the tenant, and the roles there.',
  globalRoles: 'Global roles, which count everywhere.',
  admin: 'true: may do everything, everywhere.',
  until:
    'When its access ends: an instant (2026-03-01T08:00:00Z) or a day, whose first instant in UTC it is.',
  status: 'Only an active subject is allowed anything: active or disabled.',
  properties: 'What conditions look at, as declared in the section properties.',
};
const PERIOD = {
  from: 'When it begins: an instant (2026-03-01T08:00:00Z) or a day. Left out: it has begun.',
  until: 'When it ends, exclusive. Left out: it does not end.',
};
const TEST_PROPERTIES = 'Properties that a caller passes, for conditions.';

export const DESCRIPTIONS: Readonly<Record<string, string>> = {
  $schema: 'The schema of this file, for editors.',
  description: 'A sentence for people.',
  id: 'The id in the table. Left out: it follows from the name, so the same file makes the same entry again.',
  name: 'The name in the table. Default: the name in this file.',
  existing: 'true: it is in the table already, and only referred to here.',

  table: 'The name of the table that the file is for. Any other table refuses it.',
  part: 'true: the file is a part of a whole, and nothing follows from what it leaves out.',
  scopeTypes:
    'Types of scopes beside those that are built in, such as tenant, location, client, project, building.',
  'scopeTypes.root': 'true: a scope of this type needs no parent. A root is a tenant.',
  'scopeTypes.parents': 'Types under which a scope of this type may be.',
  'scopeTypes.children': 'Types that may be under it, though they do not say so themselves.',
  subjectTypes: 'Types of subjects beside users and technical users.',
  modules: 'Parts of the product: the first word of a permission. A list of names, or a map.',
  'modules.sold': 'true: its permissions need a subscription.',
  pages: 'Permissions of one word, such as a page of a menu. A list of names, or a map.',
  'pages.module': 'The module to which the page belongs.',
  permissions: 'What is checked: module:action:resource, such as doors:open:door. A list of names, or a map.',
  'permissions.dangerous': 'A mark for people. No decision rests on it.',
  properties: 'Declarations of what conditions look at.',
  'properties.of': 'What has it: subject:user, resource:location, action or context.',
  'properties.name': 'Its name in a condition: subject.properties.NAME.',
  'properties.type': 'The type of its values.',
  'properties.source': 'stored: the table keeps it. passed: the caller gives it with the question.',
  resourceTypes: 'How resources of a type are decided by the AuthZEN API.',
  'resourceTypes.permission':
    'The permission for an action, with {action} in it. Default: TYPE:{action}:TYPE.',
  'resourceTypes.actions': 'Permissions for single actions.',
  'resourceTypes.scope': 'Where resources of this type are decided: type:ID, or type:{id}.',
  scopes: 'Places where access is granted. They form trees: a grant at a scope holds at all scopes below it.',
  'scopes.type': 'The type: built in (tenant, location, client, project, building, …) or one of scopeTypes.',
  'scopes.parent': 'The scope above, by name. A scope without one is a root: a tenant.',
  'scopes.status': 'active or suspended. A suspended scope refuses everything at it and below it.',
  'scopes.combination':
    'Of a root. allow-overrides (default): one ALLOW is enough. deny-overrides: one DENY refuses.',
  'scopes.enterprise': 'Of a workstream: the enterprise for which its account needs a licence.',
  'scopes.kind': 'The type of a zone or a device, as the table keeps it.',
  'scopes.properties': 'What conditions look at, as declared in the section properties.',
  'scopes.code': 'A code of a location, which no other location has.',
  roles: 'Named sets of permissions.',
  'roles.global': 'true: it can be granted everywhere (globalRoles), and belongs to no tenant.',
  'roles.owner': 'The tenant that it belongs to. Left out: it can be granted in any tenant.',
  'roles.parent': 'The role from which it inherits all permissions.',
  'roles.allowOnly':
    'true: it denies nothing, holds no permission of operators, and inherits only from allow-only roles. Once set, it stays.',
  'roles.template': 'A role template by its id or name, whose permissions it has as well.',
  'roles.allow': 'What it allows: a page, module:action:resource with * for action or resource, or "*:*:*".',
  'roles.deny': 'What it denies. Spelt as in allow.',
  'allow.permission': 'A page, or module:action:resource, with * for action or resource.',
  'allow.when': 'A condition in CEL: the permission is allowed only where it is true.',
  'deny.permission': 'A page, or module:action:resource, with * for action or resource.',
  'deny.when': 'A condition in CEL: the permission is denied where it is true, or cannot be evaluated.',
  groups: 'Sets of users at a scope. A group carries roles, which its members have there and below.',
  'groups.scope': 'The scope at which its roles count, by name.',
  'groups.roles': 'The roles that it carries, by name.',
  'groups.everyone': 'true: all active subjects are members. One per scope.',
  'groups.allowOnly': 'true: it carries only allow-only roles. Once set, it stays.',
  users: 'People.',
  'users.tenant': 'The tenant where the user is at home.',
  'users.email': 'An email that no other user has. A name with an @ is the email.',
  'users.username': 'A name for logging in that no other user has.',
  'users.phone': 'A phone number that no other user has.',
  'users.issuer': 'The issuer of the tokens that name the user by sub.',
  'users.sub': 'The subject in the tokens of the issuer.',
  technicalUsers: 'Services and machines that ask with a token of their own.',
  'technicalUsers.account': 'The account that it belongs to, by name.',
  subjects: 'Agents, and subjects of the types in subjectTypes.',
  'subjects.type': 'agent, or one of subjectTypes.',
  'subjects.mandateOptional': 'true: this agent may act for others without a mandate.',
  'subjects.tenant': 'The tenant where it is at home.',
  ...Object.fromEntries(
    ['users', 'technicalUsers', 'subjects'].flatMap((section) =>
      Object.entries(GRANTS).map(([key, text]) => [`${section}.${key}`, text]),
    ),
  ),
  'assignments.role': 'The role, by name.',
  'assignments.scope': 'The scope, by name.',
  ...period('assignments'),
  subscriptions: 'Modules that are sold, and to whom.',
  'subscriptions.scope': 'The scope that has it: it counts there and below.',
  'subscriptions.module': 'The module, by name.',
  'subscriptions.status': 'active and trial count.',
  ...period('subscriptions'),
  licenses: 'Licences of accounts for enterprises.',
  'licenses.account': 'The account, by name.',
  'licenses.enterprise': 'The enterprise, by name.',
  'licenses.status': 'active counts.',
  ...period('licenses'),
  externalGroups: 'What groups of identity providers mean, as tokens name them.',
  'externalGroups.scope': 'The tenant, by name.',
  'externalGroups.issuer': 'The iss of the tokens, as it is.',
  'externalGroups.externalId': 'The group, as it stands in the claim.',
  'externalGroups.group': 'An allow-only group of the tenant, by name.',
  invariants: 'What must never be true in a tenant.',
  'invariants.scope': 'The tenant, by name. The only one of the file when left out.',
  'invariants.name': 'Its name, in messages and for --accept.',
  'invariants.separate': 'Pages and permissions of which nobody may have two at a time.',
  'invariants.within': 'tenant: anywhere in it (the default). scope: at one and the same scope.',
  'invariants.never': 'A page or permission that nobody may have.',
  'invariants.except': 'Of never: who may have it all the same.',
  'except.group': 'A group, by name.',
  ...Object.fromEntries(
    PLAIN_ENTITIES.flatMap(({ section, summary }) => (section === undefined ? [] : [[section, summary]])),
  ),
  settings: 'Values for applications. No decision rests on them.',
  'settings.scope': 'The scope that has it. Give scope or user.',
  'settings.user': 'The user that has it. Give scope or user.',
  'settings.key': 'Its name.',
  'settings.value': 'Its value: a text, a number, true or false, or JSON.',
  'settings.valueType': 'Needed where the value is written as text but is of another type.',
  'settings.overridable': 'false: scopes below and users cannot change it.',
  routes: 'Which permission, at which scope, a request needs.',
  'routes.api': 'The name of the API. Default: default.',
  'routes.method': 'The verb, or ANY for every verb that no other route of the path names.',
  'routes.path': 'A path with parameters: /projects/{project}, or /files/{rest+}.',
  'routes.permission': 'A page or module:action:resource, with values of the path: tickets:{action}:ticket.',
  'routes.scope':
    'type:ID with values of the request: project:{project}, tenant:{claim:tenant_id}, {header:…}, {query:…}. Or the name of one scope.',

  at: 'The instant to decide for: 2026-03-01T08:00:00Z, or a day. Default: that of the file, or else now.',
  manifest: 'What the tests ask about: a manifest, or the path of one from the folder of this file.',
  tests: 'Questions, each with the decision that is expected.',
  'tests.name': 'What the report calls it. Default: the question.',
  'tests.subject': 'Who asks: a user, technical user or subject of the manifest, by name.',
  'tests.actor': 'Who acts for it, by name: it is allowed what both are.',
  'tests.mandate': 'By which mandate the actor acts: its id. Only where a table is asked.',
  'tests.scope': 'Where: a scope of the manifest, by name.',
  'tests.properties': TEST_PROPERTIES,
  'properties.subject': TEST_PROPERTIES,
  'properties.resource': TEST_PROPERTIES,
  'properties.action': TEST_PROPERTIES,
  'tests.context':
    'What the enforcement point knows of the request: ip, time, method, path, userAgent, claims.',
  'tests.resource': 'An object of the application at the scope, type:id, where it is not the scope itself.',
  'tests.permission': 'One question: a page or module:action:resource. Give expect with it.',
  'tests.expect': 'allow, deny, or the reason of the decision.',
  'tests.allow': 'Several questions: permissions that must be allowed.',
  'tests.deny': 'Several questions: permissions that must be refused, for any reason but an unknown name.',
};

function period(section: string): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(PERIOD).map(([key, text]) => [`${section}.${key}`, text]));
}

/** The description of a key; undefined where it has none. */
export function describe(path: readonly string[]): string | undefined {
  const keys = path.slice(-2);
  const [key = ''] = keys.slice(-1);
  return (
    DESCRIPTIONS[keys.join('.')] ?? (keys.length === 1 || SHARED.has(key) ? DESCRIPTIONS[key] : undefined)
  );
}

/** Keys that mean the same everywhere. */
const SHARED: ReadonlySet<string> = new Set(['id', 'name', 'description', 'existing', 'at']);
