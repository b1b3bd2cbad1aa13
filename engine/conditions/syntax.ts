import type { ASTNode } from './library.ts';

/** Field or index of a variable or of another path: `context.claims.acr`, `context.claims.groups[0]`. */
export type Path = Extract<ASTNode, { op: '.' | '[]' }>;
export type Call = Extract<ASTNode, { op: 'call' }>;
export type Method = Extract<ASTNode, { op: 'rcall' }>;

export const ROOTS = ['subject', 'resource', 'action', 'context'] as const;
export const ROOT_NAMES: ReadonlySet<string> = new Set(ROOTS);
export const COMPREHENSIONS: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'filter']);
export const ARITHMETIC: ReadonlySet<string> = new Set(['+', '-', '*', '/', '%']);
export const EQUALITY: ReadonlySet<string> = new Set(['==', '!=']);
export const ORDER: ReadonlySet<string> = new Set(['<', '<=', '>', '>=']);
export const ACCESSORS: ReadonlySet<string> = new Set([
  'getFullYear',
  'getMonth',
  'getDate',
  'getDayOfMonth',
  'getDayOfWeek',
  'getHours',
  'getMinutes',
  'getSeconds',
  'getMilliseconds',
]);
/** Texts and comments, which may hold any character, and what is asked for among all else. */
export const amongTokens = (others: string): RegExp =>
  new RegExp(`'(?:\\\\.|[^'\\\\])*'|"(?:\\\\.|[^"\\\\])*"|${others}|//[^\\n]*`, 'g');
const PARENTHESES = amongTokens('[()]');

export interface Comprehension {
  readonly name: string;
  readonly range: ASTNode;
  /** Name of the variable. */
  readonly variable: string;
  readonly body: ASTNode;
}

/** `range.exists(variable, body)` and the like; undefined for all else. */
export function comprehensionOf(node: ASTNode): Comprehension | undefined {
  if (node.op !== 'rcall' || !COMPREHENSIONS.has(node.args[0])) return undefined;
  const [name, range, [variable, body, more]] = node.args;
  if (variable?.op !== 'id' || body === undefined || more !== undefined) return undefined;
  return { name, range, variable: variable.args, body };
}

export const isPath = (node: ASTNode): node is Path => node.op === '.' || node.op === '[]';

/** A part of an expression as it is written. The library leaves parentheses at its ends out of its range. */
export function sourceOf({ range }: ASTNode, text: string): string {
  const source = text.slice(range.start, range.end);
  let open = 0;
  let missing = 0;
  for (const [token] of source.matchAll(PARENTHESES)) {
    open += token === '(' ? 1 : token === ')' ? -1 : 0;
    missing = Math.max(missing, -open);
  }
  return '('.repeat(missing) + source + ')'.repeat(open + missing);
}

/** How many names of a path are declared: `context.ip`, `subject.id`, `subject.properties.department`. */
export const declaredLength = (path: readonly unknown[]): number =>
  path[0] === 'context' || path[1] !== 'properties' ? 2 : 3;

/** The names and indexes of a path, from the variable down; undefined for a field of anything else. */
export function keysOf(node: ASTNode): readonly (string | bigint)[] | undefined {
  if (node.op === 'id') return ROOT_NAMES.has(node.args) ? [node.args] : undefined;
  if (!isPath(node)) return undefined;
  const left = keysOf(node.args[0]);
  const key = node.op === '.' ? node.args[1] : node.args[1].op === 'value' ? node.args[1].args : undefined;
  return left && (typeof key === 'string' || typeof key === 'bigint') ? [...left, key] : undefined;
}

/** The part of a path that is declared. */
export function declaredPart(node: Path): ASTNode {
  const keys = keysOf(node) ?? [];
  let part: ASTNode = node;
  for (let more = keys.length - declaredLength(keys); more > 0 && isPath(part); more--) part = part.args[0];
  return part;
}

/** The parts of a node that are evaluated on their own. */
export function partsOf(node: ASTNode): readonly ASTNode[] {
  switch (node.op) {
    case 'value':
    case 'id':
    case '.':
    case '[]':
      return [];
    case '!_':
    case '-_':
      return [node.args];
    case 'call':
      return node.args[1];
    case 'rcall':
      return [node.args[1], ...node.args[2]];
    default:
      return node.args as readonly ASTNode[];
  }
}

export const isDuration = (node: ASTNode): node is Call => node.op === 'call' && node.args[0] === 'duration';
