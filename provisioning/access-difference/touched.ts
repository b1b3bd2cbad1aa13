import { withAllGroups } from '../../table/decision/all-groups.ts';
import { Attribute, parseAttribute } from '../../table/decision/attributes.ts';
import { decodeGlobal, decodeScope, decodeSubject } from '../../table/decision/decode.ts';
import { groupsOf } from '../../table/decision/items.ts';
import { mayBeScopeType } from '../../table/entities/scope-types.ts';
import { formatRef, isSubjectNode, parseRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import {
  decisionKey,
  EVERYONE_LIST,
  globalKey,
  identityOf,
  isOfDecision,
  type Key,
  nodeKey,
  parseKey,
} from '../../table/keys.ts';
import { ownedBy } from '../../table/partition-queries.ts';
import { namesCovering } from '../../table/permission-name.ts';
import { MAX_PAGE, type Reader } from '../../table/reader.ts';
import { differences } from '../canonical.ts';
import { permissionOrPattern } from '../edges/rights.ts';
import { refsBelow } from '../nodes/scopes-below.ts';
import { isFoldedAttribute } from '../verify/folded-roles.ts';
import type { Copy } from './copy.ts';
import { EVERYWHERE, type People, TooMany } from './people.ts';

/** What a change of the table means for decisions: they rest on decision items alone. */
export interface Touched {
  /** Decision items that differ, by the identity of their keys. */
  readonly items: ReadonlySet<string>;
  /** Subjects whose groups differ that stand in items of their own. */
  readonly subjects: ReadonlySet<string>;
  /** Permissions of which such an item is. */
  readonly permissions: ReadonlySet<string>;
  /** Whether whoever shows a token with some group may be touched: who that is stands nowhere. */
  readonly isOfTokens: boolean;
  /** Whether everybody who may be touched is among the candidates. */
  readonly isWhole: boolean;
}

interface Pair {
  readonly key: Key;
  readonly before: Item | undefined;
  readonly after: Item | undefined;
}

const STAMP: ReadonlySet<string> = new Set([Attribute.writtenAt, Attribute.writeId]);

/** The attributes in which two items differ, but for their stamps. */
const changesIn = ({ before = {} as Item, after = {} as Item }: Pair): readonly string[] =>
  differences(before, after).filter((name) => !STAMP.has(name));

const isDecision = (key: Key): boolean => isOfDecision(parseKey(key));

/** Finds who may be touched by what was written to a copy, and notes them among the candidates. */
export async function touchedBy(copy: Copy, people: People): Promise<Touched> {
  const keys = copy.written().filter(isDecision);
  const [before, after] = await Promise.all([copy.before.getMany(keys), copy.after.getMany(keys)]);
  const changed = keys
    .map((key, position): Pair => ({ key, before: before[position], after: after[position] }))
    .filter((pair) => changesIn(pair).length > 0);
  const permissions = new Set<string>();
  const subjects = new Set<string>();
  const scopes = new Set<string>();
  let isWhole = true;
  let isOfTokens = false;
  for (const pair of changed) {
    const parsed = parseKey(pair.key);
    if (parsed?.form === 'tenant-effects') permissions.add(parsed.permission);
    else if (parsed?.form === 'memberships') subjects.add(formatRef(parsed));
    else if (parsed?.form === 'external-groups') isOfTokens = true;
    else if (parsed?.form === 'decision' && (parsed.type === 'page' || parsed.type === 'permission'))
      permissions.add(parsed.id);
    try {
      if (parsed?.form === 'decision' && parsed.type === 'group')
        scopes.add(await noteGroup(parsed, copy, people));
      else await note(pair, copy, people);
    } catch (error) {
      if (!(error instanceof TooMany)) throw error;
      isWhole = false;
    }
  }
  const items = new Set([...changed.map(({ key }) => identityOf(key)), ...scopes]);
  return { items, subjects, permissions, isWhole, isOfTokens: isOfTokens || people.inTokens.size > 0 };
}

/** Of a group whose roles stand apart: notes its members, and answers with the item that would hold the roles. */
async function noteGroup(group: Ref, { before, after }: Copy, people: People): Promise<string> {
  const node = (await before.get(nodeKey(group))) ?? (await after.get(nodeKey(group)));
  if (typeof node?.scope !== 'string') return '';
  await people.members(group.id, node.scope);
  return identityOf(decisionKey(parseRef(node.scope, 'scope')));
}

/** Notes whom the difference of one item may touch. */
async function note(pair: Pair, copy: Copy, people: People): Promise<void> {
  const parsed = parseKey(pair.key);
  const changes = changesIn(pair);
  if (parsed?.form === 'tenant-effects') {
    for (const role of rolesIn(pair)) await people.holders(role);
    return;
  }
  if (parsed?.form === 'memberships') people.add(formatRef(parsed), formatRef(parsed.scope));
  if (parsed?.form !== 'decision') return;
  const { type, id } = parsed;
  if (isSubjectNode(parsed)) return noteSubject(pair, copy, people);
  if (type === 'page' || type === 'permission') return notePermission(id, changes, pair, people);
  if (identityOf(pair.key) === identityOf(globalKey())) {
    for (const parsed of changes.map(parseAttribute)) {
      if (parsed?.kind === 'role' || parsed?.kind === 'wild') await people.holders(parsed.role);
      // What is sold concerns whoever has a role that allows it, in any tenant; so does what is declared.
      if (parsed?.kind === 'module' || parsed?.kind === 'property') await everybody(copy, people);
    }
    return;
  }
  if (mayBeScopeType(type)) await noteScope(pair, changes, copy, people);
}

/** The role whose effect with a condition an attribute holds. */
const conditionalRole = (attribute: string): string | undefined => {
  const parsed = parseAttribute(attribute);
  return parsed?.kind === 'when' ? parsed.role : undefined;
};

/** Whether an attribute says what roles do to a permission, and nothing else of it. */
const isEffect = (attribute: string): boolean =>
  attribute === Attribute.allow || attribute === Attribute.deny || conditionalRole(attribute) !== undefined;

/** Members that a set has before or after, but not both. */
function membersThatDiffer(
  attribute: string,
  { before, after }: Pick<Pair, 'before' | 'after'>,
): readonly string[] {
  const membersOf = (item: Item | undefined) => new Set(item?.[attribute] as Set<string> | undefined);
  const [a, b] = [membersOf(before), membersOf(after)];
  return [...new Set([...a, ...b])].filter((member) => a.has(member) !== b.has(member));
}

/** The roles whose effect on a permission differs. */
const rolesIn = (pair: Pair): readonly string[] => {
  const roles = [Attribute.allow, Attribute.deny].flatMap((name) => membersThatDiffer(name, pair));
  return [...new Set([...roles, ...changesIn(pair).flatMap((name) => conditionalRole(name) ?? [])])];
};

/** A subject is touched wherever something is granted to it or to everyone, before or after. */
export async function noteSubject(
  { key, before, after }: Pair,
  copy: Pick<Copy, 'before' | 'after'>,
  people: People,
): Promise<void> {
  const ref = parseKey(key) as Ref & { readonly form: 'decision' };
  const subject = formatRef(ref);
  const sides = [[before, copy.before] as const, [after, copy.after] as const];
  for (const [item, reader] of sides) {
    if (!item) continue;
    const whole = await withAllGroups(reader, ref, decodeSubject(item));
    const { isAdmin, globalRoles, grants, assignments } = whole;
    const groups = groupsOf(whole);
    if (isAdmin || globalRoles.length > 0) people.add(subject, EVERYWHERE);
    const nodes = await reader.getMany(groups.map((group) => nodeKey({ type: 'group', id: group })));
    const scopesOfGroups = [...nodes, ...(await groupsOfEveryone(reader))].map((group) => group?.scope);
    for (const scope of [...grants.keys(), ...assignments.keys(), ...scopesOfGroups])
      if (typeof scope === 'string') people.add(subject, scope);
  }
}

const ofEveryone = new WeakMap<Reader, Promise<readonly Item[]>>();

/** The groups of everyone; a copy does not change any more, so they are read once. */
export function groupsOfEveryone(reader: Reader): Promise<readonly Item[]> {
  const found = ofEveryone.get(reader) ?? reader.listAll(ownedBy(EVERYONE_LIST, 'group'));
  ofEveryone.set(reader, found);
  return found;
}

/** A permission that comes, goes or changes its module concerns all whose roles have an effect on it. */
async function notePermission(
  name: string,
  changes: readonly string[],
  pair: Pair,
  people: People,
): Promise<void> {
  for (const role of rolesIn(pair)) await people.holders(role);
  if (changes.every(isEffect)) return;
  await people.admins(EVERYWHERE);
  for (const text of namesCovering(name))
    for await (const edge of people.edges(permissionOrPattern(text), 'role'))
      await people.holders(String(edge.role));
}

async function noteScope(
  { key, before, after }: Pair,
  changes: readonly string[],
  copy: Copy,
  people: People,
): Promise<void> {
  const scope = formatRef(parseKey(key) as { type: string; id: string });
  let isOther = false;
  for (const attribute of changes) {
    const parsed = parseAttribute(attribute);
    if (isFoldedAttribute(attribute))
      for (const role of membersThatDiffer(attribute, { before, after })) await people.holders(role);
    else if (parsed?.kind === 'group') await people.members(parsed.group, scope);
    else if (attribute === Attribute.everyone) await people.everyone(scope);
    else if (parsed?.kind === 'role' || parsed?.kind === 'wild') await people.holders(parsed.role);
    else if (attribute !== Attribute.denials) isOther = true;
  }
  if (!isOther) return;
  // Its status, its place or what it is entitled to: all who are granted anything above, here or below.
  const sides = [[before, copy.before] as const, [after, copy.after] as const];
  for (const [item, reader] of sides) {
    if (!item) continue;
    for (const ref of [scope, ...decodeScope(scope, item).ancestors])
      await peopleAt(ref, scope, reader, people);
  }
  if (before)
    for await (const ref of refsBelow(copy.before, scope, 'all'))
      await peopleAt(ref, scope, copy.before, people);
  await people.admins(scope);
  const global = await copy.before.get(globalKey());
  for (const role of global ? decodeGlobal(global).roles.keys() : []) await people.globally(role, scope);
}

/** Who is granted something at a scope, directly or by a group. */
async function peopleAt(ref: string, top: string, reader: Reader, people: People): Promise<void> {
  const at = parseRef(ref, 'scope');
  const item = await reader.get(decisionKey(at));
  if (!item) return;
  const { groups, groupsApart } = decodeScope(ref, item);
  const owned = groupsApart ? await reader.listAll(ownedBy(at, 'group')) : [];
  const all = groupsApart ? owned.map(({ id }) => String(id)) : groups.keys();
  for (const group of all) await people.members(group, top);
  await people.grantedAt(ref, top);
}

/** All subjects, each wherever something is granted to it. */
async function everybody(copy: Copy, people: People): Promise<void> {
  let keys: Key[] = [];
  const note = async () => {
    const items = await copy.before.getMany(keys);
    for (const [position, key] of keys.entries())
      await noteSubject({ key, before: items[position], after: undefined }, copy, people);
    keys = [];
  };
  for await (const subject of people.everybody())
    if (keys.push(decisionKey(subject)) >= MAX_PAGE) await note();
  await note();
}
