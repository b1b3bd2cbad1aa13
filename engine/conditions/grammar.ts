import { createFunctions } from './functions.ts';
import { createOperators, mismatch, valueAt } from './operators.ts';
import { EvaluationFault, type Meter } from './steps.ts';

/** A node of the library's syntax tree, as far as it is used here. */
export interface Node {
  readonly op: string;
  readonly args: unknown;
  /** Position of the first character. */
  readonly start: number;
  readonly meta: { readonly macro?: Macro; readonly alternate?: Node; readonly evaluate: Evaluate };
  readonly setMeta: (key: 'evaluate' | 'macro', value: unknown) => Node;
  /** Once it is type-checked. */
  readonly checkedType?: CheckedType;
}
interface CheckedType {
  readonly kind: string;
  readonly name: string;
}
type Evaluate = (evaluator: Evaluator, node: Node, scope: unknown) => unknown;
interface Evaluator {
  readonly run: (node: Node, scope: unknown) => unknown;
}
interface Macro {
  readonly args: readonly Node[];
}
interface Checker {
  readonly check: (node: Node, scope: unknown) => unknown;
  readonly getType: (name: string) => unknown;
}

/** What may not be written, and where. */
export class Refusal extends Error {
  readonly position: number;

  constructor(message: string, position: number) {
    super(message);
    this.position = position;
  }
}

export const ROOTS = ['subject', 'resource', 'action', 'context'] as const;
const ROOT_NAMES: ReadonlySet<string> = new Set(ROOTS);
const COMPREHENSIONS: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);
const LOGICAL: ReadonlySet<string> = new Set(['&&', '||']);
const EQUALITY: ReadonlySet<string> = new Set(['==', '!=']);
const RELATIONS: ReadonlySet<string> = new Set(['<', '<=', '>', '>=', 'in']);
/** The library takes a comma after the last argument. Texts and comments may hold one. */
const TEXT_OR_LAST_COMMA = /'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|,(?:\s|\/\/[^\n]*)*\)|\/\/[^\n]*/g;
/** Comprehensions within each other. */
const MAX_COMPREHENSIONS = 3;
const MAX_INT = 9_223_372_036_854_775_807n;

interface Demand {
  readonly of: Node;
  readonly fits: (type: CheckedType) => boolean;
  readonly message: string;
}

export interface Prepared {
  readonly uses: readonly string[];
  /** What types must be beyond what the library asks, once they are checked. */
  readonly demands: readonly Demand[];
}

/**
 * Goes through a parsed expression once: refuses what is not in the grammar of conditions (docs/conditions.md),
 * notes what it looks at, and replaces how operators, fields and functions are evaluated by functions that count
 * their steps and agree with cel-go. The library evaluates the rest: logic, comprehensions, literals, variables.
 *
 * @throws Refusal
 */
