import { boundIn } from '../../authorizer/routes/rule.ts';
import { SCOPE_TYPES } from '../../table/entities/scope-types.ts';
import { parseScopeTemplate, parseValueTemplate } from '../../table/route-template.ts';
import { assertNone, type Path, type Problem, problemsOf, type Source } from '../document.ts';
import { pathProblem, unknownNames } from '../routes/schema.ts';
import { hint } from '../suggestions.ts';
import { type Manifest, manifestSchema, SECTIONS } from './schema.ts';

export interface ManifestFile {
  readonly source: Source;
  readonly manifest: Manifest;
  /** The sections that stand in it with something behind them, were it `{}` or `[]`. */
  readonly declared: ReadonlySet<string>;
}

/** Reads a manifest. Throws ProblemsError with everything that can be seen without a table, but for names. */
export function readManifest(source: Source): ManifestFile {
  const { data } = source;
  if (typeof data !== 'object' || data === null || Array.isArray(data))
    assertNone(source, [{ path: [], message: 'is no manifest: there is nothing in it' }]);
  const raw = data as Readonly<Record<string, unknown>>;
  if ('tests' in raw || 'world' in raw)
    assertNone(source, [{ path: [], message: 'holds model tests and is no manifest: see gatehouse test' }]);
  if ('openapi' in raw || 'swagger' in raw)
    assertNone(source, [
      { path: [], message: 'is an OpenAPI document and no manifest: see gatehouse route import' },
    ]);
  const parsed = manifestSchema.safeParse(data);
  if (!parsed.success) {
    assertNone(source, problemsOf(parsed.error));
    throw parsed.error;
  }
  const manifest = parsed.data;
  const declared = new Set(SECTIONS.filter((section) => raw[section] !== undefined && raw[section] !== null));
  if (declared.size === 0)
    assertNone(source, [{ path: [], message: `says nothing: give ${SECTIONS.join(', ')}` }]);
  assertNone(source, [...placeProblems(manifest), ...routeProblems(manifest), ...periodProblems(manifest)]);
  return { source, manifest, declared };
}

/** What may stand where, as far as types are known that come with the table or with the file. */
function placeProblems({ scopes, scopeTypes }: Manifest): readonly Problem[] {
  const problems: Problem[] = [];
  const typeOf = (type: string) =>
    SCOPE_TYPES[type] ?? (Object.hasOwn(scopeTypes, type) ? scopeTypes[type] : undefined);
  for (const [name, { type, parent, combination }] of Object.entries(scopes)) {
    const own = typeOf(type);
    if (parent !== undefined && combination !== undefined)
      problems.push({ path: ['scopes', name, 'combination'], message: 'is chosen by the root of the tree' });
    if (!own) continue;
    const above = parent === undefined ? undefined : scopes[parent]?.type;
    if (parent === undefined && own.root !== true)
      problems.push({
        path: ['scopes', name],
        message: `a ${type} has a parent: ${own.parents.length > 0 ? `give parent, a ${own.parents.join(' or ')}` : 'give parent'}`,
      });
    const other = above === undefined ? undefined : typeOf(above);
    if (above !== undefined && other && !own.parents.includes(above) && !other.children?.includes(type))
      problems.push({ path: ['scopes', name, 'parent'], message: `a ${type} cannot stand under a ${above}` });
  }
  return problems;
}

function routeProblems({ routes }: Manifest): readonly Problem[] {
  return routes.flatMap(({ path, permission, scope }, position): readonly Problem[] => {
    const at: Path = ['routes', position];
    const problem = pathProblem(path);
    if (problem !== undefined) return [{ path: [...at, 'path'], message: `${path} ${problem}` }];
    const templates: readonly { readonly key: Path; readonly text: string }[] = [
      { key: ['permission'], text: permission },
      { key: ['scope'], text: scope },
    ];
    const wrong = templates.flatMap(({ key, text }) =>
      unknownNames(path, text).map((name) => ({
        path: [...at, ...key],
        message: `${text} names {${name}}, which ${path} does not have`,
      })),
    );
    if (wrong.length === 0)
      boundIn(parseValueTemplate(permission, 'permission'), parseScopeTemplate(scope, 'scope'));
    return wrong;
  });
}

type Period = { readonly from?: string | null | undefined; readonly until?: string | null | undefined };

