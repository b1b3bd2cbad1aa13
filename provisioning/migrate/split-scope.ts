import { rolesItem } from '../../table/decision/apart.ts';
import {
  Attribute,
  groupAttribute,
  groupsAtAttribute,
  parseAttribute,
} from '../../table/decision/attributes.ts';
import { BACK, BY_SCOPE, formOfParts, isByScope, MARKERS } from '../../table/decision/split.ts';
import { expiry } from '../../table/decision/writes.ts';
import { isScopeType } from '../../table/entities/registry.ts';
import { stale } from '../../table/errors.ts';
import { FORM, FORMS, SPLIT_FORM } from '../../table/form.ts';
import { formatRef, type Ref, readSubject } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { decisionKey, nodeKey, parseKey } from '../../table/keys.ts';
import { edgesToSubjects, ownedBy } from '../../table/partition-queries.ts';
import { batchesOf, type Reader } from '../../table/reader.ts';
import { sizeOf } from '../../table/size.ts';
import type { Action, Check, Expected, Update } from '../../table/write/action.ts';
import { group as groupRef } from '../edges/rights.ts';
import { pagesOf } from '../list-pages.ts';
import { closeGates } from '../nodes/gates.ts';
import { isMeanwhile, replacing, unchanged } from '../verify/relation.ts';
import { scopeOf } from './split-roles.ts';
import { MOST_JOINED, type SplitTable, type Splitting } from './splitting.ts';

/**
 * The groups of a scope (ADR 0003): subjects list them by scope, and the roles of each stand in an item of its own.
 *
 * The way out: the node of the scope gets the mark, which new groups take over; then the node of each group, and its
 * memberships move to where the mark says; then the roles of each group are put; last the marker is set. Until then
 * readers count both lists of a subject, and look at no roles that stand apart. The way back is the reverse.
 *
 * Every transaction asks that the mark on the scope's node is the one that this migration has set: two of them never undo
 * each other's work unseen. A command that adds or takes away roles of groups writes the item of
 * the scope in either form, so what was read with the item is still so where the item is as it was.
 */
export const GROUPS_OF_SCOPE: Splitting = {
  isDue: (item, { groupsOfScope }) => {
    const isOwn = scopeOf(item) !== undefined && item[Attribute.groupRoles] === undefined;
    return isOwn && rolesIn(item).size > groupsOfScope;
  },
  isSplit: (item) => scopeAt(item) !== undefined && isByScope(item),

  split: async (table, item) => {
    const scope = scopeOf(item) as Ref;
    const node = await table.reader.get(nodeKey(scope));
    if (!node || node.deletingSince !== undefined) return false;
    // A mark of its own: another migration that is still under way stops at its next transaction.
    const mark = table.newId();
    await table.send([marked(node, mark), ...closeGates(scope)]);
    for await (const groups of groupsOf(table.reader, scope)) {
      await markGroups(table, scope, groups, mark, mark);
      await moveMembers(table, scope, groups, mark);
    }
    return putApart(table, scope, mark);
  },

  join: async (table, node) => {
    const scope = scopeAt(node) as Ref;
    if (!(await putBack(table, scope))) return false;
    if (node[BY_SCOPE] !== BACK) await table.send([marked(node, BACK), isWhole(scope), ...closeGates(scope)]);
    for await (const groups of groupsOf(table.reader, scope)) {
      await markGroups(table, scope, groups, undefined, BACK);
      await moveMembers(table, scope, groups, BACK);
      await expireRoles(table, scope, groups);
    }
    await table.send([marked({ ...node, [BY_SCOPE]: BACK }, undefined), ...closeGates(scope)]);
    return true;
  },
};

/** Nodes or subjects of one transaction: few, so that it seldom meets a command. */
const A_TRANSACTION = 25;
/** Items of one transaction that no command writes. */
const ROLES_AT_ONCE = 90;
/** Groups of one transaction that writes their nodes as well. */
const GROUPS_AT_ONCE = 45;
/** How often something is planned anew because a command came between. */
const MAX_TRIES = 16;

/** Of the node of a scope: the scope. */
function scopeAt(item: Item): Ref | undefined {
  const parsed = parseKey(item);
  return parsed?.form === 'node' && isScopeType(parsed.type)
    ? { type: parsed.type, id: parsed.id }
    : undefined;
}

