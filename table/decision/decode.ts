import { GatehouseError } from '../errors.ts';
import { assertReadable, SPLIT_FORM, saysForm } from '../form.ts';
import { isRef } from '../identifiers.ts';
import type { Item } from '../item.ts';
import { isPermissionPattern } from '../permission-name.ts';
import { type Declaration, NO_PROPERTIES, type Properties, SOURCES, VALUE_TYPES } from '../properties.ts';
import { isMap } from '../value.ts';
import { Attribute, FOLDED, groupAttribute, type ParsedAttribute, parseAttribute } from './attributes.ts';
import type {
  Assignment,
  ConditionalEffect,
  Effect,
  GlobalItem,
  Interval,
  PermissionItem,
  RoleItem,
  RoleTable,
  ScopeItem,
  SubjectItem,
} from './items.ts';

import { MARKERS } from './split.ts';

/**
 * Which write an item is of: what the test of coherence goes by (ADR 0014). Decision items have it, and
 * the guards that decisions look up.
 */
export interface Stamp {
  /**
   * Epoch milliseconds of the sending, by the writer's clock; the write arrives within the margin or never.
   */
  readonly writtenAt: number;
  /** Of this one transaction and no other: two writes may be of one millisecond. */
  readonly writeId: string;
}

const isTime = (value: unknown): value is number => Number.isSafeInteger(value);
const isWriteId = (value: unknown): value is string => typeof value === 'string' && value !== '';

/**
 * The stamp of an item that may lack one because it was written before there were stamps: a guard or the
 * record of a credential. Undefined where it is not whole: the item then counts as written when it was read.
 */
export function stampOf(item: Item): Stamp | undefined {
  const { [Attribute.writtenAt]: writtenAt, [Attribute.writeId]: writeId } = item;
  return isTime(writtenAt) && isWriteId(writeId) ? { writtenAt, writeId } : undefined;
}

/**
 * The stamp of any other decision item.
 *
 * @throws GatehouseError `damaged_item` naming the attribute that is missing or no stamp
 */
export function decodeStamp(item: Item): Stamp {
  const stamp = stampOf(item);
  if (stamp) return stamp;
  throw damaged(item, isTime(item[Attribute.writtenAt]) ? Attribute.writeId : Attribute.writtenAt);
}

/**
 * Decodes decision items. Whatever is not exactly as the writer makes it throws `damaged_item`, and a form that a later
 * release made `newer_form`: faults, and every fault ends in "not allowed". An attribute that is not known here throws
 * as well, since it may restrict.
 */
export const damaged = (item: Item, attribute: string): GatehouseError =>
  new GatehouseError(
    'damaged_item',
    `decision item ${item.PK} / ${item.SK} holds a damaged ${parseAttribute(attribute)?.kind ?? attribute}`,
    {
      field: attribute,
    },
  );

/** The plain attributes of one kind of item. */
export const plain = (...own: readonly string[]): ReadonlySet<string> =>
  new Set(['PK', 'SK', 'Type', Attribute.version, Attribute.writtenAt, Attribute.writeId, ...own]);

interface Compound {
  readonly name: string;
  readonly value: unknown;
  readonly parsed: ParsedAttribute;
}

/** The compound attributes of an item, once its version and the names of its attributes are found good. */
export function compoundsOf(item: Item, known: ReadonlySet<string>): readonly Compound[] {
  assertReadable(item);
  // Decision items have always said their form.
  if (!saysForm(item)) throw damaged(item, Attribute.version);
  const compounds: Compound[] = [];
  for (const [name, value] of Object.entries(item)) {
    if (known.has(name)) continue;
    const parsed = parseAttribute(name);
    if (!parsed) throw damaged(item, name);
    compounds.push({ name, value, parsed });
  }
  return compounds;
}

const NONE: readonly string[] = [];

function idSet(item: Item, attribute: string): readonly string[] {
  const value = item[attribute];
  if (value === undefined) return NONE;
  if (!(value instanceof Set)) throw damaged(item, attribute);
  const ids: string[] = [];
  for (const id of value) {
    if (typeof id !== 'string') throw damaged(item, attribute);
    ids.push(oneOf(id));
  }
  // What was pushed to has room for more; a copy has not.
  return ids.slice();
}

