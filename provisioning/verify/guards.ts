import { formatRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { decisionKey, nodeKey } from '../../table/keys.ts';
import type { Action } from '../../table/write/action.ts';
import type { NodeKind } from '../kinds/node-kind.ts';
import { guardsOf } from '../nodes/guards.ts';
import { nodeAt } from './kinds.ts';
import { isSound } from './node-damage.ts';
import { attempt, canonical, differences, type Fault, isInstant, type Relation } from './relation.ts';

/** What must hold of the guards of unique values, from either side. */

/** A guard from before there were stamps has none, and counts as written when it is read. */
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
      const repair: readonly Action[] | undefined = isSound(node)
        ? [{ kind: 'put', item: { ...wanted, ...dates } }]
        : undefined;
      if (!found)
        return [
          { code: 'guard_missing', key, expected: `owner ${formatRef(ref)}`, effect: 'closes', repair },
        ];
      const different = [
        ...differences(bare(found), bare(wanted)),
        ...['createdAt', 'updatedAt'].filter((name) => !isInstant(found[name])),
      ];
      return different.map((attribute): Fault => {
        const given = found.owner;
        // Somebody else's: that there are two owners is nothing to be decided here.
        const isOthers = typeof given === 'string' && given !== wanted.owner && isOwner(given);
        const written = { ...wanted, createdAt: node.createdAt, updatedAt: node.updatedAt };
        const put: readonly Action[] = [
          {
            kind: 'put',
            item:
              isInstant(dates.createdAt) && isInstant(dates.updatedAt) ? { ...wanted, ...dates } : written,
          },
        ];
        return {
          code: 'guard_differs',
          key,
          attribute,
          expected: canonical(wanted[attribute]) || 'none',
          effect: attribute === 'owner' ? 'opens' : 'none',
          repair: isOthers ? undefined : repair && put,
        };
      });
    },
  };
}

const isOwner = (text: string): boolean => /^[a-z][a-z-]*:[^#]+$/.test(text);

/** Whose a guard says that it is, and whether that node has such a value. */
export function guardRelations(guard: Item): readonly Relation[] {
  const key = { PK: guard.PK, SK: guard.SK };
  const [type = '', id = ''] = String(guard.owner).split(/:(.*)/s);
  const owner = { type, id };
  const at = attempt(() => nodeAt(nodeKey(owner)));
  const fault = (repair: readonly Action[] | undefined, effect: Fault['effect']): readonly Fault[] => [
    { code: 'guard_without_owner', key, expected: 'no guard: nobody has this value', effect, repair },
  ];
  if (!at) {
    return [
      {
        name: `owner ${key.PK}`,
        keys: [key],
        judge: ([found]) => (found?.owner === guard.owner ? fault(undefined, 'none') : []),
      },
    ];
  }
  return [
    {
      name: `owner ${key.PK}`,
      keys: [key, nodeKey(owner), decisionKey(owner)],
      judge: ([found, node, decision]) => {
        if (!found || found.owner !== guard.owner) return [];
        const remove: readonly Action[] = [{ kind: 'delete', key }];
        // A decision item without its node: it is the node that was lost.
        if (!node) return fault(decision ? undefined : remove, 'none');
        const values = attempt(() => guardsOf(at.kind.entity, owner, node));
        if (!values) return fault(undefined, 'none');
        return values.some(({ PK }) => PK === key.PK) ? [] : fault(remove, 'opens');
      },
    },
    ...(attempt(() => [guardOf(owner, at.kind, guard)]) ?? []),
  ];
}
