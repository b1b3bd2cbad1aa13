import { isBuiltIn, SCOPE_TYPES } from '../../table/entities/scope-types.ts';
import { inTurns } from '../in-turns.ts';
import { commandsOn } from '../names/commands-on.ts';
import type { Row } from './entry.ts';
import type { Queries } from './queries.ts';

/**
 * Scopes of any type, by the commands that speak of them: a type that comes with the table has its own (`tenant.read`),
 * those that operators add share one (`scope.read` with the reference).
 */
export const scopeKind = (type: string): string => (isBuiltIn(type) ? type : 'scope');

export const readScope = (queries: Queries, type: string, id: string): Promise<Row | undefined> => {
  const { command, input } = commandsOn(`${type}:${id}`, 'scope').read;
  return queries.read(command, input);
};

export const listScopes = (queries: Queries, type: string, by: Row): Promise<readonly Row[]> =>
  queries.list(`${scopeKind(type)}.list`, isBuiltIn(type) ? by : { type, ...by });

/** The scope types of a table: those that come with it, and those that were added. */
export interface ScopeTypes {
  /** As the table keeps those that were added. */
  readonly added: readonly Row[];
  readonly roots: readonly string[];
  readonly isKnown: (type: string) => boolean;
  /** The types that may be under a type. */
  readonly under: (type: string) => readonly string[];
}

export async function readScopeTypes(queries: Queries): Promise<ScopeTypes> {
  const added = await queries.list('scope-type.list', {});
  const types = new Map(Object.entries(SCOPE_TYPES));
  for (const { name, root, parents, children } of added)
    if (!isBuiltIn(String(name)))
      types.set(String(name), {
        root: root === true,
        parents: (parents ?? []) as readonly string[],
        children: (children ?? []) as readonly string[],
      });
  return {
    added,
    roots: [...types].flatMap(([name, { root }]) => (root ? [name] : [])),
    isKnown: (type) => types.has(type),
    under: (type) =>
      [...types].flatMap(([name, { parents }]) =>
        parents.includes(type) || types.get(type)?.children?.includes(name) ? [name] : [],
      ),
  };
}

/** A scope of the table that is under another one. */
export interface Child {
  readonly type: string;
  readonly ref: string;
  readonly row: Row;
}

/** The scopes that are directly under one. */
export async function childrenOf(
  queries: Queries,
  types: ScopeTypes,
  parent: string,
): Promise<readonly Child[]> {
  const lists = await inTurns(types.under(typeOf(parent)), async (type) => {
    const rows = await listScopes(queries, type, { parent });
    return rows
      .filter((row) => row.parent === parent)
      .map((row): Child => ({ type, ref: `${type}:${row.id}`, row }));
  });
  return lists.flat();
}

/** The type that a reference names. */
export const typeOf = (ref: string): string => ref.slice(0, ref.indexOf(':'));
