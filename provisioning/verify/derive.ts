import { rolesItem } from '../../table/decision/apart.ts';
import { Attribute, FOLDED, parseAttribute } from '../../table/decision/attributes.ts';
import { hasFoldedRoles } from '../../table/decision/folded-roles.ts';
import { formOfParts, isSplit, isSplitting, MARKERS, SPLIT_THRESHOLDS } from '../../table/decision/split.ts';
import { isScopeType } from '../../table/entities/registry.ts';
import { SPLIT_FORM } from '../../table/form.ts';
import { isRef, isSubjectNode, parseRef } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import {
  decisionKey,
  distinctKeys,
  GLOBAL,
  identityOf,
  invariantsKey,
  isSameKey,
  type Key,
  parseKey,
} from '../../table/keys.ts';
import { entryPlaceOf } from './entry-place.ts';
import { type Draft, emptyAt, type Gathered, put } from './gather.ts';
import type { Found } from './relation.ts';

/** The decision items of a partition, made of what nodes and edges say. */
export interface Derived {
  /** By identity; without their stamps. */
  readonly items: ReadonlyMap<string, Item>;
  /** Those of which a node or an edge says something: they must be there. */
  readonly said: ReadonlySet<string>;
  /** Where an entry comes from, by its place (`originOf`). */
  readonly origins: ReadonlyMap<string, Key>;
}

/** What stands elsewhere and says in which form, or in which list, entries stand. */
export interface Around {
  /** The decision items of scopes. */
  readonly find: (key: Key) => Found;
  /** Decision items of scopes by which subjects are about to list their groups: new entries go there. */
  readonly marked?: ReadonlySet<string>;
}

export const nameOf = (attribute: string, member: string | undefined): string =>
  member === undefined ? attribute : `${attribute} ${member}`;
export const originOf = (item: string, name: string): string => `${item}\n${name}`;

/** The decision items of scopes that say in which form the items of this partition are. */
export function scopesAround({ ref, node, stored, entries }: Gathered): readonly Key[] {
  const named =
    ref.type === 'group'
      ? [node?.scope, stored.get(identityOf(decisionKey(ref)))?.[Attribute.scopeOfGroup]]
      : [];
  const keys = [
    ...entries.flatMap(({ at, scope }) => (scope ? [scope] : ref.type === 'group' ? [at] : [])),
    ...named.flatMap((text) =>
      typeof text === 'string' && isRef(text) ? [decisionKey(parseRef(text, 'scope'))] : [],
    ),
  ];
  return distinctKeys(keys);
}

/**
 * The decision items as nodes and edges say. Their forms are those that the items have: roles folded or one by one,
 * groups in the item or apart. Of what only grows, former members cannot be derived.
 */
export function derive(gathered: Gathered, around: Around): Derived {
  return gathered.ref.type === 'group' ? deriveRoles(gathered, around) : deriveItems(gathered, around);
}

/** The roles of a group, where they stand apart. */
function deriveRoles({ ref, node, entries }: Gathered, { find }: Around): Derived {
  const at = identityOf(decisionKey(ref));
  const scope = typeof node?.scope === 'string' && isRef(node.scope) ? node.scope : undefined;
  const isApart = scope !== undefined && isSplit(find(decisionKey(parseRef(scope, 'scope'))));
  const origins = new Map<string, Key>();
  const roles = entries.flatMap((entry) => {
    const { key, as } = entryPlaceOf(entry, find);
    if (!as || as.member === undefined || identityOf(key) !== at) return [];
    origins.set(originOf(at, nameOf(as.attribute, as.member)), entry.from);
    return [as.member];
  });
  const items = isApart ? [[at, rolesItem(ref.id, scope, new Set(roles))] as const] : [];
  return { items: new Map(items), said: new Set(roles.length > 0 ? [at] : []), origins };
}

