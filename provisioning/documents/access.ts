/**
 * The access patterns as commands: which command answers one, by which input fields, and what it reads. `rows`
 * are the ids of the tests (test/rows) that hold the command to it. `docs/internals/table.md` is made from it. Rows about
 * decisions are answered by the engine.
 */
export interface Access {
  readonly command: string;
  /** Input fields that select, beside those of a page and a period. */
  readonly by: readonly string[];
  /** `Operation` or `Operation INDEX`, in the order of the calls; several pages or partitions count once. */
  readonly reads: readonly string[];
  readonly rows: readonly string[];
}

const GET = 'GetItem';
const QUERY = 'Query';

const access = (
  command: string,
  by: string,
  reads: readonly string[],
  ...rows: readonly string[]
): Access => ({
  command,
  by: by === '' ? [] : by.split(' '),
  reads,
  rows,
});

export const ACCESS: readonly Access[] = [
  access('user.read', 'email', [GET, GET], 'AM-01', 'AZ-12'),
  access('assignment.list', 'user scope', [QUERY], 'AM-02', 'AM-19'),
  access('permission.list', '', ['Query GSI1'], 'AM-02', 'AM-17'),
  access('tenant.list-all', 'tenant', ['Query GSI2'], 'AM-03'),
  access('tenant.list-all', 'tenant type', ['Query GSI2'], 'AM-03', 'AM-23'),
  access('client.read', 'id', [GET], 'AM-04'),
  access('client.read', 'name', [GET, GET], 'AM-04'),
  access('project.list', 'parent', [QUERY], 'AM-05'),
  access('building.list', 'parent', [QUERY], 'AM-06'),
  access('device.list', 'parent', [QUERY], 'AM-07'),
  access('zone.list', 'parent', [QUERY], 'AM-08'),
  access('subscription.list', 'scope at', [QUERY], 'AM-09', 'AM-25'),
  access('subscription.list', 'module', [QUERY], 'AM-10'),
  access('audit.list', 'tenant', [QUERY, 'BatchGetItem'], 'AM-11', 'AM-26'),
  access('audit.list', '', [QUERY, 'BatchGetItem'], 'AM-11', 'AM-26'),
  access('audit.list', 'user', ['Query GSI2', 'BatchGetItem'], 'AM-12'),
  access('audit.list', 'actor', ['Query GSI1', 'BatchGetItem'], 'AM-12'),
  access('role.list', 'scope', [QUERY], 'AM-13', 'PL-19'),
  access('role-permission.list', 'role', [QUERY], 'AM-14', 'AM-24'),
  access('role-permission.list', 'role kind', [QUERY], 'RB-15'),
  access('user.access', 'id at', [QUERY], 'AM-15', 'AM-16'),
  access('user.access', 'id type at', [QUERY], 'AM-16'),
  access('permission.read', 'name', [GET], 'AM-17'),
  access('role.list', 'parent', [QUERY], 'AM-18'),
  access('setting.resolve', 'keys scope', [GET, 'BatchGetItem'], 'AM-20'),
  access('setting.resolve', 'keys scope user', [GET, 'BatchGetItem'], 'AM-20'),
  access('token.read', 'id', [GET], 'AM-21'),
  access('token.list', 'user at', [QUERY], 'AM-21'),
  access('session.read', 'id', [GET], 'AM-22'),
  access('session.list', 'user', [QUERY], 'AM-22'),
  access('session.list', 'user at', [QUERY], 'AM-22'),
  access('role-template.read', 'id', [GET], 'AM-24'),
  access('subscription.read', 'id', [GET], 'AM-25'),
  access('account.list', '', ['Query GSI1'], 'PL-01'),
  access('enterprise.list', '', ['Query GSI1'], 'PL-02'),
  access('account.read-all', 'id', [QUERY], 'PL-03'),
  access('enterprise.read-all', 'id', [QUERY], 'PL-04'),
  access('user.list', 'tenant', ['Query GSI2'], 'PL-05'),
  access('license.list', 'account', [QUERY], 'PL-06'),
  access('license.list', 'enterprise', [QUERY], 'PL-07'),
  access('workstream.list', 'parent', [QUERY], 'PL-08', 'PL-09'),
  access('role.read-all', 'id', [QUERY], 'PL-10'),
  access('user.read-all', 'id', [QUERY], 'PL-11'),
  access('license.list', 'status', ['Query GSI3'], 'PL-12'),
  access('user.list', 'status', ['Query GSI3'], 'PL-13'),
  access('notification.list', '', ['Query GSI1'], 'PL-14'),
  access('notification.list', 'account', ['Query GSI2'], 'PL-15'),
  access('notification.list', 'deliveryStatus', ['Query GSI3'], 'PL-16', 'PL-17'),
  access('tool.list', 'workstream', [QUERY], 'PL-18'),
  access('group.list', '', ['Query GSI1'], 'PL-20'),
  access('product.list', '', ['Query GSI1'], 'PL-21'),
  access('service.list', '', ['Query GSI1'], 'PL-21'),
  access('user.find', 'email', [GET], 'RB-01', 'AZ-12'),
  access('user.find', 'phone', [GET], 'AZ-12'),
  access('user.find', 'username', [GET], 'AZ-12'),
  access('user.read', 'id', [GET], 'RB-02', 'AZ-03', 'AZ-12'),
  access('location.read', 'id', [GET], 'RB-03'),
  access('location.read', 'code', [GET, GET], 'RB-04'),
  access('group.read', 'id', [GET], 'RB-05'),
  access('role.read', 'scope name', [GET, GET], 'RB-06', 'AZ-04', 'AZ-13'),
  access('page.read', 'name', [GET], 'RB-07', 'RB-18'),
  access('grant.list', 'user type', [QUERY], 'RB-08'),
  access('grant.list', 'scope', [QUERY], 'RB-09'),
  access('membership.list', 'user', [QUERY], 'RB-10'),
  access('membership.list', 'user scope', [QUERY], 'RB-11'),
  access('membership.list', 'group', [QUERY], 'RB-12'),
  access('group-role.list', 'group', [QUERY], 'RB-13', 'AM-15'),
  access('group-role.read', 'group role', [GET], 'RB-14'),
  access('role-permission.read', 'role permission', [GET], 'RB-16', 'RB-18'),
  access('tenant.read', 'id', [GET], 'AZ-01', 'AZ-14'),
  access('tenant.read', 'name', [GET, GET], 'AZ-02', 'AZ-14'),
  access('role.read', 'id', [GET], 'AZ-05', 'AM-18', 'AM-24'),
  access('grant.read', 'user scope', [GET], 'AZ-06'),
  access('grant.list', 'user', [QUERY], 'AZ-07'),
  access('grant.read', 'id', [GET], 'AZ-08'),
  access('policy.list', 'prefix', ['Query GSI2'], 'AZ-09'),
  access('policy.list', '', ['Query GSI2'], 'AZ-09'),
  access('policy.read', 'name', [GET, GET], 'AZ-10'),
  access('policy.read', 'policyId', [GET], 'AZ-11'),
];
