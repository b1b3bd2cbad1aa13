import type { Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { parseKey } from '../../table/keys.ts';
import { ADDED, kindOf, NODE_KINDS } from '../commands/node-kinds.ts';
import type { NodeKind } from '../kinds/node-kind.ts';

/** Types whose nodes are listed under their own name. */
export const LISTED_TYPES = NODE_KINDS.map(({ entity }) => entity.type).filter((type) => type !== ADDED);

/** The node that an item is, by its key. */
export function nodeAt(
  item: Pick<Item, 'PK' | 'SK'>,
): { readonly ref: Ref; readonly kind: NodeKind } | undefined {
  const parsed = parseKey(item);
  if (parsed?.form !== 'node') return undefined;
  const ref = { type: parsed.type, id: parsed.id };
  const kind = kindOf(ref.type);
  return kind && { ref, kind };
}
