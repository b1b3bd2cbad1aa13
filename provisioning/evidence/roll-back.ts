import { changesEntries, entryChanges } from '../../table/decision/entries.ts';
import { isByScope, markOf } from '../../table/decision/split.ts';
import { isScopeType } from '../../table/entities/registry.ts';
import { GatehouseError } from '../../table/errors.ts';
import { formatRef, parseRef, type Ref } from '../../table/identifiers.ts';
import { scopesFrom } from '../../table/index-queries.ts';
import type { Item } from '../../table/item.ts';
import { edgeKey, isOfDecision, nodeKey, parseKey } from '../../table/keys.ts';
import { edgesFrom } from '../../table/partition-queries.ts';
import type { Reader } from '../../table/reader.ts';
import { type Action, keyOf } from '../../table/write/action.ts';
import { createCopy } from '../access-difference/copy.ts';
import { kindOf } from '../commands/node-kinds.ts';
import type { Edge } from '../edges/edge.ts';
import { edgeOf } from '../edges/edges-beside.ts';
import { readEdge } from '../edges/read-edge.ts';
import { changeEntries, createEntries, removeEntries } from '../kinds/entries.ts';
import { itemTypeOf, type NodeKind, ownersOf } from '../kinds/node-kind.ts';
import { moveGuards } from '../nodes/guards.ts';
import { indexAttributes } from '../nodes/index-attributes.ts';
import { moveNodeNames } from '../nodes/node-names.ts';
import { copyOf } from '../nodes/ownership.ts';
import { personalOf, revealed } from '../pseudonyms.ts';
import { type Attributes, visible } from '../visible.ts';
import { type ChangedEntities, type ChangedEntity, isFollowedBy, itemsOf, NOW } from './changed-entities.ts';

/** A table in memory as it was at an instant. */
export interface RolledBack {
  readonly reader: Reader;
  /** Decision items that are not known as they were, and why. */
  readonly unsure: ReadonlyMap<string, string>;
  /** Decision items of those whose properties were erased. */
  readonly erased: ReadonlySet<string>;
}

/** Items and calls that a copy takes. */
export const MOST = { items: 500_000, calls: 100_000 };
/** Attributes of a node that its edges write. */
const OF_EDGES: readonly string[] = ['roles', 'isAdmin'];
const PATH = 64;

/**
 * Brings a copy of the table to what nodes and edges were: each is undone as its own command would undo it, so that
 * decision items follow from them by the functions that write them.
 *
 * @param chosen which of its possible values a entity has, by its name; the first one if left out
 */
export async function rollBack(
  table: Reader,
  { entities, unsure: given }: ChangedEntities,
  chosen: ReadonlyMap<string, number> = new Map(),
): Promise<RolledBack> {
  const { after, before, write: writeTo } = createCopy(table, MOST);
  const unsure = new Map(given);
  const erased = new Set<string>();

  async function write(actions: readonly Action[]): Promise<void> {
    for (const action of actions) {
      const bare = isOfDecision(parseKey(keyOf(action))) ? action : withoutCondition(action);
      if (bare.kind === 'check' || (bare.kind === 'update' && !changesEntries(bare))) continue;
      await writeTo([bare], { writtenAt: 0, writeId: 'then' });
    }
  }

  const undo: Undo = { after, write, erased };
  const wanted = [...entities].map(([name, entity]) => ({
    entity,
    value: entity.values[chosen.get(name) ?? 0],
  }));
  // Much is said in the items of scopes: they come first, and go last.
  const changing = wanted
    .filter(({ value }) => value !== NOW)
    .sort((a, b) => Number(isPlace(b.entity)) - Number(isPlace(a.entity)));
  for (const { entity } of wanted)
    if (!(await isAsRecorded(entity, before)))
      for (const item of entity.items)
        unsure.set(item, 'the table has something else than the last record says');

  const steps: ((entity: ChangedEntity, value: Attributes | undefined) => Promise<unknown> | undefined)[] = [
    ({ of }, value) =>
      'label' in of && value === undefined ? undoEdge(undo, of.label, of.some, value) : undefined,
    ({ of }, value) =>
      'ref' in of && value === undefined ? undoNode(undo, of.kind, of.ref, value) : undefined,
    ({ of }, value) =>
      'ref' in of && value !== undefined ? undoNode(undo, of.kind, of.ref, value) : undefined,
    ({ of }, value) =>
      'label' in of && value !== undefined ? undoEdge(undo, of.label, of.some, value) : undefined,
    ({ of }, value) =>
      'ref' in of && of.ref.type === 'group' ? undoClosing(undo, before, of.ref, value) : undefined,
  ];
  for (const [position, step] of steps.entries()) {
    for (const { entity, value } of position < 2 ? changing.toReversed() : changing) {
      try {
        await step(entity, value as Attributes | undefined);
      } catch (error) {
        if (!(error instanceof GatehouseError)) throw error;
        for (const item of [...entity.items, ...itemsOf(entity.of, value as Attributes | undefined)])
          unsure.set(item, `what the records say of it does not fit the table: ${error.message}`);
      }
    }
    if (position === 2)
      await undoPaths(
        undo,
        before,
        changing.map(({ entity }) => entity),
      );
  }
  return { reader: after, unsure, erased };
}