const setIn = (item: Item | undefined, attribute: string): ReadonlySet<string> => {
  const value = item?.[attribute];
  return value instanceof Set ? (value as ReadonlySet<string>) : NOTHING;
};
const NOTHING: ReadonlySet<string> = new Set();

/** The roles of groups that the item of a scope holds, but for those of the group of everyone. */
function rolesIn(item: Item): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, ReadonlySet<string>>();
  for (const name of Object.keys(item)) {
    const parsed = parseAttribute(name);
    if (parsed?.kind === 'group' && parsed.group !== item[Attribute.everyone])
      found.set(parsed.group, setIn(item, name));
  }
  return found;
}

/** The groups of a scope, by id, page by page. */
async function* groupsOf(reader: Reader, scope: Ref): AsyncGenerator<readonly string[]> {
  for await (const page of pagesOf(reader, ownedBy(scope, 'group'))) yield page.map(({ id }) => String(id));
}

/** The change of a node's mark, as long as it is the node that was read. */
const marked = (node: Item, mark: string | undefined): Update => ({
  kind: 'update',
  key: { PK: node.PK, SK: node.SK },
  ...(mark === undefined
    ? { set: { [FORM]: FORMS.usual }, remove: [BY_SCOPE] }
    : { set: { [BY_SCOPE]: mark, [FORM]: SPLIT_FORM } }),
  when: {
    exists: true,
    equals: { createdAt: node.createdAt as Expected, [BY_SCOPE]: node[BY_SCOPE] as Expected },
  },
  failure: () => stale(`${node.PK} / ${node.SK}`),
});

/** That the mark of the scope is still this one. */
const asMarked = (scope: Ref, mark: string): Check => ({
  kind: 'check',
  key: nodeKey(scope),
  when: { exists: true, equals: { [BY_SCOPE]: mark } },
  failure: () => stale(formatRef(scope)),
});

/** That the item of the scope holds the roles of its groups itself. */
const isWhole = (scope: Ref): Check => ({
  kind: 'check',
  key: decisionKey(scope),
  when: { exists: true, equals: { [Attribute.groupRoles]: undefined } },
  failure: () => stale(formatRef(scope)),
});

/**
 * Plans for some at a time and sends it, in halves where something comes between.
 *
 * @param plan the actions for some of them, as things are
 */
async function inTurns<T>(
  { send }: SplitTable,
  all: readonly T[],
  plan: (some: readonly T[]) => Promise<readonly Action[]>,
  atOnce = A_TRANSACTION,
): Promise<void> {
  const carryOut = async (some: readonly T[], tries = 1): Promise<void> => {
    try {
      const actions = await plan(some);
      if (actions.some(({ kind }) => kind !== 'check')) await send(actions);
    } catch (error) {
      if (!isMeanwhile(error) || tries >= MAX_TRIES) throw error;
      const middle = Math.ceil(some.length / 2);
      for (const half of [some.slice(0, middle), some.slice(middle)])
        if (half.length > 0) await carryOut(half, tries + 1);
    }
  };
  for (const some of batchesOf(all, atOnce)) await carryOut(some);
}

/** Gives the nodes of groups the mark, or takes it off. Whoever joins one from now on is listed so. */
const markGroups = (
  table: SplitTable,
  scope: Ref,
  groups: readonly string[],
  mark: string | undefined,
  ofScope: string,
): Promise<void> =>
  inTurns(table, groups, async (some) => {
    const nodes = await table.reader.getMany(some.map((id) => nodeKey(groupRef(id))));
    const isDone = (node: Item): boolean => isByScope(node) === (mark !== undefined);
    const others = nodes.flatMap((node) => (node && !isDone(node) ? [node] : []));
    return [asMarked(scope, ofScope), ...others.map((node) => marked(node, mark))];
  });

/**
 * Moves the memberships of groups to the list that the mark says. Of a subject whose own groups stand apart nothing moves,
 * but its node is written: were they on their way back into its item, that is planned anew.
 */
