import { pick, type Row } from '../../../provisioning/apply/entry.ts';
import { SCOPE_ATTRIBUTES } from '../../../provisioning/apply/schema.ts';
import {
  listScopes,
  readScope,
  readScopeTypes,
  type ScopeTypes,
  typeOf,
} from '../../../provisioning/apply/scope-commands.ts';
import { inTurns } from '../../../provisioning/in-turns.ts';
import { isBuiltIn } from '../../../table/entities/scope-types.ts';
import { type Exporting, kept, unless } from './exporting.ts';
import { createNames, type Names } from './names.ts';

/** The scopes that are exported. */
export interface Places {
  readonly types: ScopeTypes;
  readonly names: Names;
  /** By reference, the roots first. */
  readonly rows: ReadonlyMap<string, Row>;
  readonly refs: readonly string[];
  readonly roots: readonly string[];
}

type Rows = Map<string, Row>;

/** Reads scopes, from the roots down. */
export async function readPlaces(exporting: Exporting): Promise<Places> {
  const { queries } = exporting;
  const types = await readScopeTypes(queries);
  const rows = await readRoots(exporting, types);
  const roots = [...rows.keys()];
  let level: readonly string[] = roots;
  while (level.length > 0) {
    const found = await inTurns(level, async (ref) => {
      const lists = await inTurns(types.under(typeOf(ref)), async (type) => {
        const below = await listScopes(queries, type, { parent: ref });
        return below.filter(({ parent }) => parent === ref).map((row) => [`${type}:${row.id}`, row] as const);
      });
      return lists.flat();
    });
    const below = found.flat();
    for (const [ref, row] of below) rows.set(ref, row);
    level = below.map(([ref]) => ref);
  }
  const names = createNames();
  for (const [ref, row] of rows) names.give(ref, String(row.name), names.of(row.parent));
  return { types, names, rows, refs: [...rows.keys()], roots };
}

async function readRoots({ queries, options }: Exporting, types: ScopeTypes): Promise<Rows> {
  const rows: Rows = new Map();
  if (options.roots === undefined) {
    for (const type of types.roots)
      for (const row of await listScopes(queries, type, {}))
        if (row.parent === undefined) rows.set(`${type}:${row.id}`, row);
    return rows;
  }
  for (const ref of options.roots) {
    const [type = '', id = ''] = ref.split(':');
    const row = await readScope(queries, type, id);
    if (!row) throw new Error(`there is no ${ref} in this table`);
    if (row.parent !== undefined) throw new Error(`${ref} is not a root scope: it is below ${row.parent}`);
    rows.set(ref, row);
  }
  return rows;
}

/** The section `scopes`. */
export function scopesSection({ idOf }: Exporting, { rows, names }: Places): Record<string, Row> {
  const scopes: Record<string, Row> = {};
  for (const [ref, row] of rows) {
    const type = typeOf(ref);
    const name = String(names.of(ref));
    if (row.enterprise !== undefined && names.of(row.enterprise) === undefined)
      throw new Error(
        `${ref} is linked to ${row.enterprise}, which is not exported: name it as well (--root)`,
      );
    scopes[name] = kept({
      ...idOf(row),
      type,
      name: unless(row.name, name),
      parent: names.of(row.parent),
      status: unless(row.status, 'active'),
      combination: row.parent === undefined ? unless(row.combination, 'allow-overrides') : undefined,
      enterprise: names.of(row.enterprise),
      kind: isBuiltIn(type) ? row.type : undefined,
      ...pick(row, Object.keys(SCOPE_ATTRIBUTES)),
    });
  }
  return scopes;
}