const setOf = (item: Item, attribute: string): ReadonlySet<string> => {
  const ids = idSet(item, attribute);
  return ids.length > 0 ? new Set(ids) : NO_IDS;
};

/** Epoch milliseconds of a date as the writer puts it; `Date.parse` takes others, some in local time. */
export function instant(item: Item, attribute: string, text: unknown): number {
  const time = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time) || new Date(time).toISOString() !== text) throw damaged(item, attribute);
  return time;
}

/** `start/end`, either side empty. */
function interval(item: Item, attribute: string): Interval {
  const value = item[attribute];
  const [start, end, ...more] = typeof value === 'string' ? value.split('/') : [];
  if (start === undefined || end === undefined || more.length > 0) throw damaged(item, attribute);
  return {
    start: start === '' ? Number.NEGATIVE_INFINITY : instant(item, attribute, start),
    end: end === '' ? Number.POSITIVE_INFINITY : instant(item, attribute, end),
  };
}

export function isActive(item: Item): boolean {
  const status = item[Attribute.status];
  if (typeof status !== 'string') throw damaged(item, Attribute.status);
  return status === 'active';
}

/** So many texts are known at once; then it begins anew. */
const MOST = 20_000;

const texts = new Map<string, string>();

/**
 * The one copy of a text that many items hold, such as the id of a group: each item that is read brings its own, and they
 * would all be kept. It is the same text either way, but V8 finds the very copy in a map several times faster than another
 * one, and than a part of a longer text by far.
 */
export function oneOf(text: string): string {
  const before = texts.get(text);
  if (before !== undefined) return before;
  if (texts.size >= MOST) texts.clear();
  // As the name of an attribute it is whole: what is cut out of a longer text stays a part of that.
  const [whole = text] = Object.keys({ [text]: 0 });
  texts.set(whole, whole);
  return whole;
}

const SUBJECT_ATTRIBUTES = plain(
  Attribute.status,
  Attribute.endsAt,
  Attribute.isAdmin,
  Attribute.mandateOptional,
  Attribute.groups,
  Attribute.groupsIn,
  Attribute.globalRoles,
  Attribute.properties,
);

/** The attributes that most subjects share, as their prototype: each subject then takes few bytes. */
const ORDINARY: Omit<SubjectItem, 'groups'> = {
  active: true,
  endsAt: Number.POSITIVE_INFINITY,
  isAdmin: false,
  mandateOptional: false,
  groupsApart: false,
  groupsAt: new Map(),
  groupRoles: new Map(),
  globalRoles: NONE,
  grants: new Map(),
  assignments: new Map(),
  properties: NO_PROPERTIES,
};

const ordinary = (groups: readonly string[]): SubjectItem =>
  ({ __proto__: ORDINARY, groups }) as unknown as SubjectItem;

export function decodeSubject(item: Item): SubjectItem {
  const grants = new Map<string, readonly string[]>();
  const assignments = new Map<string, Assignment[]>();
  const groupsAt = new Map<string, readonly string[]>();
  for (const { name, parsed } of compoundsOf(item, SUBJECT_ATTRIBUTES)) {
    if (parsed.kind === 'grant') grants.set(oneOf(parsed.scope), idSet(item, name));
    else if (parsed.kind === 'at') groupsAt.set(oneOf(parsed.scope), idSet(item, name));
    else if (parsed.kind === 'assign')
      add(assignments, oneOf(parsed.scope), { role: oneOf(parsed.role), ...interval(item, name) });
    else throw damaged(item, name);
  }
  const { [Attribute.isAdmin]: isAdmin = false, [Attribute.endsAt]: endsAt } = item;
  const mandateOptional = item[Attribute.mandateOptional] ?? false;
  if (typeof mandateOptional !== 'boolean') throw damaged(item, Attribute.mandateOptional);
  if (typeof isAdmin !== 'boolean') throw damaged(item, Attribute.isAdmin);
  const active = isActive(item);
  const groups = idSet(item, Attribute.groups);
  const groupsApart = isApart(item, Attribute.groupsIn);
  if (groupsApart && (groups.length > 0 || groupsAt.size > 0)) throw damaged(item, Attribute.groups);
  if (groupsAt.size > 0 && item[Attribute.version] !== SPLIT_FORM) throw damaged(item, Attribute.version);
  const globalRoles = idSet(item, Attribute.globalRoles);
  const properties = propertiesIn(item);
  const holdsMore =
    isAdmin ||
    mandateOptional ||
    groupsApart ||
    groupsAt.size > 0 ||
    globalRoles.length > 0 ||
    grants.size > 0 ||
    assignments.size > 0 ||
    properties !== NO_PROPERTIES;
  if (active && endsAt === undefined && !holdsMore) return ordinary(groups);
  return {
    active,
    endsAt: endsAt === undefined ? Number.POSITIVE_INFINITY : instant(item, Attribute.endsAt, endsAt),
    isAdmin,
    mandateOptional,
    groups,
    groupsApart,
    groupsAt: groupsAt.size > 0 ? groupsAt : ORDINARY.groupsAt,
    groupRoles: ORDINARY.groupRoles,
    globalRoles,
    grants: grants.size > 0 ? grants : ORDINARY.grants,
    assignments: assignments.size > 0 ? assignments : ORDINARY.assignments,
    properties,
  };
}

