import { createRole, createRoute, createUser, idOf, type Provision } from './provision.ts';

export interface Platform {
  readonly account: string;
  /** Workstreams: for an enterprise with a licence, and for one whose licence has expired. */
  readonly routes: string;
  readonly timetables: string;
  readonly robot: string;
}

const LICENSED_FROM = '2024-01-01T00:00:00.000Z';
const EXPIRED_AT = '2025-01-01T00:00:00.000Z';
const FAR_AWAY = '2099-12-31T00:00:00.000Z';

/**
 * A platform: an account with workstreams for two enterprises, a valid licence and an expired one,
 * people and a program. No token is issued here, because nobody would see it.
 */
export async function createPlatform(provision: Provision): Promise<Platform> {
  const named = async (type: string, name: string, details: Readonly<Record<string, unknown>> = {}) =>
    (await provision(`${type}.create`, name, { id: idOf(name), name, ...details })).id;
  const account = await named('account', 'Bluefin Media');
  const aurora = await named('enterprise', 'Aurora Air');
  const borealis = await named('enterprise', 'Borealis Rail');
  const license = (name: string, enterprise: string, details: Readonly<Record<string, string>>) =>
    named('license', name, {
      account: `account:${account}`,
      enterprise: `enterprise:${enterprise}`,
      startDate: LICENSED_FROM,
      ...details,
    });
  await license('Aurora Air, all of it', aurora, { endDate: FAR_AWAY });
  await license('Borealis Rail, a trial', borealis, { endDate: EXPIRED_AT, status: 'expired' });
  const workstream = (name: string, enterprise: string) =>
    named('workstream', name, { parent: `account:${account}`, enterprise: `enterprise:${enterprise}` });
  const routes = await workstream('Routes', aurora);
  const timetables = await workstream('Timetables', borealis);
  await createEquipment(provision, account, aurora, routes);

  await provision('page.create', 'reports', { name: 'reports', description: 'A menu key of the platform' });
  const analyst = await createRole(provision, { name: 'analyst', scope: 'tenant' }, { allow: ['reports'] });
  const member = async (name: string) => {
    const email = `${name}@bluefin.example`;
    const id = await createUser(provision, { email, displayName: name, tenant: `account:${account}` });
    for (const each of [routes, timetables]) {
      const membership = { user: id, workstream: `workstream:${each}` };
      await provision('workstream-member.create', `${name} ${each}`, membership);
    }
    return id;
  };
  const petra = await member('petra');
  for (const each of [routes, timetables]) {
    const assignment = { user: petra, scope: `workstream:${each}`, role: analyst };
    await provision('assignment.create', `petra ${each}`, assignment);
  }
  // A member of both, without a role.
  await member('milo');
  const robot = await named('technical-user', 'Report robot', { account: `account:${account}` });
  await provision('assignment.create', 'report robot', {
    user: `technical-user:${robot}`,
    scope: `account:${account}`,
    role: analyst,
  });

  await createRoute(
    provision,
    'GET /workstreams/{workstreamId}/reports',
    'reports',
    'workstream:{workstreamId}',
  );
  await createRoute(provision, 'GET /accounts/{accountId}/reports', 'reports', 'account:{accountId}');
  return { account, routes, timetables, robot };
}

/** Entities of the platform that grant nothing. */
async function createEquipment(
  provision: Provision,
  account: string,
  enterprise: string,
  workstream: string,
): Promise<void> {
  await provision('address.create', 'Bluefin Media', {
    account: `account:${account}`,
    label: 'Head office',
    street: '1 Quay Street',
    city: 'Galway',
    country: 'IE',
    isPrimary: true,
  });
  await provision('tool.create', 'Flight board', {
    workstream: `workstream:${workstream}`,
    name: 'Flight board',
    url: 'https://board.aurora.example/',
  });
  const product = await provision('product.create', 'Seat map', { name: 'Seat map' });
  const service = await provision('service.create', 'Help desk', { name: 'Help desk' });
  const user = { enterprise: `enterprise:${enterprise}` };
  await provision('enterprise-product.create', 'Aurora Air', { ...user, product: product.id });
  await provision('enterprise-service.create', 'Aurora Air', { ...user, service: service.id });
}
