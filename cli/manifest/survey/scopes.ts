import { derivedId, pick, without } from '../fact.ts';
import { inTurns, type Row } from '../look.ts';
import { type Manifest, SCOPE_ATTRIBUTES } from '../schema.ts';
import {
  listScopes,
  readScope,
  readScopeTypes,
  type ScopeTypes,
  scopeKind,
  typedId,
} from '../scope-commands.ts';
import { isCalled, type Surveying, type Thing, type Things } from './surveying.ts';

type Scope = Manifest['scopes'][string];

/** The scopes of the file, as later sections need them. */
export interface Places {
  readonly scopes: Things;
  readonly roots: readonly Thing[];
  /** Those that are in the table. */
  readonly existing: readonly Thing[];
  /** The reference of what the file calls so; null stays null. */
  readonly refOf: (name: string | null | undefined) => string | null | undefined;
}

/** A scope of the table that stands under one of the file. */
interface Child {
  readonly type: string;
  readonly ref: string;
  readonly row: Row;
}

/** Scopes found so far, and what stands under them in the table. */
interface Found {
  readonly types: ScopeTypes;
  readonly scopes: Map<string, Thing>;
  readonly children: Map<string, readonly Child[]>;
}

/** Scopes, from the roots down, and what else stands under them. */
export async function surveyScopes(surveying: Surveying): Promise<Places> {
  const { manifest, look } = surveying;
  const types = await readScopeTypes(look);
  const found: Found = { types, scopes: new Map(), children: new Map() };
  const { scopes, children } = found;
  const entries = Object.entries(manifest.scopes);
  let level = entries.filter(([, { parent }]) => parent === undefined);
  while (level.length > 0) {
    const things = await inTurns(level, ([name, of]) => findScope(surveying, found, name, of));
    for (const [position, [name, of]] of level.entries()) {
      const thing = things[position] as Thing;
      scopes.set(name, thing);
      compareScope(surveying, scopes, name, of);
    }
    await inTurns(level, async ([name, { type }]) => {
      const { ref, row } = scopes.get(name) as Thing;
      if (row) children.set(name, await childrenOf(surveying, types, type, ref));
    });
    const placed = new Set(level.map(([name]) => name));
    // A workstream comes after the enterprise that it names: all roots are of the first level.
    level = entries.filter(
      ([name, { parent }]) => parent !== undefined && placed.has(parent) && !scopes.has(name),
    );
  }
  tellRest(surveying, found);
  const all = [...scopes];
  return {
    scopes,
    roots: all.flatMap(([name, thing]) => (manifest.scopes[name]?.parent === undefined ? [thing] : [])),
    existing: [...scopes.values()].filter(({ row }) => row !== undefined),
    refOf: (name) => (typeof name === 'string' ? scopes.get(name)?.ref : name),
  };
}

const NAMED_ROOTS: ReadonlySet<string> = new Set(['tenant', 'client', 'account', 'enterprise']);

/** Looks for a scope by its id, by the code of a location, and by its name where it stands. */
async function findScope(
  { look, tell }: Surveying,
  { types, scopes, children }: Found,
  name: string,
  of: Scope,
): Promise<Thing> {
  const { type, parent } = of;
  const called = of.name ?? name;
  const thing = (id: string, row: Row | undefined): Thing => ({ id, ref: `${type}:${id}`, row });
  const above = parent === undefined ? undefined : scopes.get(parent);
  const made = derivedId(type, above?.ref ?? '', called);
  const one = (rows: readonly Row[]): Thing => {
    if (rows.length > 1)
      tell(['scopes', name], `${rows.length} of type ${type} are called ${called}: say which by its id`);
    const [row] = rows;
    return row ? thing(String(row.id), row) : thing(made, undefined);
  };
  if (!types.isKnown(type)) return thing(of.id ?? made, undefined);
  if (of.id !== undefined) return thing(of.id, await readScope(look, type, of.id));
  const { code } = of as Row;
  if (typeof code === 'string' && type === 'location') {
    const row = await look.read('location.read', { code });
    if (row) return thing(String(row.id), row);
  }
  if (parent !== undefined) {
    const rows = (children.get(parent) ?? []).flatMap((each) => (each.type === type ? [each.row] : []));
    const own = rows.find(({ id }) => id === made);
    return one(own ? [own] : rows.filter((row) => isCalled(row, called)));
  }
  if (NAMED_ROOTS.has(type)) {
    const row = await look.read(`${type}.read`, { name: called });
    if (row) return thing(String(row.id), row);
  }
  const row = await readScope(look, type, made);
  if (row || NAMED_ROOTS.has(type)) return thing(made, row);
  const all = await listScopes(look, type, {});
  return one(all.filter((each) => each.parent === undefined && isCalled(each, called)));
}

function compareScope({ want, have, tell, names }: Surveying, scopes: Things, name: string, of: Scope): void {
  const { id, ref, row } = scopes.get(name) as Thing;
  const { type, kind, status, combination } = of;
  names.set(ref, name);
  const fact = {
    kind: scopeKind(type),
    identity: typedId(type, id),
    label: `${type} ${name}`,
    section: 'scopes',
  };
  want({
    ...fact,
    path: ['scopes', name],
    values: {
      ...{ name: of.name ?? name, status, combination },
      ...(kind === undefined ? {} : { type: kind }),
      ...(of.enterprise === undefined ? {} : { enterprise: scopes.get(of.enterprise)?.ref }),
      ...pick(of, Object.keys(SCOPE_ATTRIBUTES)),
    },
    fixed: without({ parent: of.parent === undefined ? undefined : scopes.get(of.parent)?.ref }),
  });
  if (row) have({ ...fact, values: row });
  if (row?.deletingSince !== undefined) tell(['scopes', name], 'is being deleted: wait until that is done');
}

async function childrenOf(
  { look }: Surveying,
  types: ScopeTypes,
  above: string,
  parent: string,
): Promise<readonly Child[]> {
  const lists = await inTurns(types.under(above), async (type) => {
    const rows = await listScopes(look, type, { parent });
    return rows
      .filter((row) => row.parent === parent)
      .map((row): Child => ({ type, ref: `${type}:${row.id}`, row }));
  });
  return lists.flat();
}

/** What stands under scopes of the file and is not in it. */
function tellRest({ have, names }: Surveying, { scopes, children }: Found): void {
  const taken = new Set([...scopes.values()].map(({ ref }) => ref));
  for (const [above, each] of children)
    for (const { type, ref, row } of each) {
      if (taken.has(ref)) continue;
      names.set(ref, String(row.name));
      have({
        kind: scopeKind(type),
        identity: typedId(type, String(row.id)),
        values: row,
        label: `${type} ${row.name} in ${above}, with all that hangs below it`,
        section: 'scopes',
      });
    }
}
