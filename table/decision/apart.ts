import { GatehouseError } from '../errors.ts';
import { FORM, SPLIT_FORM } from '../form.ts';
import { formatRef, parseRef } from '../identifiers.ts';
import type { Item } from '../item.ts';
import { decisionKey, type Key, membershipsKey, parseKey } from '../keys.ts';
import type { Action, Expected, OtherForm, Update } from '../write/action.ts';
import { mergeActions } from '../write/merge.ts';
import { Attribute, type Entry, groupAttribute, groupsAtAttribute, parseAttribute } from './attributes.ts';
import { changesNothing } from './entries.ts';
import { BY_SCOPE, type KnownSplits, MARKERS, type Marker } from './split.ts';

/**
 * Where the parts of decision items stand is known only when an action is sent (ADR 0003): a plan says which entry is to
 * come or to go, on the item itself, and here it becomes a change of that item or of one apart. Either way the item must
 * be as it is taken to be; otherwise the command is planned anew, with what was found. So a write on an item without parts
 * reads nothing and has no further action.
 *
 * An entry is a membership, on a subject, or the roles of a group, on a scope.
 */

/** The entry that an attribute of a plan stands for. */
function entryOf(attribute: string) {
  const parsed = parseAttribute(attribute);
  return parsed?.kind === 'in' || parsed?.kind === 'of' ? parsed : undefined;
}

/** Where an entry stands. */
export interface Place {
  /** The decision item, and its attribute, where it holds the entry itself. */
  readonly at: Key;
  readonly attribute: string;
  readonly member: string;
  /** The item that holds it where it stands apart, and its attribute. */
  readonly apart: Key;
  readonly apartAs: string;
  /** Of a membership: the attribute of `at` where the memberships of the group are listed by scope. */
  readonly byScope?: string;
  /** Of a membership: the decision item of the scope, which says whether only those by scope count. */
  readonly scope?: Key;
}

/** The places of what an entry of a plan is for; undefined for any other entry. */
export function placeOf({ at, attribute, member = '' }: Entry): Place | undefined {
  const entry = entryOf(attribute);
  if (!entry) return undefined;
  const { group } = entry;
  if (entry.kind === 'of')
    return {
      at,
      attribute: groupAttribute(group),
      member,
      apart: rolesOf(group),
      apartAs: Attribute.rolesOfGroup,
    };
  return {
    at,
    attribute: Attribute.groups,
    member: group,
    apart: membershipsOf(at, entry.scope),
    apartAs: Attribute.groups,
    byScope: groupsAtAttribute(entry.scope),
    scope: decisionKey(parseRef(entry.scope, 'scope')),
  };
}

const membershipsOf = (at: Key, scope: string): Key => membershipsKey(nodeAt(at), parseRef(scope, 'scope'));
const rolesOf = (group: string): Key => decisionKey({ type: 'group', id: group });

/** What stands apart of a group: its roles at its scope. */
export const rolesItem = (group: string, scope: string, roles: ReadonlySet<string>): Item => ({
  ...rolesOf(group),
  Type: 'Decision',
  [FORM]: SPLIT_FORM,
  [Attribute.scopeOfGroup]: scope,
  ...(roles.size > 0 ? { [Attribute.rolesOfGroup]: new Set(roles) } : {}),
});

const PARTS = ['set', 'add', 'takeOut'] as const;

/** Names of the attributes that an update changes. */
const namesIn = (update: Update): readonly string[] => [
  ...PARTS.flatMap((part) => Object.keys(update[part] ?? {})),
  ...(update.remove ?? []),
];
const isEntry = (name: string): boolean => entryOf(name) !== undefined;

/** Whether an action changes entries whose place, or whose form, is not settled yet. */
export const holdsEntries = (action: Action): action is Update =>
  action.kind === 'update' && (action.otherForm !== undefined || namesIn(action).some(isEntry));

/** The actions on the items in which the entries stand: one for each item. */
export function inPlace(actions: readonly Action[], splits: KnownSplits): readonly Action[] {
  if (!actions.some(holdsEntries)) return actions;
  return mergeActions(
    actions.flatMap((action) => (holdsEntries(action) ? settled(action, splits) : [action])),
  );
}

