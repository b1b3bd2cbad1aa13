import { nodeKey } from '../../table/keys.ts';
import type { Edge } from '../edges/edge.ts';
import { readEdge } from '../edges/read-edge.ts';

export const ID = '01J8Z0E2Z8D2A3J7A7Y2H9GQ9C';

/** The attributes of every kind of edge. */
const SAMPLE = {
  // Only messages of errors show the key.
  ...nodeKey({ type: 'user', id: ID }),
  id: ID,
  user: ID,
  group: ID,
  role: ID,
  roles: [ID],
  product: ID,
  service: ID,
  scope: `building:${ID}`,
  enterprise: `enterprise:${ID}`,
  workstream: `workstream:${ID}`,
  permission: 'page',
  effect: 'ALLOW',
  roleScope: 'global',
  key: 'key',
  value: '',
  valueType: 'string',
  isOverridable: true,
  joinedAt: '',
  assignedAt: '',
};

/**
 * One of every kind of edge, made by the code that makes them from items, so that the keys in docs/internals/table.md
 * are those that are written.
 */
const sample = (Type: string, of: string, repeated = '', scope = SAMPLE.scope) => ({
  edge: readEdge({ ...SAMPLE, Type, scope }) as Edge,
  of,
  repeated,
});

export const EDGES = [
  sample('Membership', 'a user in a group', 'user: set of groups'),
  sample('GroupRole', 'the assignment of a role to a group', "the group's scope: roles of the group"),
  sample(
    'RolePermission',
    'what a role does to a page, a permission or a pattern',
    "the permission's, within its owner: roles that allow, roles that deny; a pattern in the role table",
  ),
  sample('Assignment', 'a role held at a scope for a time', 'user: role at the scope, with start and end'),
  sample(
    'TenantGrant',
    'a user in a tenant, with roles or without; each role has a mirror `ROLE#id / GRANT#TENANT#id#USER#id`',
    'user: roles in the tenant',
    `tenant:${ID}`,
  ),
  sample('GlobalRole', 'a role held everywhere', 'user: set of roles'),
  sample('Admin', 'an administrator', 'user: flag'),
  sample('WorkstreamMember', 'a user in a workstream; gives no rights'),
  sample('EnterpriseProduct', 'a product of an enterprise'),
  sample('EnterpriseService', 'a service of an enterprise'),
  sample('Setting', 'a setting of a scope or a user'),
];
