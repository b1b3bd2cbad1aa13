import { isBuiltIn } from '../../table/entities/scope-types.ts';
import type { Path } from '../document.ts';
import type { Access, World } from './schema.ts';

/** One command of provisioning, and what in the file it comes from. */
export interface Step {
  /** Begins at the world. */
  readonly path: Path;
  readonly command: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** How the file calls the fields of the command, where it has a word for them. */
  readonly fields: Readonly<Record<string, string>>;
}

export interface Translation {
  /** In an order in which everything is there before it is referred to. */
  readonly steps: readonly Step[];
  /** References by the names in the file. */
  readonly subjects: ReadonlyMap<string, string>;
  readonly scopes: ReadonlyMap<string, string>;
  /** Names by their references, of all that has one. */
  readonly names: ReadonlyMap<string, string>;
}

/** Which fields of commands the file has, and what it calls them. */
const FIELDS = {
  ...{
    type: 'type',
    parent: 'parent',
    status: 'status',
    combination: 'combination',
    enterprise: 'enterprise',
  },
  ...{
    scope: 'scope',
    module: 'module',
    account: 'account',
    role: 'role',
    parents: 'parents',
    children: 'children',
  },
  ...{ startsAt: 'from', endsAt: 'until', startDate: 'from', endDate: 'until', soldBySubscription: 'sold' },
};

const without = (input: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));

/**
 * A world as commands of provisioning. Ids are given out here, so that every command can be written down before the
 * first one is sent. The world's references must hold (`referenceProblems`).
 */