function settled(action: Update, splits: KnownSplits): readonly Action[] {
  const update = action.otherForm ? inForm(action, action.otherForm, splits) : action;
  return holdsEntries(update) ? placed(update, splits) : [update];
}

/** The update in the form of its item. It stays one where it changes nothing: it stamps the item. */
function inForm({ otherForm: _, ...usual }: Update, other: OtherForm, splits: KnownSplits): Update {
  const isOther = splits.has(usual.key, other.attribute);
  const update: Omit<Update, 'otherForm'> = isOther ? other.update : usual;
  return { ...update, ...onForm(splits, other.attribute, isOther ? other.value : undefined, update) };
}

/** The update without what it changes of entries. */
function withoutEntries({ set, remove, add, takeOut, ...others }: Update): Update {
  const rest = <T>(part: Readonly<Record<string, T>> | undefined): Readonly<Record<string, T>> =>
    Object.fromEntries(Object.entries(part ?? {}).filter(([name]) => !isEntry(name)));
  return {
    ...others,
    set: rest(set),
    add: rest(add),
    takeOut: rest(takeOut),
    remove: (remove ?? []).filter((name) => !isEntry(name)),
  };
}

const placed = (action: Update, splits: KnownSplits): readonly Action[] =>
  namesIn(action).some((name) => entryOf(name)?.kind === 'of')
    ? placedRoles(action, splits)
    : placedMemberships(action, splits);

interface Membership {
  readonly scope: string;
  readonly group: string;
  /** Of one that comes: whether the memberships of its group are listed by scope. */
  readonly isByScope: boolean;
}

function placedMemberships(action: Update, splits: KnownSplits): readonly Action[] {
  const { set = {}, remove = [] } = action;
  const rest = withoutEntries(action);
  const entriesOf = (names: readonly string[]): readonly Membership[] =>
    names.flatMap((name) => {
      const entry = entryOf(name);
      return entry?.kind === 'in' ? [{ ...entry, isByScope: set[name] === BY_SCOPE }] : [];
    });
  const [come, go] = [entriesOf(Object.keys(set)), entriesOf(remove)];
  if (!splits.has(action.key, 'groupsIn'))
    return [asTaken(splits, 'groupsIn', undefined, withOwnMembers(rest, come, go))];
  const scopes = [...new Set([...come, ...go].map(({ scope }) => scope))];
  return [
    asTaken(splits, 'groupsIn', MARKERS.groupsIn, rest),
    ...scopes.map((scope) => {
      const here = (entries: readonly Membership[]) => entries.filter((entry) => entry.scope === scope);
      const isBack = here(come).length > 0;
      const apart: Update = {
        kind: 'update',
        key: membershipsOf(action.key, scope),
        set: { Type: 'Decision', [FORM]: SPLIT_FORM },
        // It may be on its way out, since the subject once held its groups itself again.
        remove: isBack ? [Attribute.timeToLive] : [],
      };
      return withMembers(apart, Attribute.groups, namesOf(here(come)), namesOf(here(go)));
    }),
  ];
}

const namesOf = (entries: readonly Membership[]): readonly string[] => entries.map(({ group }) => group);

/**
 * The memberships of a subject that holds them itself. How a group's are listed is known of those that come; those that
 * go are taken out of either list.
 */
function withOwnMembers(update: Update, come: readonly Membership[], go: readonly Membership[]): Update {
  const byScope = come.filter((entry) => entry.isByScope);
  const usual = come.filter((entry) => !entry.isByScope);
  let all = withMembers(update, Attribute.groups, namesOf(usual), namesOf(go));
  for (const scope of new Set([...byScope, ...go].map((entry) => entry.scope))) {
    const here = (entries: readonly Membership[]) =>
      namesOf(entries.filter((entry) => entry.scope === scope));
    all = withMembers(all, groupsAtAttribute(scope), here(byScope), here(go));
  }
  return byScope.length > 0 ? { ...all, set: { ...all.set, [FORM]: SPLIT_FORM } } : all;
}

/**
 * The roles of groups of a scope. The item of the scope is written in any case: so it says that none has come or gone
 * since it was read, wherever they stand.
 */
