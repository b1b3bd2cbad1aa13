import type { Row } from '../../../provisioning/apply/entry.ts';
import { inTurns } from '../../../provisioning/in-turns.ts';
import { type Exporting, kept, unless } from './exporting.ts';
import { createNames, type Names } from './names.ts';
import type { Places } from './scopes.ts';

/** The roles that are exported: what the tenants own, and what others they use. */
export interface Roles {
  /** By id. */
  readonly rows: ReadonlyMap<string, Row>;
  /** Adds a role that something names, with what it inherits from. */
  readonly use: (id: unknown) => Promise<void>;
}

export async function readRoles({ queries, options }: Exporting, { roots }: Places): Promise<Roles> {
  const rows = new Map<string, Row>();
  const use = async (id: unknown): Promise<void> => {
    if (id === undefined || rows.has(String(id))) return;
    const row = await queries.read('role.read', { id });
    if (!row) return;
    rows.set(String(id), row);
    await use(row.parent);
  };
  for (const ref of roots)
    for (const row of await queries.list('role.list', { scope: ref }))
      if (row.scope === ref) rows.set(String(row.id), row);
  for (const { parent } of [...rows.values()]) await use(parent);
  if (options.roots === undefined)
    for (const shared of ['tenant', 'global'])
      for (const { id, scope } of await queries.list('role.list', { scope: shared }))
        if (scope === shared) await use(id);
  return { rows, use };
}

/** Names by id, for when all roles are known that are used. */
export function nameRoles({ rows }: Roles, places: Places): Names {
  const names = createNames();
  for (const [id, row] of rows) names.give(id, String(row.name), places.names.of(row.scope));
  return names;
}

/** What each role allows and denies. */
export type Effects = ReadonlyMap<string, readonly Row[]>;

export async function readEffects({ queries }: Exporting, { rows }: Roles): Promise<Effects> {
  const effects = new Map<string, readonly Row[]>();
  await inTurns([...rows.keys()], async (role) => {
    effects.set(role, await queries.list('role-permission.list', { role }));
  });
  return effects;
}

/** The section `roles`. */
export function rolesSection(
  { idOf, note }: Exporting,
  places: Places,
  { rows }: Roles,
  names: Names,
  effects: Effects,
): Record<string, Row> {
  const roles: Record<string, Row> = {};
  for (const [id, row] of rows) {
    const name = String(names.of(id));
    const of = (effect: string) =>
      (effects.get(id) ?? [])
        .filter((each) => each.effect === effect)
        .map(({ permission, when }) => (when === undefined ? permission : { permission, when }));
    if (row.customTemplateId !== undefined)
      note(`the role ${name} was made from a template: that is not in the manifest, its permissions are`);
    roles[name] = kept({
      ...idOf(row),
      name: unless(row.name, name),
      global: row.scope === 'global' ? true : undefined,
      owner: places.names.of(row.scope),
      parent: names.of(row.parent),
      description: row.description,
      allow: of('ALLOW'),
      deny: of('DENY'),
    });
  }
  return roles;
}
