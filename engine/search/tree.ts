import { SCOPE_TYPES } from '../../table/entities/scope-types.ts';
import { parseRef } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { edgeKey, edgePrefix, partitionOf, SCOPE_TYPE_LIST } from '../../table/keys.ts';
import { isOwnership, ownedBy } from '../../table/partition-queries.ts';
import { cursorAfter } from '../../table/read/pages.ts';
import type { SearchReader } from './sources.ts';

/** Scopes read at a time. */
const ROWS = 100;

/** A scope below another, and the path to it: what stands between them, and itself at the end. */
export interface Below {
  readonly ref: string;
  readonly path: readonly string[];
}

/**
 * The trees of scopes, by the edges from above: base table, strongly consistent. What is not active is left
 * out with all below it: nobody but those who mend it may do anything there.
 */
export interface Tree {
  /** Everything below a scope, parents before children, after the scope to which `after` is the path. */
  readonly below: (top: string, after: readonly string[]) => AsyncGenerator<Below>;
  /** The types that operators have added. */
  readonly added: readonly Item[];
}

/** @param wanted the types of scope that are looked for; undefined for all. One Query. */
export async function readTree(reader: SearchReader, wanted: ReadonlySet<string> | undefined): Promise<Tree> {
  const added = await reader.listAll(ownedBy(SCOPE_TYPE_LIST, 'scope-type'));
  const addedTypes = added.map(({ name }) => String(name));

  /**
   * Types that may stand under this one. Where types were added, what stands somewhere may date from before
   * the last change of their definitions: then all of them are looked for.
   */
  function typesUnder(type: string): readonly string[] {
    const builtIn = Object.keys(SCOPE_TYPES);
    if (!Object.hasOwn(SCOPE_TYPES, type)) return [...builtIn, ...addedTypes].sort();
    return [...builtIn.filter((each) => SCOPE_TYPES[each]?.parents.includes(type)), ...addedTypes].sort();
  }

  /** Whether anything of the wanted types may stand below one of this type. */
  function leads(type: string): boolean {
    if (wanted === undefined) return true;
    const reached = new Set([type]);
    for (const each of reached) {
      for (const under of typesUnder(each)) {
        if (wanted.has(under)) return true;
        reached.add(under);
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
          // A building lists what stands in its zones, an enterprise the workstreams of others.
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
