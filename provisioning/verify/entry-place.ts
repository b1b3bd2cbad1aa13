import { Attribute, groupAttribute } from '../../table/decision/attributes.ts';
import { hasFoldedRoles, writtenIn } from '../../table/decision/folded-roles.ts';
import { isSplit } from '../../table/decision/split.ts';
import { defined } from '../../table/defined.ts';
import type { Key } from '../../table/keys.ts';
import type { Entry } from './entries.ts';
import type { Found } from './relation.ts';

/** Where the entries of decision items stand: in the item, in one of its lists, or in an item apart (ADR 0003). */

/** An entry as the table has to have it. */
export interface EntryPlace extends Pick<Entry, 'attribute' | 'member' | 'value'> {
  readonly key: Key;
}

/** Whether an entry of this item stands in another one. The roles of the group of everyone never do. */
export const isElsewhere = ({ attribute }: Pick<Entry, 'attribute'>, item: Found): boolean =>
  isSplit(item) && !(item && attribute === groupAttribute(String(item[Attribute.everyone])));

/** Where an entry stands; `as` is undefined where the item says the same without one. */
export function entryPlaceOf(
  entry: Entry,
  find: (key: Key) => Found,
): { readonly key: Key; readonly item: Found; readonly as: EntryPlace | undefined } {
  const { at, apart, apartAs, byScope, scope, member } = entry;
  const item = find(at);
  if (apart && apartAs !== undefined && isElsewhere(entry, item))
    return {
      key: apart,
      item: find(apart),
      as: { key: apart, attribute: apartAs, ...defined({ member }) },
    };
  const as = writtenIn(hasFoldedRoles(item), entry);
  if (!as || byScope === undefined) return { key: at, item, as: as && { key: at, ...as } };
  // While a scope is migrated, either list counts.
  const listed = item?.[byScope];
  const isListed = listed instanceof Set && listed.has(member);
  const isOnlyList = scope !== undefined && isSplit(find(scope));
  return {
    key: at,
    item,
    as: { ...as, key: at, attribute: isListed || isOnlyList ? byScope : as.attribute },
  };
}
