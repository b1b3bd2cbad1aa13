import { mayBeScopeType, parseScopeRef } from '../entities/scope-types.ts';
import { invalid } from '../errors.ts';
import { formatRef } from '../identifiers.ts';
import type { Item } from '../item.ts';
import { edgeKey } from '../keys.ts';
import { instantOf, type PageInput, pattern, refOf, subjectOf } from './pattern.ts';
import { itemAt, pageOf, rootTypes } from './reads.ts';
import { byId, every } from './shapes.ts';
import { edgesFrom, wideEdgesFrom } from './stretches.ts';

interface OfUser extends PageInput {
  readonly user: string;
}

/** What is so at an instant, in ISO 8601. */
interface AtInstant {
  readonly at: string;
}

interface OfGroup extends PageInput {
  readonly group: string;
}

/** Whether an edge counts at an instant: an assignment from its start until before its end, others always. */
const isInForce =
  (at: number) =>
  ({ Type, startsAt, endsAt }: Item): boolean =>
    Type !== 'Assignment' ||
    ((typeof startsAt !== 'string' || Date.parse(startsAt) <= at) &&
      (typeof endsAt !== 'string' || at < Date.parse(endsAt)));

const readAt = (at: string): number => Date.parse(instantOf(at, 'at'));

export const group = byId('group', {
  name: 'group',
  title: 'a group by id',
  rows: ['RB-05'],
});

export const groups = every('group', {
  name: 'groups',
  title: 'all groups',
  rows: ['PL-20'],
});

export const locationsOfUser = pattern(
  {
    name: 'locations-of-user',
    title: 'the locations that a user was put into, with the roles held there',
    reads: [{ operation: 'Query' }],
    rows: ['RB-08'],
  },
  (reader, { user, ...page }: OfUser) => pageOf(reader, edgesFrom(subjectOf(user), 'location'), page),
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
  (reader, { user, ...page }: OfUser) => pageOf(reader, edgesFrom(subjectOf(user), 'group'), page),
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
    return pageOf(reader, { ...edgesFrom(subjectOf(user), 'group'), keep }, page);
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
    rows: ['RB-13', 'AM-15'],
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
    itemAt(reader, edgeKey(subjectOf(user), parseScopeRef(scope, 'scope'))),
);

export const grantsOfUser = pattern(
  {
    name: 'grants-of-user',
    title: "a user's grants in tenants and other root scopes",
    reads: [{ operation: 'Query' }],
    rows: ['AZ-07'],
  },
  async (reader, { user, ...page }: OfUser) =>
    pageOf(reader, edgesFrom(subjectOf(user), ...(await rootTypes(reader))), page),
);

export const grantById = byId('grant', {
  name: 'grant-by-id',
  title: 'a grant by id',
  rows: ['AZ-08'],
});

export const assignmentsOfUserAt = pattern(
  {
    name: 'assignments-of-user-at',
    title: 'the roles assigned to a user at one scope, each with its start and end',
    reads: [{ operation: 'Query' }],
    rows: ['AM-02', 'AM-19'],
  },
  (reader, { user, scope, ...page }: OfUser & { readonly scope: string }) =>
    pageOf(reader, wideEdgesFrom(subjectOf(user), 'assignment', parseScopeRef(scope, 'scope')), page),
);

export const rolesOfUser = pattern(
  {
    name: 'roles-of-user',
    title:
      'what gives a user roles at an instant: assignments in force, global roles, tenant grants with roles, and groups (their roles: roles-of-group)',
    reads: [{ operation: 'Query' }],
    rows: ['AM-15'],
  },
  async (reader, { user, at, ...page }: OfUser & AtInstant) => {
    const inForce = isInForce(readAt(at));
    const keep = (edge: Item) => inForce(edge) && !(Array.isArray(edge.roles) && edge.roles.length === 0);
    const roots = await rootTypes(reader);
    const query = edgesFrom(subjectOf(user), 'assignment', 'role', ...roots, 'group');
    return pageOf(reader, { ...query, keep }, page);
  },
);

export const scopesOfUser = pattern(
  {
    name: 'scopes-of-user',
    title:
      'the scopes, all or of one type, that a user is tied to at an instant: by assignments in force, tenant grants and groups; one item a tie',
    reads: [{ operation: 'Query' }],
    rows: ['AM-16'],
  },
  async (
    reader,
    { user, type, at, ...page }: OfUser & AtInstant & { readonly type?: string | undefined },
  ) => {
    if (type !== undefined && !mayBeScopeType(type)) throw invalid('type', 'type is no scope type');
    const inForce = isInForce(readAt(at));
    const isThere = ({ scope }: Item) =>
      typeof scope === 'string' && (type === undefined || parseScopeRef(scope, 'scope').type === type);
    const roots = await rootTypes(reader);
    const query = edgesFrom(subjectOf(user), 'assignment', ...roots, 'group');
    return pageOf(reader, { ...query, keep: (edge) => inForce(edge) && isThere(edge) }, page);
  },
);
