import { Attribute, groupAttribute, parseAttribute } from '../../table/decision/attributes.ts';
import { hasFoldedRoles } from '../../table/decision/folded-roles.ts';
import { isSplit, MARKERS } from '../../table/decision/split.ts';
import { SPLIT_FORM } from '../../table/form.ts';
import { isRef, isSubjectNode, parseRef } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import {
  decisionKey,
  GLOBAL,
  identityOf,
  isSameKey,
  type Key,
  nodeKey,
  type ParsedKey,
  parseKey,
} from '../../table/keys.ts';
import { canonical } from '../canonical.ts';
import { isScopeType, nodeAt } from '../commands/node-kinds.ts';
import { readEdge } from '../edges/read-edge.ts';
import {
  BOOKKEEPING,
  effectOf,
  isApiRevision,
  isMarked,
  isSetAttribute,
  outlivesNode,
} from './decision-form.ts';
import { ANY_GROUP, type Entry, entriesOf, entriesOfEdge, entriesOfNode } from './entries.ts';
import { type EntryPlace, entryPlaceOf, isElsewhere } from './entry-place.ts';
import { fitsForm } from './folded-roles.ts';
import { isSound } from './node-damage.ts';
import { attempt, type Fault, type Found, fault, isExpired, type Relation } from './relation.ts';
import { sourcesOf } from './sources.ts';
import { listsIn } from './split-groups.ts';

/** Compares decision items with the nodes and edges that they repeat. */
type Coordinates = Omit<Entry, 'value'>;

const nameOf = ({ attribute, member }: Pick<Entry, 'attribute' | 'member'>): string =>
  member === undefined ? attribute : `${attribute} ${member}`;

/** A flag that is false counts as absent. */
const storedIn = (item: Item, { attribute, member }: Pick<Entry, 'attribute' | 'member'>): unknown => {
  const value = item[attribute];
  if (member === undefined) return value === false ? undefined : value;
  const has = value instanceof Set ? value.has(member) : value === member;
  return has ? member : undefined;
};

/** What the sources of an attribute depend on beside its name: the members of a set, the group of everyone. */
const membersOf = (attribute: string, value: unknown): readonly unknown[] => {
  if (value instanceof Set) return [...value];
  return attribute === Attribute.everyone ? [value] : [undefined];
};

/** Whether entries of such an attribute stand in other items where a part of the item stands apart. */
const mayStandApart = ({ attribute }: Coordinates): boolean =>
  attribute === Attribute.groups || parseAttribute(attribute)?.kind === 'group';

/** One entry, found from the decision item or from its source. */
function entryRelation(entry: Coordinates, sources: readonly Key[], now: number, onlyLess = false): Relation {
  const { at, apart, scope } = entry;
  const keys = [at, ...sources, ...(apart ? [apart] : []), ...(scope ? [scope] : [])];
  const judge = (items: readonly Found[]): readonly Fault[] => {
    const from = items.slice(1, 1 + sources.length);
    const find = (key: Key): Found => items[keys.findIndex((each) => isSameKey(each, key))];
    // Split since it was read: the relations of the parts judge it.
    if (!apart && mayStandApart(entry) && isElsewhere(entry, find(at))) return [];
    const { key, item, as } = entryPlaceOf(entry, find);
    if (isExpired(item, now)) return [];
    const entries = attempt(() => entriesOf(from));
    // Sources that cannot be read have findings of their own.
    if (!entries) return [];
    const written = entries.flatMap((each) => entryPlaceOf(each, find).as ?? []);
    const isThis = (each: Coordinates): boolean =>
      isSameKey(each.at, at) && each.attribute === entry.attribute && each.member === entry.member;
    const source = entries.find(isThis);
    // Where roles are folded, what a node or an edge says stands elsewhere in the item, or needs no entry.
    const place: EntryPlace = (source ? entryPlaceOf(source, find).as : as) ?? { ...entry, key };
    const found = written.find(
      (each) =>
        isSameKey(each.key, key) && each.attribute === place.attribute && each.member === place.member,
    );
    const wanted = found && (found.member ?? found.value);
    const ttl = entries.find((each) => isSameKey(each.at, at) && each.attribute === 'ttl')?.value;
    const repairOf = () =>
      from.every((source) => !source || isSound(source)) ? ('rebuild' as const) : undefined;
    if (!item) {
      if (wanted === undefined || (typeof ttl === 'number' && ttl * 1_000 <= now)) return [];
      const isOwned = !isSameKey(key, at) || parseKey(key)?.form === 'tenant-effects';
      return [
        fault('decision_missing', key, 'what nodes and edges say', {
          effect: isOwned ? 'either' : 'closes',
          repair: repairOf(),
        }),
      ];
    }
    const stored = storedIn(item, place);
    if (canonical(stored) === canonical(wanted)) return [];
    const how = wanted === undefined ? 'more' : stored === undefined ? 'less' : 'differs';
    if (onlyLess && how !== 'less') return [];
    const expected = how === 'more' ? 'nothing says so' : `${canonical(wanted)} says ${placesOf(from)}`;
    const effect = effectOf(how, place.attribute, stored, wanted);
    return [
      fault(`decision_${how}`, key, expected, { attribute: nameOf(place), effect, repair: repairOf() }),
    ];
  };
  return {
    name: `entry ${entry.at.PK} ${entry.at.SK} ${entry.apart?.SK ?? ''} ${nameOf(entry)} ${onlyLess ? sources.map(identityOf).join() : ''}`,
    keys,
    judge,
  };
}

