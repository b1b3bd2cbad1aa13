import { isBuiltIn } from '../../table/entities/scope-types.ts';
import { parseRef } from '../../table/identifiers.ts';
import { isByHand } from '../../table/membership-origins.ts';
import { namesCovering } from '../../table/permission-name.ts';
import type { Row } from '../apply/entry.ts';
import { listOfMany, type Queries } from '../apply/queries.ts';
import { NAMELESS, type PEOPLE, PLAIN_SECTIONS, type Section } from '../apply/schema.ts';
import {
  childrenOf,
  listScopes,
  readScope,
  readScopeTypes,
  type ScopeTypes,
} from '../apply/scope-commands.ts';
import { ACCESS_OF, ownersOf, SECTION_OF, sectionOf } from '../apply/sections.ts';
import { inTurns } from '../in-turns.ts';

/** Which tenants are exported. */
export interface Wanted {
  /** References of root scopes; all there are when left out. */
  readonly roots: readonly string[] | undefined;
  readonly apis: readonly string[];
  /** Which memberships: those that an operator gives, which a manifest states, if left out. */
  readonly memberships?: 'by hand' | 'all';
}

/** Rows by what others name them by: scopes by reference, roles and groups by id, people as edges name them. */
export type Rows = ReadonlyMap<string, Row>;
type Edges = Readonly<Record<keyof typeof ACCESS_OF, readonly Row[]>>;

/** What the table has of them. */
export interface Gathered {
  readonly roots: readonly string[];
  readonly rows: Readonly<Record<Section, Rows>>;
  /** What people have. */
  readonly edges: Edges;
}

/** Sections whose entries are rows of lists, as they are. */
const BY_ID = [...NAMELESS, 'invariants', ...PLAIN_SECTIONS] as const;

