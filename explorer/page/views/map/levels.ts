import { isBuiltIn, SCOPE_TYPES, typesBelow } from '../../../../table/index.ts';
import type { Item, LoadPage } from '../../load-page.ts';
import { ROOT_TYPES } from '../../registry.ts';

/** The tree of scopes as the map loads it: level by level, in pages. */

/** A scope as it is drawn. */
export type Scope = Readonly<ReturnType<typeof scopeOf>>;
/** A type of scopes that was added. */
export type AddedType = Readonly<ReturnType<typeof addedTypeOf>>;

/** An item of a list or of a read command as a scope of a type. */
export function scopeOf(type: string, item: Item) {
  const { id, name, status = 'active', ancestors, enterprise, movingTo, deletingSince } = item;
  return {
    ref: `${type}:${String(id)}`,
    type,
    name: String(name ?? id),
    /** References from its parent up to its root. */
    ancestors: Array.isArray(ancestors) ? ancestors.map(String) : [],
    status: String(status),
    /** Of a workstream: the enterprise for which it needs a licence. */
    enterprise: typeof enterprise === 'string' ? enterprise : undefined,
    isMoving: movingTo !== undefined,
    isBeingDeleted: deletingSince !== undefined,
  };
}

export const addedTypeOf = ({ name, root }: Item) => ({ name: String(name), root: root === true });

/** One list of provisioning: a command with its input, of scopes of one type. */
export interface Source {
  readonly type: string;
  readonly command: string;
  readonly input: Item;
}

const sourceOf = (type: string, parent?: string): Source => {
  const above = parent === undefined ? {} : { parent };
  return isBuiltIn(type)
    ? { type, command: `${type}.list`, input: above }
    : { type, command: 'scope.list', input: { type, ...above } };
};

/** The lists of all roots. */
export const rootSources = (added: readonly AddedType[]): readonly Source[] => [
  ...ROOT_TYPES.map((type) => sourceOf(type)),
  ...added.filter(({ root }) => root).map(({ name }) => sourceOf(name)),
];

/** The lists of what is below a scope. */
export function childSources({ ref, type }: Scope, added: readonly AddedType[]): readonly Source[] {
  const names = added.map(({ name }) => name);
  return typesBelow(type, names)
    .filter((each) => !isBuiltIn(each) || SCOPE_TYPES[each]?.parents.length !== 0)
    .map((each) => sourceOf(each, ref));
}

/** A level has its own scopes only: a building lists what is in its zones too, and all locations are in one list. */
const isInLevel = ({ ancestors }: Scope, parent: Scope | undefined): boolean => ancestors[0] === parent?.ref;

/** A level that is on one page comes by name; others as the table has them, which is the order of their pages. */
export const inOrder = (scopes: readonly Scope[], isWhole: boolean): readonly Scope[] =>
  isWhole && scopes.length <= PAGE
    ? [...scopes].sort((a, b) => COLLATOR.compare(a.name, b.name) || (a.ref < b.ref ? -1 : 1))
    : scopes;

const COLLATOR = new Intl.Collator('en', { numeric: true });

/** Scopes on one page. */
export const PAGE = 50;
/** Locations with a tenant are in the list of those without, and passed over. */
const PAGE_OF_LOCATIONS = 200;
/** Reads for one page at most: what passes over more goes on when somebody asks for more. */
const READS = 8;

/**
 * The scopes of one level, one list after the other.
 *
 * @param pageOf the pages of a list, by their cursors
 */
export const levelPages =
  (
    sources: readonly Source[],
    parent: Scope | undefined,
    pageOf: (source: Source, limit: number) => LoadPage<Item>,
  ): LoadPage<Scope> =>
  async (cursor) => {
    let [position, inner] = readCursor(cursor);
    const items: Scope[] = [];
    for (let reads = 0; reads < READS && items.length < PAGE; reads++) {
      const source = sources[position];
      if (!source) break;
      const isSearched = parent === undefined && source.type === 'location';
      const reply = await pageOf(source, isSearched ? PAGE_OF_LOCATIONS : PAGE)(inner);
      if (!reply.ok) return reply;
      const scopes = reply.result.items.map((item) => scopeOf(source.type, item));
      items.push(...scopes.filter((scope) => isInLevel(scope, parent)));
      inner = reply.result.cursor;
      if (inner === undefined) position += 1;
    }
    const isLast = position >= sources.length;
    return { ok: true, result: { items, cursor: isLast ? undefined : JSON.stringify([position, inner]) } };
  };

const readCursor = (cursor: string | undefined): [number, string | undefined] => {
  if (cursor === undefined) return [0, undefined];
  const [position, inner] = JSON.parse(cursor) as [number, string | null];
  return [position, inner ?? undefined];
};
