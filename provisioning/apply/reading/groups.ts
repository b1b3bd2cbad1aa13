import { inTurns } from '../../in-turns.ts';
import type { Row } from '../entry.ts';
import type { Places } from './places.ts';
import {
  addNode,
  addOther,
  edgeEntry,
  hasName,
  idsOf,
  isPart,
  nodeOf,
  type Reading,
  readsList,
} from './reading.ts';
import { nameRole } from './roles.ts';

const section = 'groups';

/**
 * Groups with the roles that they carry, and the others at the same scopes.
 *
 * @returns the ids of those that connections have made and the manifest leaves out
 */
export async function readGroups(reading: Reading, places: Places): Promise<readonly string[]> {
  const { manifest, declared, queries, names, meant, nameOf, refuse, idFor } = reading;
  const { groups } = reading.found;
  const rowsAt = new Map<unknown, readonly Row[]>();
  if (declared.has(section))
    await inTurns(places.existing, async ({ ref }) => {
      const here = Object.values(manifest.groups).filter(({ scope }) => meant('scopes', scope) === ref);
      if (readsList(reading, here)) rowsAt.set(ref, await queries.list('group.list', { scope: ref }));
    });
  for (const [name, group] of Object.entries(manifest.groups)) {
    const scope = meant('scopes', group.scope);
    const called = group.name ?? name;
    const made = await idFor('group', String(scope), called);
    const rows = rowsAt.get(scope) ?? [];
    const matching = rows.filter((each) => hasName(each, called));
    let row = rows.find((each) => each.id === (group.id ?? made));
    if (!row && group.id === undefined && matching.length > 1)
      refuse([section, name], `${matching.length} groups there are called ${called}: say which by its id`);
    row ??= group.id === undefined ? matching[0] : await queries.read('group.read', { id: group.id });
    const id = group.id ?? String(row?.id ?? made);
    groups.set(name, { id, ref: `group:${id}`, row });
    names.set(`group:${id}`, name);
    const node = { ...nodeOf(section, { id }), label: `${name} at ${group.scope}` };
    addNode(reading, node, [section, name], group, row);
    for (const [position, role] of group.roles.entries())
      reading.addDesired({
        ...edgeEntry(reading, 'group-role', { group: id, role: meant('roles', role) }, section),
        path: [section, name, 'roles', position],
      });
  }
  const taken = idsOf(groups);
  const rest = isPart(reading) ? [] : [...rowsAt.values()].flat().filter(({ id }) => !taken.has(String(id)));
  // One that a connection has made, a manifest may leave out. Its roles are from people, and so may members be.
  for (const row of rest)
    if (row.source !== undefined) names.set(`group:${row.id}`, String(row.name));
    else addOther(reading, nodeOf(section, row), row, row.name, `${row.name} at ${nameOf(row.scope)}`);
  const existing = [...groups.values()].flatMap(({ id, row }) => (row ? [id] : []));
  await inTurns([...existing, ...rest.map(({ id }) => String(id))], async (group) => {
    for (const { role } of await queries.list('group-role.list', { group })) {
      await nameRole(reading, role);
      reading.addCurrent(edgeEntry(reading, 'group-role', { group, role }, section));
    }
  });
  return rest.flatMap(({ id, source }) => (source === undefined ? [] : [String(id)]));
}
