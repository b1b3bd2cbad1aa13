import { createRole, createRoute, createUser, idOf, type Provision } from './provision.ts';

export interface Tenants {
  readonly acme: string;
  readonly globex: string;
}

/** Tenants with grants: roles for any tenant, a role that one tenant owns, a global role. */
export async function createTenants(provision: Provision): Promise<Tenants> {
  const tickets = ['tickets:read:ticket', 'tickets:create:ticket', 'tickets:delete:ticket'];
  for (const name of tickets) {
    await provision('permission.create', name, { name, isDangerous: name === 'tickets:delete:ticket' });
  }
  const tenant = async (name: string) =>
    (await provision('tenant.create', name, { id: idOf(name), name })).id;
  const [acme, globex] = [await tenant('Acme'), await tenant('Globex')];

  const agent = await createRole(
    provision,
    { name: 'agent', scope: 'tenant' },
    { allow: ['tickets:read:ticket', 'tickets:create:ticket'] },
  );
  const manager = await createRole(
    provision,
    { name: 'manager', scope: 'tenant' },
    { allow: ['tickets:*:*'] },
  );
  const auditor = await createRole(
    provision,
    { name: 'auditor', scope: 'global' },
    { allow: ['tickets:read:*'] },
  );
  const cleaner = await createRole(
    provision,
    { name: 'cleaner', scope: `tenant:${acme}`, parent: agent },
    { allow: ['tickets:delete:ticket'] },
  );

  const user = (email: string) => createUser(provision, { email });
  const grant = (holder: string, where: string, roles: readonly string[]) =>
    provision('grant.create', `${holder} ${where}`, { user: holder, scope: `tenant:${where}`, roles });
  await grant(await user('alice@acme.example'), acme, [manager]);
  const bob = await user('bob@acme.example');
  await grant(bob, acme, [agent]);
  await grant(bob, globex, []);
  await grant(await user('clara@acme.example'), acme, [cleaner]);
  await provision('global-role.create', 'olga auditor', {
    user: await user('olga@audit.example'),
    role: auditor,
  });

  const route = (key: string, permission: string) =>
    createRoute(provision, key, permission, 'tenant:{tenantId}');
  await route('GET /tenants/{tenantId}/tickets', 'tickets:read:ticket');
  await route('POST /tenants/{tenantId}/tickets', 'tickets:create:ticket');
  await route('DELETE /tenants/{tenantId}/tickets/{ticketId}', 'tickets:delete:ticket');
  return { acme, globex };
}
