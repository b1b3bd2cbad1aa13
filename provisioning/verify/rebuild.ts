import { Attribute, FOLDED, groupAttribute, parseAttribute } from '../../table/decision/attributes.ts';
import { hasFoldedRoles } from '../../table/decision/folded-roles.ts';
import { formOfParts, isSplitting, MARKERS, SPLIT_THRESHOLDS } from '../../table/decision/split.ts';
import { GatehouseError } from '../../table/errors.ts';
import { FORMS, SPLIT_FORM } from '../../table/form.ts';
import { isSubjectNode, type Ref } from '../../table/identifiers.ts';
import { allOf } from '../../table/index-queries.ts';
import type { Item } from '../../table/item.ts';
import {
  ANY_TENANT,
  edgePrefix,
  GLOBAL,
  identityOf,
  isSameKey,
  type Key,
  MEMBERSHIPS_PREFIX,
  META,
  nodeKey,
  parseKey,
  partitionOf,
  permissionRef,
} from '../../table/keys.ts';
import { OWNERSHIP } from '../../table/partition-queries.ts';
import { readPermissionName } from '../../table/permission-name.ts';
import type { Reader } from '../../table/reader.ts';
import { isScopeType } from '../commands/node-kinds.ts';
import { role } from '../edges/rights.ts';
import { textOf } from '../nodes/nodes.ts';
import { BOOKKEEPING, isApiRevision, isSetAttribute } from './decision-form.ts';
import { type Entry, entriesOf } from './entries.ts';
import { writtenIn } from './folded-roles.ts';
import { withoutForm } from './forms.ts';
import { isSound } from './node-damage.ts';
import { rolesItem } from './split-scope.ts';

/**
 * A decision item rebuilt from nodes and edges. It is written on condition that the old one has not changed
 * since before the sources were read: every write of an entry stamps the item, so no concurrent write is
 * lost.
 *
 * @returns undefined when there is nothing to be made
 * @throws GatehouseError `damaged_item` when what it would be made from is itself damaged
 */
export async function rebuild(reader: Reader, at: Key, before: Item | undefined): Promise<Item | undefined> {
  const parsed = parseKey(at);
  if (parsed?.form === 'memberships') return rebuildMemberships(reader, at, parsed);
  if (parsed?.form === 'decision' && parsed.type === 'group') return rebuildGroupRoles(reader, parsed);
  if (parsed?.form !== 'decision' && parsed?.form !== 'tenant-effects') return undefined;
  const bare: Item = { ...at, Type: 'Decision', [Attribute.version]: FORMS.usual };
  if (isApiRevision(parsed)) return bare;
  const own: Ref = { type: parsed.type, id: parsed.id };
  if (parsed.form === 'decision' && own.type !== GLOBAL.type && !(await reader.get(nodeKey(own))))
    return undefined;
  const sources =
    parsed.form === 'tenant-effects'
      ? await effectsOn(reader, parsed.permission)
      : own.type === GLOBAL.type
        ? await globalSources(reader, before)
        : await sourcesAround(reader, own);
  const entries = sources.filter((each) => isSameKey(each.at, at));
  const item: Record<string, unknown> = { ...bare, ...roleFormOf(before, entries) };
  const areApart = parsed.form === 'decision' && (await haveGroupsApart(reader, own, before));
  if (areApart)
    Object.assign(item, { [Attribute.groupsIn]: MARKERS.groupsIn, [Attribute.version]: SPLIT_FORM });
  const areRolesApart = parsed.form === 'decision' && (await haveRolesApart(reader, own, before, entries));
  if (areRolesApart)
    Object.assign(item, { [Attribute.groupRoles]: MARKERS.groupRoles, [Attribute.version]: SPLIT_FORM });
  const everyone = entries.find(({ attribute }) => attribute === Attribute.everyone)?.member;
  const isApart = ({ attribute }: Entry): boolean =>
    (areApart && attribute === Attribute.groups) ||
    (areRolesApart &&
      parseAttribute(attribute)?.kind === 'group' &&
      attribute !== groupAttribute(String(everyone)));
  const byScope = await listedByScope(reader, entries);
  for (const entry of entries) {
    const written = writtenIn(item as Item, entry);
    if (!written || isApart(entry)) continue;
    put(item, entry.scope && byScope.has(identityOf(entry.scope)) ? asListed(written) : written);
  }
  if (!areApart && byScope.size > 0) item[Attribute.version] = formOfParts(item);
  const noted = before?.[Attribute.denials];
  // It only grows: former members cannot be derived.
  if (noted instanceof Set && isSetAttribute(parsed, Attribute.denials))
    for (const member of noted) put(item, { at, attribute: Attribute.denials, member: String(member) });
  // A flag that is false stays in the item.
  for (const [name, value] of Object.entries(before ?? {}))
    if (
      value === false &&
      !BOOKKEEPING.has(name) &&
      item[name] === undefined &&
      (name === 'isAdmin' || name === 'registered')
    )
      item[name] = false;
  return item as Item;
}

