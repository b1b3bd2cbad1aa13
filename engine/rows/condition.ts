import type { Span, Stored } from './codecs.ts';
import type { Column } from './define-rows.ts';

/**
 * What a query may leave out. Rows that fulfil it may still be refused; a row that does not is never allowed. Positive
 * leaves only: databases disagree on what `not` means where a value is missing.
 */
export type RowCondition =
  | { readonly kind: 'never' | 'everything' }
  | { readonly kind: 'equals'; readonly column: Column; readonly value: Stored }
  | { readonly kind: 'oneOf'; readonly column: Column; readonly values: readonly Stored[] }
  /** The column is a list, and the text one of it. */
  | { readonly kind: 'contains'; readonly column: Column; readonly value: string }
  | ({ readonly kind: 'range'; readonly column: Column } & Span)
  | { readonly kind: 'and' | 'or'; readonly parts: readonly RowCondition[] };

export const NEVER: RowCondition = { kind: 'never' };
export const EVERYTHING: RowCondition = { kind: 'everything' };

/** All of them; `never` if one is, without those that say nothing. */
export function and(parts: readonly RowCondition[]): RowCondition {
  if (parts.some(({ kind }) => kind === 'never')) return NEVER;
  const flat = unique(parts.flatMap(conjunctsOf));
  return flat.length > 1 ? { kind: 'and', parts: flat } : (flat[0] ?? EVERYTHING);
}

/** One of them; `everything` if one is. What all have in common stands once, and values of one column together. */
export function or(parts: readonly RowCondition[]): RowCondition {
  if (parts.some(({ kind }) => kind === 'everything')) return EVERYTHING;
  const flat = unique(parts.flatMap((part) => (part.kind === 'or' ? part.parts : [part]))).filter(
    ({ kind }) => kind !== 'never',
  );
  const [first, ...others] = flat;
  if (first === undefined) return NEVER;
  const keys = others.map((part) => new Set(conjunctsOf(part).map(keyOf)));
  const shared = conjunctsOf(first).filter((part) => keys.every((all) => all.has(keyOf(part))));
  if (others.length > 0 && shared.length > 0) {
    const isShared = new Set(shared.map(keyOf));
    return and([
      ...shared,
      or(flat.map((part) => and(conjunctsOf(part).filter((each) => !isShared.has(keyOf(each)))))),
    ]);
  }
  const joined = withValuesTogether(flat);
  return joined.length > 1 ? { kind: 'or', parts: joined } : (joined[0] as RowCondition);
}

function withValuesTogether(parts: readonly RowCondition[]): readonly RowCondition[] {
  const byColumn = new Map<string, { column: Column; values: Stored[] }>();
  const others: RowCondition[] = [];
  for (const part of parts) {
    if (part.kind !== 'equals' && part.kind !== 'oneOf') {
      others.push(part);
      continue;
    }
    const { column } = part;
    const known = byColumn.get(column.name) ?? { column, values: [] };
    byColumn.set(column.name, known);
    known.values.push(...(part.kind === 'equals' ? [part.value] : part.values));
  }
  const together = [...byColumn.values()].map(({ column, values }): RowCondition => {
    const [value, ...more] = [...new Set(values)] as [Stored, ...Stored[]];
    return more.length === 0
      ? { kind: 'equals', column, value }
      : { kind: 'oneOf', column, values: [value, ...more] };
  });
  return [...together, ...others];
}

const conjunctsOf = (part: RowCondition): readonly RowCondition[] =>
  part.kind === 'and' ? part.parts : part.kind === 'everything' ? [] : [part];

const keyOf = (part: RowCondition): string => JSON.stringify(part);

const unique = (parts: readonly RowCondition[]): readonly RowCondition[] =>
  parts.length < 2 ? parts : [...new Map(parts.map((part) => [keyOf(part), part])).values()];

/** How many comparisons it has, and values of lists. */
export function leavesOf(condition: RowCondition): number {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.parts.reduce((sum, part) => sum + leavesOf(part), 0);
    case 'oneOf':
      return condition.values.length;
    case 'never':
    case 'everything':
      return 0;
    default:
      return 1;
  }
}
