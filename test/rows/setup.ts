import { parseRef, type Ref } from '../../table/identifiers.ts';
import type { World } from '../support/world.ts';

/** What rows of users, locations, groups and roles are set up with. */
export const NOBODY = '01J8Z0E2Z8D2A3J7A7Y2H9GQ9C';
export const BAD_CURSOR = { code: 'invalid', field: 'cursor' };

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

/** The world's time, or so long after it. */
export const instantOf = (world: World, milliseconds = 0): string =>
  new Date(world.clock.now() + milliseconds).toISOString();

export const refOf = (text: string): Ref => parseRef(text, 'ref');

type Row = Readonly<Record<string, unknown>>;

/** Creates one of a kind and answers with its id. */
export const create = async (world: World, kind: string, input: Record<string, unknown>): Promise<string> =>
  (await world.run(`${kind}.create`, input)).id;

export async function several(count: number, make: (place: number) => Promise<string>): Promise<string[]> {
  const ids: string[] = [];
  for (let place = 0; place < count; place++) ids.push(await make(place));
  return ids;
}

export const newUser = (world: World): Promise<string> => create(world, 'user', {});

export const newLocation = (world: World, more: Record<string, unknown> = {}): Promise<string> =>
  create(world, 'location', { name: 'Place', ...more });

export const newGroup = (world: World, at: string, name = 'teachers'): Promise<string> =>
  create(world, 'group', { scope: `location:${at}`, name, groupType: 'TEACHER' });

export const newRole = (world: World, name: string): Promise<string> =>
  create(world, 'role', { name, scope: 'global' });

export const setPage = (world: World, role: string, permission: string, effect: 'ALLOW' | 'DENY') =>
  world.run('role-permission.create', { role, permission, effect });

/** One attribute of all rows of all pages. */
export const valuesOf = (pages: readonly (readonly Row[])[], attribute: string): readonly unknown[] =>
  pages.flat().map((each) => each[attribute]);

/** Ids as a partition holds them: two of the same millisecond are in any order. */
export const sorted = (...ids: readonly string[]): readonly string[] => [...ids].sort();

/** A client by reference. */
export const newClient = async (world: World, name: string): Promise<string> =>
  `client:${await create(world, 'client', { name })}`;

/** Something that stands under `parent`, by reference. */
export const place = async (
  world: World,
  type: string,
  parent: string,
  more: Record<string, unknown> = {},
): Promise<string> => `${type}:${await create(world, type, { parent, name: `Some ${type}`, ...more })}`;

/** A client with a project and a building in it. */
export async function newEstate(world: World, name: string) {
  const client = await newClient(world, name);
  const project = await place(world, 'project', client);
  return { client, project, building: await place(world, 'building', project) };
}

/** A root scope of a type that an operator has added. */
export async function newCampus(world: World): Promise<string> {
  await world.run('scope-type.create', { name: 'campus', root: true });
  return create(world, 'scope', { type: 'campus', name: 'Campus' });
}
