import { INDEXES } from '../entities/entity.ts';
import { parseScopeRef } from '../entities/scope-types.ts';
import { formatRef } from '../identifiers.ts';
import type { Item } from '../item.ts';
import { edgeKey, nodeKey } from '../keys.ts';
import { allOf, edgesFrom } from './lists.ts';
import { type PageInput, pattern, refOf } from './pattern.ts';
import { itemAt, pageOf } from './reads.ts';
import { rootTypes } from './scope-types.ts';

interface OfUser extends PageInput {
  readonly user: string;
}

interface OfGroup extends PageInput {
  readonly group: string;
}

export const group = pattern(
  {
    name: 'group',
    title: 'a group by id',
    reads: [{ operation: 'GetItem' }],
    rows: ['RB-05'],
  },
  (reader, input: { readonly group: string }) =>
    itemAt(reader, nodeKey(refOf('group', input.group, 'group'))),
);

export const groups = pattern(
  {
    name: 'groups',
    title: 'all groups',
    reads: [{ operation: 'Query', index: INDEXES.all }],
    rows: ['PL-20'],
  },
  (reader, page: PageInput) => pageOf(reader, allOf('group'), page),
);

export const locationsOfUser = pattern(
  {
    name: 'locations-of-user',
    title: 'the locations that a user was put into, with the roles held there',
    reads: [{ operation: 'Query' }],
    rows: ['RB-08'],
  },
  (reader, { user, ...page }: OfUser) =>
    pageOf(reader, edgesFrom(refOf('user', user, 'user'), 'location'), page),
);

export const usersOfLocation = pattern(
  {
    name: 'users-of-location',
    title: 'the users who were put into a location',
    reads: [{ operation: 'Query' }],
    rows: ['RB-09'],
  },
  (reader, { location, ...page }: PageInput & { readonly location: string }) =>
    pageOf(reader, edgesFrom(refOf('location', location, 'location'), 'user'), page),
);

export const groupsOfUser = pattern(
  {
    name: 'groups-of-user',
    title: 'the groups that a user is in',
    reads: [{ operation: 'Query' }],
    rows: ['RB-10'],
  },
  (reader, { user, ...page }: OfUser) =>
    pageOf(reader, edgesFrom(refOf('user', user, 'user'), 'group'), page),
);

export const groupsOfUserAt = pattern(
  {
    name: 'groups-of-user-at',
    title: 'the groups at one scope that a user is in',
    reads: [{ operation: 'Query' }],
    rows: ['RB-11'],
  },
  (reader, { user, scope, ...page }: OfUser & { readonly scope: string }) => {
    const at = formatRef(parseScopeRef(scope, 'scope'));
    const keep = (edge: Item) => edge.scope === at;
    return pageOf(reader, { ...edgesFrom(refOf('user', user, 'user'), 'group'), keep }, page);
  },
);

export const usersOfGroup = pattern(
  {
    name: 'users-of-group',
    title: 'the users in a group',
    reads: [{ operation: 'Query' }],
    rows: ['RB-12'],
  },
  (reader, input: OfGroup) => pageOf(reader, edgesFrom(refOf('group', input.group, 'group'), 'user'), input),
);

export const rolesOfGroup = pattern(
  {
    name: 'roles-of-group',
    title: 'the roles that a group carries',
    reads: [{ operation: 'Query' }],
    rows: ['RB-13'],
  },
  (reader, input: OfGroup) => pageOf(reader, edgesFrom(refOf('group', input.group, 'group'), 'role'), input),
);

export const hasGroupRole = pattern(
  {
    name: 'has-group-role',
    title: 'whether a group carries a role',
    reads: [{ operation: 'GetItem' }],
    rows: ['RB-14'],
  },
  async (reader, input: { readonly group: string; readonly role: string }) => {
    const key = edgeKey(refOf('group', input.group, 'group'), refOf('role', input.role, 'role'));
    return (await reader.get(key)) !== undefined;
  },
);

export const grantOf = pattern(
  {
    name: 'grant-of',
    title: "a user's grant in a tenant or another root scope",
    reads: [{ operation: 'GetItem' }],
    rows: ['AZ-06'],
  },
  (reader, { user, scope }: { readonly user: string; readonly scope: string }) =>
    itemAt(reader, edgeKey(parseScopeRef(scope, 'scope'), refOf('user', user, 'user'))),
);

export const grantsOfUser = pattern(
  {
    name: 'grants-of-user',
    title: "a user's grants in tenants and other root scopes",
    reads: [{ operation: 'Query' }],
    rows: ['AZ-07'],
  },
  async (reader, { user, ...page }: OfUser) =>
    pageOf(reader, edgesFrom(refOf('user', user, 'user'), ...(await rootTypes(reader))), page),
);

export const grantById = pattern(
  {
    name: 'grant-by-id',
    title: 'a grant by id',
    reads: [{ operation: 'GetItem' }],
    rows: ['AZ-08'],
  },
  (reader, { grant }: { readonly grant: string }) => itemAt(reader, nodeKey(refOf('grant', grant, 'grant'))),
);
