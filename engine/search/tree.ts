import { SCOPE_TYPES } from '../../table/entities/scope-types.ts';
import { parseRef } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { edgeKey, edgePrefix, partitionOf, SCOPE_TYPE_LIST } from '../../table/keys.ts';
import { isOwnership, ownedBy } from '../../table/partition-queries.ts';
import { cursorAfter } from '../../table/read/pages.ts';
import type { SearchReader } from './sources.ts';

/** Items per page of a Query. */
const ROWS = 100;

/** A scope below another, with the path to it: the scopes in between, then itself. */
interface Below {
  readonly ref: string;
  readonly path: readonly string[];
}

/**
 * The trees of scopes, from the ownership edges: base table, strongly consistent. Inactive scopes are left
 * out with all below them: nobody is allowed anything there.
 */
export interface Tree {
  /** All scopes below one, parents before children, starting after the scope with the path `after`. */
  readonly below: (top: string, after: readonly string[]) => AsyncGenerator<Below>;
  /** The scope types that operators added. */
  readonly added: readonly Item[];
}

/**
 * Reads the added scope types in one Query.
 *
 * @param wanted the types of scopes to find; undefined for all
 */
export async function readTree(reader: SearchReader, wanted: ReadonlySet<string> | undefined): Promise<Tree> {
  const added = await reader.listAll(ownedBy(SCOPE_TYPE_LIST, 'scope-type'));
  const addedTypes = added.map(({ name }) => String(name));

  /**
   * Types that may be children of this type. The definition of an added type may have changed after scopes
   * were created, so its own scopes may have any children, and any scope may have children of it.
   */
  function typesUnder(type: string): readonly string[] {
    const builtIn = Object.keys(SCOPE_TYPES);
    if (!Object.hasOwn(SCOPE_TYPES, type)) return [...builtIn, ...addedTypes].sort();
    return [...builtIn.filter((each) => SCOPE_TYPES[each]?.parents.includes(type)), ...addedTypes].sort();
  }

  /** Whether a scope of a wanted type may be below one of this type. */
  function leads(type: string): boolean {
    if (wanted === undefined) return true;
    const found = new Set([type]);
    for (const each of found) {
      for (const under of typesUnder(each)) {
        if (wanted.has(under)) return true;
        found.add(under);
      }
    }
    return false;
  }

  async function* children(parent: string, after: string | undefined): AsyncGenerator<string> {
    const from = parseRef(parent, 'scope');
    const last = after === undefined ? undefined : parseRef(after, 'cursor');
    for (const type of typesUnder(from.type)) {
      if (last && type < last.type) continue;
      if (!wanted?.has(type) && !leads(type)) continue;
      const query = { ranges: [{ partition: partitionOf(from), prefix: edgePrefix(type) }] };
      let cursor = last?.type === type ? cursorAfter(query, { ...edgeKey(from, last) }) : undefined;
      do {
        const page = await reader.list({ ...query, limit: ROWS, cursor });
        for (const item of page.items) {
          // A building also lists scopes in its zones, and an enterprise linked workstreams: skip those.
          if (isOwnership(item) && item.parent === parent && isOpen(item)) yield String(item.owned);
        }
        cursor = page.cursor;
      } while (cursor !== undefined);
    }
  }

  async function* below(
    top: string,
    after: readonly string[],
    above: readonly string[] = [],
  ): AsyncGenerator<Below> {
    const [first, ...rest] = after;
    if (first !== undefined) yield* below(first, rest, [...above, first]);
    for await (const ref of children(top, first)) {
      const path = [...above, ref];
      yield { ref, path };
      yield* below(ref, [], path);
    }
  }

  return { below: (top, after) => below(top, after), added };
}

export const isOpen = ({ status }: Item): boolean => status === undefined || status === 'active';
