import { formatRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { edgeKey, type Key, nodeKey } from '../../table/keys.ts';
import { OWNERSHIP } from '../../table/partition-queries.ts';
import type { Action } from '../../table/write/action.ts';
import { ownersOf } from '../kinds/node-kind.ts';
import { visible } from '../visible.ts';
import { nodeAt } from './kinds.ts';
import { isSound } from './node-damage.ts';
import {
  attempt,
  canonical,
  differences,
  type Fault,
  identity,
  isExpired,
  type Relation,
} from './relation.ts';

/** What is under way with a node passes, and what edges say of it is not repeated. */
const PASSING = ['deletingSince', 'movingTo', 'roles', 'isAdmin'];
const repeatedOf = (node: Item, ref: Ref, key: Key): Item => {
  const shown = visible(node);
  for (const name of PASSING) delete shown[name];
  return {
    ...shown,
    ...(node.ttl === undefined ? {} : { ttl: node.ttl }),
    ...key,
    Type: OWNERSHIP,
    owned: formatRef(ref),
  };
};

/** The copy of a node in the partition of what it hangs on. */
export function copyRelation(key: Key, ref: Ref, now: number): Relation {
  const at = nodeAt(nodeKey(ref));
  return {
    name: `copy ${identity(key)}`,
    keys: [nodeKey(ref), key],
    judge: ([node, copy]) => {
      if (isExpired(node ?? copy, now)) return [];
      if (!node) {
        const expected = `the node ${nodeKey(ref).PK}, of which it is a copy`;
        return copy ? [{ code: 'edge_dangling', key, expected, effect: 'none' }] : [];
      }
      const owners = at && attempt(() => ownersOf(at.kind, node, ref));
      if (!owners) return [];
      const isOwned = owners.some((owner) => attempt(() => edgeKey(owner.ref, ref).PK) === key.PK);
      if (!isOwned) {
        if (!copy) return [];
        const repair: readonly Action[] | undefined = isSound(node) ? [{ kind: 'delete', key }] : undefined;
        return [
          { code: 'copy_left_over', key, expected: 'no copy: it does not hang here', effect: 'none', repair },
        ];
      }
      const wanted = repeatedOf(node, ref, key);
      const repair: readonly Action[] | undefined = isSound(node)
        ? [{ kind: 'put', item: wanted }]
        : undefined;
      if (!copy)
        return [{ code: 'copy_missing', key, expected: 'a copy of the node', effect: 'none', repair }];
      return differences(withoutPassing(copy), wanted).map(
        (attribute): Fault => ({
          code: 'copy_differs',
          key,
          attribute,
          expected: canonical(wanted[attribute]) || 'none',
          effect: 'none',
          repair,
        }),
      );
    },
  };
}

const withoutPassing = (item: Item): Item =>
  Object.fromEntries(
    Object.entries(item).filter(([name]) => !PASSING.includes(name) || name === 'movingTo'),
  ) as Item;