async function moveMembers(
  table: SplitTable,
  scope: Ref,
  groups: readonly string[],
  mark: string,
): Promise<void> {
  const { reader } = table;
  const members = new Map<string, Ref>();
  for (const id of groups)
    for await (const page of pagesOf(reader, edgesToSubjects(groupRef(id))))
      for (const { Type, user } of page)
        if (Type === 'Membership') members.set(String(user), readSubject(String(user), 'user'));
  const here = new Set(groups);
  const lists = [Attribute.groups, groupsAtAttribute(formatRef(scope))] as const;
  const [from, to] = mark === BACK ? [lists[1], lists[0]] : lists;
  await inTurns(table, [...members.values()], async (subjects) => {
    // The node first: whatever is written to the item later changes its revision.
    const nodes = await reader.getMany(subjects.map(nodeKey));
    const items = await reader.getMany(subjects.map(decisionKey));
    const moves = subjects.flatMap((_, position): readonly Action[] => {
      const [node, item] = [nodes[position], items[position]];
      if (!node || !item) return [];
      const isApart = item[Attribute.groupsIn] !== undefined;
      const moving = new Set([...setIn(item, from)].filter((id) => here.has(id)));
      if (!isApart && moving.size === 0) return [];
      return [touched(node, 'rev'), isApart ? unmoved(item) : moved(item, moving, from, to)];
    });
    return [asMarked(scope, mark), ...moves];
  });
}

/**
 * Counts up the revision of a node, as long as it is the one that was read, whose time of creation tells, and this of it is
 * as it was.
 */
const touched = ({ PK, SK, createdAt, ...node }: Item, same: 'rev' | 'scope'): Update => ({
  kind: 'update',
  key: { PK, SK },
  add: { rev: 1 },
  when: { exists: true, equals: { createdAt: createdAt as Expected, [same]: node[same] as Expected } },
  failure: () => stale(`${PK} / ${SK}`),
});

/** That the item of a subject is as it was read: a repair does not count up the revision of the node. */
const unmoved = (item: Item): Check => ({
  kind: 'check',
  key: { PK: item.PK, SK: item.SK },
  ...unchanged(item, item),
});

function moved(item: Item, groups: ReadonlySet<string>, from: string, to: string): Update {
  const { [from]: _, ...rest } = item;
  const left = [...setIn(item, from)].filter((id) => !groups.has(id));
  const after = { ...rest, [to]: groups, ...(left.length > 0 ? { [from]: left } : {}) };
  return {
    kind: 'update',
    key: { PK: item.PK, SK: item.SK },
    set: { Type: 'Decision', [FORM]: formOfParts(after) },
    add: { [to]: new Set(groups) },
    takeOut: { [from]: new Set(groups) },
    ...unchanged(item, item),
  };
}

/** What stands apart of a group at this scope. The group may be another one of its id by now, at another scope. */
const rolesAt = (scope: Ref, found: Item | undefined): ReadonlySet<string> =>
  found?.[Attribute.scopeOfGroup] === formatRef(scope) ? setIn(found, Attribute.rolesOfGroup) : NOTHING;

const isSame = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
  a.size === b.size && [...a].every((each) => b.has(each));

/** Whether what stands apart of a group says that it has these roles there; nothing says that it has none. */
const says = (found: Item | undefined, scope: Ref, roles: ReadonlySet<string>): boolean =>
  roles.size === 0
    ? setIn(found, Attribute.rolesOfGroup).size === 0
    : isSame(rolesAt(scope, found), roles) &&
      found?.[FORM] === SPLIT_FORM &&
      found[Attribute.timeToLive] === undefined;

/**
 * Puts the roles of each group, and then the item without them: all as the item says that is replaced. Each try has a mark
 * of its own, and so has what comes after the last one: a request of an earlier one that arrives late finds another.
 */
async function putApart(table: SplitTable, scope: Ref, first: string): Promise<boolean> {
  const { reader, send } = table;
  const at = formatRef(scope);
  /** The roles of groups whose own item says so. */
  const done = new Map<string, ReadonlySet<string>>();
  let isCleared = false;
  let mark = first;
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    if (tries > 1) mark = await markedAnew(table, scope, mark);
    const item = await reader.get(decisionKey(scope));
    if (!item) return false;
    if (item[Attribute.groupRoles] !== undefined) return true;
    const wanted = rolesIn(item);
    const put = (groups: readonly string[]): Promise<void> =>
      inTurns(
        table,
        groups,
        async (some) => {
          const nodes = await reader.getMany(some.map((id) => nodeKey(groupRef(id))));
          const found = await reader.getMany(some.map((id) => decisionKey(groupRef(id))));
          const puts = some.flatMap((id, position): readonly Action[] => {
            const [node, before] = [nodes[position], found[position]];
            const roles = wanted.get(id) ?? NOTHING;
            // One that has gone has taken its roles along, and one at another scope is another one.
            if (node?.scope !== at || says(before, scope, roles)) return [];
            // A deletion that has not seen what is written here is planned anew.
            return [touched(node, 'scope'), replacing(before, rolesItem(id, at, roles))];
          });
          return [asMarked(scope, mark), ...puts];
        },
        GROUPS_AT_ONCE,
      );
    let isPut = false;
    try {
      const left = new Set([...wanted.keys(), ...done.keys()]);
      const changed = [...left].filter((id) => !isSame(wanted.get(id) ?? NOTHING, done.get(id) ?? NOTHING));
      await put(changed);
      for (const id of changed) done.set(id, wanted.get(id) ?? NOTHING);
      // What a migration has left that was stopped, of groups that have no roles any more.
      if (!isCleared)
        for await (const groups of groupsOf(reader, scope)) await put(groups.filter((id) => !wanted.has(id)));
      isCleared = isPut = true;
      await send([replacing(item, withoutGroups(item)), ...changeOfMark(scope, mark, table.newId())]);
      return true;
    } catch (error) {
      if (!isMeanwhile(error)) throw error;
      if (isPut) continue;
      // Some of them may have been put.
      done.clear();
      isCleared = false;
    }
  }
  return false;
}

