import { parseScopeRef } from '../entities/scope-types.ts';
import { invalid } from '../errors.ts';
import { formatRef, isName, type Ref } from '../identifiers.ts';
import { edgeKey, guardKey, nodeKey, permissionRef } from '../keys.ts';
import { normaliseName } from '../normalise.ts';
import { edgesFrom, nodeWith, ownedBy } from './lists.ts';
import { type PageInput, pattern, refOf } from './pattern.ts';
import { itemAt, nodeByGuard, pageOf, typedPageOf } from './reads.ts';

/** Scopes of roles that no tenant owns. */
const UNOWNED: ReadonlySet<string> = new Set(['global', 'tenant']);

const roleScopeOf = (scope: string): string =>
  UNOWNED.has(scope) ? scope : formatRef(parseScopeRef(scope, 'scope'));

function pageRef(name: string): Ref {
  if (!isName(name))
    throw invalid('page', 'page is not a page name (letters, digits, dot, dash, underscore)');
  return permissionRef({ kind: 'page', text: name });
}

export const role = pattern(
  {
    name: 'role',
    title: 'a role by id',
    reads: [{ operation: 'GetItem' }],
    rows: ['AZ-05'],
  },
  (reader, input: { readonly role: string }) => itemAt(reader, nodeKey(refOf('role', input.role, 'role'))),
);

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
  (reader, input: PageInput & { readonly role: string }) =>
    pageOf(reader, edgesFrom(refOf('role', input.role, 'role'), 'page'), input),
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

export const rolesOfAccount = pattern(
  {
    name: 'roles-of-account',
    title: 'the roles that an account owns',
    reads: [{ operation: 'Query' }],
    rows: ['PL-19'],
  },
  (reader, input: PageInput & { readonly account: string }) =>
    pageOf(reader, ownedBy(refOf('account', input.account, 'account'), 'role'), input),
);