/** Everything that the table has of some tenants, read by commands alone. */
export async function gather(
  queries: Queries,
  { roots: wanted, apis, memberships: which = 'by hand' }: Wanted,
): Promise<Gathered> {
  /** The entries of a section, as a list of theirs has them: of the scopes that may have some, where no others are named. */
  const ofSection = (section: Section, owners: Iterable<unknown> = ownersOf(section, refs, roots)) =>
    listOfMany(queries, SECTION_OF[section], owners);
  const types = await readScopeTypes(queries);
  const scopes = await readScopes(queries, types, wanted);
  const refs = [...scopes.keys()];
  const roots = refs.filter((ref) => scopes.get(ref)?.parent === undefined);
  const { rows: roles, use } = await readRoles(queries, roots, wanted === undefined);
  const groups = byId(await ofSection('groups'));
  await inTurns([...groups], async ([group, row]) => {
    const carried = await queries.list('group-role.list', { group });
    groups.set(group, { ...row, roles: carried.map(({ role }) => role) });
  });
  for (const row of groups.values()) await use(row.roles);

  // Who is at home there; then who else has something there.
  const homes: readonly Row[] = roots.map((tenant) => ({ tenant }));
  const ofAll = wanted === undefined ? [{}] : [];
  const atHome = await inTurns([...homes, ...ofAll], (by) => queries.list('user.list', by));
  const technical = await ofSection('technicalUsers');
  const added = await inTurns(wanted === undefined ? ofAll : homes, (by) => queries.list('subject.list', by));
  const people = new Set([
    ...atHome.flat().map(({ id }) => String(id)),
    ...technical.map(({ id }) => `technical-user:${id}`),
    ...added.flat().map(({ type, id }) => `${type}:${id}`),
  ]);
  const edgesOf = (word: keyof Edges, owners: Iterable<unknown>) =>
    listOfMany(queries, ACCESS_OF[word], owners);
  const members = await edgesOf('groups', groups.keys());
  const memberships = which === 'all' ? members : members.filter(isByHand);
  const assignments = await edgesOf('assignments', refs);
  const grants = await edgesOf('grants', roots);
  for (const { role } of assignments) await use(role);
  for (const { roles: granted } of grants) await use(granted);
  for (const { user } of [...memberships, ...assignments, ...grants]) people.add(String(user));
  const globals = await queries.list('role.list', { scope: 'global' });
  const everywhere = await edgesOf(
    'globalRoles',
    globals.map(({ id }) => id),
  );
  const globalRoles = everywhere.filter(({ user }) => people.has(String(user)));
  for (const { role } of globalRoles) await use(role);
  const admin = await queries.list('admin.list', {});
  await inTurns([...roles], async ([role, row]) => {
    const effects = await queries.list('role-permission.list', { role });
    roles.set(role, { ...row, effects });
  });
  const known = new Map(technical.map((row) => [`technical-user:${row.id}`, row]));
  const found = await inTurns([...people], async (person) => {
    const section = sectionOf(person);
    if (section === 'users') return queries.read('user.read', { id: person });
    if (section === 'subjects') return queries.read('subject.read', { user: person });
    return known.get(person) ?? queries.read('technical-user.read', { id: parseRef(person, 'user').id });
  });
  const peopleOf = (section: (typeof PEOPLE)[number]): Rows =>
    new Map(
      [...people].flatMap((person, position): (readonly [string, Row])[] => {
        const row = found[position];
        return row && sectionOf(person) === section ? [[person, row]] : [];
      }),
    );
  const users = peopleOf('users');
  const settings = await ofSection('settings', [...refs, ...[...users.keys()].map((id) => `user:${id}`)]);
  const routes = await ofSection('routes', apis);
  const others = await inTurns(
    BY_ID,
    async (section): Promise<[Section, Rows]> => [section, byId(await ofSection(section))],
    // Each section has turns of its own.
    1,
  );
  const rows = {
    ...(Object.fromEntries(others) as Record<(typeof BY_ID)[number], Rows>),
    scopes,
    roles,
    groups,
    users,
    technicalUsers: peopleOf('technicalUsers'),
    subjects: peopleOf('subjects'),
    settings: new Map(
      settings.map((row) => {
        const { type, id } = parseRef(String(row.scope), 'scope');
        return [`${row.scope} ${row.key}`, type === 'user' ? { ...row, user: id } : row] as const;
      }),
    ),
    routes: byId(
      await inTurns(routes, async (row) => (await queries.read('route.read', { id: row.id })) ?? row),
    ),
  };
  const catalogue = await readCatalogue(queries, types.added, wanted === undefined ? undefined : rows);
  return {
    roots,
    rows: { ...catalogue, ...rows },
    edges: { admin, groups: memberships, assignments, grants, globalRoles },
  };
}

const byId = (rows: readonly Row[]): Map<string, Row> => new Map(rows.map((row) => [String(row.id), row]));
const byName = (rows: readonly Row[]): Rows => new Map(rows.map((row) => [String(row.name), row]));

/** Scopes, from the roots down. */
async function readScopes(
  queries: Queries,
  types: ScopeTypes,
  roots: readonly string[] | undefined,
): Promise<Rows> {
  const rows = new Map<string, Row>();
  const add = (type: string, row: Row): string => {
    const ref = `${type}:${row.id}`;
    rows.set(ref, {
      ...row,
      scopeType: type,
      type: isBuiltIn(type) ? row.type : undefined,
      // The root of a tree chooses it.
      combination: row.parent === undefined ? row.combination : undefined,
    });
    return ref;
  };
  let level: string[] = [];
  for (const ref of roots ?? []) {
    const [type = '', id = ''] = ref.split(':');
    const row = await readScope(queries, type, id);
    if (!row) throw new Error(`there is no ${ref} in this table`);
    if (row.parent !== undefined) throw new Error(`${ref} is not a root scope: it is below ${row.parent}`);
    level.push(add(type, row));
  }
  for (const type of roots ? [] : types.roots)
    for (const row of await listScopes(queries, type, {}))
      if (row.parent === undefined) level.push(add(type, row));
  while (level.length > 0) {
    const below = await inTurns(level, (ref) => childrenOf(queries, types, ref));
    level = below.flat().map(({ type, row }) => add(type, row));
  }
  return rows;
}

