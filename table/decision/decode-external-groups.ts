import { isRef } from '../identifiers.ts';
import type { Item } from '../item.ts';
import { compoundsOf, damaged, oneOf, plain } from './decode.ts';

/** What a group of an identity provider is: one of ours, and the scope at which it is. */
export interface ExternalGroup {
  readonly group: string;
  readonly scope: string;
}

const EXTERNAL_ATTRIBUTES = plain();

/** Which groups of a root the groups in the tokens of an issuer are, by what the issuer calls them. */
export function decodeExternalGroups(item: Item): ReadonlyMap<string, ExternalGroup> {
  const groups = new Map<string, ExternalGroup>();
  for (const { name, value, parsed } of compoundsOf(item, EXTERNAL_ATTRIBUTES)) {
    const [group = '', scope = '', ...more] = typeof value === 'string' ? value.split(' ') : [];
    const isOfGroup = group !== '' && isRef(scope) && more.length === 0;
    if (parsed.kind !== 'external' || !isOfGroup || groups.has(parsed.externalId)) throw damaged(item, name);
    groups.set(parsed.externalId, { group: oneOf(group), scope: oneOf(scope) });
  }
  return groups;
}
