import { instantOf } from './declarations.ts';
import { parseRange } from './ip-ranges.ts';
import type { ASTNode } from './library.ts';
import {
  ACCESSORS,
  amongTokens,
  type Call,
  COMPREHENSIONS,
  type Comprehension,
  comprehensionOf,
  declaredLength,
  declaredPart,
  EQUALITY,
  isDuration,
  isPath,
  keysOf,
  type Method,
  ORDER,
  type Path,
  partsOf,
  ROOT_NAMES,
  ROOTS,
} from './syntax.ts';
import { isTimeZone } from './time-zones.ts';

/** What may not be written, and where. */
export class Refusal extends Error {
  /** Characters before the place in the text. */
  readonly position: number;

  constructor(message: string, { start }: { readonly start: number }) {
    super(message);
    this.position = start;
  }
}

/** Functions with their number of arguments. */
const FUNCTIONS: ReadonlySet<string> = new Set([
  'size(1)',
  '.size(0)',
  '.startsWith(1)',
  '.endsWith(1)',
  '.contains(1)',
]);
/** The library takes a comma after the last argument. */
const LAST_COMMA = amongTokens(',(?:\\s|//[^\\n]*)*\\)');
/** Comprehensions within each other. */
const MAX_COMPREHENSIONS = 3;
const SAFE = BigInt(Number.MAX_SAFE_INTEGER);
const REFUSED: Readonly<Record<string, string>> = {
  map: 'maps cannot be written',
  '.?': 'there is no ?',
  '[?]': 'there is no ?',
};
const WHOLE = 'name what it looks at, as context.ip or subject.properties.department';

/**
 * Goes through a parsed expression: refuses what CEL's implementations evaluate differently and what has no bound
 * (docs/conditions.md, ADR 0020).
 *
 * @param text as it was parsed
 * @returns what it looks at, sorted
 * @throws Refusal
 */