/** The roles that the tenants own, with those above them; `use` adds others that something names. */
async function readRoles(queries: Queries, roots: readonly string[], isAll: boolean) {
  const rows = new Map<string, Row>();
  const use = async (ids: unknown): Promise<void> => {
    for (const id of [ids ?? []].flat()) {
      if (rows.has(String(id))) continue;
      const row = await queries.read('role.read', { id });
      if (!row) continue;
      rows.set(String(id), row);
      await use(row.parent);
    }
  };
  for (const ref of roots)
    for (const row of await queries.list('role.list', { scope: ref }))
      if (row.scope === ref) rows.set(String(row.id), row);
  for (const { parent } of [...rows.values()]) await use(parent);
  for (const shared of isAll ? ['tenant', 'global'] : [])
    for (const { id, scope } of await queries.list('role.list', { scope: shared }))
      if (scope === shared) await use(id);
  return { rows, use };
}

type Owned = Readonly<Record<'scopes' | 'roles' | 'subjects' | 'subscriptions' | 'invariants', Rows>>;

/** What belongs to no tenant: all of it, or as far as it is used. */
async function readCatalogue(queries: Queries, addedTypes: readonly Row[], by: Owned | undefined) {
  const list = (section: Section) => queries.list(`${SECTION_OF[section].kind}.list`, {});
  const used = by && usedBy(by);
  const pages = (await list('pages')).filter((row) => used?.permission(row.name) ?? true);
  const permissions = (await list('permissions')).filter((row) => used?.permission(row.name) ?? true);
  const modules = new Set([
    ...pages.map(({ module }) => module),
    ...permissions.map(({ name }) => String(name).split(':')[0]),
    ...[...(by?.subscriptions.values() ?? [])].map(({ module }) => module),
  ]);
  const isUsed = (values: ReadonlySet<unknown> | undefined) => (row: Row) => values?.has(row.name) ?? true;
  return {
    scopeTypes: byName(addedTypes.filter(isUsed(used?.scopeTypes))),
    subjectTypes: byName((await list('subjectTypes')).filter(isUsed(used?.subjectTypes))),
    modules: byName((await list('modules')).filter(isUsed(by && modules))),
    pages: byName(pages),
    permissions: byName(permissions),
    properties: byId(used?.hasConditions === false ? [] : await list('properties')),
    resourceTypes: byName((await list('resourceTypes')).filter((row) => used?.resourceType(row) ?? true)),
  };
}

/** What of the catalogue the tenants use. */
function usedBy({ scopes, roles, subjects, invariants }: Owned) {
  const effects = [...roles.values()].flatMap((role) => role.effects as readonly Row[]);
  const named = new Set([
    ...effects.map(({ permission }) => permission),
    ...[...invariants.values()].flatMap(({ separate = [], never = [] }) => [separate, never].flat()),
  ]);
  const scopeTypes = new Set<unknown>([...scopes.values()].map(({ scopeType }) => scopeType));
  return {
    scopeTypes,
    subjectTypes: new Set<unknown>([...subjects.values()].map(({ type }) => type)),
    /** Conditions look at any property. */
    hasConditions: effects.some(({ when }) => when !== undefined),
    permission: (name: unknown): boolean => namesCovering(String(name)).some((each) => named.has(each)),
    /** Decided at one of the scopes: by its own type, by the type of the scope, or by its reference. */
    resourceType: ({ name, scope = `${name}:{id}` }: Row): boolean =>
      scopes.has(String(scope)) ||
      (String(scope).endsWith('}') && scopeTypes.has(String(scope).split(':')[0])),
  };
}
