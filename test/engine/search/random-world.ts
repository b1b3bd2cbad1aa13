import fc from '../../support/fast-check.ts';
import type { World } from '../../support/world.ts';

/** A small random world, created by commands. Impossible commands are left out. */
export const PERMISSIONS = ['home', 'news', 'doors:open:door', 'doors:close:door', 'sold:use:thing', 'a:b:c'];
const PATTERNS = ['doors:*:*', 'sold:use:*', '*:*:*'];
const EDGES = ['2026-01-01T00:00:00.000Z', '2026-01-15T13:00:00.000Z', '2026-03-01T00:00:00.000Z'];

const pick = fc.noBias(fc.nat({ max: 1_000 }));
export const plans = fc.record({
  isStrict: fc.boolean(),
  effects: fc.array(fc.record({ role: pick, on: pick, isDeny: fc.nat({ max: 3 }) }), {
    minLength: 8,
    maxLength: 14,
  }),
  heirs: fc.array(fc.record({ role: pick, parent: pick }), { minLength: 3, maxLength: 5 }),
  groups: fc.array(
    fc.record({
      scope: pick,
      roles: fc.array(pick, { maxLength: 2 }),
      users: fc.array(pick, { maxLength: 4 }),
    }),
    {
      minLength: 2,
      maxLength: 5,
    },
  ),
  assignments: fc.array(fc.record({ user: pick, role: pick, scope: pick, from: pick, until: pick }), {
    minLength: 4,
    maxLength: 10,
  }),
  grants: fc.array(fc.record({ user: pick, scope: pick, roles: fc.array(pick, { maxLength: 2 }) }), {
    maxLength: 5,
  }),
  globals: fc.array(fc.record({ user: pick, role: pick }), { maxLength: 2 }),
  subscriptions: fc.array(pick, { maxLength: 2 }),
  isLicensed: fc.boolean(),
  suspended: fc.option(pick, { freq: 2 }),
  hasAddedType: fc.boolean(),
});
export type Plan = typeof plans extends fc.Arbitrary<infer P> ? P : never;

export async function furnish(world: World, plan: Plan) {
  const { run } = world;
  const at = <T>(list: readonly T[], position: number): T => list[position % list.length] as T;
  const tryTo = (command: string, input: Record<string, unknown>) => world.provision({ command, input });
  const make = async (type: string, input: Record<string, unknown>) =>
    (await run(`${type}.create`, input)).id;
  const place = async (type: string, input: Record<string, unknown>) => `${type}:${await make(type, input)}`;
  const combination = plan.isStrict ? 'deny-overrides' : 'allow-overrides';

  await run('module.create', { name: 'sold', soldBySubscription: true });
  for (const name of PERMISSIONS)
    await run(name.includes(':') ? 'permission.create' : 'page.create', { name });

  const client = await place('client', { name: 'Client', combination });
  const project = await place('project', { name: 'P', parent: client });
  const building = await place('building', { name: 'B', parent: project });
  const other = await place('building', { name: 'O', parent: project });
  const zone = await place('zone', { name: 'Z', parent: building });
  const inner = await place('zone', { name: 'I', parent: zone });
  const device = await place('device', { name: 'D', parent: inner });
  const tenant = await place('tenant', { name: 'Tenant', combination });
  const school = await place('location', { name: 'School', parent: tenant });
  const kiosk = await place('location', { name: 'Kiosk' });
  const account = await place('account', { name: 'Account' });
  const enterprise = await place('enterprise', { name: 'Works' });
  const workstream = await place('workstream', { name: 'W', parent: account, enterprise });
  const scopes = [client, project, building, other, zone, inner, device, tenant, school, kiosk, account];
  scopes.push(enterprise, workstream);
  if (plan.hasAddedType) {
    await run('scope-type.create', {
      name: 'campus',
      root: true,
      parents: ['project'],
      children: ['device'],
    });
    const campus = `campus:${await make('scope', { type: 'campus', name: 'C', parent: project })}`;
    const island = `campus:${await make('scope', { type: 'campus', name: 'Island' })}`;
    scopes.push(campus, island, await place('device', { name: 'F', parent: campus }));
  }
  const roots = [client, tenant, kiosk, account];

  const ids: string[] = [];
  for (let n = 0; n < 5; n++) ids.push(await make('user', {}));
  ids.push(await make('user', { endsAt: EDGES[0] }), await make('user', { status: 'disabled' }));
  ids.push(`technical-user:${await make('technical-user', { account, name: 'robot' })}`);
  await run('admin.create', { user: ids[4] });

  const roles: string[] = [];
  for (const [n, scope] of [
    'global',
    'global',
    'tenant',
    'tenant',
    client,
    client,
    client,
    tenant,
  ].entries()) {
    roles.push(await make('role', { name: `r${n}`, scope }));
  }
  // Grants that cover everything are rare; otherwise they would hide the rest.
  const names = [...PERMISSIONS, ...PERMISSIONS, ...PATTERNS];
  for (const { role, on, isDeny } of plan.effects) {
    const effect = isDeny === 0 ? 'DENY' : 'ALLOW';
    await tryTo('role-permission.create', { role: at(roles, role), permission: at(names, on), effect });
  }
  for (const { role, parent } of plan.heirs) {
    // A role inherits from a global role or from a role of its own scope.
    const child = 2 + (role % (roles.length - 2));
    await tryTo('role.update', {
      id: roles[child],
      parent: at([0, 1, 4], parent) < child ? roles[at([0, 1, 4], parent)] : null,
    });
  }
  // What chance may leave out: a role that allows only by what it inherits, granted at one scope within another.
  await tryTo('role-permission.create', { role: roles[1], permission: 'a:b:c', effect: 'ALLOW' });
  await run('role.update', { id: roles[6], parent: roles[1] });
  for (const scope of [project, zone])
    await run('assignment.create', { user: ids[3], role: roles[6], scope });
  for (const each of plan.groups) {
    const group = await make('group', { scope: at(scopes, each.scope), name: 'g' });
    for (const role of each.roles) await tryTo('group-role.create', { group, role: at(roles, role) });
    for (const user of each.users) await tryTo('membership.create', { group, user: at(ids, user) });
  }
  for (const { user, role, scope, from, until } of plan.assignments) {
    await tryTo('assignment.create', {
      user: at(ids, user),
      role: at(roles, role),
      scope: at(scopes, scope),
      ...(from % 2 === 0 ? { startsAt: at(EDGES, from) } : {}),
      ...(until % 3 === 0 ? { endsAt: at(EDGES, until) } : {}),
    });
  }
  for (const { user, scope, roles: granted } of plan.grants) {
    const chosen = [...new Set(granted.map((role) => at(roles, role)))];
    await tryTo('grant.create', { user: at(ids, user), scope: at(roots, scope), roles: chosen });
  }
  for (const { user, role } of plan.globals) {
    await tryTo('global-role.create', { user: at(ids, user), role: at(roles, role % 2) });
  }
  for (const scope of plan.subscriptions) {
    await tryTo('subscription.create', { scope: at(scopes, scope), module: 'sold' });
  }
  if (plan.isLicensed) await run('license.create', { account, enterprise });
  if (plan.suspended !== null) {
    const [type, id] = at([client, project, zone, tenant, school], plan.suspended).split(':');
    const status = type === 'project' ? 'on-hold' : type === 'zone' ? 'inactive' : 'suspended';
    await run(`${type}.update`, { id, status });
  }
  return { scopes, subjects: ids.map((id) => (id.includes(':') ? id : `user:${id}`)) };
}

export type Furnished = Awaited<ReturnType<typeof furnish>>;