function deriveItems(gathered: Gathered, { find, marked }: Around): Derived {
  const { ref, stored, entries, effects } = gathered;
  const at = decisionKey(ref);
  const own = identityOf(at);
  const before = stored.get(own);
  const form = formOf(gathered);
  const everyone = entries.find(({ attribute }) => attribute === Attribute.everyone)?.member;
  const mine: Draft = { ...emptyAt(at), ...form };
  // While a scope is migrated, a membership counts in the list in which it is.
  const listed = Object.entries(before ?? {}).filter(([name]) => parseAttribute(name)?.kind === 'at');
  const framed: Item = { ...Object.fromEntries(listed), ...mine, [Attribute.everyone]: everyone };
  const items = new Map<string, Draft>([[own, mine], ...effects]);
  const said = new Set<string>(effects.keys());
  const origins = new Map<string, Key>();
  const itemAt = (key: Key): Draft => {
    const known = items.get(identityOf(key)) ?? emptyAt(key);
    items.set(identityOf(key), known);
    return known;
  };
  for (const item of stored.values()) itemAt(item);
  const isAmongAll = (member: string | undefined): boolean => {
    const groups = before?.[Attribute.groups];
    return groups instanceof Set && groups.has(member);
  };
  for (const entry of entries) {
    const { key, as } = entryPlaceOf(entry, (each) => (isSameKey(each, at) ? framed : find(each)));
    if (!as || key.PK !== at.PK) continue;
    const { byScope, scope } = entry;
    const isNew = as.attribute === Attribute.groups && isSameKey(key, at) && !isAmongAll(as.member);
    const attribute = isNew && byScope && scope && marked?.has(identityOf(scope)) ? byScope : as.attribute;
    const name = identityOf(key);
    put(itemAt(key), { ...as, attribute });
    said.add(name);
    origins.set(originOf(name, nameOf(attribute, as.member)), entry.from);
  }
  const noted = before?.[Attribute.denials];
  if (noted instanceof Set && isScopeType(ref.type))
    for (const member of noted) put(mine, { attribute: Attribute.denials, member: String(member) });
  const ofInvariants = stored.get(identityOf(invariantsKey(ref)));
  const roots = ofInvariants?.[Attribute.rootsWithInvariants];
  if (ofInvariants && roots instanceof Set && ref.type === GLOBAL.type)
    for (const member of roots)
      put(itemAt(ofInvariants), { attribute: Attribute.rootsWithInvariants, member: String(member) });
  // A flag that is false stays in the item.
  for (const name of [Attribute.isAdmin, Attribute.registered])
    if (before?.[name] === false && mine[name] === undefined) mine[name] = false;
  for (const [name, item] of items)
    if (!effects.has(name))
      item[Attribute.version] = parseKey(item)?.form === 'memberships' ? SPLIT_FORM : formOfParts(item);
  return { items, said, origins };
}

/** The form of the node's own item: as it was. Of an item that is gone, as its parts and their numbers say. */
function formOf({ ref, node, stored, entries }: Gathered): Readonly<Record<string, unknown>> {
  const before = stored.get(identityOf(decisionKey(ref)));
  const count = (kind: string): number =>
    new Set(entries.map(({ attribute }) => attribute).filter((name) => parseAttribute(name)?.kind === kind))
      .size;
  const isApart = (item: Item) =>
    parseKey(item)?.form === 'memberships' && item[Attribute.timeToLive] === undefined;
  const areGroupsApart =
    isSubjectNode(ref) &&
    (before ? before[Attribute.groupsIn] !== undefined : [...stored.values()].some(isApart));
  const areRolesApart =
    isScopeType(ref.type) &&
    (before
      ? before[Attribute.groupRoles] !== undefined
      : node !== undefined && isSplitting(node) && count('group') > SPLIT_THRESHOLDS.groupsOfScope);
  const isFolded = before ? hasFoldedRoles(before) : count('role') > SPLIT_THRESHOLDS.rolesOfRoot;
  return {
    ...(areGroupsApart ? { [Attribute.groupsIn]: MARKERS.groupsIn } : {}),
    ...(areRolesApart ? { [Attribute.groupRoles]: MARKERS.groupRoles } : {}),
    ...(isFolded ? { [Attribute.roleTable]: FOLDED } : {}),
  };
}