/** As it was; of an item that is gone, as its roles are too many to be listed. */
function roleFormOf(before: Item | undefined, entries: readonly Entry[]): Readonly<Record<string, unknown>> {
  const roles = entries.filter(({ attribute }) => parseAttribute(attribute)?.kind === 'role').length;
  const isFolded = before ? hasFoldedRoles(before) : roles > SPLIT_THRESHOLDS.rolesOfRoot;
  return isFolded ? { [Attribute.roleTable]: FOLDED, [Attribute.version]: SPLIT_FORM } : {};
}

/** Whether the groups of a subject stand apart: as its item says, and if that is lost, by what stands apart. */
async function haveGroupsApart(reader: Reader, own: Ref, before: Item | undefined): Promise<boolean> {
  if (!isSubjectNode(own)) return false;
  if (before) return before[Attribute.groupsIn] !== undefined;
  const parts = await reader.listAll({
    ranges: [{ partition: partitionOf(own), prefix: MEMBERSHIPS_PREFIX }],
    keep: (item) => item[Attribute.timeToLive] === undefined,
  });
  return parts.length > 0;
}

/**
 * Whether the roles of the groups of a scope stand apart: as its item says; and if that is lost, where a migration has
 * been and they are too many for it.
 */
async function haveRolesApart(
  reader: Reader,
  own: Ref,
  before: Item | undefined,
  entries: readonly Entry[],
): Promise<boolean> {
  if (!isScopeType(own.type)) return false;
  if (before) return before[Attribute.groupRoles] !== undefined;
  const groups = new Set(
    entries.map(({ attribute }) => attribute).filter((name) => parseAttribute(name)?.kind === 'group'),
  );
  if (groups.size <= SPLIT_THRESHOLDS.groupsOfScope) return false;
  const node = await reader.get(nodeKey(own));
  return node !== undefined && isSplitting(node);
}

/** The decision items of the scopes, among those of these memberships, at which subjects list groups by scope. */
async function listedByScope(reader: Reader, entries: readonly Entry[]): Promise<ReadonlySet<string>> {
  const scopes = new Map(entries.flatMap(({ scope }) => (scope ? [[scope.PK, scope] as const] : [])));
  const keys = [...scopes.values()];
  const nodes = await reader.getMany(keys.map(({ PK }) => ({ PK, SK: META })));
  return new Set(
    keys.flatMap((key, position) => {
      const node = nodes[position];
      return node && isSplitting(node) ? [identityOf(key)] : [];
    }),
  );
}

const asListed = (entry: Entry): Entry => ({ ...entry, attribute: entry.byScope ?? entry.attribute });

/** The roles of a group, from its edges. */
async function rebuildGroupRoles(reader: Reader, own: Ref): Promise<Item | undefined> {
  const node = await reader.get(nodeKey(own));
  if (!node) return undefined;
  const edges = await reader.listAll({
    ranges: [{ partition: partitionOf(own), prefix: edgePrefix('role') }],
    keep: ({ Type }) => Type === 'GroupRole',
  });
  const roles = new Set(
    read(edges, node).flatMap(({ apartAs, member }) =>
      apartAs === Attribute.rolesOfGroup && member !== undefined ? [member] : [],
    ),
  );
  return rolesItem(own.id, textOf(node, 'scope'), node.everyone === true ? new Set() : roles);
}

/** The groups of a subject at one scope, from its edges. */
async function rebuildMemberships(reader: Reader, at: Key, own: Ref): Promise<Item | undefined> {
  const ref = { type: own.type, id: own.id };
  if (!(await reader.get(nodeKey(ref)))) return undefined;
  const item: Record<string, unknown> = { ...at, Type: 'Decision', [Attribute.version]: SPLIT_FORM };
  const edges = await reader.listAll({
    ranges: [{ partition: partitionOf(ref), prefix: edgePrefix('group') }],
  });
  for (const entry of read(edges)) if (entry.apart && isSameKey(entry.apart, at)) put(item, entry);
  return item as Item;
}

