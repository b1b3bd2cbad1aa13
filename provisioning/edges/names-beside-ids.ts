import type { Ref } from '../../table/identifiers.ts';
import { nodeKey } from '../../table/keys.ts';
import type { Page, Reader } from '../../table/reader.ts';
import type { Attributes } from '../visible.ts';

/**
 * What lists of edges show beside ids (`groupName`, `userDisplayName`, `locationCode`, …). A copy
 * in every edge would be wrong after the first renaming, so it is read from the nodes when it is asked for.
 */
export interface Names {
  /** The node at the other end. */
  readonly of: (edge: Attributes) => Ref;
  /** Name in the list → attribute of the node. */
  readonly as: Readonly<Record<string, string>>;
}

/** The page with names from the nodes: one BatchGetItem for every hundred of them. */
export async function withNames(
  reader: Reader,
  page: Page<Attributes>,
  { of, as }: Names,
): Promise<Page<Attributes>> {
  const nodes = await reader.getMany(page.items.map((edge) => nodeKey(of(edge))));
  const items = page.items.map((edge, position) => {
    const node = nodes[position];
    const names = Object.entries(as).flatMap(([name, attribute]) =>
      node?.[attribute] === undefined ? [] : [[name, node[attribute]] as const],
    );
    return { ...edge, ...Object.fromEntries(names) };
  });
  return { ...page, items };
}
