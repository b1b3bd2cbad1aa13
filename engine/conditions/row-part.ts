import { instantOf, type Value, type Variables } from './declarations.ts';
import type { ASTNode } from './library.ts';
import { cel } from './load.ts';
import { isPath, keysOf, ORDER, partsOf, sourceOf } from './syntax.ts';

/**
 * What an expression asks of the properties of a row: whatever row makes the expression true fulfils it. It may be
 * wider: what cannot be said so is `true`.
 */
export type RowPart =
  | boolean
  | { readonly op: 'and' | 'or'; readonly parts: readonly RowPart[] }
  | { readonly op: 'equals' | 'contains'; readonly property: string; readonly value: Value }
  | { readonly op: 'oneOf'; readonly property: string; readonly values: readonly Value[] }
  /** From one value to another, both included. */
  | {
      readonly op: 'range';
      readonly property: string;
      readonly from: Value | undefined;
      readonly to: Value | undefined;
    };

/** Not known before the row is read, or another one at each instant (`context.time`). */
const UNSAID = Symbol('unsaid');
/** A value that is not there: every comparison with it fails. */
const MISSING = Symbol('missing');

/**
 * @param variables what is known beside the row; of the resource only its type
 * @param isColumn whether a property of the resource is a column that can be compared
 */
export function rowPartOf(
  text: string,
  variables: Variables,
  isColumn: (property: string) => boolean,
): RowPart {
  return partOf(cel().treeOf(text));

  function partOf(node: ASTNode): RowPart {
    if (node.op === '&&' || node.op === '||') {
      const parts = partsOf(node).map(partOf);
      return { op: node.op === '&&' ? 'and' : 'or', parts };
    }
    if (!isOpen(node)) return holds(node);
    if (node.op === '==') return comparison(node, (property, value) => ({ op: 'equals', property, value }));
    if (node.op === 'in') return membership(node);
    return ORDER.has(node.op) ? order(node) : true;
  }

  /** Of a part that no row and no time changes. What is not known may hold. */
  function holds(node: ASTNode): boolean {
    try {
      const outcome = cel().parse(sourceOf(node, text)).evaluate(variables);
      return !('holds' in outcome) || outcome.holds;
    } catch {
      return true;
    }
  }

  /** Whether it looks at the row or at the time. */
  function isOpen(node: ASTNode): boolean {
    if (!isPath(node)) return partsOf(node).some(isOpen);
    const [root, name] = keysOf(node) ?? ['resource'];
    return root === 'resource' ? name !== 'type' : root === 'context' && name === 'time';
  }

  function comparison(node: ASTNode, leaf: (property: string, value: Value) => RowPart): RowPart {
    const [left, right] = partsOf(node) as [ASTNode, ASTNode];
    const property = columnOf(left) ?? columnOf(right);
    if (property === undefined) return true;
    const value = constantOf(columnOf(left) === undefined ? left : right);
    if (value === UNSAID) return true;
    return value === MISSING ? false : leaf(property, value);
  }

  function order(node: ASTNode): RowPart {
    const [left] = partsOf(node) as [ASTNode];
    const isUpper = node.op.startsWith('<') === (columnOf(left) !== undefined);
    return comparison(node, (property, value) => ({
      op: 'range',
      property,
      from: isUpper ? undefined : value,
      to: isUpper ? value : undefined,
    }));
  }

  function membership(node: ASTNode): RowPart {
    const [left, right] = partsOf(node) as [ASTNode, ASTNode];
    const list = columnOf(right);
    if (list !== undefined) {
      const value = constantOf(left);
      if (value === MISSING) return false;
      return value === UNSAID ? true : { op: 'contains', property: list, value };
    }
    const property = columnOf(left);
    const values = constantOf(right);
    if (property === undefined || values === UNSAID) return true;
    if (values === MISSING) return false;
    return Array.isArray(values) ? { op: 'oneOf', property, values } : true;
  }

  /** The property that a path names, if it is a column. */
  function columnOf(node: ASTNode): string | undefined {
    if (!isPath(node)) return undefined;
    const keys = keysOf(node) ?? [];
    const [root, properties, name] = keys;
    const isProperty = keys.length === 3 && root === 'resource' && properties === 'properties';
    return isProperty && typeof name === 'string' && isColumn(name) ? name : undefined;
  }

  function constantOf(node: ASTNode): Value | typeof UNSAID | typeof MISSING {
    if (isOpen(node)) return UNSAID;
    if (node.op === 'value') return node.args as Value;
    if (isPath(node)) return foundAt(keysOf(node) ?? []);
    if (node.op === 'call' && node.args[0] === 'timestamp') {
      const [written] = node.args[1];
      const instant = written?.op === 'value' ? instantOf(String(written.args)) : undefined;
      return instant === undefined ? UNSAID : new Date(instant);
    }
    if (node.op !== 'list') return UNSAID;
    const values = node.args.map(constantOf);
    if (values.includes(MISSING)) return MISSING;
    return values.includes(UNSAID) ? UNSAID : (values as Value[]);
  }

  function foundAt(keys: readonly (string | bigint)[]): Value | typeof MISSING {
    let value: unknown = variables[keys[0] as keyof Variables];
    for (const key of keys.slice(1)) {
      if (typeof key === 'bigint') value = Array.isArray(value) ? value[Number(key)] : undefined;
      else value = value instanceof Map ? value.get(key) : undefined;
      if (value === undefined) return MISSING;
    }
    return value as Value;
  }
}
