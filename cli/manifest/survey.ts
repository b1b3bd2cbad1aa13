import { COMMANDS } from '../../provisioning/index.ts';
import { isBuiltIn, SCOPE_TYPES } from '../../table/entities/scope-types.ts';
import { normaliseName } from '../../table/normalise.ts';
import type { Path, Problem } from '../document.ts';
import { derivedId, type Fact, without } from './fact.ts';
import type { ManifestFile } from './file.ts';
import { inTurns, type Look, type Row } from './look.ts';
import { type Manifest, SCOPE_ATTRIBUTES, USER_ATTRIBUTES } from './schema.ts';

/** What a manifest wants and what of it the table has, as facts that can be compared. */
export interface Survey {
  readonly wanted: readonly Fact[];
  readonly present: readonly Fact[];
  readonly problems: readonly Problem[];
  readonly notes: readonly string[];
  /** Roles by the id of what inherits from them, in the file and in the table. */
  readonly inherits: ReadonlyMap<string, ReadonlySet<string>>;
  /** Names by reference. */
  readonly names: ReadonlyMap<string, string>;
}

interface Thing {
  readonly id: string;
  readonly ref: string;
  /** As it stands in the table; undefined for what is not there yet. */
  readonly row: Row | undefined;
}

const readCommandOf = (type: string) => (isBuiltIn(type) ? `${type}.read` : 'scope.read');
export const typedId = (type: string, id: string): Row => (isBuiltIn(type) ? { id } : { type, id });
const NAMED_ROOTS: ReadonlySet<string> = new Set(['tenant', 'client', 'account', 'enterprise']);
const UNIQUE = ['email', 'username', 'phone'] as const;

const nameEquals = (a: unknown, b: string): boolean => {
  try {
    return normaliseName(String(a), '') === normaliseName(b, '');
  } catch {
    return a === b;
  }
};

/** A field of a command's input in its canonical form, so that it can be compared with what is kept. */
function canonical(command: string, field: string, value: unknown): unknown {
  const shape = (COMMANDS.get(command)?.input as { shape?: Row } | undefined)?.shape;
  const schema = shape?.[field] as
    | { safeParse: (value: unknown) => { success: boolean; data?: unknown } }
    | undefined;
  const parsed = schema?.safeParse(value);
  return parsed?.success ? parsed.data : value;
}

const pick = (of: Row, keys: Iterable<string>): Row =>
  Object.fromEntries([...keys].filter((key) => of[key] !== undefined).map((key) => [key, of[key]]));

