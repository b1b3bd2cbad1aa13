import type { Combination } from '../../table/decision/items.ts';
import { invalid, limitExceeded, notFound } from '../../table/errors.ts';
import { isRef } from '../../table/identifiers.ts';
import { isPermissionPattern, readPermissionName } from '../../table/permission-name.ts';
import { listUpTo, type Queries } from '../apply/queries.ts';
import { byText } from '../canonical.ts';
import { inTurns } from '../in-turns.ts';
import { commandsOn } from '../names/commands-on.ts';
import { type Cell, cellOf, type Stated } from './cells.ts';

/** A column. */
export interface MatrixRole {
  readonly id: string;
  readonly name: string;
  /** The root that owns it; `tenant` for one that any tenant may grant, `global` for a system role. */
  readonly scope: string;
  /** The id of the role that it inherits from, and its label. */
  readonly parent?: string;
  readonly inherits?: string;
  /** Its name, with whose it is where no tenant owns it: roles of one name are told apart by it. */
  readonly label: string;
}

/** A row. */
export interface MatrixPermission {
  readonly name: string;
  /** A pattern is a row where a role says something of it. */
  readonly kind: 'page' | 'permission' | 'pattern';
  readonly description?: string;
}

/** Roles by permissions: what each role allows and denies by itself, whoever has it. */
export interface Matrix {
  /** The root scope whose roles these are; left out for the roles that no tenant owns. */
  readonly scope?: { readonly ref: string; readonly name: string };
  /** How effects combine there; without a scope, as where a tenant chooses nothing. */
  readonly combination: Combination;
  /** Those of the root first, then those of any tenant, then global ones; each by name. */
  readonly roles: readonly MatrixRole[];
  /** Pages first, then permissions, then patterns; each by name. */
  readonly permissions: readonly MatrixPermission[];
  /** What roles say, row by row. Where a role says nothing of a row there is no cell. */
  readonly cells: readonly Cell[];
}

export interface MatrixWanted {
  /** A scope of any depth, as a reference; without one, the roles that no tenant owns. */
  readonly scope?: string | undefined;
  /** The ids of the roles to show; all by default. */
  readonly roles?: readonly string[] | undefined;
}

/** What one matrix holds at most. */
export const MATRIX_BOUNDS = { roles: 200, permissions: 5_000, effects: 20_000, cells: 50_000 } as const;

type Row = Readonly<Record<string, unknown>>;

/**
 * Reads a matrix by the read commands of provisioning: a page or two for each list, and one for each role. The lists
 * are read one after the other, so that a change meanwhile may be in some of them.
 *
 * @throws GatehouseError `not_found` for a scope or a role; `limit_exceeded` for more than {@link MATRIX_BOUNDS}
 */
