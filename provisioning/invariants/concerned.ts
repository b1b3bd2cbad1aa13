import { Attribute, parseAttribute } from '../../table/decision/attributes.ts';
import { mayBeScopeType } from '../../table/entities/scope-types.ts';
import { isSubjectNode } from '../../table/identifiers.ts';
import { isOfDecision, parseKey } from '../../table/keys.ts';
import { overlap } from '../../table/permission-name.ts';
import { isMap } from '../../table/value.ts';
import { type Action, keyOf } from '../../table/write/action.ts';

/** What a write may give to whom. */
export interface Extent {
  readonly where: 'tenant' | 'everywhere';
  /** The permissions that it may give, patterns among them; undefined: any. */
  readonly gives?: readonly string[];
}

/** Whether it may give what a permission or a pattern says. */
export const mayGive = ({ gives }: Extent, said: string): boolean =>
  gives?.some((each) => overlap(each, said)) ?? true;

const inTenant: Extent = { where: 'tenant' };
const everywhere: Extent = { where: 'everywhere' };

type Names = ReadonlySet<string>;
/** Attributes of decision items, or their kinds. Status, dates and entitlements count as open in any case. */
const OF_SUBJECT: Names = new Set(['grant', 'assign', 'in', 'at', Attribute.groups]);
const OF_SCOPE: Names = new Set(['of', 'group', 'role', 'wild', 'heirs', 'folded']);
/** Of a scope that was there before. */
const OF_PLACE: Names = new Set([Attribute.combination, Attribute.ancestors]);

const effectIn = (value: unknown): unknown => (isMap(value) ? value.effect : value);

/** The roles that an attribute gives to somebody or to a group. */
function rolesIn(name: string, value: unknown): readonly string[] {
  const said = parseAttribute(name);
  if (said?.kind === 'assign') return [said.role];
  const isSet = name === Attribute.rolesOfGroup || GIVING.has(String(said?.kind));
  return isSet && value instanceof Set ? [...(value as ReadonlySet<string>)] : [];
}
const GIVING: Names = new Set(['of', 'group', 'grant']);

/** Whether an attribute with this value gives nobody anything: a role without a parent, a refusal. */
function givesNothing(name: string, value: unknown, isIdle: IsIdle): boolean {
  if (name === Attribute.deny) return true;
  const roles = rolesIn(name, value);
  if (roles.length > 0) return roles.every(isIdle);
  const said = parseAttribute(name);
  if (said?.kind === 'role') return value === '';
  if (said?.kind === 'folded') return said.effect === 'DENY';
  return (said?.kind === 'wild' || said?.kind === 'when') && effectIn(value) === 'DENY';
}

/** Whether a role gives nobody anything. */
type IsIdle = (role: string) => boolean;

/** What an action adds to an item. */
const addedBy = (action: Action): readonly (readonly [string, unknown])[] => {
  if (action.kind === 'check' || action.kind === 'delete') return [];
  const parts =
    action.kind === 'put'
      ? [action.item]
      : [action, action.otherForm?.update ?? action].flatMap(({ set = {}, add = {} }) => [set, add]);
  return parts.flatMap((part) => Object.entries(part));
};

/** The roles that actions give to somebody or to groups. */
export const rolesGivenBy = (actions: readonly Action[]): ReadonlySet<string> =>
  new Set(
    actions.flatMap((action) =>
      isOfDecision(parseKey(keyOf(action))) ? addedBy(action).flatMap((entry) => rolesIn(...entry)) : [],
    ),
  );

/** What an action takes from an item, perhaps a DENY. What goes with its whole item gives nobody anything. */
const takenBy = (action: Action): readonly string[] => {
  if (action.kind !== 'update') return [];
  return [action, action.otherForm?.update ?? action].flatMap(({ remove = [], takeOut = {}, set = {} }) => {
    // A role that has no parent from now on.
    const emptied = Object.entries(set).flatMap(([name, value]) => (value === '' ? [name] : []));
    return [...remove, ...Object.keys(takeOut), ...emptied];
  });
};

/** Whether what a subject has may count for longer, wherever it has something. */
const isEndMoved = (action: Action): boolean =>
  action.kind === 'update' &&
  (Attribute.endsAt in { ...action.set } || action.remove?.includes(Attribute.endsAt) === true);

/** Whom an action may give something by what it adds; undefined where nobody gets anything by that. */
export const extentOf = (action: Action, isIdle: IsIdle = () => false): Extent | undefined =>
  extentBy(
    action,
    addedBy(action).flatMap(([name, value]) => (givesNothing(name, value, isIdle) ? [] : name)),
  );

/** Whom an action may give something where a DENY overrides, by what it takes away. */
export const extentOfEnd = (action: Action): Extent | undefined => extentBy(action, takenBy(action));

const OF_EFFECTS: Names = new Set([Attribute.allow, Attribute.deny, 'when', Attribute.registered]);

/** @param names attributes that are added or taken away; of those that are added none is a DENY */
function extentBy(action: Action, names: readonly string[]): Extent | undefined {
  if (names.length === 0 && !isEndMoved(action)) return undefined;
  const parsed = parseKey(keyOf(action));
  if (!parsed || !isOfDecision(parsed)) return undefined;
  const kinds = names.map((name) => parseAttribute(name)?.kind ?? name);
  const has = (some: Names): boolean => kinds.some((kind) => some.has(kind));
  if (parsed.form === 'tenant-effects') return has(OF_EFFECTS) ? inTenant : undefined;
  if (parsed.form === 'external-groups') return kinds.includes('external') ? inTenant : undefined;
  // What stands apart, once it is written.
  if (parsed.form === 'memberships') return kinds.includes(Attribute.groups) ? inTenant : undefined;
  if (parsed.form !== 'decision') return undefined;
  if (parsed.type === 'group') return kinds.includes(Attribute.rolesOfGroup) ? inTenant : undefined;
  if (isSubjectNode(parsed)) {
    if (kinds.includes(Attribute.globalRoles) || isEndMoved(action)) return everywhere;
    return has(OF_SUBJECT) ? inTenant : undefined;
  }
  if (parsed.type === 'page' || parsed.type === 'permission')
    return has(OF_EFFECTS) ? { where: 'everywhere', gives: [parsed.id] } : undefined;
  if (parsed.type === 'global') {
    if (kinds.includes('role')) return everywhere;
    const gives = names.flatMap((name) => {
      const said = parseAttribute(name);
      return said?.kind === 'wild' ? [said.pattern] : [];
    });
    return gives.length > 0 ? { where: 'everywhere', gives } : undefined;
  }
  if (!mayBeScopeType(parsed.type)) return undefined;
  return has(OF_SCOPE) || (action.kind === 'update' && has(OF_PLACE)) ? inTenant : undefined;
}
