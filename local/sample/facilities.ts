import { createGroup, createRole, createRoute, createUser, idOf, type Provision } from './provision.ts';

export interface Facilities {
  readonly client: string;
  /** Projects. */
  readonly harbour: string;
  readonly gardens: string;
  /** Buildings: two of the harbour, one of the gardens. */
  readonly lighthouse: string;
  readonly boathouse: string;
  readonly orangery: string;
  /** Zones of the lighthouse, the second within the first, and a device there. */
  readonly lobby: string;
  readonly reception: string;
  readonly heatPump: string;
}

/** Instants that stay in the past and in the future, so that every start is the same. */
const LONG_AGO = '2024-07-01T00:00:00.000Z';
const FAR_AWAY = '2099-12-31T00:00:00.000Z';

/**
 * Facility management: grants at client, project and building, assignments that end, a module with
 * subscriptions, and settings.
 */
export async function createFacilities(provision: Provision): Promise<Facilities> {
  const places = await createPlaces(provision);
  await createModules(provision, places);
  await createPeople(provision, places);
  await createSettings(provision, places);
  const route = (key: string, permission: string, scope: string) =>
    createRoute(provision, key, permission, scope);
  await route('GET /clients/{clientId}/doors', 'doors:read:door', 'client:{clientId}');
  await route('GET /projects/{projectId}/doors', 'doors:read:door', 'project:{projectId}');
  await route('GET /buildings/{buildingId}/doors', 'doors:read:door', 'building:{buildingId}');
  await route('POST /buildings/{buildingId}/doors', 'doors:open:door', 'building:{buildingId}');
  await route('GET /buildings/{buildingId}/visitors', 'visitors', 'building:{buildingId}');
  await route('POST /buildings/{buildingId}/climate', 'hvac:set:climate', 'building:{buildingId}');
  await route('POST /zones/{zoneId}/doors', 'doors:open:door', 'zone:{zoneId}');
  await route('GET /devices/{deviceId}/climate', 'hvac:read:climate', 'device:{deviceId}');
  return places;
}

async function createPlaces(provision: Provision): Promise<Facilities> {
  const place = async (type: string, name: string, details: Readonly<Record<string, unknown>>) =>
    (await provision(`${type}.create`, name, { id: idOf(name), name, ...details })).id;
  const client = await place('client', 'Northwind Estates', {
    timezone: 'Europe/Berlin',
    primaryContactEmail: 'nora@northwind.example',
    billingEmail: 'bills@northwind.example',
  });
  const project = (name: string, region: string) =>
    place('project', name, { parent: `client:${client}`, region, startDate: '2025-01-01' });
  const harbour = await project('Harbour', 'north');
  const gardens = await project('Gardens', 'south');
  const building = (name: string, of: string, floors: number) =>
    place('building', name, { parent: `project:${of}`, city: 'Bremen', country: 'DE', floors });
  const lighthouse = await building('Lighthouse', harbour, 9);
  const boathouse = await building('Boathouse', harbour, 2);
  const orangery = await building('Orangery', gardens, 1);
  const lobby = await place('zone', 'Lobby', { parent: `building:${lighthouse}`, floor: '0', type: 'lobby' });
  const reception = await place('zone', 'Reception', { parent: `zone:${lobby}`, floor: '0', type: 'office' });
  const heatPump = await place('device', 'Heat pump', {
    parent: `zone:${reception}`,
    type: 'hvac',
    manufacturer: 'Halcyon',
    serialNumber: 'HP-0042',
  });
  await place('device', 'Pier camera', { parent: `building:${boathouse}`, type: 'camera' });
  return { client, harbour, gardens, lighthouse, boathouse, orangery, lobby, reception, heatPump };
}

