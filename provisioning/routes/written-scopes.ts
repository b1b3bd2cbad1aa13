import { isBuiltIn } from '../../table/entities/scope-types.ts';
import { formatRef, isRef, parseRef, type Ref } from '../../table/identifiers.ts';
import { allOf } from '../../table/index-queries.ts';
import type { Item } from '../../table/item.ts';
import { nodeKey } from '../../table/keys.ts';
import type { Reader } from '../../table/reader.ts';
import type { Sent } from '../plan.ts';

/**
 * Routes and types of resources may write a scope out (`tenant:acme`). They belong to no tenant, so they stay when that
 * scope is deleted: from then on they refuse everybody, and whoever makes that id again gets what they require.
 */

/** The scope that a template writes out; undefined where its id comes from a request. */
export const writtenScope = (template: unknown): Ref | undefined =>
  typeof template === 'string' && isRef(template) ? parseRef(template, 'scope') : undefined;

/** What stays and names a deleted scope. */
export interface Left {
  readonly kind: 'route' | 'resource-type';
  readonly id: string;
  /** For people: `GET /menu`, with its API; the name of a type. */
  readonly label: string;
  /** As it is written out. */
  readonly scope: string;
}

/** The first ones, and how many there are beyond them. */
export interface Leaves {
  readonly rows: readonly Left[];
  readonly moreRows: number;
}

const MOST_ROWS = 50;
const KINDS = ['route', 'resource-type'] as const;

/** The scope that a command deletes, and whether all below it goes too. */
function deletedBy({ command, input }: Sent): { readonly ref: string; readonly below: boolean } | undefined {
  if (command === 'scope.delete-tree') return { ref: String(input.scope), below: true };
  const [kind = '', verb] = command.split('.');
  if (verb !== 'delete' || !(isBuiltIn(kind) || kind === 'scope')) return undefined;
  return { ref: kind === 'scope' ? String(input.scope) : `${kind}:${input.id}`, below: false };
}

/**
 * What would stay and name a scope that these commands delete, unless they delete or change it too. Reads nothing where
 * they delete no scope.
 */
export async function leftBy(sent: readonly Sent[], reader: Reader): Promise<Leaves | undefined> {
  const deleted = sent.flatMap((each) => deletedBy(each) ?? []);
  if (deleted.length === 0) return undefined;
  const gone = new Set(deleted.map(({ ref }) => ref));
  const trees = new Set(deleted.flatMap(({ ref, below }) => (below ? [ref] : [])));
  const handled = new Set(
    sent.flatMap(({ command, input }) => {
      const [kind, verb] = command.split('.');
      const isMended = verb === 'delete' || (verb === 'update' && 'scope' in input);
      return isMended ? [`${kind} ${input.id ?? input.name}`] : [];
    }),
  );
  const written = (
    await Promise.all(
      KINDS.map(async (kind) =>
        (await reader.listAll(allOf(kind))).flatMap((item) => leftOf(kind, item) ?? []),
      ),
    )
  )
    .flat()
    .filter(({ kind, id }) => !handled.has(`${kind} ${id}`));
  const below = await scopesIn(trees, [...new Set(written.map(({ scope }) => scope))], reader);
  const rows = written.filter(({ scope }) => gone.has(scope) || below.has(scope));
  if (rows.length === 0) return undefined;
  return { rows: rows.slice(0, MOST_ROWS), moreRows: Math.max(0, rows.length - MOST_ROWS) };
}

function leftOf(kind: Left['kind'], item: Item): Left | undefined {
  const ref = writtenScope(item.scope);
  if (!ref) return undefined;
  const scope = formatRef(ref);
  if (kind === 'resource-type') return { kind, id: String(item.name), label: String(item.name), scope };
  const { id, api, method, path } = item;
  return { kind, id: String(id), label: `${method} ${path} of the API ${api}`, scope };
}

/** Those of the scopes that stand below one of the trees. */
async function scopesIn(
  trees: ReadonlySet<string>,
  scopes: readonly string[],
  reader: Reader,
): Promise<ReadonlySet<string>> {
  if (trees.size === 0) return new Set();
  const nodes = await reader.getMany(scopes.map((scope) => nodeKey(parseRef(scope, 'scope'))));
  const isBelow = (node: Item | undefined): boolean =>
    Array.isArray(node?.ancestors) && node.ancestors.some((above) => trees.has(String(above)));
  return new Set(scopes.filter((_, position) => isBelow(nodes[position])));
}
