import { SCOPE_TYPES } from '../../table/entities/scope-types.ts';
import { isPermissionPattern } from '../../table/permission-name.ts';
import type { Path, Problem } from '../document.ts';
import { hint } from '../suggestions.ts';
import type { Access, World } from './schema.ts';

/** Whether the names in a world lead somewhere: what a schema cannot see. Paths begin at the world. */
export function referenceProblems(world: World): readonly Problem[] {
  const problems: Problem[] = [];
  const tell = (path: Path, message: string): void => void problems.push({ path, message });
  const keys = (of: Readonly<Record<string, unknown>>) => new Set(Object.keys(of));
  const scopes = keys(world.scopes);
  const modules = keys(world.modules);
  const roles = keys(world.roles);
  const groups = keys(world.groups);
  const types = keys({ ...SCOPE_TYPES, ...world.scopeTypes });
  const permissions = keys({ ...world.pages, ...world.permissions });

  const refer = (path: Path, what: string, name: string | undefined, known: ReadonlySet<string>): void => {
    if (name !== undefined && !known.has(name))
      tell(path, `there is no ${what} ${name}: ${hint(name, known)}`);
  };
  const referAll = (path: Path, what: string, names: readonly string[], known: ReadonlySet<string>) => {
    for (const [position, name] of names.entries()) refer([...path, position], what, name, known);
  };
  /** A scope of one type. */
  const referTo = (path: Path, type: string, name: string | undefined): void => {
    refer(path, type, name, scopes);
    const found = name !== undefined && scopes.has(name) ? world.scopes[name] : undefined;
    if (found && found.type !== type) tell(path, `${name} is of type ${found.type}, not ${type}`);
  };

  for (const [name, { parents, children }] of Object.entries(world.scopeTypes)) {
    referAll(['scopeTypes', name, 'parents'], 'scope type', parents, types);
    referAll(['scopeTypes', name, 'children'], 'scope type', children, types);
  }
  for (const [name, { module }] of Object.entries(world.pages))
    refer(['pages', name, 'module'], 'module', module, modules);
  for (const [name, { type, parent, enterprise }] of Object.entries(world.scopes)) {
    refer(['scopes', name, 'type'], 'scope type', type, types);
    refer(['scopes', name, 'parent'], 'scope', parent, scopes);
    referTo(['scopes', name, 'enterprise'], 'enterprise', enterprise);
  }
  for (const [name, { global, owner, parent, allow, deny }] of Object.entries(world.roles)) {
    const path = ['roles', name];
    if (global && owner !== undefined) tell([...path, 'owner'], 'a global role has no owner: leave one out');
    refer([...path, 'owner'], 'scope', owner, scopes);
    refer([...path, 'parent'], 'role', parent, roles);
    for (const [effect, names] of Object.entries({ allow, deny })) {
      const exact = (each: string) => (isPermissionPattern(each) ? undefined : each);
      for (const [position, each] of names.entries())
        refer([...path, effect, position], 'page or permission', exact(each), permissions);
    }
    for (const [position, each] of deny.entries())
      if (allow.includes(each))
        tell([...path, 'deny', position], `${each} is allowed above: a role has one effect on it`);
  }
  for (const [name, { scope, roles: carried }] of Object.entries(world.groups)) {
    refer(['groups', name, 'scope'], 'scope', scope, scopes);
    referAll(['groups', name, 'roles'], 'role', carried, roles);
  }
  const referAccess = (path: Path, of: Access): void => {
    referAll([...path, 'groups'], 'group', of.groups, groups);
    referAll([...path, 'globalRoles'], 'role', of.globalRoles, roles);
    for (const [position, { role, scope }] of of.assignments.entries()) {
      refer([...path, 'assignments', position, 'role'], 'role', role, roles);
      refer([...path, 'assignments', position, 'scope'], 'scope', scope, scopes);
    }
    for (const [tenant, held] of Object.entries(of.grants)) {
      refer([...path, 'grants', tenant], 'scope', tenant, scopes);
      referAll([...path, 'grants', tenant], 'role', held, roles);
    }
  };
  for (const [name, user] of Object.entries(world.users)) referAccess(['users', name], user);
  for (const [name, { account, ...of }] of Object.entries(world.technicalUsers)) {
    const path = ['technicalUsers', name];
    if (Object.hasOwn(world.users, name)) tell(path, `there is a user ${name} already`);
    referTo([...path, 'account'], 'account', account);
    referAccess(path, of);
  }
  for (const [position, { scope, module }] of world.subscriptions.entries()) {
    refer(['subscriptions', position, 'scope'], 'scope', scope, scopes);
    refer(['subscriptions', position, 'module'], 'module', module, modules);
  }
  for (const [position, { account, enterprise }] of world.licenses.entries()) {
    referTo(['licenses', position, 'account'], 'account', account);
    referTo(['licenses', position, 'enterprise'], 'enterprise', enterprise);
  }
  return [...problems, ...circles('scopes', world.scopes), ...circles('roles', world.roles)];
}

/** Things that stand above themselves: one problem for each circle. */
function circles(
  section: string,
  things: Readonly<Record<string, { readonly parent?: string | undefined }>>,
): readonly Problem[] {
  const parents = new Map(Object.entries(things).map(([name, { parent }]) => [name, parent]));
  const done = new Set<string>();
  return [...parents.keys()].flatMap((start): readonly Problem[] => {
    const trail: string[] = [];
    let name: string | undefined = start;
    while (name !== undefined && !done.has(name) && !trail.includes(name)) {
      trail.push(name);
      name = parents.get(name);
    }
    for (const each of trail) done.add(each);
    const from = name === undefined ? -1 : trail.indexOf(name);
    if (from < 0) return [];
    const circle = [...trail.slice(from), String(name)];
    return [
      { path: [section, circle[0] ?? '', 'parent'], message: `goes in a circle: ${circle.join(' > ')}` },
    ];
  });
}
