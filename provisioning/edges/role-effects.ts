import { isId } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { nodeKey } from '../../table/keys.ts';
import { edgesFrom } from '../../table/partition-queries.ts';
import type { Reader } from '../../table/reader.ts';
import { role } from './rights.ts';

/**
 * Whether a role, or one that it inherits from, has an effect on a page, a permission or a pattern that counts. A damaged
 * parent is none.
 */
export async function hasEffect(
  reader: Reader,
  id: string,
  counts: (effect: Item) => boolean,
): Promise<boolean> {
  const seen = new Set<string>();
  for (let next: unknown = id; typeof next === 'string' && isId(next) && !seen.has(next); ) {
    seen.add(next);
    const [node, effects] = await Promise.all([
      reader.get(nodeKey(role(next))),
      reader.listAll(edgesFrom(role(next), 'page', 'permission')),
    ]);
    if (effects.some(counts)) return true;
    next = node?.parent;
  }
  return false;
}
