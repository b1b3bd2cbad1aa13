import { isSurelyRoot } from '../../table/entities/scope-types.ts';
import { parseRef } from '../../table/identifiers.ts';
import { type Value, variablesOf } from '../conditions/declarations.ts';
import { loadCel } from '../conditions/load.ts';
import { type RowPart, rowPartOf } from '../conditions/row-part.ts';
import type { Given } from '../given.ts';
import type { SearchReader } from '../search/sources.ts';
import { scopesUnder } from '../search/tree.ts';
import type { Stored } from './codecs.ts';
import { and, EVERYTHING, leavesOf, NEVER, or, type RowCondition } from './condition.ts';
import { type Column, type Rows, text } from './define-rows.ts';
import type { GrantedPart, GrantedParts } from './granted-parts.ts';
import type { NarrowingReads } from './narrowing-reads.ts';
import { nestingTypes } from './nesting-types.ts';

/** The most comparisons for one root. Beyond them its part is the whole root. */
const MAX_LEAVES = 1_000;

/** The most Queries for scopes below others. Beyond them these count as too many. */
const MAX_QUERIES = 1_000;

/** The most comparisons of a condition. Beyond them it says nothing. */
const MAX_ALL_LEAVES = 10_000;

export interface Narrowed {
  readonly subject: string;
  readonly permission: string;
  readonly granted: GrantedParts;
  readonly given: Given;
}

/**
 * The condition over the columns of rows that every allowed row fulfils. It is never too narrow; it may be wider, and
 * each row is decided.
 *
 * @param read keeps what is read of the tree
 * @throws GatehouseError as the reader does
 */
export async function narrowRows(
  reader: SearchReader,
  rows: Rows,
  { subject, permission, granted, given }: Narrowed,
  read: NarrowingReads['read'],
): Promise<RowCondition> {
  const conditionOf = await conditionsOver(rows, { subject, permission, granted, given });
  const everywhere = or(granted.parts.filter(({ path }) => path === undefined).map(conditionOf));
  if (everywhere.kind === 'everything') return everywhere;
  const byRoot = new Map<string, GrantedPart[]>();
  for (const part of granted.parts) {
    const root = part.path?.at(-1);
    if (root !== undefined) byRoot.set(root, [...(byRoot.get(root) ?? []), part]);
  }
  const placeIn = placesOf(reader, rows, read);
  const ofRoots: RowCondition[] = [];
  for (const [root, parts] of byRoot) {
    const own: RowCondition[] = [];
    for (const { path = [], when } of parts.filter(highestOf(parts)))
      own.push(and([await placeIn(path), conditionOf({ path, when })]));
    const whole = or(own);
    ofRoots.push(leavesOf(whole) <= MAX_LEAVES ? whole : await placeIn([root]));
  }
  const all = or([everywhere, ...ofRoots]);
  return leavesOf(all) <= MAX_ALL_LEAVES ? all : EVERYTHING;
}

/** Leaves out what is granted below a scope at which the same is granted without a condition. */
function highestOf(parts: readonly GrantedPart[]): (part: GrantedPart) => boolean {
  const whole = new Set(parts.flatMap(({ path, when }) => (when === undefined ? (path?.[0] ?? []) : [])));
  return ({ path = [] }) => !path.slice(1).some((above) => whole.has(above));
}

/** What the conditions of a part say of the columns. */
async function conditionsOver(
  rows: Rows,
  { subject, permission, granted, given }: Narrowed,
): Promise<(part: GrantedPart) => RowCondition> {
  if (granted.parts.every(({ when }) => when === undefined)) return () => EVERYTHING;
  await loadCel();
  const { type, id } = parseRef(subject, 'subject');
  const { declarations } = granted.global;
  const variables = variablesOf(
    {
      subject: { type, id, stored: granted.subject?.properties, passed: given.subject?.properties },
      resource: { type: rows.type, id: '' },
      action: {
        name: given.action?.name ?? permission.split(':')[1] ?? permission,
        passed: given.action?.properties,
      },
      context: given.context,
    },
    declarations,
  );
  const declared = declarations.get(`resource:${rows.type}`);
  const columnOf = (property: string): Column | undefined => {
    const column = Object.hasOwn(rows.properties, property) ? rows.properties[property] : undefined;
    const declaration = declared?.get(property);
    return declaration?.source === 'passed' && declaration.type === column?.codec.type ? column : undefined;
  };
  const isColumn = (property: string): boolean => columnOf(property) !== undefined;
  const overColumns = (part: RowPart): RowCondition => {
    if (typeof part === 'boolean') return part ? EVERYTHING : NEVER;
    if (part.op === 'and') return and(part.parts.map(overColumns));
    if (part.op === 'or') return or(part.parts.map(overColumns));
    return leafOf(columnOf((part as Leaf).property) as Column, part as Leaf);
  };
  return ({ when }) =>
    when === undefined
      ? EVERYTHING
      : or(when.map((expression) => overColumns(rowPartOf(expression, variables, isColumn))));
}

