import { precedes, type RouteRule, VERBS } from '../routes/rule.ts';
import { intersects, type PathPart, patternOf } from './glob.ts';

/** A route with values for what it binds, under which the caller may use it. */
export interface Cell {
  readonly rule: RouteRule;
  /** By name of the parameter. */
  readonly values: ReadonlyMap<string, string>;
}

/** Patterns of what stands after the stage in an ARN, as `GET/locations/01J…/pages/*`. */
export interface Patterns {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

export interface CompileOptions {
  /** All routes of the API: also those that the caller may not use decide how far an Allow may go. */
  readonly rules: readonly RouteRule[];
  /** All cells that are allowed. */
  readonly cells: readonly Cell[];
  /**
   * Whether a path that no rule maps can reach the API at all. Where API Gateway itself refuses all of these, an Allow
   * may cover them; otherwise none may.
   */
  readonly isClosed: boolean;
}

/** What is denied for everybody: characters that no path may hold, empty segments, dots that lead a segment. */
const ALWAYS_DENIED = ['*%*', '*\\*', '*;*', '*//*', '*/.*', '*/?*/'];

/** A cell under one verb. */
interface Held {
  readonly rule: RouteRule;
  readonly parts: readonly PathPart[];
  readonly pattern: string;
}

/** A Deny, and the rule whose paths it is for; none for paths that no rule maps. */
interface Ban {
  readonly pattern: string;
  readonly rule: RouteRule | undefined;
  readonly segments: number;
}

/**
 * Patterns that mean, read as IAM reads them, exactly the cells: every path of every cell, and nothing else. A `*` in
 * a pattern crosses segments, so an Allow may cover paths of other routes; these are denied, where a Deny can do so
 * without touching what is allowed.
 *
 * @returns undefined where no such patterns can be written: then the answer is for one route
 */
export function compile({ rules, cells, isClosed }: CompileOptions): Patterns | undefined {
  const allow: string[] = [];
  const deny = new Set<string>();
  for (const verb of VERBS) {
    const mine = rules.filter(({ method }) => method === verb || method === 'ANY');
    const held = cells
      .filter(({ rule }) => rule.method === verb || rule.method === 'ANY')
      .map(({ rule, values }): Held => {
        const parts = partsOf(rule, values);
        return { rule, parts, pattern: patternOf(verb, parts) };
      })
      .filter((cell) => !mine.some((other) => precedes(other, cell.rule) && covers(other, cell)));
    const bans: Ban[] = [];
    for (const cell of held.filter(({ pattern }) => pattern.includes('*'))) {
      const found = bansFor(cell, { verb, rules: mine, held, isClosed });
      if (!found) return undefined;
      bans.push(...found);
    }
    const always = held.some(({ pattern }) => pattern.includes('*')) ? ALWAYS_DENIED : [];
    for (const pattern of always) {
      deny.add(pattern);
      bans.push({ pattern, rule: undefined, segments: 0 });
    }
    if (bans.some((ban) => held.some((cell) => hurts(ban, cell, verb)))) return undefined;
    allow.push(...held.map(({ pattern }) => pattern));
    for (const { pattern } of bans) deny.add(pattern);
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

/**
 * Whether every path of the cell is one of the rule as well, which precedes the cell's. One that ends in `{rest+}` precedes
 * no cell that is longer, so both have the same length.
 */
const covers = (rule: RouteRule, { parts }: Held): boolean => {
  if (parts.length !== rule.segments.length) return false;
  if (isGreedy(parts) && rule.segments.at(-1)?.kind !== 'rest') return false;
  return rule.segments.every((segment, position) => {
    const part = parts[position];
    return segment.kind !== 'literal' || (part !== undefined && 'text' in part && part.text === segment.text);
  });
};

interface Surroundings {
  readonly verb: string;
  readonly rules: readonly RouteRule[];
  readonly held: readonly Held[];
  readonly isClosed: boolean;
}

/**
 * What must be denied beside an Allow with wildcards, so that it covers no more than its cell; undefined where it
 * covers paths of another rule some of which are allowed and some not.
 */
function bansFor(cell: Held, { verb, rules, held, isClosed }: Surroundings): readonly Ban[] | undefined {
  const { parts, pattern } = cell;
  const bans: Ban[] = [];
  const greedy = isGreedy(parts);
  // What is left of the path could be cut off in several ways.
  if (greedy && parts.slice(parts.findIndex(isOpen)).some((part) => !isOpen(part))) return undefined;
  if (!isClosed && !greedy) {
    // Nothing deeper at all.
    for (const [position, part] of parts.entries()) {
      if (!('any' in part)) continue;
      const deeper = [...parts.slice(0, position), part, part, ...parts.slice(position + 1)];
      bans.push({ pattern: patternOf(verb, deeper), rule: undefined, segments: deeper.length });
    }
  }
  for (const other of rules) {
    if (other === cell.rule) continue;
    const shape = partsOf(other, NO_VALUES);
    const isDeeper = !greedy && (isGreedy(shape) || shape.length > parts.length);
    // Of paths as long as its own the cell's rule has those for which no other goes before.
    if (isDeeper ? !isClosed : !precedes(other, cell.rule)) continue;
    if (!intersects(pattern, verb, shape)) continue;
    const pinned = pin(shape, parts, !isDeeper && !greedy);
    const those = held.filter(({ rule }) => rule === other);
    if (!those.some((each) => intersects(pattern, verb, each.parts))) {
      bans.push({ pattern: patternOf(verb, pinned), rule: other, segments: pinned.length });
      continue;
    }
    const isBound = (position: number): boolean => other.bound.has(nameAt(other, position));
    const isAllowed = those.some((each) =>
      each.parts.every((part, position) => !isBound(position) || sameText(part, pinned[position])),
    );
    if (!isAllowed) return undefined;
  }
  return bans;
}

const nameAt = ({ segments }: RouteRule, position: number): string => {
  const segment = segments[position];
  return segment === undefined || segment.kind === 'literal' ? '' : segment.name;
};

const sameText = (a: PathPart, b: PathPart | undefined): boolean =>
  'text' in a && b !== undefined && 'text' in b && a.text === b.text;

/**
 * The shape with the texts of the cell where both must have the same: up to the cell's first wildcard, and where both
 * are of one length everywhere. They have a path in common.
 */
function pin(
  shape: readonly PathPart[],
  parts: readonly PathPart[],
  isAligned: boolean,
): readonly PathPart[] {
  const firstOpen = parts.findIndex(isOpen);
  const pinned: PathPart[] = [];
  for (const [position, part] of shape.entries()) {
    const own = parts[position];
    const isPinned = own !== undefined && 'text' in own && (isAligned || position < firstOpen);
    pinned.push(isPinned && !('any' in part && part.any === 'rest') ? own : part);
  }
  return pinned;
}

/** Whether a Deny takes away a path for which the cell's rule stands. */
function hurts({ pattern, rule, segments }: Ban, cell: Held, verb: string): boolean {
  if (!intersects(pattern, verb, cell.parts)) return false;
  if (rule === undefined) return true;
  const isExact = !pattern.includes('*') || (cell.parts.length === segments && !isGreedy(cell.parts));
  // What both have in common are then paths of the rule, and it goes to the one that precedes.
  return !isExact || rule === cell.rule || precedes(cell.rule, rule);
}