export function createPreparation(meter: Meter): (root: Node, text: string) => Prepared {
  const { spend } = meter;
  const operators = createOperators(meter);
  const functions = createFunctions(meter);

  return (root, text) => {
    const uses = new Set<string>();
    const demands: Demand[] = [];
    const demand = (of: Node, fits: Demand['fits'], message: string) => demands.push({ of, fits, message });
    for (const { 0: found, index } of text.matchAll(TEXT_OR_LAST_COMMA))
      if (found.startsWith(',')) throw new Refusal('there is a comma too many', index);
    visit(root, []);
    return { uses: [...uses].sort(), demands };

    function visit(node: Node, bound: readonly string[]): void {
      const { op } = node;
      if (op === 'value') visitLiteral(node);
      else if (op === 'id') visitName(node, bound);
      else if (op === '.' || op === '[]') visitField(node, bound);
      else if (op === 'call') visitCall(node, bound);
      else if (op === 'rcall') visitMethod(node, bound);
      else if (op === '!_') visit(node.args as Node, bound);
      else if (op === '?:') visitTernary(node, bound);
      else if (op === 'list') visitList(node, bound);
      else if (LOGICAL.has(op)) for (const each of node.args as Node[]) visit(each, bound);
      else visitOperator(node, bound);
    }

    function visitList({ args, start }: Node, bound: readonly string[]): void {
      // It has no type of its own, which each implementation finds out differently.
      if ((args as Node[]).length === 0) throw new Refusal('the list is empty', start);
      for (const each of args as Node[]) visit(each, bound);
    }

    function visitTernary({ args }: Node, bound: readonly string[]): void {
      const values = args as [Node, Node, Node];
      // The library takes it without parentheses, which is no CEL, and its tree has none.
      if (values[1].op === '?:')
        throw new Refusal('put the inner condition after the colon', values[1].start);
      for (const each of values) visit(each, bound);
      const isDyn = (type?: CheckedType) => type?.kind === 'dyn';
      demand(
        values[1],
        (type) => isDyn(type) === isDyn(values[2].checkedType),
        'the type of one side of the colon is declared, that of the other is not',
      );
    }

    function visitOperator(node: Node, bound: readonly string[]): void {
      const operator = operators.get(node.op);
      if (operator === undefined)
        throw new Refusal(NAMES[node.op] ?? `${node.op} cannot be used`, node.start);
      const [left, right] = (node.op === '-_' ? [node.args] : node.args) as [Node, Node?];
      visit(left, bound);
      if (right === undefined) {
        replace(node, (evaluator, scope) => operator(evaluator.run(left, scope), undefined));
        return;
      }
      // The library gives these operators different ranks, CEL the same.
      if (EQUALITY.has(node.op) && RELATIONS.has(right.op))
        throw new Refusal('put the inner comparison on the left side', right.start);
      visit(right, bound);
      if (node.op === '+') demandSum(left, right);
      replace(node, (evaluator, scope) => operator(evaluator.run(left, scope), evaluator.run(right, scope)));
    }

    /** The library takes lists of any types for one another, and the sum of duration and timestamp for a duration. */
    function demandSum(left: Node, right: Node): void {
      const fits = ({ kind, name }: CheckedType) => {
        const other = right.checkedType;
        if (kind === 'list' || other?.kind === 'list') return name === other?.name;
        return name !== DURATION || other?.kind === 'dyn' || other?.name === DURATION;
      };
      demand(left, fits, 'the two are of different types: write a timestamp before a duration');
    }

    function visitLiteral({ args: value, start }: Node): void {
      if (value === null || typeof value === 'boolean' || typeof value === 'number') return;
      if (typeof value === 'bigint' && value <= MAX_INT) return;
      if (typeof value === 'bigint') throw new Refusal('the number is too large', start);
      if (typeof value !== 'string') throw new Refusal('uint and bytes cannot be used', start);
      const quote = text[start] ?? '';
      if (!`'"`.includes(quote) || text.startsWith(quote.repeat(3), start))
        throw new Refusal('write the text in single or double quotes, without a prefix', start);
      if (!value.isWellFormed()) throw new Refusal('the text has half a character', start);
    }

    function visitName({ args, start }: Node, bound: readonly string[]): void {
      const name = args as string;
      if (bound.includes(name)) return;
      if (!ROOT_NAMES.has(name))
        throw new Refusal(`${name} is unknown: there are ${ROOTS.join(', ')}`, start);
      throw new Refusal(WHOLE, start);
    }

    function visitField(node: Node, bound: readonly string[]): void {
      const path = pathOf(node, bound);
      if (path) uses.add(nameOf(path, node.start));
      visitFieldOf(node, bound, path?.length ?? 0);
    }

    /** `named`: how many names the path has that was noted; 0 for a field of something else. */
    function visitFieldOf(node: Node, bound: readonly string[], named: number): void {
      const [left, key] = node.args as [Node, Node | string];
      demand(left, hasFields, 'it has no fields');
      if (named === 0) visit(left, bound);
      else if (left.op !== 'id') visitFieldOf(left, bound, named - 1);
      if (typeof key === 'string') {
        replace(node, (evaluator, scope) => valueAt(evaluator.run(left, scope), key));
        return;
      }
      visit(key, bound);
      const isKey = ({ kind, name }: CheckedType) =>
        kind === 'dyn' || name === ({ map: 'string', list: 'int' }[left.checkedType?.kind ?? ''] ?? name);
      demand(key, isKey, 'a map is asked by a text, a list by an int');
      replace(node, (evaluator, scope) => valueAt(evaluator.run(left, scope), evaluator.run(key, scope)));
    }

    function visitHas(node: Node, bound: readonly string[]): void {
      const [field] = (node.args as [string, Node[]])[1];
      if (field?.op !== '.') throw new Refusal('has takes a field, as has(context.ip)', node.start);
      visitField(field, bound);
      const [left, name] = field.args as [Node, string];
      const evaluate = (evaluator: Evaluator, _: unknown, scope: unknown): boolean => {
        spend(1);
        const value = evaluator.run(left, scope);
        // As cel-go: a scalar has no field, of a list it cannot be asked.
        if (Array.isArray(value)) throw mismatch('has', value);
        return value instanceof Map && value.has(name);
      };
      const typeCheck = (checker: Checker, _: unknown, scope: unknown) => {
        checker.check(field, scope);
        return checker.getType('bool');
      };
      node.setMeta('macro', { args: [field], evaluate, typeCheck, async: false });
    }

    function visitCall(node: Node, bound: readonly string[]): void {
      const [name, values] = node.args as [string, Node[]];
      if (name === 'cidr') throw new Refusal('cidr must be followed by .containsIP(…)', node.start);
      if (name === 'has' && node.meta.macro) visitHas(node, bound);
      else visitFunction(node, `${name}(${values.length})`, values, bound);
    }

    function visitMethod(node: Node, bound: readonly string[]): void {
      const [name, receiver, values] = node.args as [string, Node, Node[]];
      if (COMPREHENSIONS.has(name)) visitComprehension(node, name, receiver, values, bound);
      else if (name === 'containsIP') visitContainsIp(node, receiver, values, bound);
      else visitFunction(node, `.${name}(${values.length})`, [receiver, ...values], bound);
    }

    function visitContainsIp(
      node: Node,
      receiver: Node,
      values: readonly Node[],
      bound: readonly string[],
    ): void {
      const [name, ranges = []] = receiver.op === 'call' ? (receiver.args as [string, Node[]]) : [];
      if (name !== 'cidr') throw new Refusal("write cidr('…').containsIP(…)", node.start);
      visitFunction(receiver, `cidr(${ranges.length})`, ranges, bound);
      visitFunction(node, `.containsIP(${values.length})`, [receiver, ...values], bound, 1);
    }

    /** `from`: position of the first value that was not visited yet. */
    function visitFunction(
      node: Node,
      form: string,
      values: readonly Node[],
      bound: readonly string[],
      from = 0,
    ): void {
      const { call, literal } = functions.get(form) ?? {};
      if (call === undefined) throw new Refusal(`there is no function ${form}`, node.start);
      for (const each of values.slice(from)) visit(each, bound);
      if (literal === undefined) {
        const [first, second] = values as [Node, Node?];
        if (second) demand(second, isText, `${form} takes a text`);
        if (second === undefined) replace(node, (evaluator, scope) => call(evaluator.run(first, scope)));
        else
          replace(node, (evaluator, scope) =>
            call(evaluator.run(first, scope), evaluator.run(second, scope)),
          );
        return;
      }
      const last = values.at(-1) as Node;
      const constant =
        typeof last.args === 'string' && last.op === 'value' ? literal.read(last.args) : undefined;
      if (constant === undefined) throw new Refusal(`it must be ${literal.of}, as a text`, last.start);
      const [first] = values as [Node];
      if (values.length === 1) replace(node, () => constant);
      else replace(node, (evaluator, scope) => call(evaluator.run(first, scope), constant));
    }

    function visitComprehension(
      node: Node,
      name: string,
      range: Node,
      values: readonly Node[],
      bound: readonly string[],
    ): void {
      const [variable, body] = values as [Node, Node];
      if (values.length !== 2) throw new Refusal(`${name} takes a variable and an expression`, node.start);
      const entry = variable.args as string;
      if (bound.includes(entry) || ROOT_NAMES.has(entry))
        throw new Refusal(`${entry} has a meaning already: name the variable otherwise`, variable.start);
      if (bound.length >= MAX_COMPREHENSIONS)
        throw new Refusal(`at most ${MAX_COMPREHENSIONS} comprehensions within each other`, node.start);
      visit(range, bound);
      visit(body, [...bound, entry]);
      const { evaluate } = (range.meta.alternate ?? range).meta;
      (range.meta.alternate ?? range).setMeta(
        'evaluate',
        (evaluator: Evaluator, at: Node, scope: unknown) => {
          const entries = evaluate(evaluator, at, scope);
          if (Array.isArray(entries)) spend(1 + entries.length);
          else if (entries instanceof Map && name !== 'map' && name !== 'filter') spend(1 + entries.size);
          else {
            // As cel-go: an empty text is passed over as an empty list is.
            if (entries === '') return [];
            throw mismatch(name, entries);
          }
          return entries;
        },
      );
      // Maps have no order.
      if (name === 'map' || name === 'filter')
        demand(range, isList, `${name} takes a list: what it is must be declared`);
    }

    function replace(node: Node, evaluate: (evaluator: Evaluator, scope: unknown) => unknown): void {
      node.setMeta('evaluate', (evaluator: Evaluator, _: Node, scope: unknown) => {
        spend(1);
        return evaluate(evaluator, scope);
      });
    }
  };
}

