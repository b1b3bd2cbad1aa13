import { formatRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { decisionKey, edgeKey, type Key, nodeKey, parseKey } from '../../table/keys.ts';
import type { Action } from '../../table/write/action.ts';
import { canonical, differences } from '../canonical.ts';
import { nodeAt } from '../commands/node-kinds.ts';
import { type NodeKind, ownersOf } from '../kinds/node-kind.ts';
import { guardsOf } from '../nodes/guards.ts';
import { isSound } from './node-damage.ts';
import { attempt, type Fault, fault, isInstant, type Relation } from './relation.ts';

/** Guards of unique values, checked from the owner and from the guard. */

/** A guard that is older than stamps has none: it counts as written when it is read. */
const bare = ({ createdAt: _, updatedAt: __, writtenAt: ___, writeId: ____, ...item }: Item) => item;

/** The guard of a value of this node. */
export function guardOf(ref: Ref, kind: NodeKind, guard: Item): Relation {
  const key = { PK: guard.PK, SK: guard.SK };
  return {
    name: `guard ${key.PK} of ${formatRef(ref)}`,
    keys: [nodeKey(ref), key],
    judge: ([node, found]) => {
      const wanted = node && attempt(() => guardsOf(kind.entity, ref, node))?.find(({ PK }) => PK === key.PK);
      if (!wanted || !node) return [];
      const dates = {
        createdAt: found?.createdAt ?? node.createdAt,
        updatedAt: found?.updatedAt ?? node.updatedAt,
      };
      const { createdAt, updatedAt } =
        isInstant(dates.createdAt) && isInstant(dates.updatedAt) ? dates : node;
      const repair: readonly Action[] | undefined = isSound(node)
        ? [{ kind: 'put', item: { ...wanted, createdAt, updatedAt } }]
        : undefined;
      if (!found)
        return [fault('guard_missing', key, `owner ${formatRef(ref)}`, { effect: 'closes', repair })];
      const different = [
        ...differences(bare(found), bare(wanted)),
        ...['createdAt', 'updatedAt'].filter((name) => !isInstant(found[name])),
      ];
      // The guard names another existing owner: a repair cannot decide between the two.
      const { owner: given } = found;
      const isOthers = typeof given === 'string' && given !== wanted.owner && isOwner(given);
      return different.map((attribute) =>
        fault('guard_differs', key, canonical(wanted[attribute]) || 'none', {
          attribute,
          effect: attribute === 'owner' ? 'opens' : 'none',
          repair: isOthers ? undefined : repair,
        }),
      );
    },
  };
}

const isOwner = (text: string): boolean => /^[a-z][a-z-]*:[^#]+$/.test(text);

/** Where copies of the node are that has the value, if the value is one of a scope. */
function copiesOf(guard: Key, ref: Ref, kind: NodeKind): readonly Key[] {
  const parsed = parseKey(guard);
  if (parsed?.form !== 'guard' || !kind.entity.guards.some(({ within }) => within?.[0] === 'scope'))
    return [];
  const scope = parsed.within?.split(' ')[0];
  return attempt(() => ownersOf(kind, { scope }, ref).map((owner) => edgeKey(owner.ref, ref))) ?? [];
}

/** The owner that a guard names exists and has the value. */
export function guardRelations(guard: Item): readonly Relation[] {
  const key = { PK: guard.PK, SK: guard.SK };
  const [type = '', id = ''] = String(guard.owner).split(/:(.*)/s);
  const owner = { type, id };
  const at = attempt(() => nodeAt(nodeKey(owner)));
  const unowned = (repair: readonly Action[] | undefined, effect: Fault['effect'] = 'none') => [
    fault('guard_without_owner', key, 'no guard: nobody has this value', { effect, repair }),
  ];
  const remove: readonly Action[] = [{ kind: 'delete', key }];
  return [
    {
      name: `owner ${key.PK}`,
      keys: [key, ...(at ? [nodeKey(owner), decisionKey(owner), ...copiesOf(key, owner, at.kind)] : [])],
      judge: ([found, node, ...left]) => {
        if (found?.owner !== guard.owner || !found) return [];
        // A decision item or a copy without its node: the node was lost.
        if (!node) return unowned(at && left.every((item) => item === undefined) ? remove : undefined);
        const values = at && attempt(() => guardsOf(at.kind.entity, owner, node));
        if (!values) return unowned(undefined);
        return values.some(({ PK }) => PK === key.PK) ? [] : unowned(remove, 'opens');
      },
    },
    ...((at && attempt(() => [guardOf(owner, at.kind, guard)])) ?? []),
  ];
}
