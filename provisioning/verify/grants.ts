import type { Item } from '../../table/item.ts';
import { edgeKey, identityOf, type Key, nodeKey, parseKey } from '../../table/keys.ts';
import type { Action } from '../../table/write/action.ts';
import { readGrant } from '../edges/read-edge.ts';
import { role, tenantGrant } from '../edges/rights.ts';
import { damaged, edgeOf } from './edge-items.ts';
import { attempt, fault, faultsOf, type Relation } from './relation.ts';

/** Each role of a grant has an item that repeats the grant. */
export function mirrorsOfGrant(item: Item): readonly Relation[] {
  const grant = attempt(() => readGrant(item));
  if (!grant) return [];
  return grant.roles.flatMap((id) => {
    const put = tenantGrant({ ...grant, roles: [id] }).grant?.find((action) => action.kind === 'put');
    return put?.kind === 'put' ? [mirrorRelation(put.item, { PK: item.PK, SK: item.SK })] : [];
  });
}

export function roleOfGrant(item: Item): Relation {
  const parsed = parseKey(item);
  const [root, holder] = parsed?.form === 'edge' ? parsed.to : [];
  const at = root && holder && attempt(() => edgeKey(holder, root));
  return at ? mirrorRelation(item, at) : damaged(item);
}

/** The item at a role that repeats a grant of it. */
function mirrorRelation(mirror: Item, at: Key): Relation {
  const key = { PK: mirror.PK, SK: mirror.SK };
  const parsed = parseKey(key);
  const id = parsed && 'id' in parsed ? parsed.id : '';
  return {
    name: `grant ${identityOf(key)}`,
    keys: [at, key, nodeKey(role(id))],
    judge: ([grant, found, node]) => {
      const read = grant && edgeOf(grant) && attempt(() => readGrant(grant));
      const wanted = read?.roles.includes(id)
        ? tenantGrant({ ...read, roles: [id] }).grant?.find((action) => action.kind === 'put')
        : undefined;
      if (wanted?.kind !== 'put') {
        if (!found || (grant && !read)) return [];
        const repair: readonly Action[] | undefined = read ? [{ kind: 'delete', key }] : undefined;
        return [fault('edge_left_over', key, 'none: the grant does not hold the role', { repair })];
      }
      const attribute = `role:${id}`;
      return [
        ...(node ? [] : [fault('edge_dangling', at, `${attribute}, to which it leads`, { attribute })]),
        ...faultsOf('edge', wanted.item, found, 'as its grant', {
          repair: [{ kind: 'put', item: wanted.item }],
        }),
      ];
    },
  };
}
