import { isByHand } from '../../../table/membership-origins.ts';
import { IN_ONE_CALL, inTurns } from '../../in-turns.ts';
import { pick, type Row } from '../entry.ts';
import { listOfMany } from '../queries.ts';
import { PEOPLE, type Person } from '../schema.ts';
import { ACCESS_OF, sectionOf } from '../sections.ts';
import type { Resource } from '../state.ts';
import type { Places } from './places.ts';
import { edgeEntry, isPart, type Reading } from './reading.ts';
import { nameRole } from './roles.ts';

interface Named {
  readonly section: (typeof PEOPLE)[number];
  readonly name: string;
  readonly of: Person;
  /** As commands name it: a user by its id, any other subject by its reference. */
  readonly subject: string;
  readonly exists: boolean;
}

/**
 * What people have: memberships, grants, assignments, global roles, administration.
 *
 * @param others the ids of groups that the manifest does not name, whose members it states all the same
 */
export async function readEdges(reading: Reading, places: Places, others: readonly string[]): Promise<void> {
  const { manifest, declared, found } = reading;
  const people = PEOPLE.flatMap((section): readonly Named[] =>
    Object.entries<Person>(manifest[section]).map(([name, of]) => {
      const { id, ref, row } = found[section].get(name) as Resource;
      return { section, name, of, subject: section === 'users' ? id : ref, exists: row !== undefined };
    }),
  );
  const named: EdgeEntry[] = [];
  for (const person of people) {
    const edges = await addEdges(reading, person);
    if (person.exists) named.push(...edges);
  }
  if (isPart(reading)) await readNamed(reading, places, named);
  else if (PEOPLE.some((section) => declared.has(section)))
    await addCurrentEdges(reading, places, people, others);
}

type EdgeEntry = ReturnType<typeof edgeEntry>;

async function addEdges(
  reading: Reading,
  { section, name, of, subject: user }: Named,
): Promise<readonly EdgeEntry[]> {
  const { idFor, meant } = reading;
  const edges: EdgeEntry[] = [];
  const roleId = (role: string) => meant('roles', role);
  const add = (kind: string, identity: Row, path: readonly (string | number)[], more: Row = {}): void => {
    const edge = edgeEntry(reading, kind, identity, section);
    edges.push(edge);
    reading.addDesired({ ...edge, ...more, path: [section, name, ...path] });
  };
  for (const [position, group] of of.groups.entries())
    add('membership', { user, group: meant('groups', group) }, ['groups', position]);
  for (const [tenant, granted] of Object.entries(of.grants)) {
    const scope = meant('scopes', tenant);
    const id = await idFor('grant', user, String(scope));
    const values = { roles: granted.map(roleId) };
    add('grant', { user, scope }, ['grants', tenant], { values, initial: { id } });
  }
  for (const [position, { role, scope, from, until }] of of.assignments.entries()) {
    const identity = { user, scope: meant('scopes', scope), role: roleId(role) };
    const id = await idFor('assignment', ...Object.values(identity).map(String));
    const values = { startsAt: from ?? null, endsAt: until ?? null };
    add('assignment', identity, ['assignments', position], { values, initial: { id } });
  }
  for (const [position, role] of of.globalRoles.entries())
    add('global-role', { user, role: roleId(role) }, ['globalRoles', position]);
  if (of.admin === true) add('admin', { user }, ['admin']);
  return edges;
}

/**
 * Edges that a part of a whole names, by their keys: many in one call. What else its people have may be in other parts.
 */
async function readNamed(
  { queries, addCurrent }: Reading,
  { existing }: Places,
  edges: readonly EdgeEntry[],
): Promise<void> {
  const scopes = new Set<unknown>(existing.map(({ ref }) => ref));
  const possible = edges.filter(({ identity: { scope } }) => scope === undefined || scopes.has(scope));
  await inTurns(
    possible,
    async (edge) => {
      const row = await queries.read(`${edge.kind}.read`, edge.identity);
      if (row && isByHand(row)) addCurrent({ ...edge, values: row });
    },
    IN_ONE_CALL,
  );
}

/** Edges of the table at the scopes and groups of the manifest; of those that have no scope, the ones of its people. */
async function addCurrentEdges(
  reading: Reading,
  { roots, existing }: Places,
  people: readonly Named[],
  others: readonly string[],
): Promise<void> {
  const { declared, queries, addCurrent, found } = reading;
  const isThere = ({ row }: Resource) => row !== undefined;
  const groups = [...found.groups.values()].filter(isThere).map(({ id }) => id);
  const scopes = existing.map(({ ref }) => ref);
  const tenants = roots.filter(isThere).map(({ ref }) => ref);
  const globals = await queries.list('role.list', { scope: 'global' });
  const ours = new Set<unknown>(people.map(({ subject }) => subject));
  const note = async (word: keyof typeof ACCESS_OF, rows: readonly Row[]): Promise<void> => {
    const wanted = rows.filter((row) => isByHand(row) && declared.has(sectionOf(row.user)));
    const roles = wanted.flatMap((row) => [row.role ?? [], row.roles ?? []].flat());
    await inTurns(roles, (id) => nameRole(reading, id));
    const { kind, names } = ACCESS_OF[word];
    for (const row of wanted)
      addCurrent({ ...edgeEntry(reading, kind, pick(row, names), sectionOf(row.user)), values: row });
  };
  const listed = (word: keyof typeof ACCESS_OF, owners: readonly unknown[]) =>
    listOfMany(queries, ACCESS_OF[word], owners);
  const isOurs = ({ user }: Row) => ours.has(user);
  await note('groups', await listed('groups', groups));
  const withoutUsers = !declared.has('users');
  await note('groups', await listOfMany(queries, ACCESS_OF.groups, others, { withoutUsers }));
  await note('assignments', await listed('assignments', scopes));
  await note('grants', await listed('grants', tenants));
  await note('admin', (await queries.list('admin.list', {})).filter(isOurs));
  const ids = globals.map(({ id }) => id);
  await note('globalRoles', (await listed('globalRoles', ids)).filter(isOurs));
}