function placedRoles(action: Update, splits: KnownSplits): readonly Action[] {
  const { add = {}, takeOut = {}, remove = [] } = action;
  const rest = withoutEntries(action);
  const entriesOf = (part: Readonly<Record<string, unknown>>) =>
    Object.entries(part).flatMap(([name, roles]) => {
      const entry = entryOf(name);
      return entry && roles instanceof Set ? [[entry.group, roles as Set<string>] as const] : [];
    });
  const [come, go] = [entriesOf(add), entriesOf(takeOut)];
  const gone = remove.flatMap((name) => entryOf(name)?.group ?? []);
  const named = (entries: readonly (readonly [string, Set<string>])[]) =>
    Object.fromEntries(entries.map(([group, roles]) => [groupAttribute(group), roles]));
  const marker = Attribute.groupRoles;
  const isApart = splits.has(action.key, marker);
  const own: Update = {
    ...rest,
    add: { ...rest.add, ...(isApart ? {} : named(come)) },
    // Those of the group of everyone are here in any case, and what goes may be of it.
    takeOut: { ...rest.takeOut, ...named(go) },
    remove: [...(rest.remove ?? []), ...gone.map(groupAttribute)],
  };
  const taken = isApart ? MARKERS.groupRoles : undefined;
  const first: Update = { ...own, ...onForm(splits, marker, taken, own) };
  if (!isApart) return [first];
  const scope = formatRef(nodeAt(action.key));
  const groups = [...new Set([...come, ...go].map(([group]) => group).concat(gone))];
  return [
    first,
    ...groups.map((group): Update => {
      const of = (entries: readonly (readonly [string, Set<string>])[]) =>
        entries.flatMap(([each, roles]) => (each === group ? [...roles] : []));
      const apart: Update = {
        kind: 'update',
        key: rolesOf(group),
        set: { Type: 'Decision', [FORM]: SPLIT_FORM, [Attribute.scopeOfGroup]: scope },
        // It may be on its way out, since the scope once held the roles itself again.
        remove: [
          ...(of(come).length > 0 ? [Attribute.timeToLive] : []),
          ...(gone.includes(group) ? [Attribute.rolesOfGroup] : []),
        ],
      };
      return withMembers(apart, Attribute.rolesOfGroup, of(come), of(go));
    }),
  ];
}

/** Of a decision item: the subject or the scope. */
const nodeAt = (key: Key) => {
  const parsed = parseKey(key);
  if (parsed?.form !== 'decision')
    throw new GatehouseError('internal', `${key.PK} / ${key.SK} is no subject's and no scope's`);
  return { type: parsed.type, id: parsed.id };
};

/** An update that also brings these members into a set, and takes those out. */
function withMembers(
  update: Update,
  attribute: string,
  come: readonly string[],
  go: readonly string[],
): Update {
  if (come.length > 0 && go.length > 0)
    throw new GatehouseError('internal', 'one write brings members into a set and takes others out, unread');
  const setOf = (members: readonly string[]) => (members.length > 0 ? { [attribute]: new Set(members) } : {});
  return {
    ...update,
    add: { ...update.add, ...setOf(come) },
    takeOut: { ...update.takeOut, ...setOf(go) },
  };
}

/** The update, on condition that the item's marker is as it is taken to be; one that changes nothing is a check. */
function asTaken(splits: KnownSplits, marker: Marker, taken: Expected, update: Update): Action {
  const asked = onForm(splits, marker, taken, update);
  return changesNothing(update) ? { kind: 'check', key: update.key, ...asked } : { ...update, ...asked };
}

/** The condition of an update, and that the item's marker is as it is taken to be. */
function onForm(
  splits: KnownSplits,
  marker: Marker,
  taken: Expected,
  { key, when, failure }: Update,
): Required<Pick<Update, 'when' | 'failure'>> {
  return {
    when: { ...when, exists: true, equals: { ...when?.equals, [marker]: taken } },
    failure: (found: Parameters<NonNullable<Update['failure']>>[0]) =>
      found && found[marker] !== taken
        ? splits.meet(key, marker, found)
        : (failure?.(found) ?? new GatehouseError('internal', 'a write failed that asks for nothing')),
  };
}
