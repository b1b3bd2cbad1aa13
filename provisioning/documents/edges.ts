import { enterpriseUse, setting, workstreamMember } from '../edges/links.ts';
import {
  admin,
  assignment,
  globalRole,
  groupRole,
  membership,
  rolePermission,
  tenantGrant,
} from '../edges/rights.ts';

/**
 * One of every kind of edge, made by the very constructors that make them, so that the keys in docs/table.md
 * are those that are written.
 */
export const ID = '01J8Z0E2Z8D2A3J7A7Y2H9GQ9C';
const at = '';
const building = `building:${ID}`;

export const EDGES = [
  {
    edge: membership({ user: ID, group: ID, scope: building, joinedAt: at }),
    of: 'a user in a group',
    repeated: 'user: set of groups',
  },
  {
    edge: groupRole({ group: ID, role: ID, scope: building, assignedAt: at }),
    of: 'a role that a group carries',
    repeated: "the group's scope: roles of the group",
  },
  {
    edge: rolePermission({ role: ID, permission: 'page', effect: 'ALLOW', roleScope: 'global' }),
    of: 'what a role does to a page, a permission or a pattern',
    repeated:
      "the permission's, within its owner: roles that allow, roles that deny; a pattern in the role table",
  },
  {
    edge: assignment({ id: ID, user: ID, scope: building, role: ID }),
    of: 'a role held at a scope for a time',
    repeated: 'user: role at the scope, with start and end',
  },
  {
    edge: tenantGrant({ id: ID, user: ID, scope: `tenant:${ID}`, roles: [ID], joinedAt: at }),
    of: 'a user in a tenant, with roles or without; each role has a mirror `ROLE#id / GRANT#TENANT#id#USER#id`',
    repeated: 'user: roles in the tenant',
  },
  { edge: globalRole({ user: ID, role: ID }), of: 'a role held everywhere', repeated: 'user: set of roles' },
  { edge: admin({ user: ID }), of: 'an administrator', repeated: 'user: flag' },
  {
    edge: workstreamMember({ user: ID, workstream: `workstream:${ID}`, assignedAt: at }),
    of: 'a user in a workstream; gives no rights',
    repeated: '',
  },
  {
    edge: enterpriseUse('product', { enterprise: `enterprise:${ID}`, used: ID, assignedAt: at }),
    of: 'a product of an enterprise',
    repeated: '',
  },
  {
    edge: enterpriseUse('service', { enterprise: `enterprise:${ID}`, used: ID, assignedAt: at }),
    of: 'a service of an enterprise',
    repeated: '',
  },
  {
    edge: setting({
      id: ID,
      scope: building,
      key: 'key',
      value: '',
      valueType: 'string',
      isOverridable: true,
    }),
    of: 'a setting of a scope or a user',
    repeated: '',
  },
] as const;