export function usesOf(root: ASTNode, text: string): readonly string[] {
  const uses = new Set<string>();
  for (const { 0: found, index } of text.matchAll(LAST_COMMA))
    if (found.startsWith(',')) throw new Refusal('there is a comma too many', { start: index });
  visit(root, []);
  return [...uses].sort();

  function visit(node: ASTNode, variables: readonly string[]): void {
    const comprehension = comprehensionOf(node);
    if (comprehension) visitComprehension(comprehension, variables);
    else if (node.op === 'value') visitLiteral(node.args, node);
    else if (node.op === 'id') visitName(node.args, node, variables);
    else if (isPath(node)) visitPath(node);
    else if (node.op === 'call') visitCall(node, variables);
    else if (node.op === 'rcall') visitMethod(node, variables);
    else {
      if (node.op in REFUSED) throw new Refusal(REFUSED[node.op] ?? '', node);
      for (const each of partsOf(node)) if (!isDuration(each)) visit(each, variables);
      visitOperator(node);
    }
  }

  function visitOperator(node: ASTNode): void {
    const [left, right] = partsOf(node);
    // It has no type of its own, which each implementation finds out differently.
    if (left === undefined) throw new Refusal('the list is empty', node);
    // cel-go drops a pair when it parses: what follows may then be of any type.
    if (node.op === '!_' && left.op === '!_') throw new Refusal('leave out the pair of signs', node);
    // The smallest int has no opposite.
    if (node.op === '-_' && left.op !== 'value') throw new Refusal('write 0 - x for the opposite of x', node);
    if (right === undefined) return;
    // The library takes it without parentheses, which is no CEL, and its tree has none.
    if (node.op === '?:' && right.op === '?:')
      throw new Refusal('put the inner condition after the colon', right);
    // The library gives these operators different ranks, CEL the same.
    if (EQUALITY.has(node.op) && (ORDER.has(right.op) || right.op === 'in'))
      throw new Refusal('put the inner comparison on the left side', right);
    if ((node.op === '/' || node.op === '%') && right.op === 'value' && right.args === 0n)
      throw new Refusal('it divides by zero', right);
    for (const each of partsOf(node)) {
      if (!isDuration(each)) continue;
      if (node.op !== '-' || each !== right) throw new Refusal(NO_DURATION, each);
      visitDuration(each);
    }
  }

  function visitName(name: string, node: ASTNode, variables: readonly string[]): void {
    if (variables.includes(name)) return;
    if (ROOT_NAMES.has(name)) throw new Refusal(WHOLE, node);
    throw new Refusal(`${name} is unknown: there are ${ROOTS.join(', ')}`, node);
  }

  function visitLiteral(value: unknown, at: ASTNode): void {
    if (value === null || typeof value === 'boolean' || typeof value === 'number') return;
    // Beyond, an int and a double that differ may be equal to one implementation.
    if (typeof value === 'bigint' && value <= SAFE) return;
    if (typeof value === 'bigint') throw new Refusal('the number is too large', at);
    if (typeof value !== 'string') throw new Refusal('uint and bytes cannot be used', at);
    const quote = text[at.start] ?? '';
    if (!`'"`.includes(quote) || text.startsWith(quote.repeat(3), at.start))
      throw new Refusal('write the text in single or double quotes, without a prefix', at);
    if (!value.isWellFormed()) throw new Refusal('the text has half a character', at);
  }

  function visitPath(node: Path): void {
    const keys = keysOf(node);
    if (keys === undefined)
      throw new Refusal('a field or an index is a name, a text or a number, after a variable', node);
    const declared = keys.slice(0, declaredLength(keys));
    if (keys.length < declaredLength(keys)) throw new Refusal(WHOLE, node);
    // What is declared has one spelling; below it are maps and lists.
    for (let part: ASTNode = declaredPart(node); part.op !== 'id'; part = part.args[0])
      if (part.op !== '.') throw new Refusal(WHOLE, node);
    for (let part: ASTNode = node; isPath(part); part = part.args[0])
      if (part.op === '[]') visit(part.args[1], []);
    uses.add(declared.join('.'));
  }

  function visitCall(node: Call, variables: readonly string[]): void {
    const [name, values] = node.args;
    if (name === 'has') visitHas(node, values[0]);
    else if (name === 'timestamp') visitTimestamp(node);
    else if (name === 'duration') throw new Refusal(NO_DURATION, node);
    else if (name === 'cidr') throw new Refusal('cidr must be followed by .containsIP(…)', node);
    else if (FUNCTIONS.has(`${name}(${values.length})`)) for (const each of values) visit(each, variables);
    else throw new Refusal(`there is no function ${name}(${values.length})`, node);
  }

  /** Of what is neither declared nor one level below, implementations differ. */
  function visitHas(node: ASTNode, field: ASTNode | undefined): void {
    if (field?.op !== '.') throw new Refusal('has takes a field, as has(context.ip)', node);
    visitPath(field);
    const keys = keysOf(field) ?? [];
    if (keys.length > declaredLength(keys) + 1)
      throw new Refusal('has looks at a property, or at a key of a map', field);
  }

  function visitMethod(node: Method, variables: readonly string[]): void {
    const [name, receiver, values] = node.args;
    const [value] = values;
    if (name === 'containsIP' && value && values.length === 1) {
      visitRange(receiver);
      visit(value, variables);
    } else if (ACCESSORS.has(name) && values.length <= 1) {
      visit(receiver, variables);
      if (!isPath(receiver)) throw new Refusal('it must be a time that is given, as context.time', receiver);
      if (value && !isTimeZone(textOf(value)))
        throw new Refusal('it must be a time zone as Europe/Berlin, as a text', value);
    } else if (FUNCTIONS.has(`.${name}(${values.length})`))
      for (const each of partsOf(node)) visit(each, variables);
    else if (COMPREHENSIONS.has(name)) throw new Refusal(`${name} takes a variable and an expression`, node);
    else throw new Refusal(`there is no function .${name}(${values.length})`, node);
  }

  function visitComprehension(comprehension: Comprehension, variables: readonly string[]): void {
    const { name, range, variable, body } = comprehension;
    if (variables.includes(variable) || ROOT_NAMES.has(variable))
      throw new Refusal(`${variable} has a meaning already: name the variable otherwise`, range);
    if (variables.length >= MAX_COMPREHENSIONS)
      throw new Refusal(`at most ${MAX_COMPREHENSIONS} comprehensions within each other`, range);
    // Then no entry is larger than what is given or written.
    const isPlain = (each: ASTNode) => isPath(each) || each.op === 'value';
    if (!isPath(range) && !(range.op === 'list' && range.args.every(isPlain)))
      throw new Refusal(`${name} takes a declared list, or one that is written`, range);
    visit(range, variables);
    visit(body, [...variables, variable]);
  }
}

const textOf = (node: ASTNode | undefined): string | undefined =>
  node?.op === 'value' && typeof node.args === 'string' ? node.args : undefined;

/** The text that is the only argument. */
const onlyTextOf = ({ args: [, values] }: Call): string =>
  (values.length === 1 ? textOf(values[0]) : undefined) ?? '';

/** RFC 3339, from 1970 on, in whole milliseconds: what a property of the type `timestamp` may have. */
function visitTimestamp(node: Call): void {
  const text = onlyTextOf(node);
  if (/\.\d{4,}/.test(text) || instantOf(text) === undefined)
    throw new Refusal('it must be a time as RFC 3339 has it, as a text', node.args[1][0] ?? node);
}

const DURATION = /^(?=.)(?:\d{1,5}h)?(?:\d{1,5}m)?(?:\d{1,5}s)?(?:\d{1,5}ms)?$/;
const NO_DURATION = "a duration is taken from a time, as in context.time - duration('1h')";

/** As `1h30m`: as many of them as can be written do not lead out of the range of timestamps. */
function visitDuration(node: Call): void {
  if (!DURATION.test(onlyTextOf(node)))
    throw new Refusal('it must be a duration as 1h30m, as a text', node.args[1][0] ?? node);
}

function visitRange(node: ASTNode): void {
  if (node.op !== 'call' || node.args[0] !== 'cidr') throw new Refusal("write cidr('…').containsIP(…)", node);
  if (parseRange(onlyTextOf(node)) === undefined)
    throw new Refusal('it must be an IP range as 10.0.0.0/8, as a text', node.args[1][0] ?? node);
}