const isPlace = ({ of }: ChangedEntity): boolean => 'ref' in of && isScopeType(of.ref.type);

interface Undo {
  readonly after: Reader;
  readonly write: (actions: readonly Action[]) => Promise<void>;
  readonly erased: Set<string>;
}

/** What was true when it was written need not be so now. */
const withoutCondition = ({ when: _, failure: __, ...action }: Action): Action => action as Action;

/** Whether the table has what the last record of a entity leaves. */
async function isAsRecorded({ of, last }: ChangedEntity, table: Reader): Promise<boolean> {
  const key = 'ref' in of ? nodeKey(of.ref) : edgeOf(of.label, of.some).keys[0];
  const item = await table.get(key);
  if (item && 'label' in of && item.Type !== of.label) return false;
  return isFollowedBy(last, item && visible(item), 'ref' in of ? of.ref.type : '');
}

const without = (of: Attributes, names: (name: string) => boolean): Attributes =>
  Object.fromEntries(Object.entries(of).filter(([name]) => !names(name)));

/** A node with all that repeats it. Personal values stay those of now, but for the properties that decide. */
async function undoNode(
  { after, write, erased }: Undo,
  kind: NodeKind,
  ref: Ref,
  value: Attributes | undefined,
) {
  const { entity } = kind;
  const now = await after.get(nodeKey(ref));
  let item: Item | undefined;
  if (value !== undefined) {
    const ofNow = new Set([...personalOf(entity.type).filter((name) => name !== 'properties'), ...OF_EDGES]);
    const shown = now ? visible(now) : {};
    const { properties } = await revealed(after, { properties: value.properties });
    const isErased = typeof properties === 'string';
    if (isErased) for (const each of itemsOf({ kind, ref }, value)) erased.add(each);
    const scope =
      ref.type === 'group' && !now
        ? await after.get(nodeKey(parseRef(String(value.scope), 'scope')))
        : undefined;
    const plain: Item = {
      rev: 0,
      ...(scope ? markOf(scope) : {}),
      ...without(now ?? {}, (name) => (name in shown && !ofNow.has(name)) || /^GSI\d/.test(name)),
      ...without(value, (name) => ofNow.has(name) || name === 'properties'),
      ...(properties === undefined || isErased ? {} : { properties }),
      ...nodeKey(ref),
      Type: itemTypeOf(entity),
    };
    item = { ...plain, ...indexAttributes(entity, ref, plain) };
  }
  const owners = (of: Item | undefined) => (of ? ownersOf(kind, of, ref) : []);
  const entries = () => {
    if (!now) return item ? createEntries({ ref, item }) : [];
    return item ? changeEntries({ ref, item: now }, item) : removeEntries({ ref, item: now });
  };
  const made = entries();
  await write([
    ...moveGuards(entity, ref, now ?? {}, item ?? {}, ''),
    ...moveNodeNames(entity, ref, now ?? {}, item ?? {}),
    ...owners(now).map((owner): Action => ({ kind: 'delete', key: edgeKey(owner.ref, ref) })),
    item ? { kind: 'put', item } : { kind: 'delete', key: nodeKey(ref) },
    ...owners(item).map(
      (owner): Action => ({
        kind: 'put',
        item: copyOf(item ?? {}, ref, edgeKey(owner.ref, ref)),
      }),
    ),
    ...made,
  ]);
}