export async function readMatrix(
  read: Queries['read'],
  { scope, roles: wanted }: MatrixWanted,
): Promise<Matrix> {
  const root = scope === undefined ? undefined : await readRoot(read, scope);
  const owners = [...(root ? [root.ref] : []), 'tenant', 'global'];
  const named = await readPermissions(read);
  const listed = wanted ? await readWanted(read, wanted, owners) : await readOwned(read, owners);
  const known = new Map(listed.map((row) => [String(row.id), row]));
  await addParents(read, known, owners);
  const says = await readEffects(read, [...known.keys()]);

  const roles = listed
    .map((row) => roleOf(row, known))
    .sort((a, b) => owners.indexOf(a.scope) - owners.indexOf(b.scope) || byText(a.label, b.label));
  const permissions = [...withSaid(named, says)].sort(
    (a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || byText(a.name, b.name),
  );
  const combination = root?.combination ?? 'allow-overrides';
  const chains = roles.map(({ id }) => ({
    id,
    chain: chainOf(id, known).map((each) => ({
      name: labelOf(known.get(each) as Row),
      says: says.get(each) ?? new Map(),
    })),
  }));
  const cells: Cell[] = [];
  for (const { name } of permissions)
    for (const { id, chain } of chains) {
      const cell = cellOf(id, chain, name, combination);
      if (cell) cells.push(cell);
      if (cells.length > MATRIX_BOUNDS.cells) throw tooMany('cells');
    }
  return {
    ...(root ? { scope: { ref: root.ref, name: root.name } } : {}),
    combination,
    roles,
    permissions,
    cells,
  };
}

const KINDS: readonly MatrixPermission['kind'][] = ['page', 'permission', 'pattern'];

const tooMany = (what: keyof typeof MATRIX_BOUNDS) =>
  limitExceeded(`a matrix holds at most ${MATRIX_BOUNDS[what]} ${what}: choose fewer roles`, 'roles');

async function readRoot(
  read: Queries['read'],
  scope: string,
): Promise<{ readonly ref: string; readonly name: string; readonly combination: Combination }> {
  if (!isRef(scope)) throw invalid('scope', `${scope.slice(0, 100)} is not a reference such as tenant:ID`);
  const readRef = async (ref: string): Promise<Row> => {
    const { command, input } = commandsOn(ref, 'scope').read;
    const found = await read(command, input);
    if (!found) throw notFound('scope', ref);
    return found;
  };
  const own = await readRef(scope);
  const ref = String(own.root ?? scope);
  const { name, combination } = ref === scope ? own : await readRef(ref);
  return {
    ref,
    name: String(name ?? ref),
    combination: combination === 'deny-overrides' ? 'deny-overrides' : 'allow-overrides',
  };
}

async function readPermissions(read: Queries['read']): Promise<readonly MatrixPermission[]> {
  const found: MatrixPermission[] = [];
  for (const kind of ['page', 'permission'] as const) {
    const left = MATRIX_BOUNDS.permissions - found.length;
    const { rows, isWhole } = await listUpTo(read, `${kind}.list`, {}, left);
    if (!isWhole)
      throw limitExceeded(
        `a matrix holds at most ${MATRIX_BOUNDS.permissions} pages and permissions`,
        'permissions',
      );
    for (const { name, description } of rows)
      found.push({ name: String(name), kind, ...(typeof description === 'string' ? { description } : {}) });
  }
  return found;
}

/** A role that is being deleted is in force nowhere. */
const isInForce = ({ deletingSince }: Row): boolean => deletingSince === undefined;

async function readOwned(read: Queries['read'], owners: readonly string[]): Promise<readonly Row[]> {
  const found: Row[] = [];
  for (const scope of owners) {
    const left = MATRIX_BOUNDS.roles - found.length;
    const { rows, isWhole } = await listUpTo(read, 'role.list', { scope }, left);
    if (!isWhole) throw tooMany('roles');
    found.push(...rows.filter(isInForce));
  }
  return found;
}

async function readWanted(
  read: Queries['read'],
  ids: readonly string[],
  owners: readonly string[],
): Promise<readonly Row[]> {
  const wanted = [...new Set(ids)];
  if (wanted.length > MATRIX_BOUNDS.roles) throw tooMany('roles');
  return inTurns(wanted, async (id) => {
    const row = await read('role.read', { id });
    if (!row || !isInForce(row)) throw notFound('roles', `role:${id}`);
    if (owners.includes(String(row.scope))) return row;
    throw invalid('roles', `the role ${String(row.name)} (role:${id}) is owned by ${String(row.scope)}`);
  });
}

/** The roles that these inherit from, which need not be shown. */
async function addParents(
  read: Queries['read'],
  known: Map<string, Row>,
  owners: readonly string[],
): Promise<void> {
  const missingIn = (rows: Iterable<Row>) => [
    ...new Set(
      [...rows].flatMap(({ parent }) => (typeof parent === 'string' && !known.has(parent) ? [parent] : [])),
    ),
  ];
  for (let missing = missingIn(known.values()); missing.length > 0; ) {
    const rows = await inTurns(missing, (id) => read('role.read', { id }));
    const found = rows.flatMap((row) =>
      row && isInForce(row) && owners.includes(String(row.scope)) ? [row] : [],
    );
    for (const row of found) known.set(String(row.id), row);
    missing = missingIn(found);
  }
}

type Says = ReadonlyMap<string, ReadonlyMap<string, Stated>>;

async function readEffects(read: Queries['read'], ids: readonly string[]): Promise<Says> {
  let effects = 0;
  const found = await inTurns(ids, async (role) => {
    const { rows } = await listUpTo(read, 'role-permission.list', { role }, MATRIX_BOUNDS.effects - effects);
    effects += rows.length;
    if (effects > MATRIX_BOUNDS.effects) throw tooMany('effects');
    return rows;
  });
  return new Map(
    ids.map((id, position) => [
      id,
      new Map(
        found[position]?.map(({ permission, effect, when }): [string, Stated] => [
          String(permission),
          {
            effect: effect === 'ALLOW' ? 'ALLOW' : 'DENY',
            ...(typeof when === 'string' ? { when } : {}),
          },
        ]),
      ),
    ]),
  );
}

/** A role, then those that it inherits from. One that is not known ends the chain, as in a decision. */
export function chainOf(first: string, known: ReadonlyMap<string, Row>): readonly string[] {
  const chain = new Set<string>();
  for (let id: unknown = first; typeof id === 'string' && !chain.has(id) && known.has(id); ) {
    chain.add(id);
    id = known.get(id)?.parent;
  }
  return [...chain];
}

const WHOSE: Readonly<Record<string, string>> = { tenant: ' (any tenant)', global: ' (global)' };

const labelOf = ({ name, scope }: Row): string => `${String(name)}${WHOSE[String(scope)] ?? ''}`;

function roleOf(row: Row, known: ReadonlyMap<string, Row>): MatrixRole {
  const { id, name, scope, parent } = row;
  const above = known.get(String(parent));
  return {
    id: String(id),
    name: String(name),
    scope: String(scope),
    label: labelOf(row),
    ...(above ? { parent: String(above.id), inherits: labelOf(above) } : {}),
  };
}

/** The pages and permissions, and what else roles name: patterns. */
function withSaid(named: readonly MatrixPermission[], says: Says): Iterable<MatrixPermission> {
  const rows = new Map(named.map((row) => [row.name, row]));
  for (const each of says.values())
    for (const name of each.keys()) {
      if (rows.has(name)) continue;
      const kind = isPermissionPattern(name) ? 'pattern' : (readPermissionName(name)?.kind ?? 'permission');
      rows.set(name, { name, kind });
    }
  return rows.values();
}
