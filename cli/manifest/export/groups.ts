import { pick, type Row } from '../../../provisioning/apply/entry.ts';
import { inTurns } from '../../../provisioning/in-turns.ts';
import { type Exporting, kept, unless } from './exporting.ts';
import { createNames, type Names } from './names.ts';
import type { Roles } from './roles.ts';
import type { Places } from './scopes.ts';

/** The groups of the places, and what they carry. */
export interface Groups {
  /** By id. */
  readonly rows: ReadonlyMap<string, Row>;
  readonly names: Names;
  /** Ids of roles by those of groups. */
  readonly carried: ReadonlyMap<string, readonly unknown[]>;
}

export async function readGroups({ queries }: Exporting, places: Places, roles: Roles): Promise<Groups> {
  const rows = new Map<string, Row>();
  for (const list of await inTurns(places.refs, (scope) => queries.list('group.list', { scope })))
    for (const row of list) rows.set(String(row.id), row);
  const names = createNames();
  for (const [id, row] of rows) names.give(id, String(row.name), places.names.of(row.scope));
  const carried = new Map<string, readonly unknown[]>();
  await inTurns([...rows.keys()], async (group) => {
    const ids = (await queries.list('group-role.list', { group })).map(({ role }) => role);
    carried.set(group, ids);
  });
  for (const ids of carried.values()) for (const id of ids) await roles.use(id);
  return { rows, names, carried };
}

/** The section `groups`. */
export function groupsSection(
  { idOf }: Exporting,
  places: Places,
  { rows, names, carried }: Groups,
  roleNames: Names,
): Record<string, Row> {
  const groups: Record<string, Row> = {};
  for (const [id, row] of rows) {
    const name = String(names.of(id));
    groups[name] = kept({
      ...idOf(row),
      name: unless(row.name, name),
      scope: places.names.of(row.scope),
      everyone: row.everyone,
      roles: (carried.get(id) ?? []).map(roleNames.of),
      ...pick(row, ['groupType', 'description']),
    });
  }
  return groups;
}