/** Whoever makes a group meanwhile gives it the mark, so nobody comes through a gate that says the old one. */
const changeOfMark = (scope: Ref, from: string, to: string): readonly Action[] => {
  const { key, when, failure } = asMarked(scope, from);
  return [{ kind: 'update', key, set: { [BY_SCOPE]: to }, when, failure }, ...closeGates(scope)];
};

/**
 * Another mark in the place of this one.
 *
 * @throws GatehouseError `stale` where it is there no more: another migration has begun
 */
async function markedAnew({ send, newId }: SplitTable, scope: Ref, mark: string): Promise<string> {
  const next = newId();
  await send(changeOfMark(scope, mark, next));
  return next;
}

function withoutGroups(item: Item): Item {
  const gone = new Set([...rolesIn(item).keys()].map(groupAttribute));
  return {
    ...(Object.fromEntries(Object.entries(item).filter(([name]) => !gone.has(name))) as Item),
    [Attribute.groupRoles]: MARKERS.groupRoles,
    [FORM]: SPLIT_FORM,
  };
}

/** Puts the item with the roles of its groups; answers whether it holds them. */
async function putBack({ reader, send }: SplitTable, scope: Ref): Promise<boolean> {
  const item = await reader.get(decisionKey(scope));
  if (!item) return false;
  if (item[Attribute.groupRoles] === undefined) return true;
  const { [Attribute.groupRoles]: _, ...rest } = item;
  const whole: Record<string, unknown> = { ...rest };
  let size = sizeOf(rest as Item);
  for await (const groups of groupsOf(reader, scope)) {
    const found = await reader.getMany(groups.map((id) => decisionKey(groupRef(id))));
    for (const [position, id] of groups.entries()) {
      const roles = rolesAt(scope, found[position]);
      if (roles.size === 0) {
        // Damaged, unless it is another group by now: `gatehouse verify --repair` comes first.
        const isOther = setIn(found[position], Attribute.rolesOfGroup).size > 0;
        if (isOther && (await reader.get(nodeKey(groupRef(id))))?.scope === formatRef(scope)) return false;
        continue;
      }
      whole[groupAttribute(id)] = new Set(roles);
      size += sizeOf({ [groupAttribute(id)]: roles } as unknown as Item);
    }
    if (size > MOST_JOINED) return false;
  }
  whole[FORM] = formOfParts(whole);
  await send([replacing(item, whole as Item)]);
  return true;
}

/** Lets what stood apart of groups go by itself, when no reader can have the scope in its cache as it was any more. */
const expireRoles = (table: SplitTable, scope: Ref, groups: readonly string[]): Promise<void> =>
  inTurns(
    table,
    groups,
    async (some) => {
      const found = await table.reader.getMany(some.map((id) => decisionKey(groupRef(id))));
      const at = formatRef(scope);
      return [
        asMarked(scope, BACK),
        ...some.flatMap((id, position): readonly Action[] => {
          const item = found[position];
          const isLeft = item?.[Attribute.scopeOfGroup] === at && item[Attribute.timeToLive] === undefined;
          if (!item || !isLeft) return [];
          return [replacing(item, { ...rolesItem(id, at, NOTHING), ...expiry(table.clock.now()) })];
        }),
      ];
    },
    ROLES_AT_ONCE,
  );
