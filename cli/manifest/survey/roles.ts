import { derivedId } from '../fact.ts';
import { inTurns, type Row } from '../look.ts';
import type { Manifest } from '../schema.ts';
import type { Places } from './scopes.ts';
import { idsOf, isCalled, type Surveying, type Thing, type Things, tie } from './surveying.ts';

type Role = Manifest['roles'][string];

/** Roles of the table by what they belong to: `tenant`, `global` or the reference of a root. */
type Shelves = ReadonlyMap<string, readonly Row[]>;

const isShared = (shelf: string): boolean => shelf === 'tenant' || shelf === 'global';

/** Roles with what they allow and deny, and the others of the same owners. */
export async function surveyRoles(surveying: Surveying, places: Places): Promise<Things> {
  const { manifest, look, names } = surveying;
  const roles = new Map<string, Thing>();
  const shelfOf = ({ global, owner }: Role): string =>
    global ? 'global' : owner === undefined ? 'tenant' : (places.scopes.get(owner)?.ref ?? '');
  const entries = Object.entries(manifest.roles);
  const shelves = await readShelves(surveying, places, new Set(entries.map(([, role]) => shelfOf(role))));
  for (const [name, role] of entries) {
    const shelf = shelfOf(role);
    const called = role.name ?? name;
    const made = derivedId('role', shelf, called);
    const rows = shelves.get(shelf) ?? [];
    const row =
      role.id !== undefined
        ? await look.read('role.read', { id: role.id })
        : (rows.find(({ id }) => id === made) ?? rows.find((each) => isCalled(each, called)));
    const id = role.id ?? String(row?.id ?? made);
    roles.set(name, { id, ref: `role:${id}`, row });
    names.set(`role:${id}`, name);
  }
  // A role may name one that stands below it: all have their ids by now.
  for (const [name, role] of entries) compareRole(surveying, roles, name, role, shelfOf(role));
  tellRest(surveying, shelves, idsOf(roles));
  return roles;
}

async function readShelves(
  { declared, look }: Surveying,
  { roots, existing }: Places,
  used: ReadonlySet<string>,
): Promise<Shelves> {
  const shelves = new Set(used);
  if (declared.has('roles')) for (const { ref, row } of roots) if (row) shelves.add(ref);
  const known = new Map<string, readonly Row[]>();
  for (const shelf of shelves) {
    const isThere = isShared(shelf) || existing.some(({ ref }) => ref === shelf);
    const rows = isThere ? await look.list('role.list', { scope: shelf }) : [];
    known.set(
      shelf,
      rows.filter(({ scope }) => scope === shelf),
    );
  }
  return known;
}

function compareRole(surveying: Surveying, roles: Things, name: string, role: Role, shelf: string): void {
  const { want, have, inherit } = surveying;
  const { id, row } = roles.get(name) as Thing;
  const parent = typeof role.parent === 'string' ? roles.get(role.parent)?.id : role.parent;
  const shared = role.owner === undefined;
  const fact = { kind: 'role', identity: { id }, label: name, section: 'roles', shared };
  want({
    ...{ ...fact, path: ['roles', name] },
    values: { name: role.name ?? name, parent, description: role.description },
    fixed: { scope: shelf },
    ...(parent === undefined ? { implied: { parent: null } } : {}),
  });
  if (row) have({ ...fact, values: row });
  if (typeof parent === 'string') inherit(id, parent);
  for (const effect of ['allow', 'deny'] as const)
    for (const [position, permission] of role[effect].entries())
      want({
        ...tie(surveying, 'role-permission', { role: id, permission }, 'roles'),
        values: { effect: effect.toUpperCase() },
        path: ['roles', name, effect, position],
      });
}

function tellRest({ have, inherit, names }: Surveying, shelves: Shelves, taken: ReadonlySet<string>): void {
  for (const [shelf, rows] of shelves)
    for (const row of rows) {
      if (row.parent !== undefined) inherit(String(row.id), String(row.parent));
      if (taken.has(String(row.id))) continue;
      const label = String(row.name);
      names.set(`role:${row.id}`, label);
      const fact = { kind: 'role', identity: { id: row.id }, label, section: 'roles' };
      have({ ...fact, values: row, shared: isShared(shelf) });
    }
}

/** Learns what a role is called that the file does not name. */
export async function nameRole({ look, names, inherit }: Surveying, id: unknown): Promise<void> {
  if (names.has(`role:${id}`)) return;
  names.set(`role:${id}`, String(id));
  const row = await look.read('role.read', { id });
  if (row) names.set(`role:${id}`, String(row.name));
  if (row?.parent !== undefined) inherit(String(id), String(row.parent));
}

/**
 * What roles allow and deny in the table: of those that the file names it is compared, of others only known. Comes
 * last, for what has been found by then says which others there are.
 */
export async function surveyEffects(surveying: Surveying, roles: Things): Promise<void> {
  const { look, have, present, inherits } = surveying;
  const ours = idsOf(roles);
  const ids = new Set<string>();
  const add = (id: unknown): void => {
    if (id === undefined || ids.has(String(id))) return;
    ids.add(String(id));
    for (const parent of inherits.get(String(id)) ?? []) add(parent);
  };
  for (const id of ours) add(id);
  for (const { kind, identity, values } of present) {
    add(identity.role);
    if (kind === 'role') add(identity.id);
    if (kind === 'grant') for (const id of (values.roles ?? []) as readonly unknown[]) add(id);
  }
  await inTurns([...ids], async (id) => {
    // Of a role that the file does not name: known, never removed by itself.
    const section = ours.has(id) ? 'roles' : '';
    for (const row of await look.list('role-permission.list', { role: id }))
      have({
        ...tie(surveying, 'role-permission', { role: id, permission: row.permission }, section),
        values: row,
      });
  });
}
