import { formatRef, isId, isRef, parseRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { type Key, nodeKey } from '../../table/keys.ts';
import { canonical } from '../canonical.ts';
import { connectionRef } from '../nodes/scim-links.ts';
import { isPath, isPlaced, isSound, ROOT_OF } from './node-damage.ts';
import { beside, changeOf, type Fault, type Found, fault, type Relation } from './relation.ts';

/** A node's path, its root, and its owners. */

/** The owner of a node exists. */
export const hangsOn = (ref: Ref, owner: Ref): Relation =>
  beside('hangs', ref, owner, (_, above) =>
    above ? [] : [fault('edge_dangling', nodeKey(ref), `${formatRef(owner)}, on which it hangs`)],
  );

/** The path of a scope is its parent's path and the parent, up to a scope that is being moved. */
export function placeOf(ref: Ref, read: Item): Relation {
  const key = nodeKey(ref);
  const names = [read.parent, ...(Array.isArray(read.ancestors) ? read.ancestors : [])];
  const above = [
    ...new Set(names.filter((name): name is string => typeof name === 'string' && isRef(name))),
  ].slice(0, 32);
  const keys = above.map((name) => nodeKey(parseRef(name, 'ancestors')));
  return {
    name: `place ${key.PK} ${above.join()}`,
    keys: [key, ...keys],
    judge: ([node, ...ancestors]) => {
      // Moved in the meantime: the next check decides.
      if (!node || canonical([node.parent, node.ancestors]) !== canonical([read.parent, read.ancestors]))
        return [];
      const byName = new Map(above.map((name, n) => [name, ancestors[n]]));
      if (!isPath(node.ancestors)) return [pathFault(key, wantedPath(ref, node, byName))];
      const path = node.ancestors as unknown[];
      let at: Item = node;
      for (const name of path) {
        const next = byName.get(String(name));
        if (at.parent !== name || !next) return [pathFault(key, wantedPath(ref, node, byName))];
        at = next;
        if (at.movingTo !== undefined) return [];
      }
      if (at.parent !== undefined) return [pathFault(key, wantedPath(ref, node, byName))];
      const root = path.at(-1) ?? formatRef(ref);
      if (node.root === root) return [];
      const repair = changeOf(key, { root: String(root) });
      return [
        fault('node_of_other_place', key, String(root), { attribute: 'root', effect: 'either', repair }),
      ];
    },
  };
}

const pathFault = (key: Key, path: readonly string[] | undefined): Fault =>
  fault('node_of_other_place', key, path ? path.join(' < ') : 'the path of its parent, and its parent', {
    attribute: 'ancestors',
    effect: 'either',
    repair: path && changeOf(key, { ancestors: path }),
  });

/** The path from the parent, unless the node itself contradicts who the parent is. */
function wantedPath(ref: Ref, node: Item, byName: ReadonlyMap<string, Found>): readonly string[] | undefined {
  const { parent } = node;
  const first: unknown = Array.isArray(node.ancestors) ? node.ancestors[0] : undefined;
  if (parent === undefined) return node.root === formatRef(ref) ? [] : undefined;
  const above = typeof parent === 'string' ? byName.get(parent) : undefined;
  // A parent that is in doubt itself is put right first.
  if (!above || !isPlaced(parseRef(String(parent), 'parent'), above) || above.movingTo !== undefined)
    return undefined;
  // It names two, of which either may be damaged: also one that is the parent of the other.
  const inDoubt = typeof first === 'string' && first !== parent && byName.get(first) !== undefined;
  return inDoubt ? undefined : [String(parent), ...(above.ancestors as readonly string[])];
}

/** A node that repeats its root repeats that of its scope, or of its connection. */
export function rootRelation(ref: Ref, read: Item): readonly Relation[] {
  const attribute = ROOT_OF[ref.type];
  const said = attribute === undefined ? undefined : read[attribute];
  // All scopes of a mandate have one root.
  const named: unknown = Array.isArray(said) ? said[0] : said;
  const isOfConnection = attribute === 'connection';
  if (typeof named !== 'string' || !(isOfConnection ? isId(named) : isRef(named))) return [];
  const above = isOfConnection ? connectionRef(named) : parseRef(named, 'scope');
  const key = nodeKey(ref);
  return [
    beside('root', ref, above, (node, found) => {
      const root = isOfConnection ? found?.scope : found?.root;
      if (!found || node.root === root) return [];
      const repair = isSound(found) ? changeOf(key, { root: String(root) }) : undefined;
      return [fault('node_repeats', key, String(root), { attribute: 'root', repair })];
    }),
  ];
}
