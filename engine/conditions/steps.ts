import { PASSED_BOUNDS, type Value, type ValueMap, type Variables } from './declarations.ts';
import type { ASTNode } from './library.ts';
import { ACCESSORS, comprehensionOf, EQUALITY, isPath, ORDER, partsOf } from './syntax.ts';
import { MAX_STEPS } from './work.ts';

/** How large the values are that an expression looks at. */
interface Sizes {
  /** Entries of a list or map. */
  readonly entries: number;
  /** See `weightOf`. */
  readonly weight: number;
  /** The largest weight of an entry. */
  readonly entryWeight: number;
}
type SizesOf = (path: ASTNode) => Sizes;

const textWeight = (text: string): number => 1 + Math.ceil(text.length / 64);

/** What a path looks at; where it has an index, the list that it is in. */
function valueAt(node: ASTNode, variables: Variables): Value | undefined {
  if (node.op === 'id') return variables[node.args as keyof Variables];
  if (!isPath(node)) return undefined;
  const holder = valueAt(node.args[0], variables);
  if (!(holder instanceof Map)) return holder;
  const key = node.op === '.' ? node.args[1] : node.args[1].args;
  return typeof key === 'string' ? (holder as ValueMap).get(key) : holder;
}

/** 1 for each value, and for each 64 characters: what it costs to compare or to search it. */
function weightOf(value: Value | undefined): number {
  if (typeof value === 'string') return textWeight(value);
  if (!Array.isArray(value) && !(value instanceof Map)) return 1;
  let weight = 1;
  if (value instanceof Map) for (const key of value.keys()) weight += textWeight(key);
  for (const each of value.values()) weight += weightOf(each);
  return weight;
}

/** What conversion lets pass (`PASSED_BOUNDS`). */
const ALL = PASSED_BOUNDS.bytes / 8 + PASSED_BOUNDS.bytes / 64;
const LARGEST: Sizes = { entries: PASSED_BOUNDS.list, weight: ALL, entryWeight: ALL };

function sizesIn(variables: Variables): SizesOf {
  return (path) => {
    const value = valueAt(path, variables);
    const entries = Array.isArray(value) ? value : value instanceof Map ? [...value.keys()] : [];
    let entryWeight = 1;
    for (const each of entries) entryWeight = Math.max(entryWeight, weightOf(each));
    return { entries: entries.length, weight: weightOf(value), entryWeight };
  };
}

/** Weights of the variables of the comprehensions around a node. */
type Scope = ReadonlyMap<string, number>;

/** Steps for an error that the expression passes over. */
const ERROR = 20;
/** Steps to search 64 characters for 64 others: V8 may compare each with each. */
const SEARCH = 20;
/** Steps to convert a time to a time zone. */
const TIME_ZONE = 100;
/** Steps to read an address and a range. */
const IP_RANGE = 50;

/**
 * An upper bound of what evaluating costs, in steps of about a tenth of a microsecond. It is one because
 *
 * - each part of the expression counts, whether or not `&&`, `||`, `?:` or `exists` skip it;
 * - a comprehension counts its body once for each entry, each as heavy as the heaviest one;
 * - an operator or function counts the whole weight of what it goes through, though it may stop early;
 * - no value is heavier than the sum of those that it is made of, and a range is never made (grammar.ts), so that no
 *   value grows from entry to entry.
 */
function stepsOf(node: ASTNode, sizesOf: SizesOf, scope: Scope): number {
  const steps = (each: ASTNode): number => stepsOf(each, sizesOf, scope);
  const weight = (each: ASTNode): number => weightIn(each, sizesOf, scope);
  if (isPath(node)) return 1 + steps(node.args[0]);
  const comprehension = comprehensionOf(node);
  if (comprehension) {
    const { range, variable, body } = comprehension;
    const { entries, entryWeight } = isPath(range)
      ? sizesOf(range)
      : { entries: partsOf(range).length, entryWeight: Math.max(...partsOf(range).map(weight)) };
    const inner = new Map(scope).set(variable, entryWeight);
    return 1 + steps(range) + entries * (ERROR + stepsOf(body, sizesOf, inner));
  }
  return partsOf(node).reduce((total, each) => total + steps(each), 1 + ownSteps(node, weight));
}

/** Steps that a node takes beyond those of its parts. */
function ownSteps(node: ASTNode, weight: (node: ASTNode) => number): number {
  const [left, right] = partsOf(node);
  if (node.op === '&&' || node.op === '||') return ERROR;
  if (left === undefined || LIGHT.has(node.op)) return 0;
  if (node.op === 'call' && node.args[0] === 'has') return 0;
  if (right === undefined) return weight(left);
  // Two values are compared no further than the lighter one goes.
  if (EQUALITY.has(node.op) || ORDER.has(node.op)) return Math.min(weight(left), weight(right));
  if (node.op === 'in') return weight(right);
  if (node.op !== 'rcall') return weight(left) + weight(right);
  const [name] = node.args;
  if (name === 'contains') return SEARCH * weight(left) * weight(right);
  if (name === 'containsIP') return IP_RANGE;
  return ACCESSORS.has(name) ? TIME_ZONE : weight(right);
}

/** They look at one value, or make a list of what is there. */
const LIGHT: ReadonlySet<string> = new Set(['?:', '!_', '-_', 'list']);

/** The weight of a value that an expression makes, or more. */
function weightIn(node: ASTNode, sizesOf: SizesOf, scope: Scope): number {
  const weight = (each: ASTNode): number => weightIn(each, sizesOf, scope);
  if (isPath(node)) return sizesOf(node).weight;
  const comprehension = comprehensionOf(node);
  if (comprehension) return weight(comprehension.range);
  switch (node.op) {
    case 'value':
      return typeof node.args === 'string' ? textWeight(node.args) : 1;
    case 'id':
      return scope.get(node.args) ?? 1;
    case 'list':
    case '+':
    case '?:':
      return partsOf(node).reduce((total, each) => total + weight(each), 1);
    default:
      return 1;
  }
}

const NOTHING: Scope = new Map();

/** Below, the largest values that may be given are as good a bound as those that are. */
const FEW_STEPS = 200;

/**
 * @returns an upper bound of the steps that evaluating the expression over given values takes. Within a budget it is close;
 * otherwise it costs nothing for an expression that stays below MAX_STEPS whatever it is given
 */
export function createSteps(root: ASTNode): (variables: Variables, hasBudget: boolean) => number {
  const most = stepsOf(root, () => LARGEST, NOTHING);
  return (variables, hasBudget) =>
    most <= (hasBudget ? FEW_STEPS : MAX_STEPS) ? most : stepsOf(root, sizesIn(variables), NOTHING);
}
