import { BY_SCOPE } from '../../../table/decision/split.ts';
import type { Item } from '../../../table/item.ts';
import { DECISION } from '../../../table/keys.ts';
import type { Model } from '../oracle/model.ts';
import { modelOf } from '../oracle/model-of-items.ts';
import type { Operation } from '../oracle/operations.ts';

/** The model that the items of a table say, of the same things that a model of commands has. */
export function modelIn(items: readonly Item[], before: Model): Model {
  const model = modelOf(items);
  return {
    ...model,
    scopeTypes: before.scopeTypes,
    scopes: model.scopes.filter(({ ref }) => SCOPES.test(ref)),
  };
}

const SCOPES = /^(?:tenant|location|client|project|building|zone|device|account|enterprise|workstream):/;

/** What migrations look at: to ask of every other item whether it is such a one takes long. */
export const migratedItemsIn = (items: readonly Item[]): readonly Item[] =>
  items.filter((item) => item.SK.startsWith(DECISION) || item[BY_SCOPE] !== undefined);

/**
 * Commands that end what was begun and not ended. What was to be moved to a place that goes, or is gone, is moved back. A
 * deletion may have to wait for that.
 */
export function unfinishedIn(items: readonly Item[]): readonly Omit<Operation, 'apply'>[] {
  const nodes = new Map(items.flatMap((item) => (item.SK === 'META' ? [[refOf(item), item] as const] : [])));
  const stays = (ref: unknown): boolean => {
    const node = nodes.get(String(ref));
    return node !== undefined && node.deletingSince === undefined;
  };
  const deletions: Omit<Operation, 'apply'>[] = [];
  const moves: Omit<Operation, 'apply'>[] = [];
  for (const [scope, { movingTo, parent, deletingSince }] of nodes) {
    if (deletingSince !== undefined) deletions.push({ command: 'scope.delete-tree', input: { scope } });
    else if (movingTo !== undefined)
      moves.push({ command: 'scope.move', input: { scope, parent: stays(movingTo) ? movingTo : parent } });
  }
  return [...deletions, ...moves];
}

function refOf({ PK }: Item): string {
  const [type = '', id = ''] = PK.split('#');
  return `${type.toLowerCase()}:${id}`;
}

/** In what two models differ, line by line. */
export function differencesOf(commands: Model, items: Model): readonly string[] {
  const [ours, theirs] = [linesOf(commands), linesOf(items)];
  return [
    ...[...ours]
      .filter((line) => !theirs.has(line))
      .map((line) => `the commands made, the items lack ${line}`),
    ...[...theirs].filter((line) => !ours.has(line)).map((line) => `the items have, no command made ${line}`),
    ...repeated(items.subjects.flatMap(({ email }) => email ?? [])).map((email) => `two users have ${email}`),
  ];
}

const repeated = (values: readonly string[]): readonly string[] =>
  values.filter((value, position) => values.indexOf(value) !== position);

/**
 * Every fact of a model as a line; an empty map of properties is none. Only roots have a combination, and the name of a
 * permission says its module.
 */
function linesOf({ scopeTypes: _, scopes, permissions, ...others }: Model): ReadonlySet<string> {
  const lists = {
    ...others,
    scopes: scopes.map(({ combination, ...scope }) => (scope.parent ? scope : { ...scope, combination })),
    permissions: permissions.map(({ name, module }) => ({ name, module: name.includes(':') ? '' : module })),
  };
  return new Set(
    Object.entries(lists).flatMap(([name, list]) =>
      list.map((each: unknown) => `${name} ${JSON.stringify(canonical(each))}`),
    ),
  );
}

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical).sort();
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .filter(([, each]) => each !== undefined && !(typeof each === 'object' && Object.keys(each).length === 0))
    .map(([name, each]) => [name, canonical(each)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
