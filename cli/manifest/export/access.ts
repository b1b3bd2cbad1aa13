import type { Row } from '../../../provisioning/apply/entry.ts';
import { inTurns } from '../../../provisioning/in-turns.ts';
import { type Exporting, kept } from './exporting.ts';
import type { Groups } from './groups.ts';
import type { Names } from './names.ts';
import type { Roles } from './roles.ts';
import type { Places } from './scopes.ts';

/** What a subject is granted, in the names of the manifest. */
interface Access {
  readonly groups: unknown[];
  readonly assignments: Row[];
  readonly grants: Record<string, readonly unknown[]>;
  readonly globalRoles: unknown[];
  admin: boolean;
}

/** What subjects are granted, as the table has it. */
export interface Grants {
  /** Subjects at home in the tenants, and all that are granted something there. */
  readonly subjects: ReadonlySet<string>;
  /** Technical users of the accounts, by reference. */
  readonly technical: ReadonlyMap<string, Row>;
  readonly memberships: readonly Row[];
  readonly assignments: readonly Row[];
  readonly grants: readonly Row[];
  readonly globalRoles: readonly Row[];
  readonly admins: readonly Row[];
}

export async function readGrants(
  exporting: Exporting,
  places: Places,
  roles: Roles,
  groups: Groups,
): Promise<Grants> {
  const { queries } = exporting;
  const subjects = new Set(await usersAtHome(exporting, places));
  const technical = new Map<string, Row>();
  for (const ref of places.roots.filter((each) => each.startsWith('account:')))
    for (const row of await queries.list('technical-user.list', { account: ref }))
      technical.set(`technical-user:${row.id}`, row);
  for (const ref of technical.keys()) subjects.add(ref);
  for (const ref of await addedAtHome(exporting, places)) subjects.add(ref);
  const ofAll = async (all: readonly string[], command: string, by: string) =>
    (await inTurns(all, (each) => queries.list(command, { [by]: each }))).flat();
  const memberships = await ofAll([...groups.rows.keys()], 'membership.list', 'group');
  const assignments = await ofAll(places.refs, 'assignment.list', 'scope');
  const grants = await ofAll(places.roots, 'grant.list', 'scope');
  for (const { role } of assignments) await roles.use(role);
  for (const { roles: granted } of grants)
    for (const id of (granted ?? []) as readonly unknown[]) await roles.use(id);
  for (const { user } of [...memberships, ...assignments, ...grants]) subjects.add(String(user));
  const globals = (await queries.list('role.list', { scope: 'global' })).map(({ id }) => String(id));
  const everywhere = await ofAll(globals, 'global-role.list', 'role');
  const globalRoles = everywhere.filter(({ user }) => subjects.has(String(user)));
  for (const { role } of globalRoles) await roles.use(role);
  const admins = await queries.list('admin.list', {});
  return { subjects, technical, memberships, assignments, grants, globalRoles, admins };
}

async function usersAtHome({ queries, options }: Exporting, { roots }: Places): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const ref of roots)
    for (const { id } of await queries.list('user.list', { tenant: ref })) ids.push(String(id));
  if (options.roots === undefined)
    for (const { id } of await queries.list('user.list', {})) ids.push(String(id));
  return ids;
}

/** Subjects of added types, by reference. */
async function addedAtHome({ queries, options }: Exporting, { roots }: Places): Promise<readonly string[]> {
  const filters = options.roots === undefined ? [{}] : roots.map((tenant) => ({ tenant }));
  const lists = await inTurns(filters, (by) => queries.list('subject.list', by));
  return lists.flat().map(({ type, id }) => `${type}:${id}`);
}

/** What each subject is granted, as fields of the manifest: users by id, others by reference. */
export function nameAccess(
  granted: Grants,
  places: Places,
  groups: Groups,
  roleNames: Names,
): ReadonlyMap<string, Row> {
  const accessBySubject = new Map<string, Access>(
    [...granted.subjects].map((subject) => [
      subject,
      { groups: [], assignments: [], grants: {}, globalRoles: [], admin: false },
    ]),
  );
  const of = (user: unknown) => accessBySubject.get(String(user)) as Access;
  for (const { user, group } of granted.memberships) of(user).groups.push(groups.names.of(group));
  for (const { user, role, scope, startsAt, endsAt } of granted.assignments)
    of(user).assignments.push(
      kept({ role: roleNames.of(role), scope: places.names.of(scope), from: startsAt, until: endsAt }),
    );
  for (const { user, scope, roles } of granted.grants)
    of(user).grants[String(places.names.of(scope))] = ((roles ?? []) as readonly unknown[]).map(roleNames.of);
  for (const { user, role } of granted.globalRoles) of(user).globalRoles.push(roleNames.of(role));
  for (const { user } of granted.admins) {
    const access = accessBySubject.get(String(user));
    if (access) access.admin = true;
  }
  return new Map([...accessBySubject].map(([subject, access]) => [subject, fieldsOf(access)]));
}

const fieldsOf = ({ admin, groups, assignments, grants, globalRoles }: Access): Row => ({
  admin: admin ? true : undefined,
  groups,
  assignments,
  grants: Object.keys(grants).length > 0 ? grants : undefined,
  globalRoles,
});
