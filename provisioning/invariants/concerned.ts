import { Attribute, parseAttribute } from '../../table/decision/attributes.ts';
import { mayBeScopeType } from '../../table/entities/scope-types.ts';
import { isSubjectNode } from '../../table/identifiers.ts';
import { parseKey } from '../../table/keys.ts';
import { patternsCovering } from '../../table/permission-name.ts';
import { isMap } from '../../table/value.ts';
import { type Action, keyOf } from '../../table/write/action.ts';

/** What a write may give to whom. */
export interface Extent {
  readonly where: 'tenant' | 'everywhere';
  /** Whether it may give this permission. */
  readonly gives: (permission: string) => boolean;
}

const inTenant: Extent = { where: 'tenant', gives: () => true };
const everywhere: Extent = { where: 'everywhere', gives: () => true };

type Names = ReadonlySet<string>;
/** Attributes of decision items, or their kinds. Status, dates and entitlements count as open in any case. */
const OF_SUBJECT: Names = new Set(['grant', 'assign', 'in', 'at', Attribute.groups]);
const OF_SCOPE: Names = new Set(['of', 'group', 'role', 'wild', 'heirs', 'folded']);
/** Of a scope that was there before. */
const OF_PLACE: Names = new Set([Attribute.combination, Attribute.ancestors]);

const effectIn = (value: unknown): unknown => (isMap(value) ? value.effect : value);

/** Whether an attribute with this value gives nobody anything: a role without a parent, a refusal. */
function givesNothing(name: string, value: unknown): boolean {
  const said = parseAttribute(name);
  if (said?.kind === 'role') return value === '';
  if (said?.kind === 'folded') return said.effect === 'DENY';
  return (said?.kind === 'wild' || said?.kind === 'when') && effectIn(value) === 'DENY';
}

/** What an action adds to an item. What it takes away is no matter here: that is never refused. */
const addedBy = (action: Action): readonly (readonly [string, unknown])[] => {
  if (action.kind === 'check' || action.kind === 'delete') return [];
  const parts =
    action.kind === 'put'
      ? [action.item]
      : [action, action.otherForm?.update ?? action].flatMap(({ set = {}, add = {} }) => [set, add]);
  return parts.flatMap((part) => Object.entries(part)).filter(([name, value]) => !givesNothing(name, value));
};

/** Whether what a subject has may count for longer, wherever it has something. */
const isEndMoved = (action: Action): boolean =>
  action.kind === 'update' &&
  (Attribute.endsAt in { ...action.set } || action.remove?.includes(Attribute.endsAt) === true);

/** Whom an action may give something; undefined where nobody gets anything by it. */
export function extentOf(action: Action): Extent | undefined {
  const parsed = parseKey(keyOf(action));
  if (parsed?.form !== 'decision' && parsed?.form !== 'tenant-effects') return undefined;
  const added = addedBy(action).map(([name]) => name);
  const kinds = added.map((name) => parseAttribute(name)?.kind ?? name);
  const has = (some: Names): boolean => kinds.some((kind) => some.has(kind));
  const allows = kinds.includes(Attribute.allow) || kinds.includes('when');
  if (parsed.form === 'tenant-effects') return allows ? inTenant : undefined;
  if (isSubjectNode(parsed)) {
    if (kinds.includes(Attribute.globalRoles) || isEndMoved(action)) return everywhere;
    return has(OF_SUBJECT) ? inTenant : undefined;
  }
  if (parsed.type === 'page' || parsed.type === 'permission')
    return allows ? { where: 'everywhere', gives: (permission) => permission === parsed.id } : undefined;
  if (parsed.type === 'global') {
    if (kinds.includes('role')) return everywhere;
    const patterns = new Set(
      added.flatMap((name) => {
        const said = parseAttribute(name);
        return said?.kind === 'wild' ? [said.pattern] : [];
      }),
    );
    const gives = (permission: string) => patternsCovering(permission).some((each) => patterns.has(each));
    return patterns.size > 0 ? { where: 'everywhere', gives } : undefined;
  }
  if (!mayBeScopeType(parsed.type)) return undefined;
  return has(OF_SCOPE) || (action.kind === 'update' && has(OF_PLACE)) ? inTenant : undefined;
}
