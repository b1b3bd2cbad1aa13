import { rolesWith, type World } from '../model/world.ts';

/**
 * A world as the guides of OpenFGA and SpiceDB model roles: each role is a relation of a place that groups have, there
 * or at the place above; a permission is the union of the roles that have it.
 */
export interface Tuple {
  /** `user:1`, or the members of a group: `group:1#member`. */
  readonly user: string;
  readonly relation: string;
  readonly object: string;
}

/** Names of lower-case letters, digits and underscores, as SpiceDB takes them. */
export const relationOf = (permission: string): string =>
  `can_${(permission.split(':')[1] as string).replaceAll('-', '_')}`;
export const roleOf = (id: string): string => `role_${id.toLowerCase()}`;

/** The types of places, each with the one above it. */
export const PLACES = { client: undefined, project: 'client', building: 'project' } as const;

/** By permission: the roles that have it. */
export const rolesByPermission = (world: World): readonly (readonly [string, readonly string[]])[] =>
  world.pages.map((page) => [page, rolesWith(world, page)]);

export const tuplesOf = ({ users, groups, places }: World): readonly Tuple[] => [
  ...users.flatMap(({ ref: user, groups: own }) =>
    own.map((id) => ({ user, relation: 'member', object: `group:${id}` })),
  ),
  ...groups.flatMap(({ id, place: object, roles }) =>
    roles.map((role) => ({ user: ['group:', id, '#member'].join(''), relation: roleOf(role), object })),
  ),
  ...places.flatMap(({ ref: object, parent: user }) =>
    user === undefined ? [] : [{ user, relation: 'parent', object }],
  ),
];