/** Two modules: doors are free, hvac needs a subscription, and only the lighthouse has one. */
async function createModules(provision: Provision, { lighthouse }: Facilities): Promise<void> {
  await provision('module.create', 'doors', { name: 'doors', description: 'Doors and who comes through' });
  await provision('module.create', 'hvac', {
    name: 'hvac',
    description: 'Heating and cooling',
    soldBySubscription: true,
  });
  await provision('page.create', 'visitors', {
    name: 'visitors',
    description: 'Who is expected',
    module: 'doors',
  });
  for (const name of ['doors:read:door', 'doors:open:door', 'hvac:read:climate', 'hvac:set:climate']) {
    await provision('permission.create', name, { name, isDangerous: name === 'doors:open:door' });
  }
  await provision('subscription.create', 'hvac at the lighthouse', {
    scope: `building:${lighthouse}`,
    module: 'hvac',
    tier: 'standard',
    startDate: LONG_AGO,
    endDate: FAR_AWAY,
    autoRenew: true,
  });
}

async function createPeople(provision: Provision, places: Facilities): Promise<void> {
  const { client, harbour, lighthouse, boathouse } = places;
  const caretaker = await createRole(
    provision,
    { name: 'caretaker', scope: 'tenant' },
    { allow: ['doors:read:door', 'doors:open:door'] },
  );
  // Owned by this client; inherits from caretaker.
  const technician = await createRole(
    provision,
    { name: 'technician', scope: `client:${client}`, parent: caretaker },
    { allow: ['hvac:*:*'] },
  );
  const receptionist = await createRole(
    provision,
    { name: 'receptionist', scope: 'tenant' },
    { allow: ['doors:read:door', 'visitors'] },
  );
  const estateManager = await createRole(
    provision,
    { name: 'estate-manager', scope: 'tenant' },
    { allow: ['doors:*:*', 'hvac:*:*', 'visitors'] },
  );

  const user = (name: string, userType: string, title: string) =>
    createUser(provision, {
      email: `${name}@northwind.example`,
      displayName: name,
      userType,
      title,
      tenant: `client:${client}`,
    });
  const join = (holder: string, name: string, group: string) =>
    provision('membership.create', `${name} ${group}`, { user: holder, group });
  const assign = (label: string, input: Readonly<Record<string, string>>) =>
    provision('assignment.create', label, input);

  const management = { scope: `client:${client}`, name: 'Estate management' };
  const technicians = { scope: `project:${harbour}`, name: 'Harbour technicians' };
  const desk = { scope: `building:${lighthouse}`, name: 'Lighthouse desk' };
  const nora = await user('nora', 'client_admin', 'Estate manager');
  await join(nora, 'nora', await createGroup(provision, management, estateManager));
  const theo = await user('theo', 'internal', 'Technician');
  await join(theo, 'theo', await createGroup(provision, technicians, technician));
  const rita = await user('rita', 'external_tenant', 'Receptionist');
  await join(rita, 'rita', await createGroup(provision, desk, receptionist));

  const carl = await user('carl', 'external_customer', 'Caretaker');
  await assign('carl at the lighthouse', {
    user: carl,
    scope: `building:${lighthouse}`,
    role: caretaker,
    endsAt: LONG_AGO,
  });
  await assign('carl at the boathouse', {
    user: carl,
    scope: `building:${boathouse}`,
    role: caretaker,
    startsAt: LONG_AGO,
    endsAt: FAR_AWAY,
  });
  const gwen = await user('gwen', 'internal', 'Head gardener');
  await assign('gwen in the gardens', { user: gwen, scope: `project:${places.gardens}`, role: caretaker });
}

/** A building may override the temperature, but not how long door logs are kept. */
async function createSettings(provision: Provision, { client, lighthouse }: Facilities): Promise<void> {
  const set = (where: string, scope: string, key: string, value: number, isOverridable: boolean) =>
    provision('setting.create', `${key} of ${where}`, {
      scope,
      key,
      value: String(value),
      valueType: 'number',
      isOverridable,
    });
  await set('northwind', `client:${client}`, 'room-temperature', 20, true);
  await set('northwind', `client:${client}`, 'door-log-days', 30, false);
  await set('the lighthouse', `building:${lighthouse}`, 'room-temperature', 22, true);
  await set('the lighthouse', `building:${lighthouse}`, 'door-log-days', 7, true);
}
