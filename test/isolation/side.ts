import type { World } from '../support/world.ts';

/** What is put into a tenant: numbers that fast-check draws. Both twins get the same. */
export interface Plan {
  readonly groups: number;
  readonly members: number;
  readonly roles: readonly { readonly scope: 'own' | 'tenant'; readonly effects: readonly number[] }[];
  readonly buildings: number;
  readonly assignments: readonly { readonly user: number; readonly role: number; readonly place: number }[];
  readonly isSubscribed: boolean;
  readonly isLicensed: boolean;
  readonly isStrict: boolean;
}

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
export async function furnish(world: World, twin: string, round: number, plan: Plan) {
  const { run } = world;
  const ids: string[] = [];
  const id = (): string => {
    const next = `01J8Z0E2Z8${String(round).padStart(5, '0')}${String(ids.length).padStart(10, '0')}${twin}`;
    ids.push(next);
    return next;
  };
  const create = async (type: string, input: Record<string, unknown>): Promise<string> =>
    (await run(`${type}.create`, { id: id(), ...input })).id;
  const several = async <T>(count: number, make: (place: number) => Promise<T>): Promise<T[]> => {
    const made: T[] = [];
    for (let place = 0; place < count; place++) made.push(await make(place));
    return made;
  };
  const unique = (word: string) => `${word} ${round}${twin}`;
  const combination = plan.isStrict ? 'deny-overrides' : 'allow-overrides';

  const client = `client:${await create('client', { name: unique('Acme'), combination })}`;
  const project = `project:${await create('project', { parent: client, name: 'Tower' })}`;
  const buildings = await several(
    plan.buildings,
    async () => `building:${await create('building', { parent: project, name: 'House' })}`,
  );
  const zone = `zone:${await create('zone', { parent: String(buildings[0]), name: 'Floor' })}`;
  const device = `device:${await create('device', { parent: zone, name: 'Camera' })}`;
  const account = `account:${await create('account', { name: unique('Acme') })}`;
  const enterprise = `enterprise:${await create('enterprise', { name: unique('Works') })}`;
  const workstream = `workstream:${await create('workstream', { parent: account, enterprise, name: 'Pay' })}`;
  const campus = `campus:${await create('scope', { type: 'campus', parent: project, name: 'North' })}`;
  const places = [client, project, ...buildings, zone, device, campus, account, workstream];

  const users = await several(3, (n) =>
    create('user', { email: `ann${n}.${round}${twin}@example.com`.toLowerCase(), tenant: client }),
  );
  const robot = `technical-user:${await create('technical-user', { account, name: 'robot' })}`;
  const subjects = [...users, robot];
  const roles = await several(plan.roles.length, async (n) => {
    const { scope, effects } = plan.roles[n] as Plan['roles'][number];
    if (scope === 'tenant') return SHARED_ROLE;
    const role = await create('role', { name: `clerk ${n}`, scope: client });
    for (const [position, number] of effects.entries()) {
      const permission = PERMISSIONS[position % PERMISSIONS.length];
      await run('role-permission.create', { role, permission, effect: number % 3 === 0 ? 'DENY' : 'ALLOW' });
    }
    return role;
  });
  const groups = await several(plan.groups, async (n) => {
    const group = await create('group', { scope: String(places[n % 4]), name: 'clerks' });
    await run('group-role.create', { group, role: String(roles[n % roles.length]) });
    for (let m = 0; m < plan.members; m++)
      await run('membership.create', { user: String(subjects[m]), group });
    return group;
  });
  const inClient = places.slice(0, places.indexOf(account));
  for (const { user, role, place } of plan.assignments) {
    const input = {
      user: String(subjects[user % subjects.length]),
      role: String(roles[role % roles.length]),
      scope: String(inClient[place % inClient.length]),
    };
    // Drawn twice, it is there already.
    await world.provision({ command: 'assignment.create', input });
  }
  await create('grant', { user: String(users[0]), scope: client, roles: [SHARED_ROLE] });
  await create('grant', { user: String(users[1]), scope: account, roles: [SHARED_ROLE] });
  if (plan.isSubscribed) await create('subscription', { scope: project, module: 'sold' });
  if (plan.isLicensed) await create('license', { account, enterprise });
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
    role: roles.filter((role) => role !== SHARED_ROLE),
  };
  return {
    ids,
    named,
    places,
    subjects: [...users.map((user) => `user:${user}`), robot],
  };
}

export type Side = Awaited<ReturnType<typeof furnish>>;