export function translateWorld(world: World, newId: () => string): Translation {
  const steps: Step[] = [];
  const names = new Map<string, string>();
  const send = (
    path: Path,
    command: string,
    input: Readonly<Record<string, unknown>>,
    fields = FIELDS as Step['fields'],
  ) => void steps.push({ path, command, input: without(input), fields });
  /** Gives an id to each thing, in the order of the file. */
  const identify = (things: Readonly<Record<string, unknown>>, typeOf: (name: string) => string) =>
    new Map(
      Object.keys(things).map((name) => {
        const ref = { id: newId(), type: typeOf(name) };
        const text = `${ref.type}:${ref.id}`;
        names.set(text, name);
        return [name, { ...ref, text }] as const;
      }),
    );
  const scopes = identify(world.scopes, (name) => String(world.scopes[name]?.type));
  const roles = identify(world.roles, () => 'role');
  const groups = identify(world.groups, () => 'group');
  const users = identify(world.users, () => 'user');
  const technicalUsers = identify(world.technicalUsers, () => 'technical-user');
  const scope = (name: string | undefined) => (name === undefined ? undefined : scopes.get(name)?.text);
  const role = (name: string | undefined) => (name === undefined ? undefined : roles.get(name)?.id);

  // Types may name each other: first all of them, then what may stand where.
  for (const [name, { root }] of Object.entries(world.scopeTypes))
    send(['scopeTypes', name], 'scope-type.create', { name, root });
  for (const [name, { parents, children }] of Object.entries(world.scopeTypes))
    if (parents.length + children.length > 0)
      send(['scopeTypes', name], 'scope-type.update', { name, parents, children });

  for (const [name, { sold }] of Object.entries(world.modules))
    send(['modules', name], 'module.create', { name, soldBySubscription: sold });
  for (const [name, { module }] of Object.entries(world.pages))
    send(['pages', name], 'page.create', { name, module });
  for (const name of Object.keys(world.permissions))
    send(['permissions', name], 'permission.create', { name });

  const above = (name: string) => [world.scopes[name]?.parent, world.scopes[name]?.enterprise];
  for (const name of inOrder(Object.keys(world.scopes), above)) {
    const { type, parent, status, combination, enterprise } = world.scopes[name] as World['scopes'][string];
    const added = isBuiltIn(type) ? {} : { type };
    const links = { parent: scope(parent), enterprise: scope(enterprise) };
    const input = { ...added, id: scopes.get(name)?.id, name, status, combination, ...links };
    send(['scopes', name], isBuiltIn(type) ? `${type}.create` : 'scope.create', input);
  }
  for (const [position, { scope: at, module, status, from, until }] of world.subscriptions.entries()) {
    const input = { scope: scope(at), module, status, startDate: from, endDate: until };
    send(['subscriptions', position], 'subscription.create', input);
  }
  for (const [position, { account, enterprise, status, from, until }] of world.licenses.entries()) {
    const ends = { account: scope(account), enterprise: scope(enterprise) };
    send(['licenses', position], 'license.create', { ...ends, status, startDate: from, endDate: until });
  }

  for (const name of inOrder(Object.keys(world.roles), (each) => [world.roles[each]?.parent])) {
    const { global, owner, parent, allow, deny } = world.roles[name] as World['roles'][string];
    const shelf = global ? 'global' : (scope(owner) ?? 'tenant');
    const fields = { parent: 'parent', scope: 'owner' };
    send(
      ['roles', name],
      'role.create',
      { id: role(name), name, scope: shelf, parent: role(parent) },
      fields,
    );
    for (const [key, effect, permissions] of [
      ['allow', 'ALLOW', allow],
      ['deny', 'DENY', deny],
    ] as const) {
      for (const [position, permission] of permissions.entries())
        send(
          ['roles', name, key, position],
          'role-permission.create',
          { role: role(name), permission, effect },
          {},
        );
    }
  }
  for (const [name, { scope: at, roles: carried }] of Object.entries(world.groups)) {
    const id = groups.get(name)?.id;
    send(['groups', name], 'group.create', { id, name, scope: scope(at) });
    for (const [position, each] of carried.entries())
      send(['groups', name, 'roles', position], 'group-role.create', { group: id, role: role(each) }, {});
  }

  function createAccess(path: Path, user: string | undefined, of: Access): void {
    for (const [position, each] of of.groups.entries())
      send([...path, 'groups', position], 'membership.create', { user, group: groups.get(each)?.id }, {});
    for (const [tenant, held] of Object.entries(of.grants)) {
      const input = { user, scope: scope(tenant), roles: held.map(role) };
      send([...path, 'grants', tenant], 'grant.create', input, {});
    }
    for (const [position, { role: held, scope: at, from, until }] of of.assignments.entries()) {
      const input = { user, role: role(held), scope: scope(at), startsAt: from, endsAt: until };
      send([...path, 'assignments', position], 'assignment.create', input);
    }
    for (const [position, each] of of.globalRoles.entries())
      send([...path, 'globalRoles', position], 'global-role.create', { user, role: role(each) }, {});
    if (of.admin) send([...path, 'admin'], 'admin.create', { user }, {});
  }
  for (const [name, { status, until, ...of }] of Object.entries(world.users)) {
    const id = users.get(name)?.id;
    send(['users', name], 'user.create', { id, displayName: name, status, endsAt: until });
    createAccess(['users', name], id, of);
  }
  for (const [name, { account, status, until, ...of }] of Object.entries(world.technicalUsers)) {
    const ref = technicalUsers.get(name);
    const input = { id: ref?.id, name, account: scope(account), status, endsAt: until };
    send(['technicalUsers', name], 'technical-user.create', input);
    createAccess(['technicalUsers', name], ref?.text, of);
  }
  const textsOf = (things: ReadonlyMap<string, { readonly text: string }>) =>
    new Map([...things].map(([name, { text }]) => [name, text]));
  return {
    steps,
    subjects: new Map([...textsOf(users), ...textsOf(technicalUsers)]),
    scopes: textsOf(scopes),
    names,
  };
}

/** The names so that what a thing rests on comes before it. There is no circle (`referenceProblems`). */
function inOrder(
  names: readonly string[],
  restsOn: (name: string) => readonly (string | undefined)[],
): readonly string[] {
  const placed = new Set<string>();
  const place = (name: string): void => {
    if (placed.has(name)) return;
    for (const each of restsOn(name)) if (each !== undefined) place(each);
    placed.add(name);
  };
  for (const name of names) place(name);
  return [...placed];
}