type Leaf = Exclude<RowPart, boolean | { readonly op: 'and' | 'or' }>;

/** A comparison of a property as one of its column. */
function leafOf(column: Column, part: Leaf): RowCondition {
  const { codec } = column;
  switch (part.op) {
    case 'contains':
      return codec.isList && typeof part.value === 'string'
        ? { kind: 'contains', column, value: part.value }
        : EVERYTHING;
    case 'range':
      return spanIn(column, part.from, part.to);
    case 'equals':
      return equalTo(column, part.value);
    case 'oneOf': {
      const parts = part.values.map((value) => equalTo(column, value));
      const values = parts.flatMap((each): Stored[] => (each.kind === 'equals' ? [each.value] : []));
      return values.length === parts.length && values.length > 1
        ? { kind: 'oneOf', column, values }
        : or(parts);
    }
  }
}

function equalTo(column: Column, value: Value): RowCondition {
  const { codec } = column;
  if (codec.isList) return EVERYTHING;
  if (codec.write === undefined) return spanIn(column, value, value);
  const stored = codec.write(value);
  return stored === undefined ? EVERYTHING : { kind: 'equals', column, value: stored };
}

function spanIn(column: Column, from: Value | undefined, to: Value | undefined): RowCondition {
  const span = column.codec.span?.(from, to);
  if (!span || (span.from === undefined && span.to === undefined)) return EVERYTHING;
  return { kind: 'range', column, ...span };
}

/**
 * The rows whose scope is a scope or below it: by the column that names its type, otherwise by the ids of the scopes
 * below it; where those are too many, by the columns of its path, and without such everything.
 *
 * @returns a function of the scope and its ancestors, up to the root
 */
function placesOf(reader: SearchReader, rows: Rows, read: NarrowingReads['read']) {
  let queries = 0;
  const mayQuery = (): boolean => ++queries <= MAX_QUERIES;
  return async (path: readonly string[]): Promise<RowCondition> => {
    const [scope = '', ...ancestors] = path;
    const above = (await Promise.all(ancestors.map(namedBy))).flat();
    const own = await namedBy(scope);
    if (own.length > 0) return and([...above, ...own]);
    const column = text(rows.scope.column);
    const { type, id } = parseRef(scope, 'scope');
    if (type === rows.scope.type && !(await mayNest(scope)))
      return and([...above, { kind: 'equals', column, value: id }]);
    const types = new Set([rows.scope.type]);
    const below = await read(
      JSON.stringify(['below', scope, rows.scope.type]),
      async () => {
        if (queries > MAX_QUERIES) return undefined;
        const found = await scopesUnder(reader, [scope], types, MAX_LEAVES, { withClosed: true, mayQuery });
        // Those that the Queries did not reach may be few for another narrowing.
        return found ?? (queries > MAX_QUERIES ? undefined : 'too many');
      },
      (refs) => 60 * (refs?.length ?? 0),
    );
    if (below === undefined || below === 'too many') return and(above);
    const values = below.map((ref) => parseRef(ref, 'scope').id);
    return and([...above, or(values.map((value) => ({ kind: 'equals', column, value })))]);
  };

  /** By the column of the path that holds scopes of this type: the only one above a row, so that it is this one. */
  async function namedBy(ref: string): Promise<readonly RowCondition[]> {
    const { type, id } = parseRef(ref, 'scope');
    const named = rows.path.find((column) => column.type === type);
    if (!named || (await mayNest(ref))) return [];
    return [{ kind: 'equals', column: text(named.column), value: id }];
  }

  /** Whether a scope may stand above or below another one of its type. */
  async function mayNest(ref: string): Promise<boolean> {
    if (isSurelyRoot(ref)) return false;
    const isNesting = await read(
      'nesting types',
      () => nestingTypes(reader),
      () => 0,
    );
    return isNesting(parseRef(ref, 'scope').type);
  }
}
