import { Attribute, parseAttribute } from '../../table/decision/attributes.ts';
import { stampOf } from '../../table/decision/decode.ts';
import { saysForm } from '../../table/form.ts';
import { isSubjectNode } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import type { ParsedKey } from '../../table/keys.ts';
import { isMap } from '../../table/value.ts';
import type { Effect } from './finding.ts';
import { isFoldedAttribute } from './folded-roles.ts';

/** The form of decision items, and the effect of each kind of error in one. */

/** Attributes of every decision item that are no entries. `denials` only grows. */
export const BOOKKEEPING: ReadonlySet<string> = new Set([
  'PK',
  'SK',
  'Type',
  Attribute.version,
  Attribute.writtenAt,
  Attribute.writeId,
  Attribute.denials,
]);

export const isMarked = (item: Item): boolean =>
  item.Type === 'Decision' && saysForm(item) && stampOf(item) !== undefined;

/** The revision of an API: a decision item without a node that holds only its stamp. */
export const isApiRevision = (parsed: ParsedKey): boolean =>
  parsed.form === 'decision' && parsed.type === 'api';

/** Whether the decision item stays when its node is deleted: it says that there is no mapping. */
export const outlivesNode = (parsed: ParsedKey): boolean =>
  parsed.form === 'decision' && parsed.type === 'resource-type';

/** What the item of a resource type says: another permission or scope may allow more, or less. */
const MAPPED: ReadonlySet<string> = new Set(['permission', 'actions', 'scope']);

/** Whether an attribute of this name is a set. */
export function isSetAttribute(parsed: ParsedKey, attribute: string): boolean {
  if (parsed.form === 'tenant-effects') return attribute === 'allow' || attribute === 'deny';
  if (parsed.form !== 'decision' || isApiRevision(parsed)) return false;
  const kind = parseAttribute(attribute)?.kind;
  if (parsed.type === 'page' || parsed.type === 'permission')
    return attribute === 'allow' || attribute === 'deny';
  if (isSubjectNode(parsed))
    return attribute === 'groups' || attribute === 'roles' || kind === 'grant' || kind === 'at';
  return attribute === 'denials' || kind === 'group' || isFoldedAttribute(attribute);
}

/** The effect of an entry too many, a missing entry, or another value. */
export function effectOf(
  how: 'more' | 'less' | 'differs',
  attribute: string,
  stored: unknown,
  wanted: unknown,
): Effect {
  const said = parseAttribute(attribute);
  const turn = (opens: boolean): Effect => (opens ? 'opens' : 'closes');
  if (attribute === 'status') return turn(stored === 'active');
  if (said?.kind === 'module') return turn(how !== 'more');
  if (attribute === 'deny' || attribute === 'denials') return turn(how === 'less');
  // A role that allows, and one that denies.
  if (attribute === Attribute.closing) return 'either';
  if (attribute === 'allow') return turn(how === 'more');
  if (said?.kind === 'folded') return turn(how === (said.effect === 'ALLOW' ? 'more' : 'less'));
  if (said?.kind === 'wild' || said?.kind === 'when') {
    const [was, should] = [stored, wanted].map((value) => (isMap(value) ? value.effect : value));
    // Another condition may hold more often, and less often.
    if (how === 'differs' && was === should) return 'either';
    return turn(how === 'less' ? should === 'DENY' : was !== 'DENY');
  }
  if (attribute === 'endsAt') {
    if (how === 'less') return 'opens';
    return how === 'more' ? 'closes' : turn(String(stored) > String(wanted));
  }
  if (
    MAPPED.has(attribute) ||
    ['combination', 'ancestors', 'enterprise', 'module', 'ttl', 'properties'].includes(attribute)
  )
    return 'either';
  if (said?.kind === 'property') return 'either';
  if (attribute === 'registered' || attribute === 'isAdmin') return turn(how !== 'less');
  if (said?.kind === 'sub' || said?.kind === 'license') return turn(how !== 'less');
  if (attribute === 'subject' || attribute === 'hash') return 'opens';
  // A role may deny as well: a subject without it may be allowed under deny-overrides.
  return how === 'less' ? 'either' : 'opens';
}
