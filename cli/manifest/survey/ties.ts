import { derivedId, pick } from '../fact.ts';
import { inTurns, type Row } from '../look.ts';
import type { Manifest } from '../schema.ts';
import { nameRole } from './roles.ts';
import type { Places } from './scopes.ts';
import { type Surveying, type Thing, type Things, tie } from './surveying.ts';

/** What ties lead to and from. */
export interface Ends {
  readonly places: Places;
  readonly roles: Things;
  readonly groups: Things;
  readonly users: Things;
  readonly technicalUsers: Things;
}

interface Person {
  readonly section: 'users' | 'technicalUsers';
  readonly name: string;
  readonly of: Manifest['users'][string] | Manifest['technicalUsers'][string];
  /** As commands name it: a user by its id, a technical user by its reference. */
  readonly subject: string;
}

/** Who holds what: memberships, grants, assignments, global roles, administrators. */
export async function surveyTies(surveying: Surveying, ends: Ends): Promise<void> {
  const { manifest, declared } = surveying;
  const people: readonly Person[] = [
    ...Object.entries(manifest.users).map(([name, of]): Person => {
      const { id } = ends.users.get(name) as Thing;
      return { section: 'users', name, of, subject: id };
    }),
    ...Object.entries(manifest.technicalUsers).map(([name, of]): Person => {
      const { ref } = ends.technicalUsers.get(name) as Thing;
      return { section: 'technicalUsers', name, of, subject: ref };
    }),
  ];
  for (const person of people) wantTies(surveying, ends, person);
  if (declared.has('users') || declared.has('technicalUsers')) await readTies(surveying, ends, people);
}

function wantTies(surveying: Surveying, ends: Ends, { section, name, of, subject: user }: Person): void {
  const { want } = surveying;
  const { refOf } = ends.places;
  const roleId = (role: string) => ends.roles.get(role)?.id;
  for (const [position, group] of of.groups.entries())
    want({
      ...tie(surveying, 'membership', { user, group: ends.groups.get(group)?.id }, section),
      path: [section, name, 'groups', position],
    });
  for (const [tenant, held] of Object.entries(of.grants)) {
    const scope = refOf(tenant);
    want({
      ...tie(surveying, 'grant', { user, scope }, section),
      values: { roles: held.map(roleId) },
      initial: { id: derivedId('grant', user, String(scope)) },
      path: [section, name, 'grants', tenant],
    });
  }
  for (const [position, { role, scope, from, until }] of of.assignments.entries()) {
    const identity = { user, scope: refOf(scope), role: roleId(role) };
    want({
      ...tie(surveying, 'assignment', identity, section),
      values: { startsAt: from ?? null, endsAt: until ?? null },
      initial: { id: derivedId('assignment', ...Object.values(identity).map(String)) },
      path: [section, name, 'assignments', position],
    });
  }
  for (const [position, role] of of.globalRoles.entries())
    want({
      ...tie(surveying, 'global-role', { user, role: roleId(role) }, section),
      path: [section, name, 'globalRoles', position],
    });
  if (of.admin === true)
    want({ ...tie(surveying, 'admin', { user }, section), path: [section, name, 'admin'] });
}

/** Whose ties the table has at the places and groups of the file; of what has no place, those of its people. */
async function readTies(surveying: Surveying, ends: Ends, people: readonly Person[]): Promise<void> {
  const { declared, look, have } = surveying;
  const note = async (kind: string, row: Row, fields: readonly string[]): Promise<void> => {
    const section = String(row.user).startsWith('technical-user:') ? 'technicalUsers' : 'users';
    if (!declared.has(section)) return;
    for (const id of [row.role, ...((row.roles ?? []) as readonly unknown[])])
      if (id !== undefined) await nameRole(surveying, id);
    have({ ...tie(surveying, kind, pick(row, fields), section), values: row });
  };
  await inTurns(
    [...ends.groups.values()].filter(({ row }) => row),
    async ({ id }) => {
      for (const row of await look.list('membership.list', { group: id }))
        await note('membership', row, ['user', 'group']);
    },
  );
  await inTurns(ends.places.existing, async ({ ref }) => {
    for (const row of await look.list('assignment.list', { scope: ref }))
      await note('assignment', row, ['user', 'scope', 'role']);
  });
  for (const { ref, row: there } of ends.places.roots)
    if (there)
      for (const row of await look.list('grant.list', { scope: ref }))
        await note('grant', row, ['user', 'scope']);
  const ours = new Set<unknown>(people.map(({ subject }) => subject));
  for (const row of await look.list('admin.list', {}))
    if (ours.has(row.user)) await note('admin', row, ['user']);
  const globals = await look.list('role.list', { scope: 'global' });
  await inTurns(globals, async ({ id }) => {
    for (const row of await look.list('global-role.list', { role: id }))
      if (ours.has(row.user)) await note('global-role', row, ['user', 'role']);
  });
}
