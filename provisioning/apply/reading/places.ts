import { ENTITIES } from '../../../table/entities/registry.ts';
import { inTurns } from '../../in-turns.ts';
import type { Row } from '../entry.ts';
import type { Manifest, Section } from '../schema.ts';
import {
  type Child,
  childrenOf,
  listScopes,
  readScope,
  readScopeTypes,
  type ScopeTypes,
  scopeKind,
} from '../scope-commands.ts';
import { ownersOf } from '../sections.ts';
import type { Resource } from '../state.ts';
import { addNode, hasName, nodeOf, type Reading, readsList } from './reading.ts';

type Scope = Manifest['scopes'][string];

const section = 'scopes';

/** The scopes of a manifest, as later sections need them. */
export interface Places {
  readonly roots: readonly Resource[];
  /** Those that are in the table. */
  readonly existing: readonly Resource[];
  /** The references of those of them that may have entries of a section. */
  readonly ownersOf: (section: Section) => readonly string[];
}

/** Scopes found so far, and what is under them in the table. */
interface Found {
  readonly types: ScopeTypes;
  readonly scopes: Map<string, Resource>;
  readonly children: Map<string, readonly Child[]>;
}

/** Scopes, from the roots down, and what else is under them. */
export async function readScopes(reading: Reading): Promise<Places> {
  const { manifest, queries } = reading;
  const types = await readScopeTypes(queries);
  const { scopes } = reading.found;
  const children: Found['children'] = new Map();
  const found: Found = { types, scopes, children };
  const entries = Object.entries(manifest.scopes);
  let level = entries.filter(([, { parent }]) => parent === undefined);
  while (level.length > 0) {
    const resources = await inTurns(level, ([name, of]) => findScope(reading, found, name, of));
    for (const [position, [name]] of level.entries()) scopes.set(name, resources[position] as Resource);
    for (const [name, of] of level) addScope(reading, name, of, scopes.get(name) as Resource);
    await inTurns(level, async ([name]) => {
      const { ref, row } = scopes.get(name) as Resource;
      const below = entries.flatMap(([, each]) => (each.parent === name ? [each] : []));
      if (row && readsList(reading, below)) children.set(name, await childrenOf(queries, types, ref));
    });
    const placed = new Set(level.map(([name]) => name));
    // A workstream comes after the enterprise that it names: all roots are of the first level.
    level = entries.filter(
      ([name, { parent }]) => parent !== undefined && placed.has(parent) && !scopes.has(name),
    );
  }
  addRest(reading, found);
  const roots = [...scopes].flatMap(([name, resource]) =>
    manifest.scopes[name]?.parent === undefined ? [resource] : [],
  );
  const existing = [...scopes.values()].filter(({ row }) => row !== undefined);
  const refs = existing.map(({ ref }) => ref);
  const rootRefs = roots.flatMap(({ ref, row }) => (row ? [ref] : []));
  return { roots, existing, ownersOf: (of) => ownersOf(of, refs, rootRefs) };
}

/** The scopes without a parent, and nothing else. What is wrong with them is found when all is read. */
export async function findRoots(reading: Reading): Promise<readonly Resource[]> {
  const types = await readScopeTypes(reading.queries);
  const found: Found = { types, scopes: new Map(), children: new Map() };
  const roots = Object.entries(reading.manifest.scopes).filter(([, { parent }]) => parent === undefined);
  return inTurns(roots, ([name, of]) => findScope(reading, found, name, of));
}

/** The fields by which a scope of a type is unique in the table, of which one is enough to find it. */
const uniqueFieldsOf = (type: string): readonly string[] =>
  ENTITIES[scopeKind(type) as keyof typeof ENTITIES].guards.flatMap((guard) =>
    'within' in guard ? [] : [guard.field],
  );

/** Looks for a scope by its id, by what no other one can have, and by its name where it belongs. */
async function findScope(
  { manifest, queries, refuse, idFor }: Reading,
  { types, scopes, children }: Found,
  name: string,
  of: Scope,
): Promise<Resource> {
  const { type, parent } = of;
  const called = of.name ?? name;
  const resource = (id: string, row: Row | undefined): Resource => ({ id, ref: `${type}:${id}`, row });
  const above = parent === undefined ? undefined : scopes.get(parent);
  const made = await idFor(type, above?.ref ?? '', called);
  const one = (rows: readonly Row[]): Resource => {
    if (rows.length > 1)
      refuse([section, name], `${rows.length} of type ${type} are called ${called}: say which by its id`);
    const [row] = rows;
    return row ? resource(String(row.id), row) : resource(made, undefined);
  };
  if (!types.isKnown(type)) return resource(of.id ?? made, undefined);
  const unique = uniqueFieldsOf(type);
  const holderOf = async (field: string): Promise<Row | undefined> => {
    const value = field === 'name' ? called : (of as Row)[field];
    return typeof value === 'string' ? queries.read(`${type}.read`, { [field]: value }) : undefined;
  };
  if (of.id !== undefined) {
    const found = resource(of.id, await readScope(queries, type, of.id));
    for (const field of found.row ? [] : unique) {
      const holder = await holderOf(field);
      // One of the manifest may give it up.
      if (holder && !Object.values(manifest.scopes).some(({ id }) => id === holder.id))
        refuse(
          [section, name, ...(Object.hasOwn(of, field) ? [field] : [])],
          `the ${field} ${holder[field]} is that of another ${type} (${type}:${holder.id}): give its id, or another ${field}`,
        );
    }
    return found;
  }
  for (const field of unique) {
    const row = await holderOf(field);
    if (row) return resource(String(row.id), row);
  }
  if (parent !== undefined) {
    const rows = (children.get(parent) ?? []).flatMap((each) => (each.type === type ? [each.row] : []));
    const own = rows.find(({ id }) => id === made);
    return one(own ? [own] : rows.filter((row) => hasName(row, called)));
  }
  const row = await readScope(queries, type, made);
  if (row || unique.includes('name')) return resource(made, row);
  const all = await listScopes(queries, type, {});
  return one(all.filter((each) => each.parent === undefined && hasName(each, called)));
}

function addScope(reading: Reading, name: string, of: Scope, { id, ref, row }: Resource): void {
  const { type } = of;
  reading.names.set(ref, name);
  const node = { ...nodeOf(section, { type, id }, scopeKind(type)), label: `${type} ${name}` };
  addNode(reading, node, [section, name], of, row);
  if (row?.deletingSince !== undefined)
    reading.refuse([section, name], 'is being deleted: wait until that is done');
}

/** What is under scopes of the manifest and not in it. */
function addRest({ addCurrent, names }: Reading, { scopes, children }: Found): void {
  const taken = new Set([...scopes.values()].map(({ ref }) => ref));
  for (const [above, each] of children)
    for (const { type, ref, row } of each) {
      if (taken.has(ref)) continue;
      names.set(ref, String(row.name));
      addCurrent({
        ...nodeOf(section, { type, id: row.id }, scopeKind(type)),
        values: row,
        label: `${type} ${row.name} in ${above}, with all that is below it`,
      });
    }
}