const placesOf = (items: readonly Found[]): string => {
  const [first] = items.filter((item) => item !== undefined);
  return first ? `${first.PK} / ${first.SK}` : 'nothing';
};

/** The entries that this node or edge requires in decision items. */
export function entryRelations(item: Item, now: number): readonly Relation[] {
  const node = nodeAt(item);
  const edge = node ? undefined : attempt(() => readEdge(item));
  const entries = attempt(() =>
    node ? entriesOfNode(node.ref, item) : edge ? entriesOfEdge(item, ANY_GROUP) : [],
  );
  return (entries ?? []).flatMap((entry) => {
    if (entry.attribute === 'denials') return edge ? [entryRelation(entry, edge.keys, now, true)] : [];
    const parsed = parseKey(entry.at);
    const sources = parsed && attempt(() => sourcesOf(parsed, entry.attribute, entry.member));
    return sources ? [entryRelation(entry, sources, now)] : [];
  });
}

/** The sources that this decision item requires, and its form. */
export function decisionRelations(item: Item, now: number): readonly Relation[] {
  const parsed = parseKey(item);
  if (!parsed || !('id' in parsed)) return [];
  if (parsed.form === 'memberships') return membershipsRelations(item, parsed, now);
  if (parsed.form === 'decision' && parsed.type === 'group') return groupRolesRelations(item, parsed, now);
  const own = parsed.form === 'decision' || parsed.form === 'tenant-effects' ? parsed : undefined;
  if (!own) return [];
  const hasNode = own.type !== GLOBAL.type && !isApiRevision(parsed);
  const node = nodeKey(own);
  const at = { PK: item.PK, SK: item.SK };
  const relations: Relation[] = [
    {
      name: `decision ${identityOf(at)}`,
      keys: hasNode ? [at, node] : [at],
      judge: ([found, owner]) => {
        if (!found || isExpired(found, now)) return [];
        const faults: Fault[] = isMarked(found)
          ? []
          : [malformed(at, Attribute.version, 'Type, v, writtenAt and writeId')];
        // Effects of global roles may be older than their permission; nobody asks for those of deleted
        // tenants.
        if (hasNode && !owner && !outlivesNode(parsed))
          faults.push(
            fault('decision_without_node', at, `a node ${node.PK} / ${node.SK}`, { effect: 'opens' }),
          );
        for (const [attribute, value] of Object.entries(found)) {
          if (isRoleForm(own, attribute, found)) continue;
          const isByScope = isSubjectNode(own) && parseAttribute(attribute)?.kind === 'at';
          if (isByScope && found[Attribute.version] !== SPLIT_FORM)
            faults.push(malformed(at, Attribute.version, `form ${SPLIT_FORM}`));
          if (attribute === Attribute.groupsIn && isSubjectNode(own)) {
            if (value !== MARKERS.groupsIn || found[Attribute.version] !== SPLIT_FORM)
              faults.push(malformed(at, attribute));
            for (const list of listsIn(found)) faults.push(malformed(at, list));
          } else if (isMarkOfGroups(own, attribute)) {
            if (value !== MARKERS.groupRoles || found[Attribute.version] !== SPLIT_FORM)
              faults.push(malformed(at, attribute));
            for (const name of Object.keys(found))
              if (parseAttribute(name)?.kind === 'group' && isElsewhere({ attribute: name }, found))
                faults.push(malformed(at, name));
          } else if (attribute === 'denials' && isSetAttribute(parsed, attribute)) {
            if (!(value instanceof Set)) faults.push(malformed(at, attribute));
          } else if (
            (attribute === 'denials' || !BOOKKEEPING.has(attribute)) &&
            !isWellFormed(parsed, attribute, value, found)
          ) {
            faults.push(malformed(at, attribute));
          }
        }
        return faults;
      },
    },
  ];
  for (const [attribute, value] of Object.entries(item)) {
    if (
      BOOKKEEPING.has(attribute) ||
      attribute === Attribute.groupsIn ||
      isMarkOfGroups(own, attribute) ||
      value === false ||
      !isWellFormed(parsed, attribute, value, item)
    )
      continue;
    for (const member of membersOf(attribute, value)) {
      // Well-formed members are texts.
      const of = member === undefined ? {} : { member: String(member) };
      relations.push(
        entryRelation({ at, attribute, ...of }, sourcesOf(parsed, attribute, of.member) ?? [], now),
      );
    }
  }
  return relations;
}