function put(item: Record<string, unknown>, { attribute, member, value }: Entry): void {
  if (member === undefined || value !== undefined) {
    item[attribute] = value;
    return;
  }
  const known = item[attribute];
  item[attribute] = known instanceof Set ? known.add(member) : new Set([member]);
}

/** The entries of items. Throws `damaged_item` where one of them is damaged. */
function read(items: readonly (Item | undefined)[], groupNode?: Item): readonly Entry[] {
  for (const item of items) {
    if (item && !isSound(withoutForm(item)))
      throw new GatehouseError('damaged_item', `${item.PK} / ${item.SK} is damaged`, { field: 'PK' });
  }
  return items.flatMap((item) =>
    entriesOf([item, ...(groupNode && item !== groupNode ? [groupNode] : [])]).filter(
      (entry, n, all) => all.indexOf(entry) === n,
    ),
  );
}

/** Of a node with its partition: subjects, scopes, permissions, tokens, sessions. */
async function sourcesAround(reader: Reader, own: Ref): Promise<readonly Entry[]> {
  const around = await reader.listAll({ ranges: [{ partition: partitionOf(own) }] });
  const entries = [
    ...read(around.filter((item) => item.Type !== OWNERSHIP && !item.SK.startsWith('DECISION'))),
  ];
  const owned = around.filter((item) => item.Type === OWNERSHIP);
  const ofType = (type: string) => owned.filter((item) => item.SK.startsWith(edgePrefix(type)));
  entries.push(...(await nodesAndEdges(reader, 'group', ofType('group'), 'role')));
  entries.push(...(await nodesAndEdges(reader, 'role', ofType('role'), 'permission', 'page')));
  for (const type of ['subscription', 'license']) entries.push(...read(await nodesOf(reader, ofType(type))));
  return entries;
}

const nodesOf = async (reader: Reader, owned: readonly Item[]) => {
  const found: (Item | undefined)[] = [];
  const keys = owned.flatMap((item) => {
    const key = parseKey(item);
    return key?.form === 'edge' && key.to[0] ? [nodeKey(key.to[0])] : [];
  });
  for (let start = 0; start < keys.length; start += 500)
    found.push(...(await reader.getMany(keys.slice(start, start + 500))));
  return found.filter((item) => item !== undefined);
};

/** The owned nodes of a type, each with its edges to nodes of these types. */
async function nodesAndEdges(
  reader: Reader,
  type: 'group' | 'role',
  owned: readonly Item[],
  ...to: readonly string[]
): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for (const node of await nodesOf(reader, owned)) {
    const edges = await reader.listAll({
      ranges: to.map((each) => ({ partition: node.PK, prefix: edgePrefix(each) })),
      keep: (item) => item.Type === (type === 'group' ? 'GroupRole' : 'RolePermission'),
    });
    entries.push(...read([node]), ...read(edges, type === 'group' ? node : undefined));
  }
  return entries;
}

async function effectsOn(reader: Reader, permission: string): Promise<readonly Entry[]> {
  const name = readPermissionName(permission);
  if (!name) return [];
  return read(
    await reader.listAll({
      ranges: [{ partition: partitionOf(permissionRef(name)), prefix: edgePrefix('role') }],
    }),
  );
}

/** The roles that no tenant owns, what they hold by wildcard, the modules that are sold, and the declarations. */
async function globalSources(reader: Reader, before: Item | undefined): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for (const anchor of [GLOBAL, ANY_TENANT]) {
    const owned = await reader.listAll({
      ranges: [{ partition: partitionOf(anchor), prefix: edgePrefix(role('').type) }],
      keep: (item) => item.Type === OWNERSHIP,
    });
    entries.push(...(await nodesAndEdges(reader, 'role', owned, 'permission')));
  }
  // An index is eventually consistent, so modules and declarations that the item names are read by key.
  const named = Object.keys(before ?? {}).flatMap((name) => {
    const parsed = parseAttribute(name);
    if (parsed?.kind === 'property')
      return [nodeKey({ type: 'property', id: `${parsed.of}:${parsed.name}` })];
    return parsed?.kind === 'module' ? [nodeKey({ type: 'module', id: parsed.module })] : [];
  });
  const all = await Promise.all([reader.listAll(allOf('module')), reader.listAll(allOf('property'))]);
  const listed = all.flat().map(({ PK, SK }) => ({ PK, SK }));
  const keys = [...new Map([...named, ...listed].map((key) => [key.PK, key])).values()];
  entries.push(...read((await reader.getMany(keys)).filter((item) => item !== undefined)));
  return entries;
}
