import { Attribute, parseAttribute } from '../../table/decision/attributes.ts';
import { isSplit } from '../../table/decision/split.ts';
import { isScopeType } from '../../table/entities/registry.ts';
import { FORM, FORMS, isNewer } from '../../table/form.ts';
import { isRef, isSubjectNode, type Ref } from '../../table/identifiers.ts';
import { allOf } from '../../table/index-queries.ts';
import type { Item } from '../../table/item.ts';
import {
  ANY_TENANT,
  decisionKey,
  edgesBetween,
  GLOBAL,
  identityOf,
  isOfDecision,
  type Key,
  nodeKey,
  parseKey,
  partitionOf,
} from '../../table/keys.ts';
import { OWNERSHIP, ownedBy } from '../../table/partition-queries.ts';
import { batchesOf, type Reader } from '../../table/reader.ts';
import { inTurns } from '../in-turns.ts';
import { pagesOf } from '../list-pages.ts';
import { isOfDecisions } from './decision-form.ts';
import { contradicts } from './edge-items.ts';
import { type Entry, entriesOfItem } from './entries.ts';
import { withoutForm } from './forms.ts';
import { isSound } from './node-damage.ts';
import { attempt, type Found } from './relation.ts';

/** Reads what the decision items of a partition follow from: the partition itself, and what its node owns. */
export interface GatherOptions {
  readonly reader: Reader;
  /** Counts reads. */
  readonly spend?: (reads: number) => Promise<void>;
  /** Whether what decision items name is read even where the partition does not list it: a list may lack it. */
  readonly alsoNamed?: boolean;
}

/** An entry, and the item that says so. */
export interface Said extends Entry {
  readonly from: Key;
}

/** What nodes and edges say of the decision items of one partition. */
export interface Gathered {
  readonly ref: Ref;
  readonly node: Found;
  /** The decision items that are there, by identity. */
  readonly stored: ReadonlyMap<string, Item>;
  readonly entries: readonly Said[];
  /** Effects of the roles of a root on permissions, by the item that has them: there are many, and each stands as it is said. */
  readonly effects: ReadonlyMap<string, Draft>;
  /** Decision items of which a source has damage that people must put right. */
  readonly unsound: ReadonlySet<string>;
  /** Whether a source cannot be read: what it says is not known. */
  readonly isUnread: boolean;
}

/** Owned nodes that are read at a time, and how many of their partitions. */
const NODES = 500;
const PARTITIONS = 8;

/** Whether decision items stand in the partition of such a node. */
export const holdsDecisions = ({ type, id }: Ref): boolean =>
  isSubjectNode({ type }) ||
  isScopeType(type) ||
  (isOfDecisions(type) && (type !== GLOBAL.type || id === GLOBAL.id));

/** What a scope owns that says something of its decision items, and which edges of it do. */
const OWNED: ReadonlyMap<string, { readonly label: string; readonly to: readonly string[] } | undefined> =
  new Map([
    ['group', { label: 'GroupRole', to: ['role'] }],
    ['role', { label: 'RolePermission', to: ['page', 'permission'] }],
    ...['subscription', 'license', 'module', 'property', 'external-group', 'invariant'].map(
      (type) => [type, undefined] as const,
    ),
  ]);

/** What says something of what holds everywhere, and is listed as all of its kind. */
const OF_ALL = ['module', 'property', 'invariant'] as const;

/** A decision item in the making. */
export interface Draft extends Key {
  [attribute: string]: unknown;
}

/** A decision item without entries. */
export const emptyAt = ({ PK, SK }: Key): Draft => ({ PK, SK, Type: 'Decision', [FORM]: FORMS.usual });

/** Adds an entry to a decision item in the making. */
export function put(
  item: Draft,
  { attribute, member, value }: Pick<Entry, 'attribute' | 'member' | 'value'>,
): void {
  if (member === undefined || value !== undefined) {
    item[attribute] = value;
    return;
  }
  const known = item[attribute];
  item[attribute] = known instanceof Set ? known.add(member) : new Set([member]);
}

/** The edges of a partition that say something of the decision items there; the others do so elsewhere. */
function isSaying({ type }: Ref, { Type }: Item): boolean {
  if (type === 'group') return Type === 'GroupRole';
  if (type === 'page' || type === 'permission') return Type === 'RolePermission';
  return isSubjectNode({ type });
}

/** Nodes that a decision item of a scope, or of what holds everywhere, names. */
function namedIn(item: Item): readonly Ref[] {
  return Object.entries(item).flatMap(([name, value]): readonly Ref[] => {
    const said = parseAttribute(name);
    const members = value instanceof Set ? [...(value as ReadonlySet<string>)] : [];
    const isOfRoles = [Attribute.allow, Attribute.deny, Attribute.closing].some((each) => each === name);
    const roles = isOfRoles || said?.kind === 'heirs' || said?.kind === 'folded' ? members : [];
    return [
      ...roles.map((id) => ({ type: 'role', id })),
      ...(said && 'role' in said ? [{ type: 'role', id: said.role }] : []),
      ...(said && 'group' in said ? [{ type: 'group', id: said.group }] : []),
      ...(name === Attribute.everyone ? [{ type: 'group', id: String(value) }] : []),
      ...(said?.kind === 'sub' ? [{ type: 'subscription', id: said.id }] : []),
      ...(said?.kind === 'license' ? [{ type: 'license', id: said.id }] : []),
      ...(said?.kind === 'external' ? [{ type: 'external-group', id: said.id }] : []),
      ...(said?.kind === 'invariant' ? [{ type: 'invariant', id: said.id }] : []),
      ...(said?.kind === 'module' ? [{ type: 'module', id: said.module }] : []),
      ...(said?.kind === 'property' ? [{ type: 'property', id: `${said.of}:${said.name}` }] : []),
    ];
  });
}

