import type { Item } from '../../table/item.ts';
import { edgeKey, identityOf, type Key, nodeKey, parseKey } from '../../table/keys.ts';
import { readGrant } from '../edges/read-edge.ts';
import { role, tenantGrant } from '../edges/rights.ts';
import { damaged, edgeOf } from './edge-items.ts';
import { attempt, type Found, fault, faultsOf, type Relation } from './relation.ts';

const mirrorOf = (grant: ReturnType<typeof readGrant>, id: string): Found => {
  const put = tenantGrant({ ...grant, roles: [id] }).grant?.find((action) => action.kind === 'put');
  return put?.kind === 'put' ? put.item : undefined;
};

/** Each role of a grant has an item that repeats the grant. */
export function mirrorsOfGrant(item: Item): readonly Relation[] {
  const grant = attempt(() => readGrant(item));
  if (!grant) return [];
  return grant.roles.flatMap((id) => {
    const mirror = mirrorOf(grant, id);
    return mirror ? [mirrorRelation(mirror, { PK: item.PK, SK: item.SK })] : [];
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
      if (grant && !read) return [];
      const wanted = read?.roles.includes(id) ? mirrorOf(read, id) : undefined;
      const attribute = `role:${id}`;
      const dangling = fault('edge_dangling', at, `${attribute}, to which it leads`, { attribute });
      const mirrored = faultsOf('edge', key, [wanted, found], {
        missing: 'as its grant',
        leftOver: 'none: the grant does not hold the role',
        isSure: read !== undefined,
      });
      return wanted && !node ? [dangling, ...mirrored] : mirrored;
    },
  };
}
