import { inTurns } from '../../in-turns.ts';
import { pick, type Row, without } from '../entry.ts';
import { GROUP_ATTRIBUTES, type Manifest } from '../schema.ts';
import type { Resource, Resources } from '../state.ts';
import { edgeEntry, hasName, idsOf, isPart, type Reading, readsList } from './reading.ts';
import { nameRole } from './roles.ts';
import type { Places } from './scopes.ts';

type Group = Manifest['groups'][string];

const section = 'groups';

/** Groups with the roles that they carry, and the others at the same scopes. */
export async function readGroups(reading: Reading, places: Places, roles: Resources): Promise<Resources> {
  const { manifest, declared, queries, names } = reading;
  const groups = new Map<string, Resource>();
  const rowsAt = new Map<string, readonly Row[]>();
  if (declared.has(section))
    await inTurns(places.existing, async ({ ref }) => {
      const here = Object.values(manifest.groups).filter(({ scope }) => places.refOf(scope) === ref);
      if (readsList(reading, here)) rowsAt.set(ref, await queries.list('group.list', { scope: ref }));
    });
  for (const [name, group] of Object.entries(manifest.groups)) {
    const scope = String(places.scopes.get(group.scope)?.ref);
    const resource = await findGroup(reading, name, group, scope, rowsAt.get(scope) ?? []);
    groups.set(name, resource);
    names.set(resource.ref, name);
    addGroup(reading, roles, resource, name, group, scope);
  }
  const rest = isPart(reading) ? [] : addRest(reading, rowsAt, idsOf(groups));
  const existing = [...groups.values()].flatMap(({ id, row }) => (row ? [id] : []));
  await inTurns([...existing, ...rest], async (group) => {
    for (const { role } of await queries.list('group-role.list', { group })) {
      await nameRole(reading, role);
      reading.addCurrent(edgeEntry(reading, 'group-role', { group, role }, section));
    }
  });
  return groups;
}

async function findGroup(
  { queries, refuse, idFor }: Reading,
  name: string,
  group: Group,
  scope: string,
  rows: readonly Row[],
): Promise<Resource> {
  const called = group.name ?? name;
  const made = await idFor('group', scope, called);
  const own = rows.find((row) => row.id === (group.id ?? made));
  const matching = rows.filter((row) => hasName(row, called));
  if (group.id === undefined && !own && matching.length > 1)
    refuse([section, name], `${matching.length} groups there are called ${called}: say which by its id`);
  const row =
    group.id === undefined
      ? (own ?? matching[0])
      : (own ?? (await queries.read('group.read', { id: group.id })));
  const id = group.id ?? String(row?.id ?? made);
  return { id, ref: `group:${id}`, row };
}

function addGroup(
  reading: Reading,
  roles: Resources,
  { id, row }: Resource,
  name: string,
  group: Group,
  scope: string,
): void {
  const { addDesired, addCurrent } = reading;
  const entry = { kind: 'group', identity: { id }, label: `${name} at ${group.scope}`, section };
  addDesired({
    ...entry,
    path: [section, name],
    values: { name: group.name ?? name, ...pick(group, Object.keys(GROUP_ATTRIBUTES)) },
    fixed: without({ scope, everyone: group.everyone }),
  });
  if (row) addCurrent({ ...entry, values: row });
  for (const [position, role] of group.roles.entries())
    addDesired({
      ...edgeEntry(reading, 'group-role', { group: id, role: roles.get(role)?.id }, section),
      path: [section, name, 'roles', position],
    });
}

/** The groups at scopes of the manifest that are not in it, by their ids. */
function addRest(
  { addCurrent, names, nameOf }: Reading,
  rowsAt: ReadonlyMap<string, readonly Row[]>,
  taken: ReadonlySet<string>,
): readonly string[] {
  const rest: string[] = [];
  for (const [scope, rows] of rowsAt)
    for (const row of rows) {
      const id = String(row.id);
      if (taken.has(id)) continue;
      rest.push(id);
      names.set(`group:${id}`, String(row.name));
      const label = `${row.name} at ${nameOf(scope)}`;
      addCurrent({ kind: 'group', identity: { id }, values: row, section, label });
    }
  return rest;
}
