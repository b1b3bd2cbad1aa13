import { parseScopeRef } from '../entities/scope-types.ts';
import { invalid } from '../errors.ts';
import { formatRef, isName, type Ref } from '../identifiers.ts';
import { ANY_TENANT, edgeKey, GLOBAL, guardKey, nodeKey, permissionRef } from '../keys.ts';
import { normaliseName } from '../normalise.ts';
import { readPermissionName } from '../permission-name.ts';
import { type PageInput, pattern, refOf } from './pattern.ts';
import { itemAt, nodeByGuard, pageOf, typedPageOf } from './reads.ts';
import { byId, every, ownedOf } from './shapes.ts';
import { edgesFrom, nodeWith, ownedBy } from './stretches.ts';

/** Scopes of roles that no tenant owns. */
const UNOWNED: ReadonlySet<string> = new Set(['global', 'tenant']);

/** Where the roles of a scope hang: on a shelf, or on the root that owns them. */
function shelfOf(scope: string): Ref {
  if (scope === 'global') return GLOBAL;
  return scope === 'tenant' ? ANY_TENANT : parseScopeRef(scope, 'scope');
}

const roleScopeOf = (scope: string): string =>
  UNOWNED.has(scope) ? scope : formatRef(parseScopeRef(scope, 'scope'));

function pageRef(name: string): Ref {
  if (!isName(name))
    throw invalid('page', 'page is not a page name (letters, digits, dot, dash, underscore)');
  return permissionRef({ kind: 'page', text: name });
}

interface OfRole extends PageInput {
  readonly role: string;
}

export const role = byId('role', {
  name: 'role',
  title: 'a role by id',
  rows: ['AZ-05', 'AM-18', 'AM-24'],
});

export const roleByName = pattern(
  {
    name: 'role-by-name',
    title: 'a role by its name within its scope: global, tenant, or the root that owns it',
    reads: [{ operation: 'GetItem' }, { operation: 'GetItem' }],
    rows: ['RB-06', 'AZ-04', 'AZ-13'],
  },
  (reader, { scope, name }: { readonly scope: string; readonly name: string }) =>
    nodeByGuard(reader, guardKey('ROLE_NAME', normaliseName(name, 'name'), roleScopeOf(scope))),
);

export const page = pattern(
  {
    name: 'page',
    title: 'a page by its name',
    reads: [{ operation: 'GetItem' }],
    rows: ['RB-07', 'RB-18'],
  },
  (reader, input: { readonly page: string }) => itemAt(reader, nodeKey(pageRef(input.page))),
);

export const pagesOfRole = pattern(
  {
    name: 'pages-of-role',
    title: 'the pages that a role allows or denies',
    reads: [{ operation: 'Query' }],
    rows: ['RB-15'],
  },
  (reader, input: OfRole) => pageOf(reader, edgesFrom(refOf('role', input.role, 'role'), 'page'), input),
);

export const rolePage = pattern(
  {
    name: 'role-page',
    title: 'what a role does to a page: ALLOW or DENY',
    reads: [{ operation: 'GetItem' }],
    rows: ['RB-16', 'RB-18'],
  },
  (reader, input: { readonly role: string; readonly page: string }) =>
    itemAt(reader, edgeKey(refOf('role', input.role, 'role'), pageRef(input.page))),
);

export const roleWithPermissions = pattern(
  {
    name: 'role-with-permissions',
    title: 'a role with what it does to pages, permissions and patterns',
    reads: [{ operation: 'Query' }],
    rows: ['PL-10'],
  },
  (reader, input: PageInput & { readonly role: string }) =>
    typedPageOf(reader, nodeWith(refOf('role', input.role, 'role'), ['page', 'permission']), input),
);

export const rolesOfScope = pattern(
  {
    name: 'roles-of-scope',
    title: 'the roles that a tenant owns, or those that no tenant does: global, tenant',
    reads: [{ operation: 'Query' }],
    rows: ['AM-13', 'PL-19'],
  },
  (reader, { scope, ...page }: PageInput & { readonly scope: string }) =>
    pageOf(reader, ownedBy(shelfOf(scope), 'role'), page),
);

export const heirsOfRole = ownedOf('role', 'role', {
  name: 'heirs-of-role',
  title: 'the roles that inherit directly from a role',
  rows: ['AM-18'],
});

export const permissionsOfRole = pattern(
  {
    name: 'permissions-of-role',
    title: 'the pages, permissions and patterns that a role itself allows or denies',
    reads: [{ operation: 'Query' }],
    rows: ['AM-14', 'AM-24'],
  },
  (reader, input: OfRole) =>
    pageOf(reader, edgesFrom(refOf('role', input.role, 'role'), 'page', 'permission'), input),
);

export const permission = pattern(
  {
    name: 'permission',
    title: 'a permission by its name module:action:resource',
    reads: [{ operation: 'GetItem' }],
    rows: ['AM-17'],
  },
  (reader, input: { readonly permission: string }) => {
    const name = readPermissionName(input.permission);
    if (name?.kind !== 'permission') {
      throw invalid('permission', 'permission is not of the form module:action:resource');
    }
    return itemAt(reader, nodeKey(permissionRef(name)));
  },
);

export const permissions = every('permission', {
  name: 'permissions',
  title: 'every permission that is registered',
  rows: ['AM-02', 'AM-17'],
});

export const roleTemplate = byId(
  'template',
  {
    name: 'role-template',
    title: 'a role template by id',
    rows: ['AM-24'],
  },
  'role-template',
);