/** Whether a part of the item stands apart (split.ts). A marker of another value says what is not known here. */
function isApart(item: Item, marker: keyof typeof MARKERS): boolean {
  const value = item[marker];
  if (value === undefined) return false;
  if (value !== MARKERS[marker] || item[Attribute.version] !== SPLIT_FORM) throw damaged(item, marker);
  return true;
}

const MEMBERSHIPS_ATTRIBUTES = plain(Attribute.groups, Attribute.timeToLive);

/** The groups of a subject at one scope, where they stand apart of its item. */
export function decodeMemberships(item: Item): readonly string[] {
  const [unknown] = compoundsOf(item, MEMBERSHIPS_ATTRIBUTES);
  if (unknown) throw damaged(item, unknown.name);
  return idSet(item, Attribute.groups);
}

const GROUP_ROLES_ATTRIBUTES = plain(Attribute.rolesOfGroup, Attribute.scopeOfGroup, Attribute.timeToLive);

/** The roles of a group, where they stand apart of the item of its scope. */
export function decodeGroupRoles(item: Item): readonly string[] {
  const [unknown] = compoundsOf(item, GROUP_ROLES_ATTRIBUTES);
  if (unknown) throw damaged(item, unknown.name);
  return idSet(item, Attribute.rolesOfGroup);
}

const PERMISSION_ATTRIBUTES = plain(Attribute.registered, Attribute.allow, Attribute.deny, Attribute.module);

const NO_IDS: ReadonlySet<string> = new Set();
const NO_GROUPS: ScopeItem['groups'] = new Map();
const NO_INTERVALS: ReadonlyMap<string, readonly Interval[]> = new Map();
const NO_PATTERNS: RoleItem['patterns'] = new Map();
const NO_ROLES: RoleTable = new Map();
const NO_CONDITIONS: ReadonlyMap<string, ConditionalEffect> = new Map();

export function decodePermission(item: Item): PermissionItem {
  const allow = setOf(item, Attribute.allow);
  const deny = setOf(item, Attribute.deny);
  const conditional = new Map<string, ConditionalEffect>();
  for (const { name, value, parsed } of compoundsOf(item, PERMISSION_ATTRIBUTES)) {
    if (parsed.kind !== 'when' || !isConditional(value)) throw damaged(item, name);
    if (allow.has(parsed.role) || deny.has(parsed.role)) throw damaged(item, name);
    conditional.set(oneOf(parsed.role), value);
  }
  const { [Attribute.registered]: registered = false, [Attribute.module]: module } = item;
  if (typeof registered !== 'boolean') throw damaged(item, Attribute.registered);
  if (module !== undefined && typeof module !== 'string') throw damaged(item, Attribute.module);
  return {
    registered,
    module,
    allow,
    deny,
    conditional: conditional.size > 0 ? conditional : NO_CONDITIONS,
  };
}

const SCOPE_ATTRIBUTES = plain(
  Attribute.status,
  Attribute.ancestors,
  Attribute.combination,
  Attribute.enterprise,
  Attribute.denials,
  Attribute.properties,
  Attribute.everyone,
  Attribute.groupRoles,
  Attribute.roleTable,
  Attribute.closing,
);
/** The item of what holds everywhere has no others than every item has. */
const GLOBAL_ATTRIBUTES = plain();

