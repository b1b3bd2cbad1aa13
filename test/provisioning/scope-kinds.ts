import type { Kind } from './kind.ts';
import type { Input } from './support.ts';

/** The scopes of facility management (seed 000) and of the platform (seed 002), with examples of each input. */
export function scopeKinds(
  id: (command: string, input: Input) => Promise<string>,
  fresh: (word: string) => string,
): readonly Kind[] {
  const client = async () => `client:${await id('client.create', { name: fresh('Client') })}`;
  const project = async () =>
    `project:${await id('project.create', { parent: await client(), name: 'Project' })}`;
  const building = async () =>
    `building:${await id('building.create', { parent: await project(), name: 'House' })}`;
  const zone = async () => `zone:${await id('zone.create', { parent: await building(), name: 'Floor' })}`;
  const account = async () => `account:${await id('account.create', { name: fresh('Account') })}`;
  const enterprise = async () => `enterprise:${await id('enterprise.create', { name: fresh('Enterprise') })}`;
  const type = async () => {
    const name = fresh('campus');
    await id('scope-type.create', { name, parents: ['project'] });
    return name;
  };
  const root = (type: string): Kind => ({
    type,
    create: async () => ({
      name: fresh(type),
      description: 'a customer',
      status: 'active',
      combination: 'deny-overrides',
    }),
    named: [['id'], ['name']],
    changes: async () => ({
      name: fresh(type),
      description: null,
      status: 'suspended',
      combination: 'allow-overrides',
    }),
    lists: [[]],
  });
  return [
    {
      type: 'client',
      create: async () => ({
        name: fresh('Client'),
        status: 'active',
        combination: 'deny-overrides',
        logoUrl: 'https://client.example/logo.png',
        primaryContactEmail: 'desk@client.example',
        primaryContactName: 'Desk',
        timezone: 'Europe/Berlin',
        billingEmail: 'bills@client.example',
        address: 'Street 1',
        phone: '+4930123456',
      }),
      named: [['id'], ['name']],
      changes: async () => ({
        name: fresh('Client'),
        status: 'suspended',
        timezone: 'UTC',
        phone: null,
        logoUrl: null,
      }),
      lists: [[]],
    },
    {
      type: 'project',
      create: async () => ({
        parent: await client(),
        name: 'Tower',
        description: 'a tower',
        status: 'active',
        startDate: '2026-01-01',
        endDate: '2027-01-01',
        region: 'north',
        ownerUserId: '01J8Z0E2Z8D2A3J7A7Y2H9GQ9C',
      }),
      named: [['id']],
      changes: async () => ({ name: 'Towers', status: 'on-hold', endDate: null }),
      lists: [[], ['parent']],
    },
    {
      type: 'building',
      create: async () => ({
        parent: await project(),
        name: 'House',
        address: 'Street 2',
        city: 'Berlin',
        state: 'Berlin',
        country: 'Germany',
        postalCode: '10115',
        timezone: 'Europe/Berlin',
        squareFootage: 1_200.5,
        floors: 4,
        yearBuilt: 1_904,
        status: 'active',
        geoLatitude: 52.5,
        geoLongitude: 13.4,
      }),
      named: [['id']],
      changes: async () => ({ name: 'Houses', status: 'inactive', floors: 5, squareFootage: null }),
      lists: [[], ['parent']],
    },
    {
      type: 'zone',
      create: async () => ({
        parent: await building(),
        name: 'Lobby',
        description: 'the entrance',
        floor: 'ground',
        areaSqft: 80,
        type: 'lobby',
        status: 'active',
        geoJson: { type: 'Point', coordinates: [13.4, 52.5] },
      }),
      named: [['id']],
      changes: async () => ({ name: 'Hall', type: 'office', geoJson: null }),
      lists: [[], ['parent']],
    },
    {
      type: 'device',
      create: async () => ({
        parent: await zone(),
        name: 'Camera 1',
        type: 'camera',
        manufacturer: 'Acme',
        model: 'C1',
        serialNumber: 'S1',
        locationDescription: 'above the door',
        status: 'active',
        configuration: { rate: 25, modes: ['day', 'night'] },
        lastSeenAt: '2026-01-01T00:00:00.000Z',
      }),
      named: [['id']],
      changes: async () => ({
        name: 'Camera 2',
        status: 'inactive',
        configuration: { rate: 30 },
        model: null,
      }),
      lists: [[], ['parent']],
    },
    root('account'),
    root('enterprise'),
    {
      type: 'workstream',
      create: async () => ({
        parent: await account(),
        enterprise: await enterprise(),
        name: 'Payroll',
        description: 'pays',
        status: 'active',
      }),
      named: [['id']],
      changes: async () => ({
        enterprise: await enterprise(),
        name: 'Wages',
        status: 'inactive',
        description: null,
      }),
      lists: [[], ['parent']],
    },
    {
      type: 'scope',
      create: async () => ({
        type: await type(),
        parent: await project(),
        name: 'North campus',
        description: 'several buildings',
        status: 'active',
        combination: 'allow-overrides',
        attributes: { area: 12 },
      }),
      reference: 'scope',
      named: [['type', 'id']],
      changes: async () => ({ name: 'South campus', status: 'suspended', description: null }),
      lists: [['type'], ['type', 'parent']],
    },
  ];
}
