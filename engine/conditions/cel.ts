import { type GatehouseError, invalid } from '../../table/errors.ts';
import { type Declarations, MAX_CONDITION_LENGTH } from '../../table/properties.ts';
import { contextOf, type Variables } from './declarations.ts';
import { createPreparation, messageOf, type Node, type Prepared, Refusal, ROOTS } from './grammar.ts';
import { type ASTNode, Environment, ParseError, TypeFault } from './library.ts';
import { createMeter } from './steps.ts';

/** Whether a condition holds, or why that is not known. */
export type Outcome = { readonly holds: boolean } | { readonly unknown: string };

/** An expression in CEL, parsed. */
export interface Expression {
  readonly text: string;
  /**
   * What it looks at, by name: `subject.id`, `subject.properties.role`, `context.ip`. A name covers all below it.
   */
  readonly uses: readonly string[];
  /** Never throws, and ends within its bound of steps. */
  readonly evaluate: (variables: Variables) => Outcome;
}

/** What is wrong with an expression. */
export interface Problem {
  readonly message: string;
  /** Characters before the place in the text. */
  readonly position: number;
}

const OPTIONS = {
  limits: { maxAstNodes: 400, maxDepth: 24, maxListElements: 200, maxMapEntries: 0, maxCallArguments: 2 },
};

class IpRangeType {}

function createEnvironment(): Environment {
  return new Environment(OPTIONS)
    .registerType('net.CIDR', { ctor: IpRangeType, fields: {} })
    .registerFunction('cidr(string): net.CIDR', () => undefined)
    .registerFunction('net.CIDR.containsIP(string): bool', () => false);
}

/** One evaluation runs at a time: it is synchronous. */
const meter = createMeter();
const prepare = createPreparation(meter);

/** What parsed expressions are evaluated in: types are known when values are. */
const untyped = createEnvironment();
for (const root of ROOTS) untyped.registerVariable(root, 'map');

interface Parsed extends Prepared {
  readonly run: (variables: Variables) => unknown;
  readonly type: string;
}

/** @throws Refusal */
function parseIn(environment: Environment, text: string): Parsed {
  if (text.length > MAX_CONDITION_LENGTH)
    throw new Refusal(`it must have at most ${MAX_CONDITION_LENGTH} characters`, MAX_CONDITION_LENGTH);
  try {
    const run = environment.parse(text);
    const prepared = prepare(run.ast as unknown as Node, text);
    const { valid, type = '', error } = run.check();
    if (!valid) throw error;
    if (type !== 'bool' && type !== 'dyn') throw new Refusal(`it must be a bool, not ${type}`, 0);
    return { ...prepared, run: run as (variables: Variables) => unknown, type };
  } catch (error) {
    if (error instanceof Refusal) throw error;
    if (error instanceof ParseError || error instanceof TypeFault)
      throw new Refusal(error.summary, error.range?.start ?? 0);
    // The library throws plain errors too: where operators are ambiguous, for one.
    throw new Refusal(messageOf(error), 0);
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
  let parsed: Parsed;
  try {
    parsed = parseIn(untyped, text);
  } catch (error) {
    throw toError(toProblem(error));
  }
  const { run, uses } = parsed;
  const evaluate = (variables: Variables): Outcome => {
    meter.start();
    try {
      const value = run(variables);
      // What exceeded the bound may be in a part that `||` or `exists` passed over.
      if (meter.isExceeded()) return { unknown: meter.message };
      return typeof value === 'boolean' ? { holds: value } : { unknown: 'it is no bool' };
    } catch (error) {
      return { unknown: meter.isExceeded() ? meter.message : messageOf(error) };
    }
  };
  return { text, uses, evaluate };
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
  return createEnvironment()
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
    parseIn(untyped, text);
    for (const { of, fits, message } of parseIn(environment, text).demands)
      if (!of.checkedType || !fits(of.checkedType)) throw new Refusal(message, of.start);
    return undefined;
  } catch (error) {
    return toProblem(error);
  }
}

/**
 * The parts of an expression between its outermost `&&`, as they are written: for explanations.
 *
 * @throws GatehouseError `invalid` on `when`, with the position
 */
export function conjunctsOf(text: string): readonly string[] {
  const parts: string[] = [];
  const visit = ({ op, args, range }: ASTNode): void => {
    if (op === '&&') for (const each of args) visit(each);
    else parts.push(text.slice(range.start, range.end));
  };
  parse(text);
  visit(untyped.parse(text).ast);
  return parts;
}

/** Steps of the last evaluation, for tests of the bound. */
export const stepsTaken = (): number => meter.taken();
