import type { Ref } from '../../table/identifiers.ts';
import { identityOf, isSameKey, type Key, nodeKey } from '../../table/keys.ts';
import { nodeAt } from '../commands/node-kinds.ts';
import { nodeNamesOf } from '../nodes/node-names.ts';
import { isSound } from './node-damage.ts';
import { attempt, faultsOf, type Relation } from './relation.ts';

/** One item by which a node is found under a name, checked from the node and from the item. */
export function nameRelation({ PK, SK }: Key, ref: Ref): Relation {
  const key = { PK, SK };
  const at = attempt(() => nodeAt(nodeKey(ref)));
  return {
    name: `name ${identityOf(key)}`,
    keys: [nodeKey(ref), key],
    judge: ([node, found]) => {
      const names = node && at ? nodeNamesOf(at.kind.entity, ref, node) : [];
      const wanted = names.find((each) => isSameKey(each, key));
      return faultsOf('name', key, [wanted, found], {
        missing: `the name of ${wanted?.of}`,
        leftOver: 'nothing: no node has this name',
        isSure: !node || isSound(node),
      });
    },
  };
}
