import { Attribute, DECISION_VERSION, splitAttribute } from '../../table/decision/attributes.ts';
import { stampOf } from '../../table/decision/decode.ts';
import type { Item } from '../../table/item.ts';
import type { ParsedKey } from '../../table/keys.ts';
import type { Effect } from './finding.ts';

/** What a decision item is like, and what it does that one is not as it should be. */

/** What every decision item has besides facts. `denials` only grows. */
export const BOOKKEEPING: ReadonlySet<string> = new Set([
  ...['PK', 'SK', 'Type'],
  ...[Attribute.version, Attribute.writtenAt, Attribute.writeId, Attribute.denials],
]);

export const isMarked = (item: Item): boolean =>
  item.Type === 'Decision' && item[Attribute.version] === DECISION_VERSION && stampOf(item) !== undefined;

/** The revision of an API: a decision item that has no node, and is nothing but its stamp. */
export const isApiRevision = (parsed: ParsedKey): boolean =>
  parsed.form === 'decision' && parsed.type === 'api';

/** Sets, by the names of their attributes. */
export function isSetAttribute(parsed: ParsedKey, attribute: string): boolean {
  if (parsed.form === 'tenant-effects') return attribute === 'allow' || attribute === 'deny';
  if (parsed.form !== 'decision' || isApiRevision(parsed)) return false;
  const [kind] = splitAttribute(attribute);
  if (parsed.type === 'page' || parsed.type === 'permission')
    return attribute === 'allow' || attribute === 'deny';
  if (parsed.type === 'user' || parsed.type === 'technical-user')
    return attribute === 'groups' || attribute === 'roles' || kind === 'grant';
  return attribute === 'denials' || (kind === 'group' && attribute !== 'group');
}

/** What it does that a decision item holds a fact that nothing says, lacks one, or has another value for it. */
export function effectOf(
  how: 'more' | 'less' | 'differs',
  attribute: string,
  held: unknown,
  wanted: unknown,
): Effect {
  const [kind] = splitAttribute(attribute);
  const turn = (opens: boolean): Effect => (opens ? 'opens' : 'closes');
  if (attribute === 'status') return turn(held === 'active');
  if (kind === 'module' && attribute !== 'module') return turn(how !== 'more');
  if (attribute === 'deny' || kind === 'denials') return turn(how === 'less');
  if (attribute === 'allow') return turn(how === 'more');
  if (kind === 'wild')
    return how === 'more'
      ? turn(held !== 'DENY')
      : turn(how === 'differs' ? held !== 'DENY' : wanted === 'DENY');
  if (attribute === 'endsAt') {
    if (how === 'less') return 'opens';
    return how === 'more' ? 'closes' : turn(String(held) > String(wanted));
  }
  if (['combination', 'ancestors', 'enterprise', 'module', 'ttl'].includes(attribute)) return 'either';
  if (attribute === 'registered' || attribute === 'isAdmin' || kind === 'sub' || kind === 'license')
    return turn(how !== 'less');
  if (attribute === 'subject' || attribute === 'hash') return 'opens';
  // A role may refuse as well: who lacks one may be let in where refusals count.
  return how === 'less' ? 'either' : 'opens';
}
