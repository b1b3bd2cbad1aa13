import { IN_ONE_CALL, inTurns } from '../../in-turns.ts';
import { pick, type Row } from '../entry.ts';
import { PEOPLE, type Person } from '../schema.ts';
import { sectionOf } from '../sections.ts';
import type { Resource, Resources } from '../state.ts';
import { edgeEntry, isPart, type Reading } from './reading.ts';
import { nameRole } from './roles.ts';
import type { Places } from './scopes.ts';

/** The nodes between which edges are. */
export interface Ends {
  readonly places: Places;
  readonly roles: Resources;
  readonly groups: Resources;
  readonly users: Resources;
  readonly technicalUsers: Resources;
  readonly subjects: Resources;
}

interface Named {
  readonly section: (typeof PEOPLE)[number];
  readonly name: string;
  readonly of: Person;
  /** As commands name it: a user by its id, any other subject by its reference. */
  readonly subject: string;
  readonly exists: boolean;
}

/** What people have: memberships, grants, assignments, global roles, administration. */
export async function readEdges(reading: Reading, ends: Ends): Promise<void> {
  const { manifest, declared } = reading;
  const people = PEOPLE.flatMap((section): readonly Named[] =>
    Object.entries<Person>(manifest[section]).map(([name, of]) => {
      const { id, ref, row } = ends[section].get(name) as Resource;
      return { section, name, of, subject: section === 'users' ? id : ref, exists: row !== undefined };
    }),
  );
  const named: EdgeEntry[] = [];
  for (const person of people) {
    const edges = await addEdges(reading, ends, person);
    if (person.exists) named.push(...edges);
  }
  if (isPart(reading)) await readNamed(reading, ends, named);
  else if (PEOPLE.some((section) => declared.has(section))) await addCurrentEdges(reading, ends, people);
}

type EdgeEntry = ReturnType<typeof edgeEntry>;

async function addEdges(
  reading: Reading,
  ends: Ends,
  { section, name, of, subject: user }: Named,
): Promise<readonly EdgeEntry[]> {
  const { idFor } = reading;
  const edges: EdgeEntry[] = [];
  const { refOf } = ends.places;
  const roleId = (role: string) => ends.roles.get(role)?.id;
  const add = (kind: string, identity: Row, path: readonly (string | number)[], more: Row = {}): void => {
    const edge = edgeEntry(reading, kind, identity, section);
    edges.push(edge);
    reading.addDesired({ ...edge, ...more, path: [section, name, ...path] });
  };
  for (const [position, group] of of.groups.entries())
    add('membership', { user, group: ends.groups.get(group)?.id }, ['groups', position]);
  for (const [tenant, granted] of Object.entries(of.grants)) {
    const scope = refOf(tenant);
    const id = await idFor('grant', user, String(scope));
    const values = { roles: granted.map(roleId) };
    add('grant', { user, scope }, ['grants', tenant], { values, initial: { id } });
  }
  for (const [position, { role, scope, from, until }] of of.assignments.entries()) {
    const identity = { user, scope: refOf(scope), role: roleId(role) };
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
  { places }: Ends,
  edges: readonly EdgeEntry[],
): Promise<void> {
  const scopes = new Set<unknown>(places.existing.map(({ ref }) => ref));
  const possible = edges.filter(({ identity: { scope } }) => scope === undefined || scopes.has(scope));
  await inTurns(
    possible,
    async (edge) => {
      const row = await queries.read(`${edge.kind}.read`, edge.identity);
      if (row) addCurrent({ ...edge, values: row });
    },
    IN_ONE_CALL,
  );
}

/** Edges of the table at the scopes and groups of the manifest; of those that have no scope, the ones of its people. */
async function addCurrentEdges(reading: Reading, ends: Ends, people: readonly Named[]): Promise<void> {
  const { declared, queries, addCurrent } = reading;
  const note = async (kind: string, row: Row, fields: readonly string[]): Promise<void> => {
    const section = sectionOf(row.user);
    if (!declared.has(section)) return;
    for (const id of [row.role, ...((row.roles ?? []) as readonly unknown[])])
      if (id !== undefined) await nameRole(reading, id);
    addCurrent({ ...edgeEntry(reading, kind, pick(row, fields), section), values: row });
  };
  const groups = [...ends.groups.values()].filter(({ row }) => row);
  await inTurns(groups, async ({ id }) => {
    for (const row of await queries.list('membership.list', { group: id }))
      await note('membership', row, ['user', 'group']);
  });
  await inTurns(ends.places.existing, async ({ ref }) => {
    for (const row of await queries.list('assignment.list', { scope: ref }))
      await note('assignment', row, ['user', 'scope', 'role']);
  });
  for (const { ref, row: there } of ends.places.roots)
    if (there)
      for (const row of await queries.list('grant.list', { scope: ref }))
        await note('grant', row, ['user', 'scope']);
  const ours = new Set<unknown>(people.map(({ subject }) => subject));
  for (const row of await queries.list('admin.list', {}))
    if (ours.has(row.user)) await note('admin', row, ['user']);
  const globals = await queries.list('role.list', { scope: 'global' });
  await inTurns(globals, async ({ id }) => {
    for (const row of await queries.list('global-role.list', { role: id }))
      if (ours.has(row.user)) await note('global-role', row, ['user', 'role']);
  });
}
