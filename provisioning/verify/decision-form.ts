import { Attribute, parseAttribute } from '../../table/decision/attributes.ts';
import { stampOf } from '../../table/decision/decode.ts';
import { hasFoldedRoles } from '../../table/decision/folded-roles.ts';
import { MARKERS } from '../../table/decision/split.ts';
import { SPLIT_FORM, saysForm } from '../../table/form.ts';
import { isRef, isSubjectNode } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import type { ParsedKey } from '../../table/keys.ts';
import { isPermissionPattern } from '../../table/permission-name.ts';
import { isMap } from '../../table/value.ts';
import { isElsewhere } from './entry-place.ts';
import type { Effect } from './finding.ts';
import { fitsForm } from './folded-roles.ts';

/** The form of decision items, and the effect of each kind of error in one. */

/** Attributes of every decision item that are no entries. */
export const BOOKKEEPING: ReadonlySet<string> = new Set([
  'PK',
  'SK',
  'Type',
  Attribute.version,
  Attribute.writtenAt,
  Attribute.writeId,
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

type Names = ReadonlySet<string>;
/** Names of attributes; the kinds of those that say more in their names end with a line. */
const names = (text: string): Names => new Set(text.split(' '));
const SETS = names(
  'groups roles grant| at| denials closing group| heirs| folded| allow deny rootsWithInvariants',
);
const NOTHING: Names = new Set();
const MEMBERSHIPS = names('groups');
const SUBJECT = names('groups roles grant| at| status endsAt properties isAdmin mandateOptional assign|');
const SCOPE = names(
  'denials closing group| heirs| folded| status combination ancestors enterprise properties everyone role| wild| sub| license|',
);
const EFFECTS = names('allow deny when|');
const EXTERNAL = names('external|');
const INVARIANTS = names('rootsWithInvariants invariant|');
const CREDENTIAL = names('subject hash status endsAt ttl');
const OF_TYPE: Readonly<Record<string, Names>> = {
  api: NOTHING,
  global: names('role| wild| property| module|'),
  group: names('roles scope'),
  page: names('allow deny when| registered module'),
  permission: names('allow deny when| registered'),
  'resource-type': names('permission actions scope'),
  mandate: names('subject actor permissions scopes when budget hash status endsAt ttl'),
  session: CREDENTIAL,
  token: CREDENTIAL,
};

/** Whether nodes of a type have decision items, beside subjects and scopes. */
export const isOfDecisions = (type: string): boolean => Object.hasOwn(OF_TYPE, type);

function namesIn(parsed: ParsedKey): Names {
  if (parsed.form === 'memberships') return MEMBERSHIPS;
  if (parsed.form === 'tenant-effects') return EFFECTS;
  if (parsed.form === 'external-groups') return EXTERNAL;
  if (parsed.form === 'invariants') return INVARIANTS;
  if (parsed.form !== 'decision') return NOTHING;
  return isSubjectNode(parsed) ? SUBJECT : (OF_TYPE[parsed.type] ?? SCOPE);
}

const nameOf = (attribute: string): string => {
  const said = parseAttribute(attribute);
  return said ? `${said.kind}|` : attribute;
};

/** Whether such an item may have an attribute of this name. */
export function mayHave(parsed: ParsedKey, attribute: string): boolean {
  const said = parseAttribute(attribute);
  if (said && 'scope' in said && !isRef(said.scope)) return false;
  if (said && 'pattern' in said && !isPermissionPattern(said.pattern)) return false;
  return namesIn(parsed).has(nameOf(attribute));
}

/** Whether such an item may have the attribute, and with this value. */
export function isWellFormed(parsed: ParsedKey, attribute: string, value: unknown, item: Item): boolean {
  const isSplitForm = item[Attribute.version] === SPLIT_FORM;
  if (attribute === Attribute.roleTable) return hasFoldedRoles(item) && namesIn(parsed) === SCOPE;
  if (attribute === Attribute.groupsIn)
    return value === MARKERS.groupsIn && isSplitForm && namesIn(parsed) === SUBJECT;
  if (attribute === Attribute.groupRoles)
    return value === MARKERS.groupRoles && isSplitForm && namesIn(parsed) === SCOPE;
  if (!mayHave(parsed, attribute) || !fitsForm(attribute, value, item)) return false;
  if (SETS.has(nameOf(attribute)) !== value instanceof Set) return false;
  if (value instanceof Set && [...value].some((member) => typeof member !== 'string')) return false;
  // What stands apart does not stand here too.
  const kind = parseAttribute(attribute)?.kind;
  const isOfGroups = attribute === Attribute.groups || kind === 'at' || kind === 'group';
  return parsed.form !== 'decision' || !isOfGroups || !isElsewhere({ attribute }, item);
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
  // Without an invariant more is let through.
  if (said?.kind === 'invariant') return how === 'differs' ? 'either' : turn(how === 'less');
  if (attribute === Attribute.rootsWithInvariants) return turn(how === 'less');
  if (['registered', 'isAdmin', 'mandateOptional'].includes(attribute)) return turn(how !== 'less');
  // Of a mandate: without it more is allowed.
  if (attribute === 'when' || attribute === 'budget')
    return how === 'differs' ? 'either' : turn(how === 'less');
  // They carry no role that denies.
  if (said?.kind === 'external') return how === 'differs' ? 'either' : turn(how === 'more');
  if (said?.kind === 'sub' || said?.kind === 'license') return turn(how !== 'less');
  if (attribute === 'subject' || attribute === 'hash') return 'opens';
  // A role may deny as well: a subject without it may be allowed under deny-overrides.
  return how === 'less' ? 'either' : 'opens';
}
