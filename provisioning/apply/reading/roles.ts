import { parseRef } from '../../../table/identifiers.ts';
import { inTurns } from '../../in-turns.ts';
import { type Entry, keyOf, type Row } from '../entry.ts';
import type { Manifest } from '../schema.ts';
import type { Resource } from '../state.ts';
import { meantInTable } from '../table-names.ts';
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

type Role = Manifest['roles'][string];

/** Roles of the table by what owns them: `tenant`, `global` or the reference of a root. */
type RowsByOwner = ReadonlyMap<string, readonly Row[]>;

const section = 'roles';
const isShared = (owner: string): boolean => owner === 'tenant' || owner === 'global';

/** Roles with what they allow and deny, and the others of the same owners. */
export async function readRoles(reading: Reading, places: Places): Promise<void> {
  const { manifest, queries, names, idFor, refuse, meant } = reading;
  const { roles } = reading.found;
  const ownerOf = ({ global, owner }: Role): string =>
    global ? 'global' : owner === undefined ? 'tenant' : String(meant('scopes', owner));
  const entries = Object.entries(manifest.roles);
  const used = new Set(entries.flatMap(([, role]) => (role.existing ? [] : [ownerOf(role)])));
  const listed = [...used].filter((owner) =>
    readsList(
      reading,
      entries.flatMap(([, role]) => (!role.existing && ownerOf(role) === owner ? [role] : [])),
    ),
  );
  const rowsByOwner = await readOwners(reading, places, new Set(listed));
  for (const [name, role] of entries) {
    const owner = ownerOf(role);
    const called = role.name ?? name;
    const made = await idFor('role', owner, called);
    const rows = rowsByOwner.get(owner) ?? [];
    const row =
      role.id !== undefined
        ? await queries.read('role.read', { id: role.id })
        : (rows.find(({ id }) => id === made) ?? rows.find((each) => hasName(each, called)));
    if (role.existing && !row) refuse([section, name, 'id'], `there is no role ${role.id}`);
    const id = role.id ?? String(row?.id ?? made);
    roles.set(name, { id, ref: `role:${id}`, row });
    names.set(`role:${id}`, name);
    if (row?.parent !== undefined) reading.inherit(id, String(row.parent));
  }
  // A role may inherit from one that comes later in the manifest: all have their ids by now.
  for (const [name, role] of entries)
    if (!role.existing) await addRole(reading, name, role, ownerOf(role), roles.get(name) as Resource);
  addRest(reading, rowsByOwner, idsOf(roles));
}

async function readOwners(
  reading: Reading,
  { roots, existing }: Places,
  used: ReadonlySet<string>,
): Promise<RowsByOwner> {
  const { declared, queries } = reading;
  const owners = new Set(used);
  if (declared.has(section) && !isPart(reading)) for (const { ref, row } of roots) if (row) owners.add(ref);
  const known = new Map<string, readonly Row[]>();
  for (const owner of owners) {
    const isThere = isShared(owner) || existing.some(({ ref }) => ref === owner);
    const rows = isThere ? await queries.list('role.list', { scope: owner }) : [];
    known.set(
      owner,
      rows.filter(({ scope }) => scope === owner),
    );
  }
  return known;
}

async function addRole(
  reading: Reading,
  name: string,
  role: Role,
  owner: string,
  { id, row }: Resource,
): Promise<void> {
  const { addDesired, inherit, meant } = reading;
  const template = await templateOf(reading, name, role);
  const parent = meant(section, role.parent);
  const node = { ...nodeOf(section, { id }), label: name, shared: role.owner === undefined };
  addNode(reading, node, [section, name], role, row, {
    fixed: { scope: owner },
    ...(template === undefined ? {} : { initial: { customTemplateId: template } }),
    ...(parent === undefined ? { implied: { parent: null } } : {}),
  });
  if (typeof parent === 'string') inherit(id, parent);
  const effectEntry = (permission: unknown, effect: string, when: unknown): Omit<Entry, 'path'> => ({
    ...edgeEntry(reading, 'role-permission', { role: id, permission }, section),
    values: { effect, when: when ?? null },
  });
  for (const effect of ['allow', 'deny'] as const)
    for (const [position, { permission, when }] of role[effect].entries())
      addDesired({
        ...effectEntry(permission, effect.toUpperCase(), when),
        path: [section, name, effect, position],
      });
  if (template === undefined) return;
  const path = [section, name, 'template'];
  const found = await reading.queries.read('role-template.read', { id: template });
  for (const { permission, effect, when } of (found?.permissions ?? []) as readonly Row[])
    addDesired({ ...effectEntry(permission, String(effect), when), madeWith: keyOf(node), path });
}

/** The id of the template that a role names, which exists. */
async function templateOf(
  { queries, refuse }: Reading,
  name: string,
  { template }: Role,
): Promise<string | undefined> {
  if (template === undefined) return undefined;
  const meant = await meantInTable(queries, 'role-template', template);
  if (!('problem' in meant)) return parseRef(meant.ref, 'template').id;
  refuse([section, name, 'template'], meant.problem);
  return undefined;
}

function addRest(reading: Reading, rowsByOwner: RowsByOwner, taken: ReadonlySet<string>): void {
  for (const [owner, rows] of rowsByOwner)
    for (const row of rows) {
      if (row.parent !== undefined) reading.inherit(String(row.id), String(row.parent));
      if (taken.has(String(row.id))) continue;
      addOther(reading, { ...nodeOf(section, row), shared: isShared(owner) }, row, row.name);
    }
}

/** Reads the name and the parent of a role that the manifest does not name. */
export async function nameRole({ queries, names, inherit }: Reading, id: unknown): Promise<void> {
  if (names.has(`role:${id}`)) return;
  names.set(`role:${id}`, String(id));
  const row = await queries.read('role.read', { id });
  if (row) names.set(`role:${id}`, String(row.name));
  if (row?.parent !== undefined) inherit(String(id), String(row.parent));
}

/**
 * What roles allow and deny in the table. Of roles that the manifest describes it is compared; of others it is known
 * only. It comes last: by then it is known which others there are.
 */
export async function readEffects(reading: Reading): Promise<void> {
  const { roles } = reading.found;
  const { queries, addCurrent, current, inherits, manifest } = reading;
  const described = new Set(
    [...roles].flatMap(([name, { id }]) => (manifest.roles[name]?.existing ? [] : [id])),
  );
  const ids = new Set<string>();
  const add = (id: unknown): void => {
    if (id === undefined || ids.has(String(id))) return;
    ids.add(String(id));
    for (const parent of inherits.get(String(id)) ?? []) add(parent);
  };
  for (const id of idsOf(roles)) add(id);
  for (const { kind, identity, values } of current) {
    add(identity.role);
    if (kind === 'role') add(identity.id);
    if (kind === 'grant') for (const id of (values.roles ?? []) as readonly unknown[]) add(id);
  }
  await inTurns([...ids], async (id) => {
    // Of a role that the manifest does not describe: known, never removed by itself.
    const of = described.has(id) ? section : '';
    for (const row of await queries.list('role-permission.list', { role: id }))
      addCurrent({
        ...edgeEntry(reading, 'role-permission', { role: id, permission: row.permission }, of),
        values: row,
      });
  });
}