const DURATION = 'google.protobuf.Duration';
const isList = ({ kind }: CheckedType): boolean => kind === 'list';
const isText = ({ kind, name }: CheckedType): boolean => kind === 'dyn' || name === 'string';
const hasFields = ({ kind, name }: CheckedType): boolean =>
  kind === 'dyn' || kind === 'map' || kind === 'list' || name.startsWith('$');

const NAMES: Readonly<Record<string, string>> = { map: 'maps cannot be written' };
const WHOLE = 'name what it looks at, as context.ip or subject.properties.department';

/** The name that a path begins with: `context.claims` of `context.claims.acr`. */
function nameOf(path: readonly string[], start: number): string {
  const length = path[0] === 'context' || path[1] !== 'properties' ? 2 : 3;
  if (path.length < length) throw new Refusal(WHOLE, start);
  return path.slice(0, length).join('.');
}

/** Names from a variable down; `*` for an index. */
function pathOf(node: Node, bound: readonly string[]): readonly string[] | undefined {
  if (node.op === 'id') {
    const name = node.args as string;
    return ROOT_NAMES.has(name) && !bound.includes(name) ? [name] : undefined;
  }
  if (node.op !== '.' && node.op !== '[]') return undefined;
  const [left, key] = node.args as [Node, Node | string];
  const name = typeof key === 'string' ? key : key.op === 'value' ? key.args : undefined;
  const path = pathOf(left, bound);
  if (path === undefined) return undefined;
  // What is declared has one spelling; below it are maps.
  const isDeclared = path.length === 1 || (path.length === 2 && path[0] !== 'context');
  if (isDeclared && typeof key !== 'string') throw new Refusal(WHOLE, node.start);
  return [...path, typeof name === 'string' ? name : '*'];
}

/** Why evaluating failed, for the reader of an explanation. */
export const messageOf = (error: unknown): string => {
  if (error instanceof EvaluationFault) return error.message;
  if (!(error instanceof Error)) return String(error);
  return 'summary' in error ? String(error.summary) : error.message;
};
