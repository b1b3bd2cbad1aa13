import { SCOPE_TYPES } from '../../table/entities/scope-types.ts';
import { AGENT } from '../../table/identifiers.ts';
import { isPermissionPattern } from '../../table/permission-name.ts';
import { hint } from '../../table/similar-words.ts';
import type { Row } from './entry.ts';
import type { Path, Problem } from './problem.ts';
import { type Manifest, NAMELESS, PEOPLE, type Person, PLAIN_SECTIONS } from './schema.ts';
import { SECTION_OF } from './sections.ts';

type Name = string | null | undefined;

/** Whether the names in a manifest lead somewhere and may be used where they are: what a schema cannot see. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one rule for each section of a manifest, in their order.
export function referenceProblems(manifest: Manifest): readonly Problem[] {
  const { scopes, roles, groups, users, technicalUsers, subjects, modules } = manifest;
  const problems: Problem[] = [];
  const refuse = (path: Path, message: string): void => void problems.push({ path, message });
  const types = { ...SCOPE_TYPES, ...manifest.scopeTypes };
  const permissions = { ...manifest.pages, ...manifest.permissions };
  const find = <T>(known: Readonly<Record<string, T>>, name: Name): T | undefined =>
    typeof name === 'string' && Object.hasOwn(known, name) ? known[name] : undefined;

  /** A pattern need not be there. */
  const refer = (path: Path, what: string, name: Name, known: object): void => {
    if (typeof name === 'string' && !Object.hasOwn(known, name) && !isPermissionPattern(name))
      refuse(path, `there is no ${what} ${name}: ${hint(name, Object.keys(known))}`);
  };
  const referAll = (path: Path, what: string, names: readonly string[], known: object): void => {
    for (const [position, name] of names.entries()) refer([...path, position], what, name, known);
  };
  /** A scope of one type. */
  const referTo = (path: Path, type: string, name: Name): void => {
    refer(path, type, name, scopes);
    const found = find(scopes, name);
    if (found && found.type !== type) refuse(path, `${name} is of type ${found.type}, not ${type}`);
  };
  const isRoot = (name: Name): boolean => find(scopes, name)?.parent === undefined;
  const once = (path: Path, what: string, seen: Set<string>, key: readonly unknown[]): void => {
    if (seen.has(JSON.stringify(key))) refuse(path, `${what} is listed above already`);
    seen.add(JSON.stringify(key));
  };
  const rootOf = (name: Name): string | undefined => {
    const seen = new Set<string>();
    for (let at = name; typeof at === 'string' && !seen.has(at); ) {
      seen.add(at);
      const found = find(scopes, at);
      if (!found) return undefined;
      if (found.parent === undefined) return at;
      at = found.parent;
    }
    return undefined;
  };
  /** A role that a tenant owns is granted in that tenant only. */
  const referRole = (path: Path, role: string, scope: string): void => {
    refer(path, 'role', role, roles);
    const { owner, global } = find(roles, role) ?? {};
    const root = rootOf(scope);
    if (owner !== undefined && !global && root !== undefined && root !== owner)
      refuse(path, `the role ${role} belongs to ${owner} and cannot be granted in ${root}`);
  };

  for (const [name, { parents, children }] of Object.entries(manifest.scopeTypes)) {
    referAll(['scopeTypes', name, 'parents'], 'scope type', parents, types);
    referAll(['scopeTypes', name, 'children'], 'scope type', children, types);
  }
  for (const [name, { scope }] of Object.entries(manifest.resourceTypes))
    refer(['resourceTypes', name, 'scope'], 'scope type', (scope as Name)?.split(':')[0], types);
  for (const [name, { module }] of Object.entries(manifest.pages))
    refer(['pages', name, 'module'], 'module', module, modules);
  for (const [name, { type, parent, enterprise }] of Object.entries(scopes)) {
    refer(['scopes', name, 'type'], 'scope type', type, types);
    refer(['scopes', name, 'parent'], 'scope', parent, scopes);
    referTo(['scopes', name, 'enterprise'], 'enterprise', enterprise);
  }
  for (const [name, role] of Object.entries(roles)) {
    const { global, owner, parent, allow, deny } = role;
    const path = ['roles', name];
    if (role.existing && role.id === undefined) refuse([...path, 'id'], 'is needed for an existing role');
    if (global && owner !== undefined)
      refuse([...path, 'owner'], 'a global role has no owner: leave one out');
    refer([...path, 'owner'], 'scope', owner, scopes);
    if (!isRoot(owner)) refuse([...path, 'owner'], `${owner} is no root: only a root owns roles`);
    refer([...path, 'parent'], 'role', parent, roles);
    const above = find(roles, parent);
    if (above && !above.existing && !above.global)
      if (global || (above.owner !== undefined && above.owner !== owner))
        refuse([...path, 'parent'], 'a role inherits from global roles or from roles of its own owner only');
    for (const [effect, effects] of Object.entries({ allow, deny }))
      for (const [position, { permission }] of effects.entries())
        refer([...path, effect, position], 'page or permission', permission, permissions);
    const allowed = new Set(allow.map(({ permission }) => permission));
    for (const [position, { permission }] of deny.entries())
      if (allowed.has(permission))
        refuse([...path, 'deny', position], `${permission} is allowed above: a role has one effect on it`);
  }
  const everyone = new Set<string>();
  for (const [name, { scope, roles: carried, everyone: isEveryone }] of Object.entries(groups)) {
    refer(['groups', name, 'scope'], 'scope', scope, scopes);
    if (isEveryone) once(['groups', name, 'everyone'], `a group of everyone at ${scope}`, everyone, [scope]);
    for (const [position, role] of carried.entries())
      referRole(['groups', name, 'roles', position], role, scope);
  }
  const referAccess = (path: Path, of: Person): void => {
    referAll([...path, 'groups'], 'group', of.groups, groups);
    for (const [position, name] of of.groups.entries())
      if (find(groups, name)?.everyone)
        refuse([...path, 'groups', position], `everyone is in ${name}: it has no memberships`);
    const assigned = new Set<string>();
    for (const [position, { role, scope }] of of.assignments.entries()) {
      const at = [...path, 'assignments', position];
      referRole([...at, 'role'], role, scope);
      refer([...at, 'scope'], 'scope', scope, scopes);
      once(at, `${role} at ${scope}`, assigned, [role, scope]);
    }
    for (const [tenant, granted] of Object.entries(of.grants)) {
      const at = [...path, 'grants', tenant];
      refer(at, 'scope', tenant, scopes);
      if (!isRoot(tenant)) refuse(at, `${tenant} is no root: below one, use assignments`);
      for (const [position, role] of granted.entries()) referRole([...at, position], role, tenant);
    }
    for (const [position, role] of of.globalRoles.entries()) {
      const at = [...path, 'globalRoles', position];
      refer(at, 'role', role, roles);
      const found = find(roles, role);
      if (found && !found.global && !found.existing)
        refuse(at, `${role} is not global: only a global role can be granted everywhere`);
    }
  };
  for (const [name, user] of Object.entries(users)) {
    const path = ['users', name];
    if (user.existing && user.id === undefined) refuse([...path, 'id'], 'is needed for an existing user');
    refer([...path, 'tenant'], 'scope', user.tenant, scopes);
    if (!isRoot(user.tenant)) refuse([...path, 'tenant'], `${user.tenant} is no root`);
    referAccess(path, user);
  }
  for (const [name, user] of Object.entries(technicalUsers)) {
    const path = ['technicalUsers', name];
    if (Object.hasOwn(users, name)) refuse(path, `there is a user ${name} already`);
    referTo([...path, 'account'], 'account', user.account);
    referAccess(path, user);
  }
  for (const [name, subject] of Object.entries(subjects)) {
    const path = ['subjects', name];
    for (const section of PEOPLE)
      if (section !== 'subjects' && Object.hasOwn(manifest[section], name))
        refuse(path, `there is a subject ${name} in ${section} already`);
    if (subject.type !== AGENT) refer([...path, 'type'], 'subject type', subject.type, manifest.subjectTypes);
    refer([...path, 'tenant'], 'scope', subject.tenant, scopes);
    if (!isRoot(subject.tenant)) refuse([...path, 'tenant'], `${subject.tenant} is no root`);
    referAccess(path, subject);
  }
  for (const section of [...NAMELESS, ...PLAIN_SECTIONS])
    for (const [key, of] of Object.entries<Row>(manifest[section]))
      for (const [word, { to }] of Object.entries(SECTION_OF[section].words)) {
        const path = [section, Array.isArray(manifest[section]) ? Number(key) : key, word];
        if (Object.hasOwn(SCOPE_TYPES, word)) referTo(path, word, of[word] as Name);
        else if (to) refer(path, word, of[word] as Name, manifest[to]);
      }
  const invariants = new Set<string>();
  for (const [position, { scope, name, separate = [], never, except }] of manifest.invariants.entries()) {
    const path = ['invariants', position];
    refer([...path, 'scope'], 'scope', scope, scopes);
    if (!isRoot(scope))
      refuse([...path, 'scope'], `${scope} is no root: an invariant holds in a whole tenant`);
    referAll([...path, 'separate'], 'page or permission', separate, permissions);
    refer([...path, 'never'], 'page or permission', never, permissions);
    refer([...path, 'except'], 'group', except?.group, groups);
    once(path, name, invariants, [scope, name]);
  }
  const properties = new Set<string>();
  for (const [position, { of, name }] of manifest.properties.entries())
    once(['properties', position], `${name} of ${of}`, properties, [of, name]);
  const settings = new Set<string>();
  for (const [position, { scope, user, key }] of manifest.settings.entries()) {
    refer(['settings', position, 'scope'], 'scope', scope, scopes);
    refer(['settings', position, 'user'], 'user', user, users);
    once(['settings', position], `${key} of ${scope ?? user}`, settings, [scope, user, key]);
  }
  return [...problems, ...circles('scopes', scopes), ...circles('roles', roles)];
}

/** Resources above themselves: one problem for each circle. */
function circles(
  section: string,
  resources: Readonly<Record<string, { readonly parent?: string | null | undefined }>>,
): readonly Problem[] {
  const parents = new Map(Object.entries(resources).map(([name, { parent }]) => [name, parent ?? undefined]));
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
