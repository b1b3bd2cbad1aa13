import { precedes, type RouteRule, VERBS } from '../routes/rule.ts';
import { intersects, type PathPart, patternOf } from './glob.ts';

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
}

/**
 * Always denied: characters that `match` refuses in paths, empty segments, and segments with a leading dot.
 */
const ALWAYS_DENIED = ['*%*', '*\\*', '*;*', '*//*', '*/.*', '*/?*/'];

/** A cell for one verb. */
interface VerbCell {
  readonly rule: RouteRule;
  readonly parts: readonly PathPart[];
  readonly pattern: string;
}

/** A Deny, and the rule whose paths it denies; undefined for paths that no rule maps. */
interface Denial {
  readonly pattern: string;
  readonly rule: RouteRule | undefined;
  readonly segments: number;
}

/**
 * Compiles cells to patterns that, as IAM evaluates them, match exactly the paths of these cells. A `*`
 * matches across segments, so an Allow may also match paths of other routes. Those are denied, unless the
 * Deny would also match an allowed path.
 *
 * @returns undefined if no such patterns exist: the answer is then for one route
 */
export function compile({ rules, cells, isClosed }: CompileOptions): Patterns | undefined {
  const allow: string[] = [];
  const deny = new Set<string>();
  for (const verb of VERBS) {
    const mine = rules.filter(({ method }) => method === verb || method === 'ANY');
    const own = cells
      .filter(({ rule }) => rule.method === verb || rule.method === 'ANY')
      .map(({ rule, values }): VerbCell => {
        const parts = partsOf(rule, values);
        return { rule, parts, pattern: patternOf(verb, parts) };
      })
      .filter((cell) => !mine.some((other) => precedes(other, cell.rule) && covers(other, cell)));
    const withWildcards = own.filter(({ pattern }) => pattern.includes('*'));
    const always = withWildcards.length > 0 ? ALWAYS_DENIED : [];
    const denials = always.map((pattern): Denial => ({ pattern, rule: undefined, segments: 0 }));
    for (const cell of withWildcards) {
      const found = denialsFor(cell, { verb, rules: mine, cells: own, isClosed });
      if (!found) return undefined;
      denials.push(...found);
    }
    if (denials.some((denial) => own.some((cell) => deniesAllowed(denial, cell, verb)))) return undefined;
    allow.push(...own.map(({ pattern }) => pattern));
    for (const { pattern } of denials) deny.add(pattern);
  }
  return { allow: [...new Set(allow)], deny: [...deny] };
}

const partsOf = (rule: RouteRule, values: ReadonlyMap<string, string>): readonly PathPart[] =>
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

/** Whether the rule matches every path of the cell. */
const covers = (rule: RouteRule, { parts }: VerbCell): boolean => {
  const last = rule.segments.at(-1)?.kind;
  if (last === 'rest' ? parts.length < rule.segments.length : parts.length !== rule.segments.length)
    return false;
  if (isGreedy(parts) && last !== 'rest') return false;
  return rule.segments.every((segment, position) => {
    const part = parts[position];
    return segment.kind !== 'literal' || (part !== undefined && 'text' in part && part.text === segment.text);
  });
};

/** All rules and allowed cells for one verb. */
interface VerbRules {
  readonly verb: string;
  readonly rules: readonly RouteRule[];
  readonly cells: readonly VerbCell[];
  readonly isClosed: boolean;
}

/**
 * The Denies that an Allow with wildcards requires, so that it covers no more than its cell; undefined if it
 * covers paths of another rule of which some are allowed and some are not.
 */
function denialsFor(
  cell: VerbCell,
  { verb, rules, cells, isClosed }: VerbRules,
): readonly Denial[] | undefined {
  const { parts, pattern } = cell;
  const denials: Denial[] = [];
  const greedy = isGreedy(parts);
  // With a text after a wildcard, the rest of the path could begin at several places.
  if (greedy && parts.slice(parts.findIndex(isOpen)).some((part) => !isOpen(part))) return undefined;
  if (!isClosed && !greedy) {
    // No deeper path at all.
    for (const [position, part] of parts.entries()) {
      if (!('any' in part)) continue;
      const deeper = [...parts.slice(0, position), part, part, ...parts.slice(position + 1)];
      denials.push({ pattern: patternOf(verb, deeper), rule: undefined, segments: deeper.length });
    }
  }
  for (const other of rules) {
    if (other === cell.rule) continue;
    const shape = partsOf(other, NO_VALUES);
    const isDeeper = !greedy && (isGreedy(shape) || shape.length > parts.length);
    // Of the paths that both match, the cell's rule has those for which the other does not precede it.
    if (isDeeper ? !isClosed : !precedes(other, cell.rule)) continue;
    if (!intersects(pattern, verb, shape)) continue;
    const pinned = pin(shape, parts, !isDeeper && !greedy);
    if (!pinned) continue;
    const those = cells.filter(({ rule }) => rule === other);
    if (!those.some((each) => intersects(pattern, verb, each.parts))) {
      denials.push({ pattern: patternOf(verb, pinned), rule: other, segments: pinned.length });
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

const sameText = (a: PathPart, b: PathPart | undefined): boolean =>
  'text' in a && b !== undefined && 'text' in b && a.text === b.text;

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
function deniesAllowed({ pattern, rule, segments }: Denial, cell: VerbCell, verb: string): boolean {
  if (!intersects(pattern, verb, cell.parts)) return false;
  if (rule === undefined) return true;
  const isExact = !pattern.includes('*') || (cell.parts.length === segments && !isGreedy(cell.parts));
  // Then all common paths match both rules, and go to the one that precedes.
  return !isExact || rule === cell.rule || precedes(cell.rule, rule);
}