/** Whether the attribute says that the roles of a root are folded. */
const isRoleForm = ({ type }: { readonly type: string }, attribute: string, item: Item): boolean =>
  attribute === Attribute.roleTable && hasFoldedRoles(item) && isScopeType(type);

/** Whether the attribute says that the roles of the groups of a scope stand apart. */
const isMarkOfGroups = ({ type }: { readonly type: string }, attribute: string): boolean =>
  attribute === Attribute.groupRoles && isScopeType(type);

/**
 * The roles of a group, where they stand apart. Those of a scope whose item holds them itself count for nothing: a
 * migration was stopped. One that goes by itself is of a group that was deleted.
 */
function groupRolesRelations(
  item: Item,
  own: Extract<ParsedKey, { readonly id: string; readonly type: string }>,
  now: number,
): readonly Relation[] {
  if (item[Attribute.timeToLive] !== undefined) return [];
  const at = { PK: item.PK, SK: item.SK };
  const named = item[Attribute.scopeOfGroup];
  const scope = typeof named === 'string' && isRef(named) ? decisionKey(parseRef(named, 'scope')) : undefined;
  const node = nodeKey(own);
  const known = new Set<string>([...BOOKKEEPING, Attribute.scopeOfGroup, Attribute.rolesOfGroup]);
  const itself: Relation = {
    name: `decision ${identityOf(at)}`,
    keys: [at, node, ...(scope ? [scope] : [])],
    judge: ([found, group, above]) => {
      if (!found || found[Attribute.timeToLive] !== undefined) return [];
      if (!scope) return [malformed(at, Attribute.scopeOfGroup, 'the scope of the group')];
      if (group && group.scope !== found[Attribute.scopeOfGroup])
        return [malformed(at, Attribute.scopeOfGroup, String(group.scope))];
      if (!isSplit(above)) return [];
      const roles = found[Attribute.rolesOfGroup];
      return [
        ...(isMarked(found) ? [] : [malformed(at, Attribute.version, 'Type, v, writtenAt and writeId')]),
        ...Object.keys(found)
          .filter((name) => !known.has(name))
          .map((name) => malformed(at, name)),
        ...(roles === undefined || isIdSet(roles) ? [] : [malformed(at, Attribute.rolesOfGroup)]),
        ...(group
          ? []
          : [fault('decision_without_node', at, `a node ${node.PK} / ${node.SK}`, { effect: 'opens' })]),
      ];
    },
  };
  const roles = item[Attribute.rolesOfGroup];
  const parsed = scope && parseKey(scope);
  if (!scope || !parsed || !isIdSet(roles)) return [itself];
  const attribute = groupAttribute(own.id);
  return [
    itself,
    ...[...roles].map((member) => {
      const sources = sourcesOf(parsed, attribute, member) ?? [];
      const place = { at: scope, attribute, member, apart: at, apartAs: Attribute.rolesOfGroup };
      const whole = entryRelation(place, sources, now);
      // Until the scope says so, nobody looks at it.
      const judge: Relation['judge'] = (items) => (isSplit(items[0]) ? whole.judge(items) : []);
      return { ...whole, judge };
    }),
  ];
}