function periodProblems(manifest: Manifest): readonly Problem[] {
  const problems: Problem[] = [];
  const look = (path: Path, { from, until }: Period) => {
    if (from && until && until <= from)
      problems.push({ path: [...path, 'until'], message: 'is not after from' });
  };
  for (const section of ['subscriptions', 'licenses'] as const)
    for (const [position, each] of manifest[section].entries()) look([section, position], each);
  for (const section of ['users', 'technicalUsers'] as const)
    for (const [name, { assignments }] of Object.entries(manifest[section]))
      for (const [position, each] of assignments.entries())
        look([section, name, 'assignments', position], each);
  return problems;
}

/** Names that lead nowhere, where a world has none of them, and things that stand in the file twice. */
export function extraProblems(manifest: Manifest): readonly Problem[] {
  const problems: Problem[] = [];
  const refer = (path: Path, what: string, name: string | null | undefined, known: object) => {
    if (typeof name === 'string' && !Object.hasOwn(known, name))
      problems.push({ path, message: `there is no ${what} ${name}: ${hint(name, Object.keys(known))}` });
  };
  const once = (path: Path, what: string, seen: Map<string, unknown>, key: string) => {
    if (seen.has(key)) problems.push({ path, message: `${what} stands above already` });
    seen.set(key, path);
  };
  const { scopes, roles, users, technicalUsers } = manifest;
  const rootOf = (name: string | undefined): string | undefined => {
    const seen = new Set<string>();
    let at = name;
    while (at !== undefined && !seen.has(at)) {
      seen.add(at);
      const parent = scopes[at]?.parent;
      if (parent === undefined) return Object.hasOwn(scopes, at) ? at : undefined;
      at = parent;
    }
    return undefined;
  };
  const foreign = (path: Path, role: string, scope: string | undefined) => {
    const { owner, global } = (Object.hasOwn(roles, role) ? roles[role] : undefined) ?? {};
    const root = rootOf(scope);
    if (owner !== undefined && !global && root !== undefined && root !== owner)
      problems.push({
        path,
        message: `the role ${role} belongs to ${owner} and cannot be granted in ${root}`,
      });
  };
  for (const [name, { owner, parent, global }] of Object.entries(roles)) {
    if (owner !== undefined && scopes[owner]?.parent !== undefined)
      problems.push({ path: ['roles', name, 'owner'], message: `${owner} is no root: only one owns roles` });
    const above = typeof parent === 'string' && Object.hasOwn(roles, parent) ? roles[parent] : undefined;
    if (!above || above.global) continue;
    if (global || (above.owner !== undefined && above.owner !== owner))
      problems.push({
        path: ['roles', name, 'parent'],
        message: 'a role inherits from global roles or from roles of its own owner only',
      });
  }
  const people = [
    ...Object.entries(users).map(([name, user]) => ({ section: 'users', name, user })),
    ...Object.entries(technicalUsers).map(([name, user]) => ({ section: 'technicalUsers', name, user })),
  ];
  for (const { section, name, user } of people) {
    const tied = new Map<string, unknown>();
    for (const [position, { role, scope }] of user.assignments.entries()) {
      const path = [section, name, 'assignments', position];
      once(path, `${role} at ${scope}`, tied, JSON.stringify([role, scope]));
      foreign([...path, 'role'], role, scope);
    }
    for (const [tenant, held] of Object.entries(user.grants)) {
      if (scopes[tenant]?.parent !== undefined)
        problems.push({
          path: [section, name, 'grants', tenant],
          message: `${tenant} is no root: below one, use assignments`,
        });
      for (const [position, role] of held.entries())
        foreign([section, name, 'grants', tenant, position], role, tenant);
    }
    for (const [position, role] of user.globalRoles.entries())
      if (Object.hasOwn(roles, role) && !roles[role]?.global)
        problems.push({
          path: [section, name, 'globalRoles', position],
          message: `${role} is not global: only such a role can be held everywhere`,
        });
  }
  for (const [name, { scope, roles: carried }] of Object.entries(manifest.groups))
    for (const [position, role] of carried.entries())
      foreign(['groups', name, 'roles', position], role, scope);
  for (const [name, { tenant }] of Object.entries(users)) {
    refer(['users', name, 'tenant'], 'scope', tenant, scopes);
    if (typeof tenant === 'string' && scopes[tenant]?.parent !== undefined)
      problems.push({ path: ['users', name, 'tenant'], message: `${tenant} is no root` });
  }
  const set = new Map<string, unknown>();
  for (const [position, { scope, user, key }] of manifest.settings.entries()) {
    refer(['settings', position, 'scope'], 'scope', scope, scopes);
    refer(['settings', position, 'user'], 'user', user, users);
    once(['settings', position], `${key} of ${scope ?? user}`, set, JSON.stringify([scope, user, key]));
  }
  return problems;
}
