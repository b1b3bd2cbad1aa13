import type { Item } from '../../table/item.ts';
import { edgeKey, type Key, nodeKey, parseKey } from '../../table/keys.ts';
import type { Action } from '../../table/write/action.ts';
import { readGrant } from '../edges/read-edge.ts';
import { role, tenantGrant } from '../edges/rights.ts';
import { damaged, edgeOf } from './edge-items.ts';
import { attempt, canonical, differences, type Fault, identity, type Relation } from './relation.ts';

/** Each role that a grant holds knows of the grant. */
export function mirrorsOfGrant(item: Item): readonly Relation[] {
  const grant = attempt(() => readGrant(item));
  if (!grant) return [];
  return grant.roles.flatMap((id) => {
    const put = tenantGrant({ ...grant, roles: [id] }).grant.find((action) => action.kind === 'put');
    return put?.kind === 'put' ? [mirrorRelation(put.item, { PK: item.PK, SK: item.SK })] : [];
  });
}

export function heldByGrant(item: Item): Relation {
  const parsed = parseKey(item);
  const [root, holder] = parsed?.form === 'edge' ? parsed.to : [];
  const at = root && holder && attempt(() => edgeKey(holder, root));
  return at ? mirrorRelation(item, at) : damaged(item);
}

/** The item at a role that tells of a grant with it. */
function mirrorRelation(mirror: Item, at: Key): Relation {
  const key = { PK: mirror.PK, SK: mirror.SK };
  const parsed = parseKey(key);
  const id = parsed && 'id' in parsed ? parsed.id : '';
  return {
    name: `grant ${identity(key)}`,
    keys: [at, key, nodeKey(role(id))],
    judge: ([grant, found, node]) => {
      const held = grant && edgeOf(grant) && attempt(() => readGrant(grant));
      const wanted = held?.roles.includes(id)
        ? tenantGrant({ ...held, roles: [id] }).grant.find((action) => action.kind === 'put')
        : undefined;
      if (wanted?.kind !== 'put') {
        if (!found || (grant && !held)) return [];
        const repair: readonly Action[] | undefined = held ? [{ kind: 'delete', key }] : undefined;
        return [
          {
            code: 'edge_left_over',
            key,
            expected: 'none: the grant does not hold the role',
            effect: 'none',
            repair,
          },
        ];
      }
      const dangling: readonly Fault[] = node
        ? []
        : [
            {
              code: 'edge_dangling',
              key: at,
              attribute: `role:${id}`,
              expected: `role:${id}, to which it leads`,
              effect: 'none',
            },
          ];
      const repair: readonly Action[] = [{ kind: 'put', item: wanted.item }];
      if (!found)
        return [...dangling, { code: 'edge_missing', key, expected: 'as its grant', effect: 'none', repair }];
      return [
        ...dangling,
        ...differences(found, wanted.item).map(
          (attribute): Fault => ({
            code: 'edge_differs',
            key,
            attribute,
            expected: canonical((wanted.item as Item)[attribute]) || 'none',
            effect: 'none',
            repair,
          }),
        ),
      ];
    },
  };
}
