import { Attribute, groupsAtAttribute, parseAttribute } from '../../table/decision/attributes.ts';
import { formOfParts, isSplitting, MARKERS } from '../../table/decision/split.ts';
import { expiry } from '../../table/decision/writes.ts';
import { stale } from '../../table/errors.ts';
import { FORM, SPLIT_FORM } from '../../table/form.ts';
import { formatRef, isSubjectNode, parseRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import {
  edgePrefix,
  identityOf,
  isSameKey,
  type Key,
  MEMBERSHIPS_PREFIX,
  membershipsKey,
  nodeKey,
  parseKey,
  partitionOf,
} from '../../table/keys.ts';
import { isInForce, readOrigins } from '../../table/membership-origins.ts';
import { batchesOf, type Reader } from '../../table/reader.ts';
import { sizeOf } from '../../table/size.ts';
import type { Action, Expected, Update } from '../../table/write/action.ts';
import { MOST_JOINED, type Splitting } from './splitting.ts';

/**
 * The groups of a subject, by scope (ADR 0003).
 *
 * Every write of a membership counts up the revision of the subject's node, and so does every transaction here, which asks
 * that it is what the one before has left. So nothing comes between the reading of the memberships and the last
 * transaction, be it a command or another migration: what is planned is carried out as it was read, or not to its end.
 * Without the marker, nobody looks at what stands apart.
 */
export const GROUPS_OF_SUBJECT: Splitting = {
  isDue: (item, { groupsOfSubject }) => {
    return subjectOf(item) !== undefined && groupsOf(item).length > groupsOfSubject;
  },
  isSplit: (item) => subjectOf(item) !== undefined && item[Attribute.groupsIn] !== undefined,

  split: async ({ reader, send }, { PK, SK }) => {
    const subject = subjectOf({ PK, SK }) as Ref;
    const turns = await createTurns(reader, subject);
    // After the revision: the migration of a scope may have moved groups from one list to another before.
    const item = await reader.get({ PK, SK });
    if (!item || item[Attribute.groupsIn] !== undefined) throw stale(formatRef(subject));
    const wanted = await groupsByScope(reader, subject);
    const own = new Set(groupsOf(item));
    const listed = new Set([...wanted.values()].flatMap((groups) => [...groups]));
    // Damaged: `gatehouse verify --repair` comes first.
    if (!turns || listed.size !== own.size || [...own].some((group) => !listed.has(group))) return false;
    const known = new Map((await partsOf(reader, subject)).map((part) => [identityOf(part), part]));
    const parts = [...wanted].map(([scope, groups]) =>
      part(membershipsKey(subject, parseRef(scope, 'scope')), groups),
    );
    const isKept = (key: Key) => parts.some((each) => isSameKey(each, key));
    const gone = [...known.values()].filter((each) => !isKept(each)).map(({ PK, SK }) => part({ PK, SK }));
    const different = [...parts, ...gone].filter((each) => !isAsWanted(known.get(identityOf(each)), each));
    const sequence = turns([
      ...different.map((each): Action => ({ kind: 'put', item: each })),
      mark(item, {
        set: { [Attribute.groupsIn]: MARKERS.groupsIn, [FORM]: SPLIT_FORM },
        remove: listsIn(item),
      }),
    ]);
    for (const actions of sequence) await send(actions);
    return true;
  },

  join: async ({ reader, send, clock }, item) => {
    const subject = subjectOf(item) as Ref;
    const turns = await createTurns(reader, subject);
    const parts = await partsOf(reader, subject);
    const lists = await listsOf(reader, parts);
    const { [Attribute.groupsIn]: _, ...rest } = item;
    if (!turns || sizeOf({ ...rest, ...lists } as Item) > MOST_JOINED) return false;
    const sequence = turns([
      mark(item, {
        set: { ...lists, [FORM]: formOfParts({ ...rest, ...lists }) },
        remove: [Attribute.groupsIn],
      }),
      ...parts.map(
        ({ PK, SK }): Action => ({ kind: 'put', item: { ...part({ PK, SK }), ...expiry(clock.now()) } }),
      ),
    ]);
    for (const actions of sequence) await send(actions);
    return true;
  },
};

/** The attributes of a subject's item that list groups: all of them, and those by scope. */
const listsIn = (item: Item): readonly string[] =>
  Object.keys(item).filter((name) => name === Attribute.groups || parseAttribute(name)?.kind === 'at');

/** The groups that the item itself lists. */
const groupsOf = (item: Item): readonly string[] =>
  listsIn(item).flatMap((name) => (item[name] instanceof Set ? [...(item[name] as Set<string>)] : []));

/**
 * What these parts say, as the item lists it: by scope where the scope says so. The migration of a scope that comes
 * between writes to the subject's node, and so this is planned anew.
 */
async function listsOf(
  reader: Reader,
  parts: readonly Item[],
): Promise<Readonly<Record<string, Set<string>>>> {
  const scopes = parts.map((each) => (parseKey(each) as { readonly scope: Ref }).scope);
  const nodes = await reader.getMany(scopes.map(nodeKey));
  const lists: Record<string, Set<string>> = {};
  for (const [position, scope] of scopes.entries()) {
    const node = nodes[position];
    const name = node && isSplitting(node) ? groupsAtAttribute(formatRef(scope)) : Attribute.groups;
    const groups = (parts[position]?.[Attribute.groups] ?? []) as Iterable<string>;
    for (const group of groups) lists[name] = (lists[name] ?? new Set()).add(group);
  }
  return lists;
}

/** Parts of one transaction, beside the node and the decision item. */
const AT_ONCE = 90;

function subjectOf(item: Item): Ref | undefined {
  const key = parseKey(item);
  return key?.form === 'decision' && isSubjectNode(key) ? { type: key.type, id: key.id } : undefined;
}

const part = (key: Key, groups: ReadonlySet<string> = new Set()): Item => ({
  PK: key.PK,
  SK: key.SK,
  Type: 'Decision',
  [FORM]: SPLIT_FORM,
  ...(groups.size > 0 ? { [Attribute.groups]: new Set(groups) } : {}),
});

function isAsWanted(found: Item | undefined, wanted: Item): boolean {
  if (!found || found[FORM] !== SPLIT_FORM || found[Attribute.timeToLive] !== undefined) return false;
  const [has, should] = [found, wanted].map(
    (item) => (item[Attribute.groups] ?? new Set()) as ReadonlySet<string>,
  );
  return has?.size === should?.size && [...(has ?? [])].every((group) => should?.has(group));
}

/** What stands apart of a subject, or once did and is on its way out. */
const partsOf = (reader: Reader, subject: Ref): Promise<readonly Item[]> =>
  reader.listAll({ ranges: [{ partition: partitionOf(subject), prefix: MEMBERSHIPS_PREFIX }] });

async function groupsByScope(
  reader: Reader,
  subject: Ref,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const found = new Map<string, Set<string>>();
  const edges = await reader.listAll({
    ranges: [{ partition: partitionOf(subject), prefix: edgePrefix('group') }],
    keep: (item) => item.Type === 'Membership' && isInForce(readOrigins(item)),
  });
  for (const { scope, group } of edges)
    found.set(String(scope), (found.get(String(scope)) ?? new Set()).add(String(group)));
  return found;
}

/** The change of the subject's item, as long as its groups stand where they stood when it was read. */
const mark = (item: Item, change: Pick<Update, 'set' | 'remove'>): Update => ({
  kind: 'update',
  key: { PK: item.PK, SK: item.SK },
  ...change,
  when: { exists: true, equals: { [Attribute.groupsIn]: item[Attribute.groupsIn] as string | undefined } },
  failure: () => stale(`${item.PK} / ${item.SK}`),
});

/**
 * Cuts actions into transactions that must follow each other without anything between, by the revision of the node. Read it
 * before what the actions are made from. Undefined when there is no node, or its deletion has begun.
 */
async function createTurns(reader: Reader, ref: Ref) {
  const key = nodeKey(ref);
  const node = await reader.get(key);
  const first = node?.rev;
  const createdAt = node?.createdAt as Expected;
  if (typeof first !== 'number' || node?.deletingSince !== undefined) return undefined;
  return (actions: readonly Action[]): readonly (readonly Action[])[] =>
    batchesOf(actions, AT_ONCE).map((some, turn) => {
      const asLeft: Update = {
        kind: 'update',
        key,
        add: { rev: 1 },
        when: {
          exists: true,
          // Another subject of its id may have come to the same revision.
          equals: { createdAt, rev: first + turn, deletingSince: undefined },
        },
        failure: () => stale(formatRef(ref)),
      };
      return [asLeft, ...some];
    });
}
