import { createKinds, TYPES } from './kinds.ts';
import type { LedgerWorld } from './support.ts';

/** One of each kind, and what else may be tied to what. */
export async function furnishRichly(world: LedgerWorld): Promise<void> {
  const kinds = createKinds(world);
  for (const type of TYPES) await world.run(`${type}.create`, (await kinds[type]?.create()) ?? {});
  const account = `account:${(await world.run('account.create', { name: 'Of robots' })).id}`;
  const robot = `technical-user:${(await world.run('technical-user.create', { account, name: 'robot' })).id}`;
  const tokens = await Promise.all(
    [1, 2].map(() => world.run('token.create', { user: robot, tokenType: 'api', tenant: account })),
  );
  await world.run('token.revoke', { id: tokens[0]?.id });
  const role = (await world.run('role.create', { name: 'of robots', scope: account })).id;
  await world.run('assignment.create', { user: robot, role, scope: account });
  await world.run('permission.create', { name: 'robots:drive:hall' });
  await world.run('role-permission.create', { role, permission: 'robots:drive:hall', effect: 'DENY' });
  await world.run('role-permission.create', { role, permission: 'robots:*:hall', effect: 'ALLOW' });
  const elsewhere = `tenant:${(await world.run('tenant.create', { name: 'Elsewhere' })).id}`;
  const there = (await world.run('role.create', { name: 'there', scope: elsewhere })).id;
  await world.run('grant.create', { user: robot, roles: [there], scope: elsewhere });
  await world.run('module.create', { name: 'sold', soldBySubscription: true });
  const everywhere = (await world.run('role.create', { name: 'everywhere', scope: 'global' })).id;
  await world.run('role-permission.create', { role: everywhere, permission: '*:*:*', effect: 'DENY' });
  await world.run('global-role.create', { user: robot, role: everywhere });
  const ann = (
    await world.run('user.create', {
      email: 'root@example.com',
      passwordHash: 'of root',
      mfaSecret: 'sealed',
    })
  ).id;
  await world.run('admin.create', { user: ann });
  await world.run('global-role.create', { user: ann, role: everywhere });
  const group = (await world.run('group.create', { scope: elsewhere, name: 'all' })).id;
  await world.run('group-role.create', { group, role: there });
  await world.run('membership.create', { group, user: ann });
  await world.run('membership.create', { group, user: robot });
}
