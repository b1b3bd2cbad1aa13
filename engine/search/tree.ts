import { typesBelow } from '../../table/entities/scope-types.ts';
import { parseRef } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { edgesBetween, leadingType, partitionOf, SCOPE_TYPE_LIST } from '../../table/keys.ts';
import { isOwnership, ownedBy } from '../../table/partition-queries.ts';
import { cursorAfter } from '../../table/read/pages.ts';
import type { SearchReader } from './sources.ts';

/** Items per page of a Query. */
const ROWS = 100;

/**
 * Finds the scopes of some types among `tops` and all scopes below them, by their ownership edges: base table,
 * strongly consistent. Takes a Query or more for each scope that may have a wanted one below it, whatever types
 * there are. Inactive scopes are left out with all below them: nobody is allowed anything there.
 *
 * @param most limit on the scopes found, and on the Queries
 * @param withClosed with the inactive ones: they may open
 * @param mayQuery asked before each Query
 * @returns undefined beyond this limit, and where a Query may not be
 */
export async function scopesUnder(
  reader: SearchReader,
  tops: readonly string[],
  wanted: ReadonlySet<string>,
  most: number,
  { withClosed = false, mayQuery = (): boolean => true } = {},
): Promise<readonly string[] | undefined> {
  if (tops.length === 0 || wanted.size === 0) return [];
  const added = await reader.listAll(ownedBy(SCOPE_TYPE_LIST, 'scope-type'));
  const addedTypes = added.map(({ name }) => String(name));

  /** Whether a scope of this type is wanted, or may have one below it. */
  function leads(type: string): boolean {
    const found = new Set([type]);
    for (const each of found) {
      if (wanted.has(each)) return true;
      for (const under of typesBelow(each, addedTypes)) found.add(under);
    }
    return false;
  }

  let queries = 0;
  let isOver = false;

  /** The scopes directly below one; not all of them once it is over. */
  async function* children(parent: string, types: readonly string[]): AsyncGenerator<string> {
    const partition = partitionOf(parseRef(parent, 'scope'));
    const query = { ranges: [{ partition, between: edgesBetween(...types) }] };
    let cursor: string | undefined;
    do {
      isOver ||= ++queries > most || !mayQuery();
      if (isOver) return;
      const page = await reader.list({ ...query, limit: ROWS, cursor });
      for (const item of page.items) {
        // A building also lists scopes in its zones, and an enterprise linked workstreams: skip those.
        const isChild = isOwnership(item) && item.parent === parent && (withClosed || isOpen(item));
        if (isChild && types.includes(leadingType(item))) yield String(item.owned);
      }
      const last = page.items.at(-1);
      cursor = page.cursor && last && cursorAfter(query, pastOther(last, types));
    } while (cursor !== undefined);
  }

  /** Where to go on after an item: after all edges of its type, if those are not looked at. */
  function pastOther(item: Item, types: readonly string[]): { PK: string; SK: string } {
    const type = leadingType(item);
    return { PK: item.PK, SK: types.includes(type) ? item.SK : edgesBetween(type)[1] };
  }

  const typeOf = (ref: string): string => parseRef(ref, 'scope').type;
  const found = new Set<string>();
  const queue = [...tops];
  for (let scope = queue.pop(); scope !== undefined; scope = queue.pop()) {
    if (wanted.has(typeOf(scope))) found.add(scope);
    const types = typesBelow(typeOf(scope), addedTypes).filter(leads);
    if (types.length === 0) continue;
    for await (const child of children(scope, types)) {
      if (queue.push(child) + found.size > 2 * most) return undefined;
    }
    if (isOver || found.size > most) return undefined;
  }
  return [...found];
}

const isOpen = ({ status }: Item): boolean => status === undefined || status === 'active';
