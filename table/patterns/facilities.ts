import { invalid } from '../errors.ts';
import { formatRef, isType } from '../identifiers.ts';
import type { Item } from '../item.ts';
import { guardKey, parseKey } from '../keys.ts';
import { normaliseName } from '../normalise.ts';
import type { Page } from '../reader.ts';
import { type View, viewOf } from '../view.ts';
import { allInTenant, inTenant } from './lists.ts';
import { type PageInput, type Period, pattern, periodOf, refOf } from './pattern.ts';
import { nodeByGuard, pageOf } from './reads.ts';
import { byId, ownedOf } from './shapes.ts';

/** Clients and what stands below them (seeds 000 and 001). */
interface OfClient extends PageInput {
  readonly client: string;
}

/** A node with its reference: in a list of several types an id does not say what it is of. */
function named(item: Item): View {
  const key = parseKey(item);
  return key?.form === 'node' ? { ...viewOf(item), ref: formatRef(key) } : viewOf(item);
}

export const client = byId('client', {
  name: 'client',
  title: 'a client by id',
  rows: ['AM-04'],
});

export const clientByName = pattern(
  {
    name: 'client-by-name',
    title: 'a client by its name',
    reads: [{ operation: 'GetItem' }, { operation: 'GetItem' }],
    rows: ['AM-04'],
  },
  (reader, { name }: { readonly name: string }) =>
    nodeByGuard(reader, guardKey('CLIENT_NAME', normaliseName(name, 'name'))),
);

export const entitiesOfClient = pattern(
  {
    name: 'entities-of-client',
    title: 'all that belongs to a client, by type and then by time, the client itself included',
    reads: [{ operation: 'Query', index: 'GSI2' }],
    rows: ['AM-03'],
  },
  async (reader, { client: id, ...page }: OfClient): Promise<Page<View>> => {
    const found = await reader.list({ ...allInTenant(refOf('client', id, 'client')), ...page });
    return { ...found, items: found.items.map(named) };
  },
);

export const entitiesOfClientByType = pattern(
  {
    name: 'entities-of-client-by-type',
    title: 'what belongs to a client of one type, by time, all or of a period',
    reads: [{ operation: 'Query', index: 'GSI2' }],
    rows: ['AM-03', 'AM-23'],
  },
  (reader, { client: id, type, from, until, ...page }: OfClient & Period & { readonly type: string }) => {
    if (!isType(type)) throw invalid('type', 'type is no type of entity');
    return pageOf(reader, inTenant(type, refOf('client', id, 'client'), periodOf({ from, until })), page);
  },
);

export const projectsOfClient = ownedOf('client', 'project', {
  name: 'projects-of-client',
  title: 'the projects of a client',
  rows: ['AM-05'],
});

export const buildingsOfProject = ownedOf('project', 'building', {
  name: 'buildings-of-project',
  title: 'the buildings of a project',
  rows: ['AM-06'],
});

export const devicesOfBuilding = ownedOf('building', 'device', {
  name: 'devices-of-building',
  title: 'the devices of a building and of all its zones; each tells where it is',
  rows: ['AM-07'],
});

export const zonesOfBuilding = ownedOf('building', 'zone', {
  name: 'zones-of-building',
  title: 'the zones of a building, those within zones too; each tells its parent',
  rows: ['AM-08'],
});
