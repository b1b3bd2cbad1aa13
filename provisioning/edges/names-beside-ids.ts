import { parseRef, type Ref } from '../../table/identifiers.ts';
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
  /** Shows nothing of what another tenant lists than that of the scope of the edge. */
  readonly withinTenant?: true;
}

/** The page with names from the nodes: one BatchGetItem for every hundred of them. */
export async function withNames(
  reader: Reader,
  page: Page<Attributes>,
  { of, as, withinTenant }: Names,
): Promise<Page<Attributes>> {
  const scopes = withinTenant ? [...new Set(page.items.map(({ scope }) => String(scope)))] : [];
  const found = await reader.getMany([
    ...page.items.map((edge) => nodeKey(of(edge))),
    ...scopes.map((scope) => nodeKey(parseRef(scope, 'scope'))),
  ]);
  const rootOf = new Map(scopes.map((scope, position) => [scope, found[page.items.length + position]?.root]));
  const items = page.items.map((edge, position) => {
    const at = found[position];
    const isShown = !withinTenant || at?.tenant === undefined || at.tenant === rootOf.get(String(edge.scope));
    const node = isShown ? at : undefined;
    const names = Object.entries(as).flatMap(([name, attribute]) =>
      node?.[attribute] === undefined ? [] : [[name, node[attribute]] as const],
    );
    return { ...edge, ...Object.fromEntries(names) };
  });
  return { ...page, items };
}