/** An edge with its mirrors, and what its ends show of it. */
async function undoEdge(
  { after, write }: Undo,
  label: string,
  some: Attributes,
  value: Attributes | undefined,
) {
  const { keys } = edgeOf(label, value ?? some);
  const found = await after.get(keys[0]);
  const now = found && readEdge(found);
  const group =
    label === 'Membership' || label === 'GroupRole' ? await after.get(groupKey(value ?? some)) : undefined;
  const flags = { isByScope: group !== undefined && isByScope(group), everyone: group?.everyone === true };
  const edge = value && edgeOf(label, { ...value, ...flags });
  const shown = without(value ?? {}, (name) => name === 'isByScope');
  await write([
    ...(now?.keys ?? []).map((key): Action => ({ kind: 'delete', key })),
    ...(now?.revoke ?? []),
    ...(edge?.keys ?? []).map((key): Action => ({ kind: 'put', item: { ...shown, ...key, Type: label } })),
    ...(edge?.grant ?? []),
    ...changed(now, edge),
  ]);
}

const groupKey = (of: Attributes) => nodeKey({ type: 'group', id: String(of.group) });

const changed = (from: Edge | undefined, to: Edge | undefined) =>
  entryChanges(from?.entries ?? [], to?.entries ?? []).filter(changesEntries);

/** A group whose deletion has begun carries no roles, though its edges are there. */
async function undoClosing({ after, write }: Undo, before: Reader, ref: Ref, value: Attributes | undefined) {
  const now = await before.get(nodeKey(ref));
  const [was, is] = [value?.deletingSince !== undefined, now?.deletingSince !== undefined];
  const item = await after.get(nodeKey(ref));
  if (!item || was === is) return;
  if (was) return write(kindOf('group')?.behaviour.close?.({ ref, item }) ?? []);
  for (const edge of await after.listAll(edgesFrom(ref, 'role')))
    await write(changed(undefined, edgeOf('GroupRole', { ...edge, everyone: item.everyone === true })));
}

/** The paths of scopes, by their parents: a move has a record of its top alone. */
async function undoPaths(undo: Undo, before: Reader, entities: readonly ChangedEntity[]): Promise<void> {
  const { after } = undo;
  const scopes = new Map<string, Ref>();
  for (const { of } of entities) {
    if (!('ref' in of) || !isScopeType(of.ref.type)) continue;
    scopes.set(formatRef(of.ref), of.ref);
    const [now, then] = await Promise.all([before, after].map((reader) => reader.get(nodeKey(of.ref))));
    if (!now || !then || String(now.ancestors) === String(then.ancestors)) continue;
    const path = [formatRef(of.ref), ...(now.ancestors as readonly string[])];
    for (const item of await before.listAll(scopesFrom(path))) {
      const key = parseKey(item);
      if (key?.form === 'node') scopes.set(formatRef(key), { type: key.type, id: key.id });
    }
  }
  for (const ref of scopes.values()) {
    const item = await after.get(nodeKey(ref));
    const kind = kindOf(ref.type);
    if (!item || !kind) continue;
    const ancestors: string[] = [];
    for (let above = item.parent; typeof above === 'string' && ancestors.length < PATH; ) {
      ancestors.push(above);
      above = (await after.get(nodeKey(parseRef(above, 'parent'))))?.parent;
    }
    if (String(ancestors) !== String(item.ancestors))
      await undoNode(undo, kind, ref, { ...visible(item), ancestors });
  }
}
