import { INT_AS_TEXT, type Stored, TEXTS_AS_JSON } from './codecs.ts';
import { EVERYTHING, leavesOf, NEVER, type RowCondition } from './condition.ts';

export type Leaf = Extract<RowCondition, { readonly column: unknown }>;

/** A condition with other leaves, without parts that are known to hold or to fail. */
export function withLeaves(condition: RowCondition, leafOf: (leaf: Leaf) => RowCondition): RowCondition {
  if ('column' in condition) return leafOf(condition);
  if (!('parts' in condition)) return condition.kind === 'never' ? NEVER : EVERYTHING;
  const [neutral, deciding] = condition.kind === 'and' ? [EVERYTHING, NEVER] : [NEVER, EVERYTHING];
  const parts = condition.parts.map((part) => withLeaves(part, leafOf)).filter((part) => part !== neutral);
  if (parts.includes(deciding)) return deciding;
  return parts.length > 1 ? { kind: condition.kind, parts } : (parts[0] ?? neutral);
}

/** A leaf as DynamoDB can compare it. It is wider where the column's codec reads more than DynamoDB would find. */
export function sayable(leaf: Leaf): RowCondition {
  const { column } = leaf;
  if (column.codec === INT_AS_TEXT || column.codec === TEXTS_AS_JSON) return EVERYTHING;
  if (leaf.kind === 'contains') return leaf.value.isWellFormed() ? leaf : NEVER;
  if (leaf.kind === 'range') {
    const [from, to] = [bound(leaf.from, -1), bound(leaf.to, 1)];
    return from === undefined && to === undefined ? EVERYTHING : { kind: 'range', column, from, to };
  }
  const values = leaf.kind === 'equals' ? [leaf.value] : leaf.values;
  const spans = values.map((value): Leaf => ({ kind: 'range', column, from: value, to: value }));
  if (values.some((value) => typeof value === 'number'))
    return withLeaves({ kind: 'or', parts: spans }, sayable);
  const storable = values.filter((value) => typeof value !== 'string' || value.isWellFormed());
  return storable.length === 0 ? NEVER : { kind: 'oneOf', column, values: storable };
}

/**
 * An end of a range; undefined for one that cannot be said. A number of DynamoDB has 38 digits: so it lies a little
 * beside what JavaScript reads.
 */
function bound(value: Stored | undefined, side: 1 | -1): Stored | undefined {
  if (typeof value !== 'number') return value instanceof Date ? undefined : value;
  const beside = value + side * Math.abs(value) * Number.EPSILON;
  const size = Math.abs(beside);
  return size === 0 || (size > MIN_NUMBER && size <= Number.MAX_SAFE_INTEGER) ? beside : undefined;
}

/** DynamoDB has none below 1e-130. */
const MIN_NUMBER = 1e-100;

/** DynamoDB takes 100 operands of IN, 300 operators and 4 KB: this many comparisons are within each of them. */
const MAX_LEAVES = 100;

/** A FilterExpression with its placeholders `#n0`, `:v0` and so on. */
export interface Filter {
  /** Undefined: it leaves out nothing. */
  readonly expression?: string;
  readonly names?: Readonly<Record<string, string>>;
  readonly values?: Readonly<Record<string, Stored>>;
}

/** The filter of a condition with sayable leaves, without the parts that would exceed its bounds. */
export function filterOf(condition: RowCondition): Filter {
  let leaves = 0;
  const parts = (condition.kind === 'and' ? condition.parts : [condition]).filter((part) => {
    const more = leavesOf(part);
    if (more === 0 || leaves + more > MAX_LEAVES) return false;
    leaves += more;
    return true;
  });
  if (parts.length === 0) return {};
  const columns: string[] = [];
  const values: Stored[] = [];
  const placeholder = (value: Stored | undefined): string => `:v${values.push(value as Stored) - 1}`;
  const textOf = (part: RowCondition): string => {
    if ('parts' in part) return `(${part.parts.map(textOf).join(part.kind === 'and' ? ' AND ' : ' OR ')})`;
    const leaf = part as Leaf;
    if (!columns.includes(leaf.column.name)) columns.push(leaf.column.name);
    const name = `#n${columns.indexOf(leaf.column.name)}`;
    if (leaf.kind === 'contains') return `contains(${name}, ${placeholder(leaf.value)})`;
    if (leaf.kind === 'oneOf') return `${name} IN (${leaf.values.map(placeholder).join(', ')})`;
    const { from, to } = leaf as Extract<Leaf, { kind: 'range' }>;
    if (from === undefined) return `${name} <= ${placeholder(to)}`;
    return to === undefined
      ? `${name} >= ${placeholder(from)}`
      : `${name} BETWEEN ${placeholder(from)} AND ${placeholder(to)}`;
  };
  return {
    expression: parts.map(textOf).join(' AND '),
    names: Object.fromEntries(columns.map((column, position) => [`#n${position}`, column])),
    values: Object.fromEntries(values.map((value, position) => [`:v${position}`, value])),
  };
}