/** The nodes that the items of a list are or lead to. */
const leadingTo = (item: Item): readonly Ref[] => {
  const parsed = parseKey(item);
  if (parsed?.form === 'node') return [{ type: parsed.type, id: parsed.id }];
  return parsed?.form === 'edge' && item.Type === OWNERSHIP ? parsed.to.slice(0, 1) : [];
};

/**
 * @param pages the partition: the caller may look at its items as well
 * @throws GatehouseError as the service fails
 */
export async function gather(
  { reader, spend = async () => {}, alsoNamed = false }: GatherOptions,
  ref: Ref,
  pages: AsyncIterable<readonly Item[]>,
): Promise<Gathered> {
  const [partition, own] = [partitionOf(ref), identityOf(decisionKey(ref))];
  const isGlobal = ref.type === GLOBAL.type;
  const stored = new Map<string, Item>();
  const entries: Said[] = [];
  const effects = new Map<string, Draft>();
  const unsound = new Set<string>();
  const owned = new Map<string, Ref>();
  /** Of these there is a copy here, and of these the node is gone. */
  const [copied, lost] = [new Set<string>(), new Set<string>()];
  let isUnread = false;
  let node: Found;

  /** Keeps an entry of this partition, and answers of which item. */
  function say(entry: Entry, from: Key): string | undefined {
    const key = [entry.at, entry.apart].find((each) => each?.PK === partition);
    if (!key) return undefined;
    const name = identityOf(key);
    if (parseKey(key)?.form !== 'tenant-effects') entries.push({ ...entry, from });
    else {
      const item = effects.get(name) ?? emptyAt(key);
      put(item, entry);
      effects.set(name, item);
    }
    return name;
  }

  /** @param end of an edge: the node in whose partition it stands */
  function take(item: Item, end?: Found): void {
    const found = isNewer(item) ? undefined : attempt(() => entriesOfItem(item, end));
    if (!found) isUnread = true;
    const from = { PK: item.PK, SK: item.SK };
    const said = (found ?? []).map((entry) => say(entry, from));
    if (found && isSound(withoutForm(item)) && !contradicts(item, end)) return;
    for (const name of [own, ...said]) if (name !== undefined) unsound.add(name);
  }

  function noteOwned(refs: readonly Ref[]): void {
    for (const each of refs) if (OWNED.has(each.type)) owned.set(identityOf(nodeKey(each)), each);
  }

  function noteListed(item: Item): void {
    noteOwned(leadingTo(item));
    if (item.Type === OWNERSHIP) for (const each of leadingTo(item)) copied.add(identityOf(nodeKey(each)));
  }

  for await (const items of pages)
    for (const item of items) {
      const parsed = parseKey(item);
      if (isOfDecision(parsed)) stored.set(identityOf(item), item);
      else if (parsed?.form === 'node') {
        node = item;
        take(item);
      } else if (item.Type === OWNERSHIP) noteListed(item);
      else if (parsed?.form === 'edge' && isSaying(ref, item)) take(item, node);
    }
  if (!isGlobal && !isScopeType(ref.type)) return { ref, node, stored, entries, effects, unsound, isUnread };

  for (const query of isGlobal ? [ownedBy(ANY_TENANT, 'role'), ...OF_ALL.map((type) => allOf(type))] : [])
    for await (const items of pagesOf(reader, query)) {
      await spend(items.length);
      items.forEach(noteListed);
    }
  // An index is eventually consistent, so modules and declarations that the item names are read by key in any case.
  const named = [...stored.values()].flatMap(namedIn);
  noteOwned(named.filter(({ type }) => alsoNamed || type === 'module' || type === 'property'));
  const areApart = isSplit(stored.get(own));
  for (const some of batchesOf([...owned.values()], NODES)) {
    const found = await reader.getMany(some.map(nodeKey));
    await spend(some.length);
    const readOwned = async (each: Ref, position: number): Promise<void> => {
      const item = found[position];
      const name = identityOf(nodeKey(each));
      if (item) take(item);
      // No copy names a module but those of its pages, and without its entry whoever may see these comes in.
      else if (copied.has(name) || each.type === 'module') lost.add(name);
      const edges = OWNED.get(each.type);
      // The roles of a group that stand apart are in its own partition.
      if (!edges || (areApart && each.type === 'group' && item?.everyone !== true)) return;
      // The effects of global roles on pages are said at the pages; but a role that names a root should have none here.
      const isElsewhere = typeof item?.scope === 'string' && isRef(item.scope);
      const between = edgesBetween(...(isGlobal && !isElsewhere ? ['permission'] : edges.to));
      const query = {
        ranges: [{ partition: partitionOf(each), between }],
        keep: ({ Type }: Item) => Type === edges.label,
      };
      for await (const items of pagesOf(reader, query)) {
        await spend(items.length);
        for (const edge of items) take(edge, item);
      }
    };
    await inTurns(some, readOwned, PARTITIONS);
  }
  // What a node said that was lost is not known.
  if (lost.size > 0)
    for (const [name, item] of stored)
      if (namedIn(item).some((each) => lost.has(identityOf(nodeKey(each))))) unsound.add(name);
  return { ref, node, stored, entries, effects, unsound, isUnread };
}
