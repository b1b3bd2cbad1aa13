import { parseRef, type Ref } from '../../table/identifiers.ts';
import type { World } from '../support/world.ts';

/** What rows of users, locations, groups and roles are set up with. */
export const NOBODY = '01J8Z0E2Z8D2A3J7A7Y2H9GQ9C';

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

export const newUser = (world: World): Promise<string> => create(world, 'user', {});

export const newLocation = (world: World): Promise<string> => create(world, 'location', { name: 'Place' });

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