/**
 * Whether an item holds a condition: of a mandate, or of an effect by name or by pattern. Each item that is read comes here before it is
 * decoded, so no name is parsed.
 */
export function holdsConditions(item: Item): boolean {
  if (item[Attribute.when] !== undefined) return true;
  for (const [name, value] of Object.entries(item)) {
    const isEffect = name.startsWith('when|') || name.startsWith('wild|');
    if (isEffect && typeof value === 'object') return true;
  }
  return false;
}

const isEffect = (value: unknown): value is Effect => value === 'ALLOW' || value === 'DENY';
const isConditional = (value: unknown): value is ConditionalEffect =>
  isMap(value) && Object.keys(value).length === 2 && isEffect(value.effect) && typeof value.when === 'string';

function propertiesIn(item: Item): Properties {
  const value = item[Attribute.properties];
  if (value === undefined) return NO_PROPERTIES;
  if (!isMap(value)) throw damaged(item, Attribute.properties);
  return value;
}

/** Reads the `role|…` and `wild|…` attributes among `compounds`; hands every other one to `other`. */
function decodeRoles(
  item: Item,
  compounds: readonly Compound[],
  other: (compound: Compound) => void,
): RoleTable {
  const roles = new Map<string, RoleItem>();
  const patterns = new Map<string, Map<string, Effect | ConditionalEffect>>();
  for (const compound of compounds) {
    const { name, value, parsed } = compound;
    if (parsed.kind === 'role') {
      if (typeof value !== 'string') throw damaged(item, name);
      roles.set(oneOf(parsed.role), {
        parent: value === '' ? undefined : oneOf(value),
        patterns: NO_PATTERNS,
      });
    } else if (parsed.kind === 'wild') {
      const { role, pattern } = parsed;
      if (!isPermissionPattern(pattern) || !(isEffect(value) || isConditional(value)))
        throw damaged(item, name);
      const own = patterns.get(role) ?? new Map<string, Effect | ConditionalEffect>();
      own.set(pattern, value);
      patterns.set(role, own);
    } else other(compound);
  }
  for (const [id, own] of patterns) {
    const role = roles.get(id);
    // Patterns of a role that is not listed belong to a role in deletion: not in force.
    if (role) roles.set(id, { parent: role.parent, patterns: own });
  }
  return roles.size > 0 ? roles : NO_ROLES;
}

/** The roles of an item, or none of a scope that is no root, and the ones in deletion where they are folded. */
type Roles = Pick<ScopeItem, 'roles' | 'closing'>;

/**
 * Reads the roles of a root, which are listed one by one or folded (ADR 0003); hands every other attribute to
 * `other`, which refuses what it does not know: so a role that is listed where they are folded.
 */
function decodeOwnRoles(
  item: Item,
  compounds: readonly Compound[],
  other: (compound: Compound) => void,
): Roles {
  const form = item[Attribute.roleTable];
  if (form === undefined) {
    if (item[Attribute.closing] !== undefined) throw damaged(item, Attribute.closing);
    return { roles: decodeRoles(item, compounds, other), closing: undefined };
  }
  if (form !== FOLDED || item[Attribute.version] !== SPLIT_FORM) throw damaged(item, Attribute.roleTable);
  const closing = new Set(idSet(item, Attribute.closing));
  const parents = new Map<string, string>();
  const patterns = new Map<string, Map<string, Effect | ConditionalEffect>>();
  for (const compound of compounds) {
    const { name, value, parsed } = compound;
    const hold = (role: string, pattern: string, effect: Effect | ConditionalEffect): void => {
      if (!isPermissionPattern(pattern)) throw damaged(item, name);
      const own = patterns.get(role) ?? new Map<string, Effect | ConditionalEffect>();
      if (own.has(pattern)) throw damaged(item, name);
      patterns.set(role, own.set(pattern, effect));
    };
    if (parsed.kind === 'heirs')
      for (const heir of idSet(item, name)) {
        if (parents.has(heir)) throw damaged(item, name);
        parents.set(heir, oneOf(parsed.parent));
      }
    else if (parsed.kind === 'folded')
      for (const role of idSet(item, name)) hold(role, parsed.pattern, parsed.effect);
    else if (parsed.kind === 'wild' && isConditional(value)) hold(parsed.role, parsed.pattern, value);
    else other(compound);
  }
  const roles = new Map<string, RoleItem>();
  // What a role in deletion still holds does not count.
  for (const id of new Set([...parents.keys(), ...patterns.keys()]))
    if (!closing.has(id))
      roles.set(id, { parent: parents.get(id), patterns: patterns.get(id) ?? NO_PATTERNS });
  return { roles, closing };
}

