import type { Item } from '../../item.ts';
import { Attribute } from '../attributes.ts';
import type { PermissionFacts } from '../facts.ts';
import { compoundsOf, damaged, idSet, plain } from './values.ts';

const PLAIN = plain(Attribute.registered, Attribute.allow, Attribute.deny, Attribute.module);

export function decodePermission(item: Item): PermissionFacts {
  const [unknown] = compoundsOf(item, PLAIN);
  if (unknown) throw damaged(item, unknown.name);
  const { [Attribute.registered]: registered = false, [Attribute.module]: module } = item;
  if (typeof registered !== 'boolean') throw damaged(item, Attribute.registered);
  if (module !== undefined && typeof module !== 'string') throw damaged(item, Attribute.module);
  return {
    registered,
    module,
    allow: new Set(idSet(item, Attribute.allow)),
    deny: new Set(idSet(item, Attribute.deny)),
  };
}
