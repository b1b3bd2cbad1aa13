import { MAX_RESOURCE_LENGTH } from '../answer.ts';
import { isFree, precedes, type RouteRule, VERBS } from '../routes/rule.ts';
import { intersects, type PathPart, patternOf, sameText } from './glob.ts';

/** A route with values for its bound parameters: the unit of what a caller may use. */
export interface Cell {
  readonly rule: RouteRule;
  /** By name of the parameter. */
  readonly values: ReadonlyMap<string, string>;
}

/** Patterns of the part of an ARN after the stage, such as `GET/locations/01J…/pages/*`. */
export interface Patterns {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

export interface CompileOptions {
  /** All routes of the API: an Allow must not cover those that the caller may not use. */
  readonly rules: readonly RouteRule[];
  /** All allowed cells. */
  readonly cells: readonly Cell[];
  /**
   * Whether API Gateway itself refuses every path that no rule maps. Only then may an Allow cover such paths.
   */
  readonly isClosed: boolean;
  readonly budget: Budget;
}

/** Counts a policy's bytes and the work for it as they arise, so that neither can grow far beyond its limit. */
export interface Budget {
  /** Counts a pattern. */
  readonly add: (pattern: string) => void;
  /** Counts comparisons of two path segments, or of two routes. */
  readonly spend: (comparisons: number) => void;
  /** Whether a limit is exceeded. */
  readonly isSpent: () => boolean;
}

export interface BudgetOptions {
  /** Bytes of each resource beside its pattern. */
  readonly baseBytes: number;
  /** Limit on the bytes of all resources. AWS has a limit, but does not document it. */
  readonly maxBytes: number;
  readonly maxComparisons: number;
}

export function createBudget({ baseBytes, maxBytes, maxComparisons }: BudgetOptions): Budget {
  let bytes = 0;
  let comparisons = 0;
  let isTooLong = false;
  return {
    add: ({ length }) => {
      // In JSON, two quotes and a comma separate the resources.
      bytes += baseBytes + length + 3;
      isTooLong ||= baseBytes + length > MAX_RESOURCE_LENGTH;
    },
    spend: (more) => {
      comparisons += more;
    },
    isSpent: () => isTooLong || bytes > maxBytes || comparisons > maxComparisons,
  };
}

/**
 * Always denied: characters that `match` refuses in paths, empty segments, and segments with a leading dot.
 */
const ALWAYS_DENIED = ['*%*', '*\\*', '*;*', '*//*', '*/.*', '*/?*/'];

/** A cell for one verb. */
interface VerbCell {
  readonly rule: RouteRule;
  readonly parts: readonly PathPart[];
}

/** A rule for one verb, without values. */
type Shape = VerbCell;

/** A Deny, and the rule whose paths it denies; undefined for paths that no rule maps. */
interface Denial {
  readonly parts: readonly PathPart[];
  readonly rule: RouteRule | undefined;
}

/**
 * Compiles cells to patterns that, as IAM evaluates them, match exactly the paths of these cells. A `*`
 * matches across segments, so an Allow may also match paths of other routes. Those are denied, unless the
 * Deny would also match an allowed path.
 *
 * The work is bounded: the bytes of a pattern are counted before the pattern is compared with anything, and
 * the comparisons are counted before they are made.
 *
 * @returns undefined if no such patterns exist, or the budget is exceeded: the answer is then for one route
 */
export function compile({ rules, cells, isClosed, budget }: CompileOptions): Patterns | undefined {
  const allow = new Set<string>();
  const deny = new Set<string>();
  const add = (to: Set<string>, pattern: string): void => {
    if (to.has(pattern)) return;
    to.add(pattern);
    budget.add(pattern);
  };
  const all = rules.map((rule): Shape => ({ rule, parts: partsOf(rule, NO_VALUES) }));
  for (const verb of VERBS) {
    const hasVerb = ({ method }: RouteRule): boolean => method === verb || method === 'ANY';
    const shapes = all.filter(({ rule }) => hasVerb(rule));
    const own: VerbCell[] = [];
    for (const { rule, values } of cells) {
      if (!hasVerb(rule)) continue;
      const parts = partsOf(rule, values);
      budget.spend(shapes.length);
      if (budget.isSpent()) return undefined;
      if (shapes.some((other) => covers(other, parts) && precedes(other.rule, rule))) continue;
      add(allow, patternOf(verb, parts));
      own.push({ rule, parts });
    }
    const withWildcards = own.filter(({ parts }) => parts.some(isOpen));
    if (withWildcards.length === 0) continue;
    if (own.some(({ parts }) => parts.some(isAlwaysDenied))) return undefined;
    for (const pattern of ALWAYS_DENIED) add(deny, pattern);
    const cellsOf = new Map<RouteRule, VerbCell[]>();
    for (const cell of own) cellsOf.set(cell.rule, [...(cellsOf.get(cell.rule) ?? []), cell]);
    const checked = new Set<string>();
    for (const cell of withWildcards) {
      const denials = denialsFor(cell, { shapes, cellsOf, isClosed, budget });
      if (!denials) return undefined;
      for (const denial of denials) {
        const pattern = patternOf(verb, denial.parts);
        const key = `${denial.rule?.id} ${pattern}`;
        if (checked.has(key)) continue;
        checked.add(key);
        add(deny, pattern);
        if (own.some((each) => deniesAllowed(denial, each, budget))) return undefined;
      }
    }
  }
  return budget.isSpent() ? undefined : { allow: [...allow], deny: [...deny] };
}

export const partsOf = (rule: RouteRule, values: ReadonlyMap<string, string>): readonly PathPart[] =>
  rule.segments.map((segment): PathPart => {
    if (segment.kind === 'literal') return { text: segment.text };
    const text = values.get(segment.name);
    if (text !== undefined) return { text };
    return { any: segment.kind === 'rest' ? 'rest' : 'segment' };
  });

const NO_VALUES: ReadonlyMap<string, string> = new Map();
const isOpen = (part: PathPart): boolean => 'any' in part;
const isGreedy = (parts: readonly PathPart[]): boolean => {
  const last = parts.at(-1);
  return last !== undefined && 'any' in last && last.any === 'rest';
};

/** Whether one of the patterns that are always denied matches this literal segment of a route. */
const isAlwaysDenied = (part: PathPart): boolean => 'text' in part && !isFree(part.text);

/** Whether the rule matches every path of these parts. */
const covers = ({ parts: shape }: Shape, parts: readonly PathPart[]): boolean => {
  const hasRest = isGreedy(shape);
  if (hasRest ? parts.length < shape.length : parts.length !== shape.length) return false;
  if (isGreedy(parts) && !hasRest) return false;
  for (let at = 0; at < shape.length; at++) {
    const part = shape[at] as PathPart;
    if (!isOpen(part) && !sameText(part, parts[at])) return false;
  }
  return true;
};

/** All rules and allowed cells for one verb. */
interface VerbRules {
  readonly shapes: readonly Shape[];
  readonly cellsOf: ReadonlyMap<RouteRule, readonly VerbCell[]>;
  readonly isClosed: boolean;
  readonly budget: Budget;
}

/**
 * The Denies that an Allow with wildcards requires, so that it covers no more than its cell; undefined if it
 * covers paths of another rule of which some are allowed and some are not, or the budget is spent.
 */
function denialsFor(
  { rule, parts }: VerbCell,
  { shapes, cellsOf, isClosed, budget }: VerbRules,
): readonly Denial[] | undefined {
  const denials: Denial[] = [];
  const greedy = isGreedy(parts);
  // With a text after a wildcard, the rest of the path could begin at several places.
  if (greedy && parts.slice(parts.findIndex(isOpen)).some((part) => !isOpen(part))) return undefined;
  if (!isClosed && !greedy) {
    // No deeper path at all.
    for (const [position, part] of parts.entries()) {
      if (!isOpen(part)) continue;
      const deeper = [...parts.slice(0, position), part, part, ...parts.slice(position + 1)];
      denials.push({ parts: deeper, rule: undefined });
    }
  }
  budget.spend(shapes.length);
  for (const { rule: other, parts: shape } of shapes) {
    if (budget.isSpent()) return undefined;
    if (other === rule) continue;
    const isDeeper = !greedy && (isGreedy(shape) || shape.length > parts.length);
    // Of the paths that both match, the cell's rule has those for which the other does not precede it.
    if (isDeeper ? !isClosed : !precedes(other, rule)) continue;
    if (!intersects(parts, shape, budget)) continue;
    const pinned = pin(shape, parts, !isDeeper && !greedy);
    if (!pinned) continue;
    const those = cellsOf.get(other) ?? [];
    if (!those.some((each) => intersects(parts, each.parts, budget))) {
      denials.push({ parts: pinned, rule: other });
      continue;
    }
    const isBound = (position: number): boolean => other.bound.has(nameAt(other, position));
    const isAllowed = those.some((each) =>
      each.parts.every((part, position) => !isBound(position) || sameText(part, pinned[position])),
    );
    if (!isAllowed) return undefined;
  }
  return denials;
}

const nameAt = ({ segments }: RouteRule, position: number): string => {
  const segment = segments[position];
  return segment === undefined || segment.kind === 'literal' ? '' : segment.name;
};

/**
 * The shape of a rule, narrowed to the paths that the cell's pattern covers: with the cell's texts up to its
 * first wildcard, or everywhere if both have the same length. Undefined if they have no path in common.
 */
function pin(
  shape: readonly PathPart[],
  parts: readonly PathPart[],
  isAligned: boolean,
): readonly PathPart[] | undefined {
  const firstOpen = parts.findIndex(isOpen);
  const pinned: PathPart[] = [];
  for (const [position, part] of shape.entries()) {
    const own = parts[position];
    const isPinned = own !== undefined && 'text' in own && (isAligned || position < firstOpen);
    if (isPinned && 'text' in part && part.text !== own.text) return undefined;
    pinned.push(isPinned && !('any' in part && part.any === 'rest') ? own : part);
  }
  return pinned;
}

/** Whether a Deny matches a path that goes to the cell's rule. */
function deniesAllowed({ parts, rule }: Denial, cell: VerbCell, budget: Budget): boolean {
  if (!intersects(parts, cell.parts, budget)) return false;
  if (rule === undefined) return true;
  const isExact = !parts.some(isOpen) || (cell.parts.length === parts.length && !isGreedy(cell.parts));
  // Then all common paths match both rules, and go to the one that precedes.
  return !isExact || rule === cell.rule || precedes(cell.rule, rule);
}
