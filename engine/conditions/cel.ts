import { type GatehouseError, invalid } from '../../table/errors.ts';
import { type Declarations, MAX_CONDITION_LENGTH } from '../../table/properties.ts';
import { contextOf, type Variables } from './declarations.ts';
import { Refusal, usesOf } from './grammar.ts';
import { IpRange, parseRange } from './ip-ranges.ts';
import { type ASTNode, Environment, ParseError, TypeFault } from './library.ts';
import { createSteps } from './steps.ts';
import { ROOTS, sourceOf } from './syntax.ts';
import { callZonedAccessors, registerZonedAccessors } from './time-zones.ts';
import { demandTypes } from './types.ts';
import { MAX_STEPS, type Outcome, OVER_BUDGET } from './work.ts';

/** An expression in CEL, parsed. */
export interface Expression {
  readonly text: string;
  /**
   * What it looks at, by name: `subject.id`, `subject.properties.role`, `context.ip`. A name covers all below it.
   */
  readonly uses: readonly string[];
  /**
   * Never throws, and ends within its bound of steps.
   *
   * @param take takes its steps off the budget of the request; what it refuses is not evaluated
   */
  readonly evaluate: (variables: Variables, take?: (steps: number) => boolean) => Outcome;
}

/** What is wrong with an expression. */
export interface Problem {
  readonly message: string;
  /** Characters before the place in the text. */
  readonly position: number;
}

const LIMITS = {
  maxAstNodes: 400,
  maxDepth: 24,
  maxListElements: 200,
  maxMapEntries: 0,
  maxCallArguments: 2,
};

function createEnvironment(homogeneousAggregateLiterals: boolean): Environment {
  return new Environment({ homogeneousAggregateLiterals, limits: LIMITS })
    .registerType('net.CIDR', { ctor: IpRange, fields: {} })
    .registerFunction('cidr(string): net.CIDR', parseRange)
    .registerFunction('net.CIDR.containsIP(string): bool', (range: IpRange, address: string) =>
      range.contains(address),
    );
}

/** What expressions are evaluated in: types are known when values are. */
const untyped = registerZonedAccessors(createEnvironment(false));
for (const root of ROOTS) untyped.registerVariable(root, 'map');

/**
 * A parsed expression of a bool in the grammar of conditions.
 *
 * @throws Refusal
 */
function parseIn(environment: Environment, text: string) {
  if (text.length > MAX_CONDITION_LENGTH)
    throw new Refusal(`it must have at most ${MAX_CONDITION_LENGTH} characters`, {
      start: MAX_CONDITION_LENGTH,
    });
  try {
    const run = environment.parse(text);
    const uses = usesOf(run.ast, text);
    const { valid, type = '', error } = run.check();
    if (!valid) throw error;
    if (type !== 'bool' && type !== 'dyn') throw new Refusal(`it must be a bool, not ${type}`, run.ast);
    return { run, uses };
  } catch (error) {
    if (error instanceof Refusal) throw error;
    if (error instanceof ParseError || error instanceof TypeFault)
      throw new Refusal(error.summary, error.range ?? { start: 0 });
    // The library throws plain errors too: where operators are ambiguous, for one.
    throw new Refusal(messageOf(error), { start: 0 });
  }
}

/** @throws what is no Refusal */
function toProblem(error: unknown): Problem {
  if (!(error instanceof Refusal)) throw error;
  return { message: error.message, position: error.position };
}

const toError = ({ message, position }: Problem): GatehouseError =>
  invalid('when', `when: ${message} (at character ${position + 1})`);

/**
 * @param text of an expression that was checked when it was written
 * @throws GatehouseError `invalid` on `when`, with the position
 */
export function parse(text: string): Expression {
  let uses: readonly string[];
  try {
    ({ uses } = parseIn(untyped, text));
  } catch (error) {
    throw toError(toProblem(error));
  }
  // A checked tree has bound its accessors: those with zones are put into a fresh one.
  const run = untyped.parse(text);
  const stepsOver = createSteps(run.ast);
  callZonedAccessors(run.ast);
  const evaluate: Expression['evaluate'] = (variables, take) => {
    const steps = stepsOver(variables, take !== undefined);
    if (steps > MAX_STEPS) return { unknown: `it takes more than ${MAX_STEPS} steps` };
    if (take && !take(steps)) return { unknown: OVER_BUDGET };
    const { stackTraceLimit } = Error;
    // A trace takes longer than all else of an error, and an expression may pass over a thousand errors.
    Error.stackTraceLimit = 0;
    try {
      const value: unknown = run(variables);
      return typeof value === 'boolean' ? { holds: value } : { unknown: 'it is no bool' };
    } catch (error) {
      return { unknown: messageOf(error) };
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
    }
  };
  return { text, uses, evaluate };
}

/** Why evaluating failed, for the reader of an explanation. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'summary' in error ? String(error.summary) : error.message;
}

const TYPES: Readonly<Record<string, string>> = {
  timestamp: 'google.protobuf.Timestamp',
  map: 'map<string, dyn>',
};

/** Declared names with the library's types. */
function fieldsOf(declarations: Declarations, kind: string): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [of, declared] of declarations)
    if (of === kind || of.startsWith(`${kind}:`))
      for (const [name, { type }] of declared) fields[name] = TYPES[type] ?? type;
  return fields;
}

function createTyped(declarations: Declarations): Environment {
  const entity = (kind: string) => ({
    schema: { type: 'string', id: 'string', properties: fieldsOf(declarations, kind) },
  });
  const action = { schema: { name: 'string', properties: fieldsOf(declarations, 'action') } };
  const context = { schema: fieldsOf(new Map([['context', contextOf(declarations)]]), 'context') };
  return createEnvironment(true)
    .registerVariable('subject', entity('subject'))
    .registerVariable('resource', entity('resource'))
    .registerVariable('action', action)
    .registerVariable('context', context);
}

const TYPED = new WeakMap<Declarations, Environment>();

/**
 * What is wrong with an expression, before it is written: its syntax, what it may use, its types and the names it
 * looks at, as declared now.
 */
export function check(text: string, declarations: Declarations): Problem | undefined {
  const environment = TYPED.get(declarations) ?? createTyped(declarations);
  TYPED.set(declarations, environment);
  try {
    // Each in itself: in one of the two the types of values are not known.
    parseIn(untyped, text);
    demandTypes(parseIn(environment, text).run.ast, text, environment);
    return undefined;
  } catch (error) {
    return toProblem(error);
  }
}

/** The tree of an expression that was checked when it was written. */
export const treeOf = (text: string): ASTNode => untyped.parse(text).ast;

/**
 * The parts of an expression between its outermost `&&`, as they are written: for explanations.
 *
 * @throws GatehouseError `invalid` on `when`, with the position
 */
export function conjunctsOf(text: string): readonly string[] {
  const parts: string[] = [];
  const visit = (node: ASTNode): void => {
    if (node.op === '&&') for (const each of node.args) visit(each);
    else parts.push(sourceOf(node, text));
  };
  parse(text);
  visit(treeOf(text));
  return parts;
}
