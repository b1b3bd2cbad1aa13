import { isBuiltIn, SCOPE_TYPES } from '../../table/entities/scope-types.ts';
import { isPermissionPattern } from '../../table/permission-name.ts';
import { inTurns, type Look, type Row } from './look.ts';
import { SCOPE_ATTRIBUTES, USER_ATTRIBUTES } from './schema.ts';

/** What tenants of a table hold, as a manifest that makes the same of an empty one. */
export interface Exported {
  readonly manifest: Row;
  /** What no manifest can say, in sentences. */
  readonly notes: readonly string[];
}

export interface ExportOptions {
  /** References of root scopes; all there are when left out. */
  readonly roots: readonly string[] | undefined;
  readonly apis: readonly string[];
  /** Whether things keep their ids: without them the file describes another tenant like this one. */
  readonly ids: boolean;
}

/** Names by which a file calls things: each once, the first come as it is. */
class Names {
  readonly #taken = new Set<string>();
  readonly #of = new Map<string, string>();

  give(ref: string, wanted: string, within?: string): string {
    const clean = wanted === '__proto__' ? 'proto' : wanted;
    const tries = [clean, ...(within === undefined ? [] : [`${clean} at ${within}`])];
    let name = tries.find((each) => !this.#taken.has(each) && each.length <= 128);
    for (let number = 2; name === undefined; number++) {
      const next = `${clean.slice(0, 120)} (${number})`;
      if (!this.#taken.has(next)) name = next;
    }
    this.#taken.add(name);
    this.#of.set(ref, name);
    return name;
  }

  of(ref: unknown): string | undefined {
    return this.#of.get(String(ref));
  }

  get refs(): readonly string[] {
    return [...this.#of.keys()];
  }
}

const kept = (fields: Row): Row =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
    ),
  );

const pick = (row: Row, keys: Iterable<string>): Row =>
  kept(Object.fromEntries([...keys].map((key) => [key, row[key]])));

const unless = (value: unknown, usual: unknown): unknown => (value === usual ? undefined : value);

/** Reads tenants by commands alone. */
export async function exportManifest(look: Look, options: ExportOptions): Promise<Exported> {
  const notes: string[] = [];
  const idOf = (row: Row): Row => (options.ids ? { id: row.id } : {});

  const addedTypes = await look.list('scope-type.list', {});
  const typeOf = (type: string) => {
    const own = SCOPE_TYPES[type];
    if (own) return own;
    const row = addedTypes.find(({ name }) => name === type);
    return {
      root: row?.root === true,
      parents: (row?.parents ?? []) as readonly string[],
      children: (row?.children ?? []) as readonly string[],
    };
  };
  const types = [...Object.keys(SCOPE_TYPES), ...addedTypes.map(({ name }) => String(name))];
  const listed = (type: string, by: Row) =>
    isBuiltIn(type) ? look.list(`${type}.list`, by) : look.list('scope.list', { type, ...by });

  // Scopes, from the roots down.
  const rows = new Map<string, Row>();
  const names = new Names();
  const refOf = (type: string, row: Row) => `${type}:${row.id}`;
  if (options.roots === undefined) {
    for (const type of types.filter((each) => typeOf(each).root))
      for (const row of await listed(type, {})) if (row.parent === undefined) rows.set(refOf(type, row), row);
  } else {
    for (const ref of options.roots) {
      const [type = '', id = ''] = ref.split(':');
      const row = await look.read(
        isBuiltIn(type) ? `${type}.read` : 'scope.read',
        isBuiltIn(type) ? { id } : { type, id },
      );
      if (!row) throw new Error(`there is no ${ref} in this table`);
      if (row.parent !== undefined) throw new Error(`${ref} is no root: it stands under ${row.parent}`);
      rows.set(ref, row);
    }
  }
  const roots = [...rows.keys()];
  let level: readonly string[] = roots;
  while (level.length > 0) {
    const found = await inTurns(level, async (ref) => {
      const type = ref.slice(0, ref.indexOf(':'));
      const under = types.filter(
        (each) => typeOf(each).parents.includes(type) || typeOf(type).children?.includes(each),
      );
      const lists = await inTurns(under, (each) => listed(each, { parent: ref }));
      return under.flatMap((each, position) =>
        (lists[position] ?? [])
          .filter((row) => row.parent === ref)
          .map((row) => [refOf(each, row), row] as const),
      );
    });
    const below = found.flat();
    for (const [ref, row] of below) rows.set(ref, row);
    level = below.map(([ref]) => ref);
  }
  for (const [ref, row] of rows) names.give(ref, String(row.name), names.of(row.parent));
  const scopes: Record<string, Row> = {};
  for (const [ref, row] of rows) {
    const type = ref.slice(0, ref.indexOf(':'));
    const name = String(names.of(ref));
    if (row.enterprise !== undefined && names.of(row.enterprise) === undefined)
      throw new Error(
        `${ref} is linked to ${row.enterprise}, which is not exported: name it as well (--root)`,
      );
    scopes[name] = kept({
      ...idOf(row),
      type,
      name: unless(row.name, name),
      parent: names.of(row.parent),
      status: unless(row.status, 'active'),
      combination: row.parent === undefined ? unless(row.combination, 'allow-overrides') : undefined,
      enterprise: names.of(row.enterprise),
      kind: isBuiltIn(type) && type !== 'scope' ? row.type : undefined,
      ...pick(row, Object.keys(SCOPE_ATTRIBUTES)),
    });
  }
  const places = [...rows.keys()];

  // Roles: what the tenants own, and what others they use.
  const roleRows = new Map<string, Row>();
  const roleNames = new Names();
  for (const ref of roots)
    for (const row of await look.list('role.list', { scope: ref }))
      if (row.scope === ref) roleRows.set(String(row.id), row);
  const useRole = async (id: unknown): Promise<void> => {
    if (id === undefined || roleRows.has(String(id))) return;
    const row = await look.read('role.read', { id });
    if (!row) return;
    roleRows.set(String(id), row);
    await useRole(row.parent);
  };
  for (const { parent } of [...roleRows.values()]) await useRole(parent);
  if (options.roots === undefined)
    for (const shelf of ['tenant', 'global'])
      for (const { id, scope } of await look.list('role.list', { scope: shelf }))
        if (scope === shelf) await useRole(id);

  // Groups and what they carry.
  const groupRows = new Map<string, Row>();
  for (const list of await inTurns(places, (scope) => look.list('group.list', { scope })))
    for (const row of list) groupRows.set(String(row.id), row);
  const groupNames = new Names();
  for (const [id, row] of groupRows) groupNames.give(id, String(row.name), names.of(row.scope));
  const carried = new Map<string, readonly unknown[]>();
  await inTurns([...groupRows.keys()], async (group) => {
    const ids = (await look.list('group-role.list', { group })).map(({ role }) => role);
    carried.set(group, ids);
  });
  for (const ids of carried.values()) for (const id of ids) await useRole(id);

  // Who holds what.
  interface Standing {
    readonly groups: unknown[];
    readonly assignments: Row[];
    readonly grants: Record<string, readonly unknown[]>;
    readonly globalRoles: unknown[];
    admin: boolean;
  }
  const standings = new Map<string, Standing>();
  const standingOf = (user: unknown): Standing => {
    const found = standings.get(String(user)) ?? {
      groups: [],
      assignments: [],
      grants: {},
      globalRoles: [],
      admin: false,
    };
    standings.set(String(user), found);
    return found;
  };
  const home = new Map<string, Row>();
  for (const ref of roots)
    for (const { id } of await look.list('user.list', { tenant: ref })) home.set(String(id), {});
  if (options.roots === undefined)
    for (const { id } of await look.list('user.list', {})) home.set(String(id), {});
  const technical = new Map<string, Row>();
  for (const ref of roots.filter((each) => each.startsWith('account:')))
    for (const row of await look.list('technical-user.list', { account: ref }))
      technical.set(`technical-user:${row.id}`, row);
  for (const id of [...home.keys(), ...technical.keys()]) standingOf(id);
  for (const list of await inTurns([...groupRows.keys()], (group) => look.list('membership.list', { group })))
    for (const { user, group } of list) standingOf(user).groups.push(groupNames.of(group));
  const assignments = (await inTurns(places, (scope) => look.list('assignment.list', { scope }))).flat();
  const grants = (await inTurns(roots, (scope) => look.list('grant.list', { scope }))).flat();
  for (const { role } of assignments) await useRole(role);
  for (const { roles } of grants) for (const id of (roles ?? []) as readonly unknown[]) await useRole(id);
  const globals = await look.list('role.list', { scope: 'global' });
  const held = (await inTurns(globals, ({ id }) => look.list('global-role.list', { role: id }))).flat();
  const subjectsNow = new Set([
    ...standings.keys(),
    ...assignments.map(({ user }) => String(user)),
    ...grants.map(({ user }) => String(user)),
  ]);
  const ours = held.filter(({ user }) => subjectsNow.has(String(user)));
  for (const { role } of ours) await useRole(role);

  for (const [id, row] of roleRows) roleNames.give(id, String(row.name), names.of(row.scope));
  const nameRole = (id: unknown) => roleNames.of(id);
  for (const { user, role, scope, startsAt, endsAt } of assignments)
    standingOf(user).assignments.push(
      kept({ role: nameRole(role), scope: names.of(scope), from: startsAt, until: endsAt }),
    );
  for (const { user, scope, roles } of grants)
    standingOf(user).grants[String(names.of(scope))] = ((roles ?? []) as readonly unknown[]).map(nameRole);
  for (const { user, role } of ours) standingOf(user).globalRoles.push(nameRole(role));
  for (const { user } of await look.list('admin.list', {}))
    if (standings.has(String(user))) standingOf(user).admin = true;

  const effects = new Map<string, readonly Row[]>();
  await inTurns([...roleRows.keys()], async (role) => {
    effects.set(role, await look.list('role-permission.list', { role }));
  });
  const roles: Record<string, Row> = {};
  for (const [id, row] of roleRows) {
    const name = String(roleNames.of(id));
    const of = (effect: string) =>
      (effects.get(id) ?? []).filter((each) => each.effect === effect).map(({ permission }) => permission);
    if (row.customTemplateId !== undefined)
      notes.push(
        `the role ${name} was made from a template: that is not in the manifest, its permissions are`,
      );
    roles[name] = kept({
      ...idOf(row),
      name: unless(row.name, name),
      global: row.scope === 'global' ? true : undefined,
      owner: names.of(row.scope),
      parent: nameRole(row.parent),
      description: row.description,
      ...{ allow: of('ALLOW'), deny: of('DENY') },
    });
  }
  const groups: Record<string, Row> = {};
  for (const [id, row] of groupRows) {
    const name = String(groupNames.of(id));
    groups[name] = kept({
      ...idOf(row),
      name: unless(row.name, name),
      scope: names.of(row.scope),
      roles: (carried.get(id) ?? []).map(nameRole),
      ...pick(row, ['groupType', 'description']),
    });
  }

  // People.
  const userNames = new Names();
  const standingFields = (of: Standing): Row => ({
    ...{ admin: of.admin ? true : undefined, groups: of.groups, assignments: of.assignments },
    grants: Object.keys(of.grants).length > 0 ? of.grants : undefined,
    globalRoles: of.globalRoles,
  });
  const users: Record<string, Row> = {};
  const people = [...standings].filter(([id]) => !id.startsWith('technical-user:'));
  const userRows = await inTurns(people, ([id]) => look.read('user.read', { id }));
  const sole = roots.length === 1 ? roots[0] : undefined;
  for (const [position, [id, of]] of people.entries()) {
    const row = userRows[position];
    if (!row) continue;
    // A key with an @ would stand for an email.
    const shown = String(row.displayName ?? row.username ?? row.email ?? id);
    const called = shown.length <= 128 && !/[#@]/.test(shown) ? shown : id;
    const name = userNames.give(`user:${id}`, called);
    const tenant = row.tenant === undefined ? undefined : names.of(row.tenant);
    if (row.tenant !== undefined && tenant === undefined)
      notes.push(`the user ${name} is at home in ${row.tenant}, which is not exported`);
    users[name] = kept({
      ...idOf(row),
      // Left out, it would be the one tenant of the file.
      tenant:
        tenant === undefined
          ? sole === undefined
            ? undefined
            : null
          : row.tenant === sole
            ? undefined
            : tenant,
      status: unless(row.status, 'active'),
      until: row.endsAt,
      ...pick(row, Object.keys(USER_ATTRIBUTES)),
      ...(row.displayName === undefined ? { displayName: null } : {}),
      ...standingFields(of),
    });
  }
  const technicalUsers: Record<string, Row> = {};
  for (const [ref, of] of standings) {
    if (!ref.startsWith('technical-user:')) continue;
    const row =
      technical.get(ref) ??
      (await look.read('technical-user.read', { id: ref.slice('technical-user:'.length) }));
    if (!row) continue;
    if (names.of(row.account) === undefined) {
      notes.push(
        `the technical user ${row.name} (${ref}) of ${row.account}, which is not exported, is left out`,
      );
      continue;
    }
    const name = userNames.give(ref, String(row.name), names.of(row.account));
    technicalUsers[name] = kept({
      ...idOf(row),
      name: unless(row.name, name),
      account: names.of(row.account),
      description: row.description,
      status: unless(row.status, 'active'),
      until: row.endsAt,
      ...standingFields(of),
    });
  }

  // What is sold, and to whom.
  const subscriptions = (await inTurns(places, (scope) => look.list('subscription.list', { scope })))
    .flat()
    .map((row) =>
      kept({
        ...idOf(row),
        ...{ scope: names.of(row.scope), module: row.module, status: unless(row.status, 'active') },
        ...{ from: row.startDate, until: row.endDate, tier: row.tier },
        ...{ autoRenew: unless(row.autoRenew, false), usageQuota: row.usageQuota },
      }),
    );
  const licenseRows = (
    await inTurns(
      places.filter((ref) => ref.startsWith('account:')),
      (account) => look.list('license.list', { account }),
    )
  ).flat();
  const licenses = licenseRows.flatMap((row) => {
    if (names.of(row.enterprise) === undefined)
      throw new Error(`a licence is for ${row.enterprise}, which is not exported: name it as well (--root)`);
    return [
      kept({
        ...idOf(row),
        ...{ account: names.of(row.account), enterprise: names.of(row.enterprise), name: row.name },
        ...{ status: unless(row.status, 'active'), from: row.startDate, until: row.endDate },
      }),
    ];
  });

  // Settings of places and people.
  const owners = [...places, ...userNames.refs.filter((ref) => ref.startsWith('user:'))];
  const settings = (await inTurns(owners, (scope) => look.list('setting.list', { scope })))
    .flat()
    .map((row) =>
      kept({
        ...(names.of(row.scope) === undefined
          ? { user: userNames.of(row.scope) }
          : { scope: names.of(row.scope) }),
        ...{ key: row.key, value: row.value, valueType: unless(row.valueType, 'string') },
        ...{ overridable: unless(row.isOverridable, true), description: row.description },
      }),
    );

  // What belongs to no tenant, as far as it is used.
  const used = new Set([...effects.values()].flat().map(({ permission }) => String(permission)));
  const isUsed = (name: unknown) => options.roots === undefined || used.has(String(name));
  const covers = (name: string) =>
    [...used].some(
      (pattern) => isPermissionPattern(pattern) && (pattern === '*:*:*' || matches(pattern, name)),
    );
  const pageRows = (await look.list('page.list', {})).filter(({ name }) => isUsed(name) || used.has('*:*:*'));
  const permissionRows = (await look.list('permission.list', {})).filter(
    ({ name }) => isUsed(name) || covers(String(name)),
  );
  const wantedModules = new Set<unknown>([
    ...pageRows.map(({ module }) => module),
    ...permissionRows.map(({ name }) => String(name).split(':')[0]),
    ...subscriptions.map(({ module }) => module),
  ]);
  const moduleRows = (await look.list('module.list', {})).filter(
    ({ name }) => options.roots === undefined || wantedModules.has(name),
  );
  const byName = (list: readonly Row[], fields: (row: Row) => Row) =>
    Object.fromEntries(
      [...list]
        .sort((a, b) => (String(a.name) < String(b.name) ? -1 : 1))
        .map((row) => [String(row.name), kept(fields(row))]),
    );
  const usedTypes = new Set(places.map((ref) => ref.slice(0, ref.indexOf(':'))));
  const typeRows = addedTypes.filter(
    ({ name }) => options.roots === undefined || usedTypes.has(String(name)),
  );

  const routes: Row[] = [];
  for (const api of options.apis)
    for (const row of await look.list('route.list', { api }))
      routes.push(
        kept({
          api: unless(api, 'default'),
          ...pick((await look.read('route.read', { id: row.id })) ?? row, [
            'method',
            'path',
            'permission',
            'scope',
            'description',
          ]),
        }),
      );
  const sections = {
    scopeTypes: byName(typeRows, ({ root, parents, children, description }) => ({
      ...{ root: unless(root, false), parents, children, description },
    })),
    modules: byName(moduleRows, ({ soldBySubscription, description }) => ({
      ...{ sold: unless(soldBySubscription, false), description },
    })),
    pages: byName(pageRows, ({ module, description }) => ({ module, description })),
    permissions: byName(permissionRows, ({ isDangerous, description }) => ({
      ...{ dangerous: unless(isDangerous, false), description },
    })),
    ...{ scopes, roles, groups, users, technicalUsers, subscriptions, licenses, settings, routes },
  };
  const manifest = Object.fromEntries(
    Object.entries(sections).filter(([, of]) => Object.keys(of).length > 0),
  );
  return { manifest, notes };
}

/** Whether a pattern of three parts covers a permission. */
function matches(pattern: string, name: string): boolean {
  const [parts, words] = [pattern.split(':'), name.split(':')];
  return words.length === 3 && parts.every((part, position) => part === '*' || part === words[position]);
}