/**
 * The groups of a subject at one scope, where they stand apart. Those of a subject whose item holds them itself count for
 * nothing: a migration was stopped. One that goes by itself is of a subject that was deleted.
 */
function membershipsRelations(
  item: Item,
  parsed: Extract<ParsedKey, { readonly form: 'memberships' }>,
  now: number,
): readonly Relation[] {
  if (item[Attribute.timeToLive] !== undefined) return [];
  const [at, own] = [
    { PK: item.PK, SK: item.SK },
    { type: parsed.type, id: parsed.id },
  ];
  const subject = decisionKey(own);
  const groups = item[Attribute.groups];
  const known = new Set(['PK', 'SK', 'Type', Attribute.version, Attribute.writtenAt, Attribute.writeId]);
  const itself: Relation = {
    name: `decision ${identityOf(at)}`,
    keys: [at, subject],
    judge: ([found, above]) => {
      if (!found || found[Attribute.timeToLive] !== undefined || !isSplit(above)) return [];
      const others = Object.keys(found).filter((name) => !known.has(name));
      return [
        ...(isMarked(found) ? [] : [malformed(at, Attribute.version, 'Type, v, writtenAt and writeId')]),
        ...others
          .filter((name) => name !== Attribute.groups || !isIdSet(found[name]))
          .map((name) => malformed(at, name)),
      ];
    },
  };
  const members = isIdSet(groups) ? [...groups] : [];
  return [
    itself,
    ...members.map((member) =>
      entryRelation(
        { at: subject, attribute: Attribute.groups, member, apart: at, apartAs: Attribute.groups },
        sourcesOf(parsed, Attribute.groups, member) ?? [],
        now,
      ),
    ),
  ];
}

const isIdSet = (value: unknown): value is ReadonlySet<string> =>
  value instanceof Set && [...value].every((each) => typeof each === 'string');

/** Whether such an item may have the attribute, and in this form. */
function isWellFormed(
  parsed: NonNullable<ReturnType<typeof parseKey>>,
  attribute: string,
  value: unknown,
  item: Item,
): boolean {
  if (attribute === 'denials' || !fitsForm(attribute, value, item)) return false;
  const isSet = isSetAttribute(parsed, attribute);
  if (isSet !== value instanceof Set) return false;
  return membersOf(attribute, value).every(
    (member) =>
      (member === undefined || typeof member === 'string') &&
      attempt(() => sourcesOf(parsed, attribute, member)) !== undefined,
  );
}

const malformed = (key: Key, attribute: string, expected = 'no such attribute, or in another form'): Fault =>
  fault('decision_damaged', key, expected, { attribute, effect: 'closes', repair: 'rebuild' });

/** Where the item at `source` exists, this decision item exists. */
export const existsWith = (key: Key, source: Key, expected: string): Relation => ({
  name: `exists ${key.PK}`,
  keys: [key, source],
  judge: ([found, cause]) =>
    found || !cause
      ? []
      : [fault('decision_missing', key, expected, { effect: 'closes', repair: 'rebuild' })],
});
