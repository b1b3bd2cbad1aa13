import { derivedId } from '../fact.ts';
import { inTurns, type Row } from '../look.ts';
import type { Manifest } from '../schema.ts';
import { nameRole } from './roles.ts';
import type { Places } from './scopes.ts';
import { idsOf, isCalled, type Surveying, type Thing, type Things, tie } from './surveying.ts';

/** Groups with the roles that they carry, and the others at the same scopes. */
export async function surveyGroups(surveying: Surveying, places: Places, roles: Things): Promise<Things> {
  const { manifest, declared, look, names } = surveying;
  const groups = new Map<string, Thing>();
  const rowsAt = new Map<string, readonly Row[]>();
  await inTurns(places.existing, async ({ ref }) => {
    rowsAt.set(ref, declared.has('groups') ? await look.list('group.list', { scope: ref }) : []);
  });
  for (const [name, group] of Object.entries(manifest.groups)) {
    const scope = String(places.scopes.get(group.scope)?.ref);
    const thing = await findGroup(surveying, name, group, scope, rowsAt.get(scope) ?? []);
    groups.set(name, thing);
    names.set(thing.ref, name);
    compareGroup(surveying, roles, thing, name, group, scope);
  }
  const rest = tellRest(surveying, rowsAt, idsOf(groups));
  const existing = [...groups.values()].flatMap(({ id, row }) => (row ? [id] : []));
  await inTurns([...existing, ...rest], async (group) => {
    for (const { role } of await look.list('group-role.list', { group })) {
      await nameRole(surveying, role);
      surveying.have(tie(surveying, 'group-role', { group, role }, 'groups'));
    }
  });
  return groups;
}

type Group = Manifest['groups'][string];

async function findGroup(
  { look, tell }: Surveying,
  name: string,
  group: Group,
  scope: string,
  rows: readonly Row[],
): Promise<Thing> {
  const called = group.name ?? name;
  const made = derivedId('group', scope, called);
  const matching = rows.filter((row) => isCalled(row, called));
  const own = rows.find((row) => row.id === (group.id ?? made));
  if (group.id === undefined && !own && matching.length > 1)
    tell(['groups', name], `${matching.length} groups there are called ${called}: say which by its id`);
  const row =
    group.id === undefined
      ? (own ?? matching[0])
      : (own ?? (await look.read('group.read', { id: group.id })));
  const id = group.id ?? String(row?.id ?? made);
  return { id, ref: `group:${id}`, row };
}

function compareGroup(
  surveying: Surveying,
  roles: Things,
  { id, row }: Thing,
  name: string,
  group: Group,
  scope: string,
): void {
  const { want, have } = surveying;
  const fact = { kind: 'group', identity: { id }, label: `${name} at ${group.scope}`, section: 'groups' };
  const { groupType, description } = group as Row;
  want({
    ...{ ...fact, path: ['groups', name] },
    values: { name: group.name ?? name, groupType, description },
    fixed: { scope },
  });
  if (row) have({ ...fact, values: row });
  for (const [position, role] of group.roles.entries())
    want({
      ...tie(surveying, 'group-role', { group: id, role: roles.get(role)?.id }, 'groups'),
      path: ['groups', name, 'roles', position],
    });
}

/** What stands at scopes of the file and is not in it, by its ids. */
function tellRest(
  { have, names, nameOf }: Surveying,
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
      have({
        ...{ kind: 'group', identity: { id }, values: row, section: 'groups' },
        label: `${row.name} at ${nameOf(scope)}`,
      });
    }
  return rest;
}
