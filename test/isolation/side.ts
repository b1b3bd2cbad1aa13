import type { World } from '../support/world.ts';

/** What all tenants share. */
export const PERMISSIONS = ['home', 'doors:open:door', 'doors:close:door', 'sold:use:thing'];
const SHARED_ROLE = '01J8Z0E2Z8D2A3J7A7Y2H9GQ9C';

export async function furnishShared({ run }: World): Promise<void> {
  await run('page.create', { name: 'home' });
  for (const name of PERMISSIONS.slice(1)) await run('permission.create', { name });
  await run('scope-type.create', { name: 'campus', parents: ['project'] });
  await run('module.create', { name: 'sold', soldBySubscription: true });
  await run('role.create', { id: SHARED_ROLE, name: 'shared', scope: 'tenant' });
  await run('role-permission.create', { role: SHARED_ROLE, permission: 'home', effect: 'ALLOW' });
}

/**
 * One of two twins: the same commands with the same values, but for ids that differ in their last letter (so
 * that their keys are neighbours) and for what must be unique.
 */
export async function furnish(world: World, twin: string, round = 0, isStrict = false) {
  const { run } = world;
  const ids: string[] = [];
  const id = (): string => {
    const next = `01J8Z0E2Z8${String(round).padStart(5, '0')}${String(ids.length).padStart(10, '0')}${twin}`;
    ids.push(next);
    return next;
  };
  const create = async (type: string, input: Record<string, unknown>): Promise<string> =>
    (await run(`${type}.create`, { id: id(), ...input })).id;
  const unique = (word: string) => `${word} ${round}${twin}`;
  const combination = isStrict ? 'deny-overrides' : 'allow-overrides';

  const client = `client:${await create('client', { name: unique('Acme'), combination })}`;
  const project = `project:${await create('project', { parent: client, name: 'Tower' })}`;
  const building = `building:${await create('building', { parent: project, name: 'House' })}`;
  const zone = `zone:${await create('zone', { parent: building, name: 'Floor' })}`;
  const device = `device:${await create('device', { parent: zone, name: 'Camera' })}`;
  const account = `account:${await create('account', { name: unique('Acme') })}`;
  const enterprise = `enterprise:${await create('enterprise', { name: unique('Works') })}`;
  const workstream = `workstream:${await create('workstream', { parent: account, enterprise, name: 'Pay' })}`;
  const campus = `campus:${await create('scope', { type: 'campus', parent: project, name: 'North' })}`;
  const places = [client, project, building, zone, device, campus, account, workstream];

  const users: string[] = [];
  for (const name of ['ann', 'ben', 'cat'])
    users.push(
      await create('user', { email: `${name}.${round}${twin}@example.com`.toLowerCase(), tenant: client }),
    );
  const robot = `technical-user:${await create('technical-user', { account, name: 'robot' })}`;
  const subjects = [...users, robot];
  const clerk = await create('role', { name: 'clerk', scope: client });
  for (const permission of PERMISSIONS) {
    const effect = permission === 'doors:close:door' ? 'DENY' : 'ALLOW';
    await run('role-permission.create', { role: clerk, permission, effect });
  }
  const groups: string[] = [];
  for (const [scope, role] of [
    [client, clerk],
    [project, SHARED_ROLE],
  ]) {
    const group = await create('group', { scope, name: 'clerks' });
    groups.push(group);
    await run('group-role.create', { group, role });
    for (const user of subjects) await run('membership.create', { user, group });
  }
  await run('assignment.create', { user: users[1], role: clerk, scope: project });
  await create('grant', { user: String(users[0]), scope: client, roles: [SHARED_ROLE] });
  await create('grant', { user: String(users[1]), scope: account, roles: [SHARED_ROLE] });
  await create('subscription', { scope: project, module: 'sold' });
  await create('license', { account, enterprise });
  await create('address', { account, city: 'Berlin' });
  await create('tool', { workstream, name: 'Board' });
  await run('workstream-member.create', { user: String(users[0]), workstream });
  await run('setting.create', { scope: client, key: 'theme', value: twin });
  await create('token', { user: String(users[0]), tenant: client, tokenType: 'api' });
  await create('session', { user: String(users[0]), tenant: client });
  await create('notification', { account, notificationType: 'welcome', deliveryStatus: 'sent' });

  /** Values of A by the names that fields of lists have. */
  const named: Readonly<Record<string, readonly string[]>> = {
    scope: places,
    parent: [...places, enterprise],
    tenant: [client, account],
    account: [account],
    enterprise: [enterprise],
    workstream: [workstream],
    user: subjects,
    group: groups,
    role: [clerk],
  };
  return {
    ids,
    named,
    places,
    subjects: [...users.map((user) => `user:${user}`), robot],
  };
}

export type Side = Awaited<ReturnType<typeof furnish>>;
