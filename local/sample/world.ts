import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { type Manifest, manifestSchema } from '../../provisioning/apply/schema.ts';
import type { Provisioning } from '../../provisioning/index.ts';
import { GatehouseError } from '../../table/errors.ts';
import { applyData } from '../manifest/apply.ts';
import { createProvisioner, type Provision } from './provision.ts';

/** The sample world of `gatehouse dev`, with its ids: every start and every document has the same. */
const MANIFEST = new URL('../../docs/examples/sample.manifest.yaml', import.meta.url);

/** Ids of the sample world. */
export type SampleWorld = ReturnType<typeof idsIn>;

/**
 * Makes the sample world on a table. What the table has beside it stays.
 *
 * @throws GatehouseError for what the table has already, in another way
 */
export async function createSampleWorld(provisioning: Provisioning): Promise<SampleWorld> {
  const manifest = parse(await readFile(MANIFEST, 'utf8'));
  const answer = await applyData({ manifest }, { provisioning });
  if (!answer.ok) throw new GatehouseError(answer.error.code, `sample world: ${answer.error.message}`);
  const parsed = manifestSchema.parse(manifest);
  await createEquipment(createProvisioner(provisioning), parsed);
  return idsIn(parsed);
}

function idsIn({ scopes, technicalUsers }: Manifest) {
  const scope = (name: string) => String(scopes[name]?.id);
  return {
    school: { north: scope('North School'), south: scope('South School') },
    tenants: { acme: scope('Acme'), globex: scope('Globex') },
    facilities: {
      client: scope('Northwind Estates'),
      harbour: scope('Harbour'),
      gardens: scope('Gardens'),
      lighthouse: scope('Lighthouse'),
      boathouse: scope('Boathouse'),
      orangery: scope('Orangery'),
      lobby: scope('Lobby'),
      reception: scope('Reception'),
      heatPump: scope('Heat pump'),
    },
    platform: {
      account: scope('Bluefin Media'),
      routes: scope('Routes'),
      timetables: scope('Timetables'),
      robot: String(technicalUsers['Report robot']?.id),
    },
  };
}

/** What grants nothing, and has no place in a manifest. */
async function createEquipment(provision: Provision, { scopes, users }: Manifest): Promise<void> {
  const account = `account:${scopes['Bluefin Media']?.id}`;
  const enterprise = `enterprise:${scopes['Aurora Air']?.id}`;
  const [routes, timetables] = [scopes.Routes?.id, scopes.Timetables?.id];
  for (const name of ['petra', 'milo'])
    for (const each of [routes, timetables])
      await provision('workstream-member.create', `${name} ${each}`, {
        user: users[name]?.id,
        workstream: `workstream:${each}`,
      });
  await provision('address.create', 'Bluefin Media', {
    account,
    label: 'Head office',
    street: '1 Quay Street',
    city: 'Galway',
    country: 'IE',
    isPrimary: true,
  });
  await provision('tool.create', 'Flight board', {
    workstream: `workstream:${routes}`,
    name: 'Flight board',
    url: 'https://board.aurora.example/',
  });
  const product = await provision('product.create', 'Seat map', { name: 'Seat map' });
  const service = await provision('service.create', 'Help desk', { name: 'Help desk' });
  await provision('enterprise-product.create', 'Aurora Air', { enterprise, product: product.id });
  await provision('enterprise-service.create', 'Aurora Air', { enterprise, service: service.id });
}
