import { Refusal } from './grammar.ts';
import { type ASTNode, type Environment, TypeFault } from './library.ts';
import {
  ACCESSORS,
  ARITHMETIC,
  type Comprehension,
  comprehensionOf,
  declaredPart,
  EQUALITY,
  isDuration,
  isPath,
  type Method,
  ORDER,
  type Path,
  partsOf,
  sourceOf,
} from './syntax.ts';

const TIME = 'google.protobuf.Timestamp';
const isList = (type: string): boolean => type === 'list' || type.startsWith('list<');
const isMap = (type: string): boolean => type === 'map' || type.startsWith('map<');
const isTextOr = (type: string): boolean => type === 'string' || type === 'dyn';
const isOrdered = (type: string): boolean => type === 'int' || type === 'double' || type === TIME;

/**
 * Refuses, in an expression that the library's type checker accepts, what other implementations refuse or evaluate
 * otherwise because of its types.
 *
 * @param text as it was parsed
 * @param environment with the declared types
 * @throws Refusal
 */
export function demandTypes(root: ASTNode, text: string, environment: Environment): void {
  const type = (node: ASTNode): string => {
    const { type: found, error } = environment.check(sourceOf(node, text));
    if (found !== undefined) return found;
    throw new Refusal(error instanceof TypeFault ? error.summary : String(error), node);
  };
  const demand = (holds: boolean, message: string, node: ASTNode): void => {
    if (!holds) throw new Refusal(message, node);
  };
  visit(root);

  function visit(node: ASTNode): void {
    const comprehension = comprehensionOf(node);
    if (comprehension) visitComprehension(comprehension);
    else if (node.op === 'call' && node.args[0] === 'has') visitHas(node.args[1][0] as Path);
    else if (isPath(node)) visitPath(node);
    else {
      for (const each of partsOf(node)) visit(each);
      visitParts(node);
    }
  }

  function visitParts(node: ASTNode): void {
    if (ARITHMETIC.has(node.op)) visitArithmetic(node);
    else if (EQUALITY.has(node.op) || ORDER.has(node.op)) visitComparison(node);
    else {
      for (const each of partsOf(node))
        demand(!isIntArithmetic(each), 'the result of int arithmetic can only be compared with an int', each);
      if (node.op === 'rcall') visitMethod(node);
      else if (node.op === 'in') visitMembership(node.args);
      else if (node.op === '?:')
        demand(type(node.args[1]) === type(node.args[2]), 'the two sides of the colon differ in type', node);
    }
  }

  /** Its result may be beyond what a double can tell apart. */
  function isIntArithmetic(node: ASTNode): boolean {
    return ARITHMETIC.has(node.op) && type(node) === 'int';
  }

  function visitComparison(node: ASTNode): void {
    const [left, right] = partsOf(node) as [ASTNode, ASTNode];
    const types = [type(left), type(right)];
    const areInts = types.every((each) => each === 'int');
    demand(
      areInts || !(isIntArithmetic(left) || isIntArithmetic(right)),
      'the result of int arithmetic can only be compared with an int',
      node,
    );
    if (!ORDER.has(node.op)) return;
    // Texts have an order by code point in CEL, by half of it in JavaScript.
    demand(types.some(isOrdered), 'one of the two must be known as a number or a time', node);
    // It may be NaN, which cel-go compares with texts, too.
    demand(
      types.every(isOrdered) || !(isArithmetic(left) || isArithmetic(right)),
      'the result of arithmetic can only be ordered with what is known as a number or a time',
      node,
    );
  }

  /** Whether arithmetic gives its value, or that of a part. */
  function isArithmetic(node: ASTNode): boolean {
    return ARITHMETIC.has(node.op) || partsOf(node).some(isArithmetic);
  }

  function visitMembership([left, right]: readonly [ASTNode, ASTNode]): void {
    if (isMap(type(right))) demand(isTextOr(type(left)), 'a map is asked by a text', left);
  }

  function visitArithmetic(node: ASTNode): void {
    const [left, right] = partsOf(node) as [ASTNode, ASTNode];
    const of = type(left);
    if (isDuration(right)) demand(of === TIME, 'a duration is taken from a time', left);
    else {
      const isFitting = of === 'int' || of === 'double' || (node.op === '+' && of === 'string');
      demand(
        isFitting && type(right) === of,
        'both must be known as int, as double, or as texts to join',
        node,
      );
    }
    // Of the smallest int, the quotient by -1 is no int.
    if ((node.op === '/' || node.op === '%') && of === 'int')
      demand(right.op === 'value', 'an int is divided by a number that is written', right);
  }

  function visitMethod({ args: [name, receiver, values] }: Method): void {
    if (ACCESSORS.has(name)) demand(type(receiver) === TIME, 'it must be a time', receiver);
    else
      for (const each of values)
        demand(
          // Where it is not known to be a text, cel-go looks for a function of addresses.
          name === 'containsIP' ? type(each) === 'string' : isTextOr(type(each)),
          `${name} takes a text`,
          each,
        );
  }

  function visitPath(node: Path): void {
    if (declaredPart(node) === node) return;
    const [left, key] = node.args;
    visit(left);
    const of = type(left);
    const isName = typeof key === 'string' || (key.op === 'value' && typeof key.args === 'string');
    demand(
      of === 'dyn' || (isName ? isMap(of) : isList(of)),
      isName ? 'it has no fields' : 'it is no list',
      left,
    );
  }

  function visitHas(node: Path): void {
    const declared = declaredPart(node);
    const of = type(declared);
    demand(declared === node || isMap(of), 'has looks at a property, or at a key of a map', node);
  }

  function visitComprehension({ name, range, variable, body }: Comprehension): void {
    visit(range);
    const of = type(range);
    demand(isList(of), `${name} takes a list: what it is must be declared`, range);
    demand(
      !environment.hasVariable(variable),
      `${variable} has a meaning already: name the variable otherwise`,
      range,
    );
    const inner = environment.clone().registerVariable(variable, /^list<(.*)>$/.exec(of)?.[1] ?? 'dyn');
    demandTypes(body, text, inner);
  }
}