/** Reads what a manifest speaks of, by ids, unique values and names, and the rest of what stands in its places. */
export async function surveyTable({ manifest, declared }: ManifestFile, look: Look): Promise<Survey> {
  const wanted: Fact[] = [];
  const present: Fact[] = [];
  const problems: Problem[] = [];
  const notes: string[] = [];
  const names = new Map<string, string>();
  const inherits = new Map<string, Set<string>>();
  const want = (fact: Fact): void => {
    const command = `${fact.kind}.create`;
    const values = Object.fromEntries(
      Object.entries(without(fact.values)).map(([field, value]) => [
        field,
        value === null ? null : canonical(command, field, value),
      ]),
    );
    wanted.push({ ...fact, values });
  };
  const nameOf = (ref: unknown): string => names.get(String(ref)) ?? String(ref);
  const tell = (path: Path, message: string): void => void problems.push({ path, message });

  await catalogue();
  const scopes = await surveyScopes();
  const roots = [...scopes].filter(([name]) => manifest.scopes[name]?.parent === undefined);
  const refOf = (name: string | null | undefined): string | null | undefined =>
    typeof name === 'string' ? scopes.get(name)?.ref : name;
  const standing = [...scopes.values()].filter(({ row }) => row !== undefined);
  const roles = await surveyRoles();
  const roleId = (name: string | null | undefined) => (typeof name === 'string' ? roles.get(name)?.id : name);
  const groups = await surveyGroups();
  const users = await surveyUsers();
  const technicalUsers = await surveyTechnicalUsers();
  await surveyTies();
  await surveyEntitlements();
  await surveySettings();
  await surveyEffects();
  return { wanted, present, problems, notes, inherits, names };

  async function catalogue(): Promise<void> {
    const entries: readonly (readonly [string, string, string, Row])[] = [
      ...Object.entries(manifest.scopeTypes).map(
        ([name, { root, parents, children, description }]) =>
          ['scope-type', 'scopeTypes', name, { root, parents, children, description }] as const,
      ),
      ...Object.entries(manifest.modules).map(
        ([name, { sold, description }]) =>
          ['module', 'modules', name, { soldBySubscription: sold, description }] as const,
      ),
      ...Object.entries(manifest.pages).map(
        ([name, { module, description }]) => ['page', 'pages', name, { module, description }] as const,
      ),
      ...Object.entries(manifest.permissions).map(
        ([name, { dangerous, description }]) =>
          ['permission', 'permissions', name, { isDangerous: dangerous, description }] as const,
      ),
    ];
    await inTurns(entries, async ([kind, section, name, values]) => {
      const fact = { kind, identity: { name }, label: name, section, shared: true };
      want({ ...fact, values, path: [section, name] });
      const row = await look.read(`${kind}.read`, { name });
      if (row) present.push({ ...fact, values: row, path: [] });
    });
    for (const [kind, section] of [
      ['scope-type', 'scopeTypes'],
      ['module', 'modules'],
      ['page', 'pages'],
      ['permission', 'permissions'],
    ] as const) {
      if (!declared.has(section)) continue;
      const rows = await look.list(`${kind}.list`, {});
      for (const row of rows) {
        const name = String(row.name);
        if (Object.hasOwn(manifest[section], name)) continue;
        present.push({
          ...{ kind, section, identity: { name }, label: name },
          values: row,
          path: [],
          shared: true,
        });
      }
    }
  }

  async function surveyScopes(): Promise<ReadonlyMap<string, Thing>> {
    const found = new Map<string, Thing>();
    const children = new Map<string, readonly Row[]>();
    const added = (await look.list('scope-type.list', {})).map((row) => ({
      name: String(row.name),
      parents: (row.parents ?? []) as readonly string[],
      children: (row.children ?? []) as readonly string[],
    }));
    const typesUnder = (type: string): readonly string[] => [
      ...Object.keys(SCOPE_TYPES).filter((each) => SCOPE_TYPES[each]?.parents.includes(type)),
      ...added.flatMap(({ name, parents }) => (parents.includes(type) ? [name] : [])),
      ...(added.find(({ name }) => name === type)?.children ?? []),
    ];
    const isKnownType = (type: string) => isBuiltIn(type) || added.some(({ name }) => name === type);
    const entries = Object.entries(manifest.scopes);
    const taken = new Set<string>();
    let level = entries.filter(([, { parent }]) => parent === undefined);
    while (level.length > 0) {
      const things = await inTurns(level, ([name, of]) => find(name, of));
      for (const [position, [name, of]] of level.entries()) {
        const thing = things[position] as Thing;
        found.set(name, thing);
        names.set(thing.ref, name);
        taken.add(thing.ref);
        const parent = of.parent === undefined ? undefined : found.get(of.parent);
        const { kind, status, combination } = of;
        const fact = {
          kind: isBuiltIn(of.type) ? of.type : 'scope',
          identity: typedId(of.type, thing.id),
          label: `${of.type} ${name}`,
          section: 'scopes',
        };
        want({
          ...fact,
          path: ['scopes', name],
          values: {
            ...{ name: of.name ?? name, status, combination },
            ...(kind === undefined ? {} : { type: kind }),
            ...(of.enterprise === undefined ? {} : { enterprise: found.get(of.enterprise)?.ref }),
            ...pick(of, Object.keys(SCOPE_ATTRIBUTES)),
          },
          fixed: without({ parent: parent?.ref }),
        });
        if (thing.row) present.push({ ...fact, values: thing.row, path: [] });
        if (thing.row?.deletingSince !== undefined)
          tell(['scopes', name], 'is being deleted: wait until that is done');
      }
      await inTurns(
        level.filter(([name]) => found.get(name)?.row !== undefined),
        async ([name, { type }]) => {
          const { ref } = found.get(name) as Thing;
          const lists = await inTurns(typesUnder(type), (each) =>
            isBuiltIn(each)
              ? look.list(`${each}.list`, { parent: ref })
              : look.list('scope.list', { type: each, parent: ref }),
          );
          children.set(
            name,
            typesUnder(type).flatMap((each, position) =>
              (lists[position] ?? [])
                .filter((row) => row.parent === ref)
                .map((row): Row => ({ ...row, ref: `${each}:${row.id}`, scopeType: each })),
            ),
          );
        },
      );
      const placed = new Set(level.map(([name]) => name));
      // A workstream comes after the enterprise that it names: all roots are of the first level.
      level = entries.filter(
        ([name, { parent }]) => parent !== undefined && placed.has(parent) && !found.has(name),
      );
    }
    for (const [name, rows] of children)
      for (const row of rows)
        if (!taken.has(String(row.ref))) {
          const type = String(row.scopeType);
          names.set(String(row.ref), String(row.name));
          present.push({
            kind: isBuiltIn(type) ? type : 'scope',
            identity: typedId(type, String(row.id)),
            values: row,
            label: `${type} ${row.name} in ${name}, with all that hangs below it`,
            ...{ path: [], section: 'scopes' },
          });
        }
    return found;

    async function find(name: string, of: Manifest['scopes'][string]): Promise<Thing> {
      const { type, parent } = of;
      const called = of.name ?? name;
      const path: Path = ['scopes', name];
      const thing = (id: string, row: Row | undefined): Thing => ({ id, ref: `${type}:${id}`, row });
      const above = parent === undefined ? undefined : found.get(parent);
      const made = derivedId(type, above?.ref ?? '', called);
      if (!isKnownType(type)) return thing(of.id ?? made, undefined);
      const byId = (id: string) => look.read(readCommandOf(type), typedId(type, id));
      if (of.id !== undefined) return thing(of.id, await byId(of.id));
      const { code } = of as Row;
      if (typeof code === 'string' && type === 'location') {
        const row = await look.read('location.read', { code });
        if (row) return thing(String(row.id), row);
      }
      if (parent !== undefined) {
        const rows = (children.get(parent) ?? []).filter((row) => row.scopeType === type);
        const own = rows.find(({ id }) => id === made);
        const matching = own ? [own] : rows.filter((row) => nameEquals(row.name, called));
        return one(matching);
      }
      if (NAMED_ROOTS.has(type)) {
        const row = await look.read(`${type}.read`, { name: called });
        if (row) return thing(String(row.id), row);
      }
      const row = await byId(made);
      if (row || NAMED_ROOTS.has(type)) return thing(made, row);
      const all = isBuiltIn(type)
        ? await look.list(`${type}.list`, {})
        : await look.list('scope.list', { type });
      return one(all.filter((each) => each.parent === undefined && nameEquals(each.name, called)));

      function one(rows: readonly Row[]): Thing {
        if (rows.length > 1)
          tell(path, `${rows.length} of type ${type} are called ${called}: say which by its id`);
        const [row] = rows;
        return row ? thing(String(row.id), row) : thing(made, undefined);
      }
    }
  }

  async function surveyRoles(): Promise<ReadonlyMap<string, Thing>> {
    const found = new Map<string, Thing>();
    const shelfOf = ({ global, owner }: Manifest['roles'][string]): string =>
      global ? 'global' : owner === undefined ? 'tenant' : (scopes.get(owner)?.ref ?? '');
    const entries = Object.entries(manifest.roles);
    const shelves = new Set(entries.map(([, role]) => shelfOf(role)));
    if (declared.has('roles')) for (const [, { ref, row }] of roots) if (row) shelves.add(ref);
    const isThere = (shelf: string) =>
      shelf === 'tenant' || shelf === 'global' || standing.some(({ ref }) => ref === shelf);
    const known = new Map<string, readonly Row[]>();
    for (const shelf of shelves)
      known.set(
        shelf,
        isThere(shelf)
          ? (await look.list('role.list', { scope: shelf })).filter(({ scope }) => scope === shelf)
          : [],
      );
    for (const [name, role] of entries) {
      const shelf = shelfOf(role);
      const called = role.name ?? name;
      const made = derivedId('role', shelf, called);
      const rows = known.get(shelf) ?? [];
      const row =
        role.id !== undefined
          ? await look.read('role.read', { id: role.id })
          : (rows.find(({ id }) => id === made) ?? rows.find((each) => nameEquals(each.name, called)));
      const id = role.id ?? String(row?.id ?? made);
      found.set(name, { id, ref: `role:${id}`, row });
      names.set(`role:${id}`, name);
    }
    const taken = new Set([...found.values()].map(({ id }) => id));
    for (const [name, role] of entries) {
      const { id, row } = found.get(name) as Thing;
      const parent = typeof role.parent === 'string' ? found.get(role.parent)?.id : role.parent;
      const fact = { kind: 'role', identity: { id }, label: name, section: 'roles' };
      const shared = role.owner === undefined;
      want({
        ...{ ...fact, shared, path: ['roles', name] },
        values: { name: role.name ?? name, parent, description: role.description },
        fixed: { scope: shelfOf(role) },
        ...(parent === undefined ? { implied: { parent: null } } : {}),
      });
      if (row) present.push({ ...fact, shared, values: row, path: [] });
      if (typeof parent === 'string') inherit(id, parent);
      for (const effect of ['allow', 'deny'] as const)
        for (const [position, permission] of role[effect].entries())
          want({
            ...tie('role-permission', { role: id, permission }, 'roles'),
            values: { effect: effect.toUpperCase() },
            path: ['roles', name, effect, position],
          });
    }
    for (const [shelf, rows] of known)
      for (const row of rows) {
        if (row.parent !== undefined) inherit(String(row.id), String(row.parent));
        if (taken.has(String(row.id))) continue;
        names.set(`role:${row.id}`, String(row.name));
        present.push({
          ...{ kind: 'role', identity: { id: row.id }, values: row, label: String(row.name) },
          ...{ path: [], section: 'roles', shared: shelf === 'tenant' || shelf === 'global' },
        });
      }
    return found;
  }

  function inherit(child: string, parent: string): void {
    inherits.set(child, (inherits.get(child) ?? new Set()).add(parent));
  }

  /** What all tie facts have; the rest is for who makes one. */
  function tie(kind: string, identity: Row, section: string): Omit<Fact, 'path'> {
    const parts = Object.entries(identity).map(([field, value]) =>
      nameOf(
        field === 'role' || field === 'group'
          ? `${field}:${value}`
          : field === 'user'
            ? subjectRef(value)
            : value,
      ),
    );
    return { kind, identity, section, values: {}, label: parts.join(' > ') };
  }

  function subjectRef(user: unknown): string {
    return String(user).includes(':') ? String(user) : `user:${user}`;
  }

  async function surveyGroups(): Promise<ReadonlyMap<string, Thing>> {
    const found = new Map<string, Thing>();
    const rowsAt = new Map<string, readonly Row[]>();
    await inTurns(standing, async ({ ref }) => {
      rowsAt.set(ref, declared.has('groups') ? await look.list('group.list', { scope: ref }) : []);
    });
    for (const [name, group] of Object.entries(manifest.groups)) {
      const scope = String(scopes.get(group.scope)?.ref);
      const called = group.name ?? name;
      const rows = rowsAt.get(scope) ?? [];
      const made = derivedId('group', scope, called);
      const matching = rows.filter((row) => nameEquals(row.name, called));
      const own = rows.find((row) => row.id === (group.id ?? made));
      if (group.id === undefined && !own && matching.length > 1)
        tell(['groups', name], `${matching.length} groups there are called ${called}: say which by its id`);
      const row =
        group.id === undefined
          ? (own ?? matching[0])
          : (own ?? (await look.read('group.read', { id: group.id })));
      const id = group.id ?? String(row?.id ?? made);
      found.set(name, { id, ref: `group:${id}`, row });
      names.set(`group:${id}`, name);
      const fact = { kind: 'group', identity: { id }, label: `${name} at ${group.scope}`, section: 'groups' };
      const { groupType, description } = group as Row;
      want({
        ...{ ...fact, path: ['groups', name] },
        values: { name: called, groupType, description },
        fixed: { scope },
      });
      if (row) present.push({ ...fact, values: row, path: [] });
      for (const [position, role] of group.roles.entries())
        want({
          ...tie('group-role', { group: id, role: roleId(role) }, 'groups'),
          path: ['groups', name, 'roles', position],
        });
    }
    const taken = new Set([...found.values()].map(({ id }) => id));
    for (const [scope, rows] of rowsAt)
      for (const row of rows)
        if (!taken.has(String(row.id))) {
          names.set(`group:${row.id}`, String(row.name));
          present.push({
            ...{ kind: 'group', identity: { id: row.id }, values: row, path: [], section: 'groups' },
            label: `${row.name} at ${nameOf(scope)}`,
          });
        }
    const all = [...found.values()]
      .filter(({ row }) => row)
      .concat(
        [...rowsAt.values()]
          .flat()
          .filter(({ id }) => !taken.has(String(id)))
          .map((row) => ({ id: String(row.id), ref: '', row })),
      );
    await inTurns(all, async ({ id }) => {
      for (const { role } of await look.list('group-role.list', { group: id })) {
        await nameRole(role);
        present.push({ ...tie('group-role', { group: id, role }, 'groups'), path: [] });
      }
    });
    return found;
  }

  /** Learns what a role is called that the file does not name. */
  async function nameRole(id: unknown): Promise<void> {
    if (names.has(`role:${id}`)) return;
    names.set(`role:${id}`, String(id));
    const row = await look.read('role.read', { id });
    if (row) names.set(`role:${id}`, String(row.name));
    if (row?.parent !== undefined) inherit(String(id), String(row.parent));
  }

  async function surveyUsers(): Promise<ReadonlyMap<string, Thing>> {
    const sole = roots.length === 1 ? roots[0]?.[1].ref : undefined;
    const entries = Object.entries(manifest.users);
    const things = await inTurns(entries, async ([name, given]): Promise<Thing> => {
      const user = given as typeof given & Row;
      const made = derivedId('user', sole ?? '', name);
      let row: Row | undefined;
      if (user.id !== undefined) row = await look.read('user.read', { id: user.id });
      const owners = new Map<string, Row>();
      for (const field of UNIQUE) {
        const value = uniqueOf(name, user, field);
        if (value === undefined || row?.[field] === canonical('user.create', field, value)) continue;
        const owner = await look.read('user.read', { [field]: value });
        if (!owner) continue;
        owners.set(field, owner);
        if (user.id === undefined) row ??= owner;
      }
      if (user.id === undefined) row ??= await look.read('user.read', { id: made });
      const id = user.id ?? String(row?.id ?? made);
      for (const [field, owner] of owners)
        if (owner.id !== id)
          tell(
            ['users', name, ...(user[field] === undefined ? [] : [field])],
            `the ${field} ${owner[field]} is that of another user (user:${owner.id}, ${owner.displayName ?? 'without a name'})`,
          );
      return { id, ref: `user:${id}`, row };
    });
    const found = new Map(entries.map(([name], position) => [name, things[position] as Thing]));
    for (const [name, { id }] of found) names.set(`user:${id}`, name);
    for (const [name, given] of entries) {
      const user = given as typeof given & Row;
      const { id, row } = found.get(name) as Thing;
      const fact = { kind: 'user', identity: { id }, label: name, section: 'users' };
      const tenant = user.tenant === undefined ? undefined : refOf(user.tenant as string | null);
      const email = uniqueOf(name, user, 'email');
      want({
        ...{ ...fact, path: ['users', name] },
        values: {
          ...pick(user, Object.keys(USER_ATTRIBUTES)),
          ...{ tenant, status: user.status, endsAt: user.until },
          ...(email === undefined ? {} : { email }),
        },
        initial: {
          ...(user.displayName === undefined ? { displayName: name } : {}),
          ...(user.tenant === undefined && sole !== undefined ? { tenant: sole } : {}),
        },
      });
      if (row) present.push({ ...fact, values: row, path: [] });
    }
    if (declared.has('users')) {
      const taken = new Set([...found.values()].map(({ id }) => id));
      for (const [, { ref, row: there }] of roots) {
        if (!there) continue;
        const listed = await look.list('user.list', { tenant: ref });
        const rest = listed.filter(({ id }) => !taken.has(String(id)));
        // The list follows the table by a moment.
        const rows = await inTurns(rest, ({ id }) => look.read('user.read', { id }));
        for (const row of rows) {
          if (row?.tenant !== ref) continue;
          const label = String(row.displayName ?? row.email ?? row.username ?? row.id);
          names.set(`user:${row.id}`, label);
          present.push({
            ...{ kind: 'user', identity: { id: row.id }, values: row, label },
            path: [],
            section: 'users',
          });
        }
      }
    }
    return found;
  }

  async function surveyTechnicalUsers(): Promise<ReadonlyMap<string, Thing>> {
    const found = new Map<string, Thing>();
    const section = 'technicalUsers';
    const rowsOf = new Map<string, readonly Row[]>();
    if (declared.has(section))
      for (const { ref, row } of standing)
        if (row && ref.startsWith('account:'))
          rowsOf.set(ref, await look.list('technical-user.list', { account: ref }));
    for (const [name, user] of Object.entries(manifest.technicalUsers)) {
      const account = String(refOf(user.account));
      const called = user.name ?? name;
      const made = derivedId('technical-user', account, called);
      const rows = rowsOf.get(account) ?? [];
      const own = rows.find(({ id }) => id === (user.id ?? made));
      const row =
        own ?? (user.id === undefined ? rows.find((each) => nameEquals(each.name, called)) : undefined);
      const id = user.id ?? String(row?.id ?? made);
      found.set(name, { id, ref: `technical-user:${id}`, row });
      names.set(`technical-user:${id}`, name);
      const fact = { kind: 'technical-user', identity: { id }, label: name, section };
      want({
        ...{ ...fact, path: [section, name] },
        values: { name: called, description: user.description, status: user.status, endsAt: user.until },
        fixed: { account },
      });
      if (row) present.push({ ...fact, values: row, path: [] });
    }
    const taken = new Set([...found.values()].map(({ id }) => id));
    for (const row of [...rowsOf.values()].flat())
      if (!taken.has(String(row.id))) {
        names.set(`technical-user:${row.id}`, String(row.name));
        present.push({
          ...{ kind: 'technical-user', identity: { id: row.id }, values: row, label: String(row.name) },
          ...{ path: [], section },
        });
      }
    return found;
  }

  /** Who holds what: memberships, grants, assignments, global roles, administrators. */
  async function surveyTies(): Promise<void> {
    const people = [
      ...Object.entries(manifest.users).map(([name, of]) => {
        const thing = users.get(name) as Thing;
        return { section: 'users', name, of, subject: thing.id };
      }),
      ...Object.entries(manifest.technicalUsers).map(([name, of]) => {
        const thing = technicalUsers.get(name) as Thing;
        return { section: 'technicalUsers', name, of, subject: thing.ref };
      }),
    ];
    for (const { section, name, of, subject: user } of people) {
      for (const [position, group] of of.groups.entries())
        want({
          ...tie('membership', { user, group: groups.get(group)?.id }, section),
          path: [section, name, 'groups', position],
        });
      for (const [tenant, held] of Object.entries(of.grants)) {
        const scope = refOf(tenant);
        want({
          ...tie('grant', { user, scope }, section),
          values: { roles: held.map(roleId) },
          initial: { id: derivedId('grant', String(user), String(scope)) },
          path: [section, name, 'grants', tenant],
        });
      }
      for (const [position, { role, scope, from, until }] of of.assignments.entries()) {
        const identity = { user, scope: refOf(scope), role: roleId(role) };
        want({
          ...tie('assignment', identity, section),
          values: { startsAt: from ?? null, endsAt: until ?? null },
          initial: { id: derivedId('assignment', ...Object.values(identity).map(String)) },
          path: [section, name, 'assignments', position],
        });
      }
      for (const [position, role] of of.globalRoles.entries())
        want({
          ...tie('global-role', { user, role: roleId(role) }, section),
          path: [section, name, 'globalRoles', position],
        });
      if (of.admin === true) want({ ...tie('admin', { user }, section), path: [section, name, 'admin'] });
    }
    const speaksOf = (user: unknown) =>
      declared.has(String(user).startsWith('technical-user:') ? 'technicalUsers' : 'users');
    const sectionOf = (user: unknown) =>
      String(user).startsWith('technical-user:') ? 'technicalUsers' : 'users';
    if (!declared.has('users') && !declared.has('technicalUsers')) return;
    const have = async (kind: string, row: Row, fields: readonly string[]): Promise<void> => {
      if (!speaksOf(row.user)) return;
      for (const id of [row.role, ...((row.roles ?? []) as readonly unknown[])])
        if (id !== undefined) await nameRole(id);
      present.push({ ...tie(kind, pick(row, fields), sectionOf(row.user)), values: row, path: [] });
    };
    await inTurns(
      [...groups.values()].filter(({ row }) => row),
      async ({ id }) => {
        for (const row of await look.list('membership.list', { group: id }))
          await have('membership', row, ['user', 'group']);
      },
    );
    await inTurns(standing, async ({ ref }) => {
      for (const row of await look.list('assignment.list', { scope: ref }))
        await have('assignment', row, ['user', 'scope', 'role']);
    });
    for (const [, { ref, row: there }] of roots)
      if (there)
        for (const row of await look.list('grant.list', { scope: ref }))
          await have('grant', row, ['user', 'scope']);
    const ours = new Set<unknown>(people.map(({ subject }) => subject));
    const admins = await look.list('admin.list', {});
    for (const row of admins) if (ours.has(row.user)) await have('admin', row, ['user']);
    const globals = await look.list('role.list', { scope: 'global' });
    await inTurns(globals, async ({ id }) => {
      for (const row of await look.list('global-role.list', { role: id }))
        if (ours.has(row.user)) await have('global-role', row, ['user', 'role']);
    });
  }

  async function surveyEntitlements(): Promise<void> {
    const entitle = async (
      kind: 'subscription' | 'license',
      section: 'subscriptions' | 'licenses',
      places: readonly Thing[],
      by: string,
      other: string,
    ): Promise<void> => {
      if (!declared.has(section)) return;
      const rows = (await inTurns(places, ({ ref }) => look.list(`${kind}.list`, { [by]: ref }))).flat();
      const left = new Map(rows.map((row) => [String(row.id), row]));
      const listed = manifest[section].map((of) => of as typeof of & Row);
      for (const { id } of listed) if (id !== undefined) left.delete(id);
      const counts = new Map<string, number>();
      for (const [position, of] of listed.entries()) {
        const place = String(refOf(of[by] as string));
        const what = kind === 'license' ? String(refOf(of[other] as string)) : String(of[other]);
        const number = (counts.get(`${place} ${what}`) ?? 0) + (of.id === undefined ? 1 : 0);
        counts.set(`${place} ${what}`, number);
        const made = derivedId(kind, place, what, String(number));
        const row =
          of.id === undefined
            ? (left.get(made) ??
              [...left.values()].find((each) => each[by] === place && each[other] === what))
            : (rows.find((each) => each.id === of.id) ?? (await look.read(`${kind}.read`, { id: of.id })));
        const id = of.id ?? String(row?.id ?? made);
        left.delete(id);
        const { status, from, until, tier, autoRenew, usageQuota, name } = of as Row;
        const fact = { kind, identity: { id }, label: `${nameOf(what)} at ${nameOf(place)}`, section };
        want({
          ...{ ...fact, path: [section, position] },
          values: {
            ...{ status, startDate: from ?? null, endDate: until ?? null },
            ...(kind === 'license' ? { name } : { tier, autoRenew, usageQuota }),
          },
          fixed: { [by]: place, [other]: what },
        });
        if (row) present.push({ ...fact, values: row, path: [] });
      }
      for (const row of left.values()) {
        const label = `${nameOf(row[other])} at ${nameOf(row[by])}`;
        present.push({ ...{ kind, identity: { id: row.id }, values: row, label }, path: [], section });
      }
    };
    await entitle('subscription', 'subscriptions', standing, 'scope', 'module');
    await entitle(
      'license',
      'licenses',
      standing.filter(({ ref }) => ref.startsWith('account:')),
      'account',
      'enterprise',
    );
  }

  async function surveySettings(): Promise<void> {
    if (!declared.has('settings')) return;
    for (const [position, of] of manifest.settings.entries()) {
      const { value, valueType, key, description, overridable } = of;
      const owner = of.scope === undefined ? users.get(String(of.user))?.ref : refOf(of.scope);
      const type =
        valueType ??
        (typeof value === 'number' || typeof value === 'boolean' ? typeof value : undefined) ??
        (typeof value === 'string' ? 'string' : 'json');
      want({
        ...tie('setting', { scope: owner, key }, 'settings'),
        values: {
          value: typeof value === 'string' ? value : JSON.stringify(value),
          ...{ valueType: type, isOverridable: overridable, description },
        },
        path: ['settings', position],
      });
    }
    const owners = new Set([
      ...standing.map(({ ref }) => ref),
      ...manifest.settings.flatMap(({ user }) => {
        const thing = user === undefined ? undefined : users.get(user);
        return thing?.row ? [thing.ref] : [];
      }),
    ]);
    await inTurns([...owners], async (scope) => {
      for (const row of await look.list('setting.list', { scope }))
        present.push({ ...tie('setting', { scope, key: row.key }, 'settings'), values: row, path: [] });
    });
  }

  /** What roles allow and deny in the table: of those that the file names it is compared, of others only known. */
  async function surveyEffects(): Promise<void> {
    const ours = new Set([...roles.values()].map(({ id }) => id));
    const ids = new Set<string>();
    const add = (id: unknown): void => {
      if (id === undefined || ids.has(String(id))) return;
      ids.add(String(id));
      for (const parent of inherits.get(String(id)) ?? []) add(parent);
    };
    for (const id of ours) add(id);
    for (const { kind, identity, values } of present) {
      add(identity.role);
      if (kind === 'role') add(identity.id);
      if (kind === 'grant') for (const id of (values.roles ?? []) as readonly unknown[]) add(id);
    }
    await inTurns([...ids], async (id) => {
      for (const row of await look.list('role-permission.list', { role: id }))
        present.push({
          ...tie('role-permission', { role: id, permission: row.permission }, 'roles'),
          // Of a role that the file does not name: known, never removed by itself.
          ...(ours.has(id) ? {} : { section: '' }),
          ...{ values: row, path: [] },
        });
    });
  }
}

/** The address of a user's name: a key that is one stands for its email. */
function uniqueOf(name: string, user: Row, field: string): string | undefined {
  const value = user[field];
  if (typeof value === 'string') return value;
  return field === 'email' && value === undefined && name.includes('@') ? name : undefined;
}
