import type { Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { edgeKey, identityOf, type Key, nodeKey } from '../../table/keys.ts';
import { nodeAt } from '../commands/node-kinds.ts';
import { ownersOf } from '../kinds/node-kind.ts';
import { copyOf } from '../nodes/ownership.ts';
import { isExpired, isSound } from './node-damage.ts';
import { attempt, fault, faultsOf, type Relation } from './relation.ts';

/** Attributes that a copy leaves out: deletions and moves in progress, and what edges say of the node. */
const PASSING = ['deletingSince', 'movingTo', 'roles', 'isAdmin'];
/** What is ignored in a copy. */
const PASSING_IN_COPY = ['deletingSince', 'roles', 'isAdmin'];

const without = (item: Item, names: readonly string[]): Item =>
  Object.fromEntries(Object.entries(item).filter(([name]) => !names.includes(name))) as Item;

/** The copy of a node in the partition of its owner. */
export function copyRelation(key: Key, ref: Ref, now: number): Relation {
  const at = nodeAt(nodeKey(ref));
  return {
    name: `copy ${identityOf(key)}`,
    keys: [nodeKey(ref), key],
    judge: ([node, copy]) => {
      if (isExpired(node ?? copy, now)) return [];
      if (!node)
        return copy
          ? [fault('edge_dangling', key, `the node ${nodeKey(ref).PK}, of which it is a copy`)]
          : [];
      const owners = at && attempt(() => ownersOf(at.kind, node, ref));
      if (!owners) return [];
      const isOwned = owners.some((owner) => attempt(() => edgeKey(owner.ref, ref).PK) === key.PK);
      const wanted = isOwned ? copyOf(without(node, PASSING), ref, key) : undefined;
      return faultsOf('copy', key, [wanted, copy && without(copy, PASSING_IN_COPY)], {
        missing: 'a copy of the node',
        leftOver: 'no copy: it does not hang here',
        isSure: isSound(node),
      });
    },
  };
}