/** Adds one to those under `name`. */
function add<T>(to: Map<string, T[]>, name: string, one: T): void {
  const known = to.get(name);
  if (known) known.push(one);
  else to.set(name, [one]);
}

export function decodeScope(ref: string, item: Item): ScopeItem {
  const groups = new Map<string, readonly string[]>();
  const subscriptions = new Map<string, Interval[]>();
  const licenses = new Map<string, Interval[]>();
  const { roles, closing } = decodeOwnRoles(item, compoundsOf(item, SCOPE_ATTRIBUTES), ({ name, parsed }) => {
    if (parsed.kind === 'group') groups.set(oneOf(parsed.group), idSet(item, name));
    else if (parsed.kind === 'sub') add(subscriptions, parsed.module, interval(item, name));
    else if (parsed.kind === 'license') add(licenses, parsed.enterprise, interval(item, name));
    else throw damaged(item, name);
  });
  const {
    [Attribute.ancestors]: ancestors = [],
    [Attribute.combination]: combination = 'allow-overrides',
    [Attribute.enterprise]: enterprise,
    [Attribute.everyone]: everyone,
  } = item;
  if (!Array.isArray(ancestors) || !ancestors.every((each) => typeof each === 'string' && isRef(each))) {
    throw damaged(item, Attribute.ancestors);
  }
  if (combination !== 'allow-overrides' && combination !== 'deny-overrides') {
    throw damaged(item, Attribute.combination);
  }
  if (enterprise !== undefined && typeof enterprise !== 'string') throw damaged(item, Attribute.enterprise);
  if (everyone !== undefined && (typeof everyone !== 'string' || everyone === ''))
    throw damaged(item, Attribute.everyone);
  const groupsApart = isApart(item, Attribute.groupRoles);
  for (const group of groupsApart ? groups.keys() : [])
    if (group !== everyone) throw damaged(item, groupAttribute(group));
  return {
    ref,
    active: isActive(item),
    ancestors: ancestors.map(oneOf),
    combination,
    groups: groups.size > 0 ? groups : NO_GROUPS,
    groupsApart,
    everyone,
    roles,
    closing,
    denials: setOf(item, Attribute.denials),
    subscriptions: subscriptions.size > 0 ? subscriptions : NO_INTERVALS,
    licenses: licenses.size > 0 ? licenses : NO_INTERVALS,
    enterprise,
    properties: propertiesIn(item),
  };
}

/** What holds everywhere: a scope without a place, of which roles, modules and declarations are known. */
export function decodeGlobal(item: Item): GlobalItem {
  const soldModules = new Set<string>();
  const declarations = new Map<string, Map<string, Declaration>>();
  const roles = decodeRoles(item, compoundsOf(item, GLOBAL_ATTRIBUTES), ({ name, value, parsed }) => {
    if (parsed.kind === 'module' && value === true) soldModules.add(parsed.module);
    else if (parsed.kind === 'property') {
      const own = declarations.get(parsed.of) ?? new Map<string, Declaration>();
      own.set(parsed.name, declaration(item, name, value));
      declarations.set(parsed.of, own);
    } else throw damaged(item, name);
  });
  return { roles, soldModules, declarations };
}

/** `string stored` */
function declaration(item: Item, attribute: string, value: unknown): Declaration {
  const [type, source, ...more] = typeof value === 'string' ? value.split(' ') : [];
  const declared = {
    type: VALUE_TYPES.find((each) => each === type),
    source: SOURCES.find((each) => each === source),
  };
  if (!declared.type || !declared.source || more.length > 0) throw damaged(item, attribute);
  return { type: declared.type, source: declared.source };
}
