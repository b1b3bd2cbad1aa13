import { isRef } from '../../identifiers.ts';
import type { Item } from '../../item.ts';
import { Attribute } from '../attributes.ts';
import type { BearerFacts } from '../facts.ts';
import { compoundsOf, damaged, instant, isActive, plain } from './values.ts';

const PLAIN = plain(
  Attribute.status,
  Attribute.endsAt,
  Attribute.subject,
  Attribute.hash,
  Attribute.timeToLive,
);

export function decodeBearer(item: Item): BearerFacts {
  const [unknown] = compoundsOf(item, PLAIN);
  if (unknown) throw damaged(item, unknown.name);
  const { [Attribute.subject]: subject, [Attribute.hash]: hash } = item;
  if (typeof subject !== 'string' || !isRef(subject)) throw damaged(item, Attribute.subject);
  if (hash !== undefined && (typeof hash !== 'string' || hash === '')) throw damaged(item, Attribute.hash);
  return {
    subject,
    hash,
    active: isActive(item),
    endsAt: instant(item, Attribute.endsAt, item[Attribute.endsAt]),
  };
}
