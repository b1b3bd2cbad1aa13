import { relationsOf } from '../../provisioning/verify/of-item.ts';
import type { Ref } from '../../table/identifiers.ts';
import { identityOf, partitionOf } from '../../table/keys.ts';
import type { Reader } from '../../table/reader.ts';

/**
 * Reads what `verify` looks at of one node, as it was read before it read many nodes at a time: its partition by a
 * Query, and each item that its items have to agree with by a GetItem, one after the other. It compares nothing.
 *
 * @returns the items and keys that were read
 */
export async function readByNode(reader: Reader, ref: Ref, now: number): Promise<number> {
  const items = await reader.listAll({ ranges: [{ partition: partitionOf(ref) }] });
  const known = new Set(items.map(identityOf));
  for (const item of items)
    for (const { glance, keys } of relationsOf(item, now))
      for (const key of glance?.keys ?? keys) {
        if (known.has(identityOf(key))) continue;
        known.add(identityOf(key));
        await reader.get(key);
      }
  return known.size;
}
