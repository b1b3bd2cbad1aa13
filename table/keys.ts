/**
 * Every key of the table is built and parsed here and nowhere else (ADR 0001, One table).
 *
 *   node      TYPE#id            META
 *   edge      FROM#id            TO#id            (and its mirror TO#id / FROM#id)
 *             USER#id            ASSIGNMENT#SCOPE#id#ROLE#id   (more than two ends: the kind leads)
 *   guard     VALUE_KIND#value   META
 *   name      NAMES#KIND#name    TYPE#id          finds nodes by a name that is not unique (ADR 0023)
 *   decision  TYPE#id            DECISION         what a check reads of a user, a scope, a permission
 *             ROOT#id            DECISION#PAGE#p  the effects of one tenant's own roles on p
 *             API#name           DECISION         which write changed a route of the API last
 *             ROOT#id            DECISION#ISSUER#i   which groups those of an issuer's tokens are (ADR 0043)
 *             ROOT#id            DECISION#INVARIANTS   what must never be true in a tenant; its revision (ADR 0047)
 *             USER#id            DECISION#IN#SCOPE#id   its groups at one scope, where they stand apart (ADR 0003)
 *             GROUP#id           DECISION        its roles, where they stand apart (ADR 0003)
 *   gate      ROOT#id            META#GATE#n      what creations in a tenant rest on (ADR 0044)
 *   secret    SECRET#TYPE#id     META             (password hashes, out of the authorizer's reach: ADR 0016)
 *             SECRET#USER#id     PSEUDONYMS       (the key of the pseudonyms in the log: ADR 0031)
 *             SECRET#USER#id     ERASED           (that the user was erased, and when: ADR 0016)
 *   log       AUDIT#owner#shard  time#id
 *   log count AUDIT_COUNT#owner#shard  month#counter   (how many records the log has of one month)
 *   operation OPERATION#id       META
 *   apply     OPERATION#id       APPLY            (a manifest that is being applied, until when: ADR 0018)
 *             OPERATION#APPLY#ROOT#id  META       (the last apply of a tenant)
 *             OPERATION#MANDATE#id META            (what the uses of a mandate come to: ADR 0048)
 *   approval  APPROVAL#id        META             (a command that waits for another operator: ADR 0032)
 */
import { fnv1a, hash64, isLongerThan } from './bytes.ts';
import { invalid } from './errors.ts';
import type { Ref } from './identifiers.ts';
import { isSafeText, MAX_VALUE_BYTES } from './identifiers.ts';
import type { PermissionName } from './permission-name.ts';

export interface Key {
  readonly PK: string;
  readonly SK: string;
}

/** A text that names an item: for maps and sets. */
export const identityOf = ({ PK, SK }: Key): string => `${PK}\n${SK}`;
/** Each key once. */
export const distinctKeys = (keys: readonly Key[]): readonly Key[] => [
  ...new Map(keys.map((key) => [identityOf(key), key])).values(),
];
export const isSameKey = (a: Key, b: Key): boolean => a.PK === b.PK && a.SK === b.SK;

export const META = 'META';
export const DECISION = 'DECISION';

/** Owner of what belongs to no tenant: the administrators, the global roles. */
export const GLOBAL: Ref = { type: 'global', id: 'GATEHOUSE' };
/** Owner of the roles that can be granted in any tenant. */
export const ANY_TENANT: Ref = { type: 'global', id: 'ANY_TENANT' };

/** Owner of the scope types that operators have added. */
export const SCOPE_TYPE_LIST: Ref = { type: 'global', id: 'SCOPE_TYPES' };

/** Owner of the groups whose members are all subjects. */
export const EVERYONE_LIST: Ref = { type: 'global', id: 'EVERYONE' };

/** A resource type of the AuthZEN API. */
export const resourceTypeRef = (name: string): Ref => ({ type: 'resource-type', id: name });

/** The partition that holds the routes of one API. */
export const apiRef = (api: string): Ref => ({ type: 'api', id: api });

/** How many partitions a log is spread over, so that one busy tenant is not one hot partition. */
export const LOG_SHARDS = 4;

/** `technical-user` becomes `TECHNICAL_USER`. */
export const keyPrefix = (type: string): string => type.toUpperCase().replaceAll('-', '_');

/** Joins parts with `#`. The last line of defence: a part that could change a key's meaning throws. */
function join(...parts: readonly string[]): string {
  for (const part of parts) {
    if (part === '' || !isSafeText(part) || isLongerThan(part, MAX_VALUE_BYTES)) {
      throw invalid('key', 'a part of a key is empty, too long, or holds # or control characters');
    }
  }
  return parts.join('#');
}

const part = (ref: Ref): string => join(keyPrefix(ref.type), ref.id);

const permissionPart = (permission: PermissionName): string =>
  join(permission.kind === 'page' ? 'PAGE' : 'PERMISSION', permission.text);

/** A permission as a node: `page:dashboard`, `permission:module:action:resource`. */
export const permissionRef = (permission: PermissionName): Ref => ({
  type: permission.kind,
  id: permission.text,
});

export const nodeKey = (ref: Ref): Key => ({ PK: part(ref), SK: META });

/** The partition of a node and all its edges, for Query. */
export const partitionOf = (ref: Ref): string => part(ref);

/** Edge between two nodes. */
export const edgeKey = (from: Ref, to: Ref): Key => ({ PK: part(from), SK: part(to) });

/** Edge with more than two ends, as a role assignment (user, scope, role): its kind leads the sort key. */
export const wideEdgeKey = (from: Ref, kind: string, ...to: readonly Ref[]): Key => ({
  PK: part(from),
  SK: join(keyPrefix(kind), ...to.flatMap((ref) => [keyPrefix(ref.type), ref.id])),
});

/** A setting is in the partition of its scope or user. */
export const settingKey = (owner: Ref, key: string): Key => edgeKey(owner, { type: 'setting', id: key });

/** Start of the sort keys of all edges from one node to nodes of one type, or of one wide kind. */
export const edgePrefix = (type: string, ...to: readonly Ref[]): string =>
  `${join(keyPrefix(type), ...to.flatMap((ref) => [keyPrefix(ref.type), ref.id]))}#`;

/** What a node keeps apart: in a partition of its own, so that rights can leave it out (ADR 0016). */
export const secretKey = (ref: Ref): Key => ({ PK: join('SECRET', keyPrefix(ref.type), ref.id), SK: META });

const PSEUDONYMS = 'PSEUDONYMS';

/** The key of the pseudonyms that stand for personal values of a subject in the log. */
export const pseudonymKey = (ref: Ref): Key => ({
  PK: join('SECRET', keyPrefix(ref.type), ref.id),
  SK: PSEUDONYMS,
});

const ERASED = 'ERASED';

/** That a user was erased, and when. */
export const erasureKey = (ref: Ref): Key => ({ ...pseudonymKey(ref), SK: ERASED });

/** The guard of an issuer and its `sub`. */
const IDENTITY = 'IDENTITY';

/** Guard of a unique value. `within` narrows it, as a role's name is unique within its scope only. */
export function guardKey(kind: string, value: string, within?: string): Key {
  if (within === undefined) return { PK: join(kind, value), SK: META };
  const checked = join(kind, within, kind === IDENTITY ? value.replaceAll('#', '.') : value);
  // A `sub` may hold `#` (a WebID, a guest of Entra). It stands last, after an issuer without one: it delimits nothing.
  return { PK: kind === IDENTITY ? `${join(kind, within)}#${value}` : checked, SK: META };
}

/** Characters of a name that its key holds: with four bytes each they stay within a part of a key. */
const NAME_LENGTH = 100;

/**
 * The partition of the nodes of one kind that go by a name. A name that is longer, or holds `#`, shares its
 * partition with others: whoever reads it compares the whole name.
 *
 * @param name folded, without `/`
 */
export const nodesNamedPartition = (kind: string, name: string): string =>
  join('NAMES', keyPrefix(kind), nameInKey(name));

const nameInKey = (name: string): string =>
  name === '' ? '/' : [...name.replaceAll('#', '/')].slice(0, NAME_LENGTH).join('');

/** The item by which a node is found under a name. */
export const nodeNamedKey = (kind: string, name: string, ref: Ref): Key => ({
  PK: nodesNamedPartition(kind, name),
  SK: part(ref),
});

export const decisionKey = (ref: Ref): Key => ({ PK: part(ref), SK: DECISION });

/** What the roles owned by the root `owner` do to one permission. */
export const tenantEffectsKey = (owner: Ref, permission: PermissionName): Key => ({
  PK: part(owner),
  SK: `${DECISION}#${permissionPart(permission)}`,
});

/** The groups of a subject at one scope, where they stand apart of its decision item. */
export const membershipsKey = (subject: Ref, scope: Ref): Key => ({
  PK: part(subject),
  SK: join(DECISION, IN, keyPrefix(scope.type), scope.id),
});

const IN = 'IN';

/** Start of the sort keys of all groups of a subject that stand apart. */
export const MEMBERSHIPS_PREFIX = `${DECISION}#${IN}#`;

const ISSUER = 'ISSUER';

/** Which groups of the root `owner` the groups in the tokens of an issuer are. */
export const externalGroupsKey = (owner: Ref, issuer: string): Key => ({
  PK: part(owner),
  SK: join(DECISION, ISSUER, issuer),
});

const INVARIANTS = 'INVARIANTS';

/**
 * The invariants of the root `owner`, and the revision that each write names which they may concern. Of {@link GLOBAL},
 * the revision of what holds everywhere, with the roots that have invariants.
 */
export const invariantsKey = (owner: Ref): Key => ({ PK: part(owner), SK: join(DECISION, INVARIANTS) });

/** The revision of an API's routes: a decision item that each change of one of them writes anew. */
export const apiRevisionKey = (api: string): Key => decisionKey(apiRef(api));

/** The global roles: which exist, what they inherit from, what they hold by wildcard. */
export const globalKey = (): Key => decisionKey(GLOBAL);

export const operationKey = (operationId: string): Key => ({ PK: join('OPERATION', operationId), SK: META });

const APPLY = 'APPLY';

/** The apply of a manifest that is under way, by the id of its operation. */
export const applyKey = (operationId: string): Key => ({ PK: join('OPERATION', operationId), SK: APPLY });

const GATE = 'GATE';
const GATE_COUNT = 16;

/** The gates of a root scope, by number. */
export const GATES: readonly number[] = Array.from({ length: GATE_COUNT }, (_, n) => n);

/** @param by the number of the gate, or a text that falls to one */
export const gateKey = (root: Ref, by: number | string): Key => ({
  PK: part(root),
  SK: join(META, GATE, String(typeof by === 'number' ? by : shardOf(by, GATE_COUNT))),
});

/** Which apply was the last one of a root scope. */
export const appliedKey = (root: Ref): Key => ({
  PK: join('OPERATION', APPLY, keyPrefix(root.type), root.id),
  SK: META,
});

const MANDATE = 'MANDATE';

/** What the uses of a mandate with a budget come to, apart from what decisions read. */
export const mandateUsesKey = (mandate: string): Key => ({
  PK: join('OPERATION', MANDATE, mandate),
  SK: META,
});

/** A command that waits for the approval of another operator, by the id of its operation. */
export const approvalKey = (id: string): Key => ({ PK: join('APPROVAL', id), SK: META });

/** Owner of the log lines of commands that concern no tenant. */
export const GLOBAL_LOG = 'GLOBAL';

export const logPartition = (owner: Ref | undefined, shard: number): string =>
  join('AUDIT', ...(owner ? [keyPrefix(owner.type), owner.id] : [GLOBAL_LOG]), String(shard));

/** All partitions of an owner's log. */
export const logPartitions = (owner: Ref | undefined): readonly string[] =>
  Array.from({ length: LOG_SHARDS }, (_, shard) => logPartition(owner, shard));

export const logKey = (owner: Ref | undefined, time: string, id: string): Key => ({
  PK: logPartition(owner, shardOf(id, LOG_SHARDS)),
  SK: join(time, id),
});

/** Over how many items the count of one month is spread, so that concurrent commands rarely meet on one. */
export const LOG_COUNTERS = 32;

const countPartition = (owner: Ref | undefined, shard: number): string =>
  join('AUDIT_COUNT', ...(owner ? [keyPrefix(owner.type), owner.id] : [GLOBAL_LOG]), String(shard));

/** All partitions of the counts of an owner's log. */
export const countPartitions = (owner: Ref | undefined): readonly string[] =>
  Array.from({ length: LOG_SHARDS }, (_, shard) => countPartition(owner, shard));

/**
 * The item that counts records of a log.
 *
 * @param month of the records, as 2026-11
 * @param counter which of the {@link LOG_COUNTERS} of that month
 */
export const logCountKey = (owner: Ref | undefined, month: string, counter: number): Key => ({
  PK: countPartition(owner, counter % LOG_SHARDS),
  SK: join(month, String(counter)),
});

/** Index key of the list of all nodes of one type. */
export const listPartition = (type: string, shard: number): string =>
  join('LIST', keyPrefix(type), String(shard));

/** Index sort key in a tenant's list: by type, then by time. */
export const timedSort = (type: string, time: string, id: string): string => join(keyPrefix(type), time, id);

/** Index key of all nodes of one type in one status, sorted by a date. */
export const statusPartition = (type: string, status: string, shard: number): string =>
  join('STATUS', keyPrefix(type), status, String(shard));

/** Index key of all nodes of one type by name, for kinds that belong to no tenant. */
export const namePartition = (type: string, shard: number): string =>
  join('NAMES', keyPrefix(type), String(shard));

export const namedSort = (name: string, id: string): string => join(name, id);

/** Sort keys of names that begin with `prefix`. */
export const namesFrom = (prefix: string): readonly [string, string] =>
  prefix === '' ? [FIRST_NAME, LAST] : [prefix, `${prefix}${LAST}`];

/** Over how many index partitions the trees of scopes are spread. */
const TREE_SHARDS = 4;
const treeShard = (shard: number): string => join('TREE', String(shard));

/** The index keys of all scopes. */
export const treePartitions = (): readonly string[] =>
  Array.from({ length: TREE_SHARDS }, (_, n) => treeShard(n));

/** The index key of all scopes of one tree, by the reference of its root. */
export const treePartition = (root: string): string => treeShard(shardOf(root, TREE_SHARDS));

/**
 * Index sort key of a scope: it begins with that of every scope above it. Scopes are hashed, because a path
 * of 17 ids can be longer than the 1,024 bytes that DynamoDB allows.
 *
 * @param path the references of the scope and its ancestors, up to the root
 */
export const treeSort = (path: readonly string[]): string => join(...path.map(hash64).reverse());

export const datedSort = (date: string, id: string): string => join(date, id);

/** Sorts before every date, and after every character that a key may hold: DynamoDB takes no empty bound. */
const FIRST = '0';
const LAST = '\uffff';
/** No name begins with a control character. */
const FIRST_NAME = ' ';

/** Sort keys of a log, or of a list by date, from one instant until before another. */
export const timesBetween = (from = FIRST, until = LAST): readonly [string, string] => [from, until];

/** Sort keys of one type in a tenant's list, from one instant until before another. */
export const typeBetween = (type: string, from = FIRST, until = LAST): readonly [string, string] => [
  `${keyPrefix(type)}#${from}`,
  `${keyPrefix(type)}#${until}`,
];

/** The type that the sort key of an edge begins with. */
export const leadingType = ({ SK }: Pick<Key, 'SK'>): string => typeOf(SK.slice(0, SK.indexOf('#')));

/** Sort keys of edges to nodes of these types, with whatever sorts between them. */
export function edgesBetween(...types: readonly string[]): readonly [string, string] {
  const starts = types.map((type) => edgePrefix(type)).sort();
  return [String(starts[0]), `${starts.at(-1)}${LAST}`];
}

/** Sort keys of edges to nodes of a type, from one node on: from the first one if there is none. */
export const edgesOnward = (type: string, from = ''): readonly [string, string] => [
  `${edgePrefix(type)}${from}`,
  `${edgePrefix(type)}${LAST}`,
];

/** Sort keys of a node and of its edges to nodes of these types, with whatever sorts between them. */
export function nodeBetween(...types: readonly string[]): readonly [string, string] {
  const starts = [META, ...types.map((type) => edgePrefix(type))].sort();
  return [starts[0] as string, `${starts.at(-1)}${LAST}`];
}

/** Spreads identifiers evenly (FNV-1a): the same id always falls into the same shard. */
export const shardOf = (id: string, shards: number): number => fnv1a(id) % shards;

export type ParsedKey =
  | { readonly form: 'node' | 'decision'; readonly type: string; readonly id: string }
  | {
      readonly form: 'tenant-effects';
      readonly type: string;
      readonly id: string;
      readonly permission: string;
    }
  | { readonly form: 'memberships'; readonly type: string; readonly id: string; readonly scope: Ref }
  | { readonly form: 'invariants'; readonly type: string; readonly id: string }
  | { readonly form: 'external-groups'; readonly type: string; readonly id: string; readonly issuer: string }
  | { readonly form: 'gate'; readonly type: string; readonly id: string; readonly number: number }
  | {
      readonly form: 'edge';
      readonly type: string;
      readonly id: string;
      readonly to: readonly Ref[];
      readonly kind?: string;
    }
  | { readonly form: 'guard'; readonly kind: string; readonly value: string; readonly within?: string }
  | { readonly form: 'name'; readonly kind: string; readonly name: string; readonly of: Ref }
  | { readonly form: 'pseudonyms'; readonly type: string; readonly id: string }
  | { readonly form: 'erasure'; readonly type: string; readonly id: string }
  | { readonly form: 'secret'; readonly type: string; readonly id: string }
  | { readonly form: 'operation' | 'apply' | 'approval' | 'mandate-uses'; readonly id: string }
  | { readonly form: 'applied'; readonly type: string; readonly id: string }
  | { readonly form: 'log'; readonly owner?: Ref; readonly time: string; readonly id: string }
  | { readonly form: 'log-count'; readonly owner?: Ref; readonly month: string; readonly counter: number };

const GUARD_KINDS: ReadonlySet<string> = new Set(['EMAIL', 'PHONE', 'USERNAME']);
const isGuardKind = (kind: string) =>
  GUARD_KINDS.has(kind) || kind.endsWith('_NAME') || kind.endsWith('_CODE') || kind.endsWith('_ROUTE');

/** `TECHNICAL_USER` becomes `technical-user`. */
const typeOf = (prefix: string): string => prefix.toLowerCase().replaceAll('_', '-');

const DECISION_FORMS: ReadonlySet<string> = new Set([
  'decision',
  'memberships',
  'tenant-effects',
  'external-groups',
  'invariants',
] satisfies ParsedKey['form'][]);

/** Whether a key is of an item that decisions look at. */
export const isOfDecision = (parsed: ParsedKey | undefined): boolean =>
  parsed !== undefined && DECISION_FORMS.has(parsed.form);

/** Parses a key; undefined for a key that this module never builds. */
export function parseKey(key: Key): ParsedKey | undefined {
  const [head = '', ...rest] = key.PK.split('#');
  const sort = key.SK.split('#');
  const [id] = rest;
  if (head === IDENTITY) return parseIdentityKey(rest, key.SK);
  if (id === undefined || head === '' || rest.includes('') || sort.includes('')) return undefined;
  if (head === 'AUDIT') return parseLogKey(rest, sort);
  if (head === 'AUDIT_COUNT') {
    const read = parseLogKey(rest, sort);
    if (read?.form !== 'log' || !/^\d{1,2}$/.test(read.id)) return undefined;
    const { owner, time: month, id: counter } = read;
    return { form: 'log-count', ...(owner ? { owner } : {}), month, counter: Number(counter) };
  }
  if (isGuardKind(head)) {
    if (key.SK !== META || rest.length > 2) return undefined;
    const value = rest.at(-1) as string;
    return rest.length === 2
      ? { form: 'guard', kind: head, within: id, value }
      : { form: 'guard', kind: head, value };
  }
  if (head === 'NAMES') {
    const [kind = '', name, ...more] = rest;
    const [type = '', of, ...others] = sort;
    if (name === undefined || of === undefined || more.length + others.length > 0) return undefined;
    return { form: 'name', kind: typeOf(kind), name, of: { type: typeOf(type), id: of } };
  }
  if (head === 'SECRET') {
    const [prefix = '', of, ...more] = rest;
    if (of === undefined || more.length > 0) return undefined;
    if (key.SK === PSEUDONYMS) return { form: 'pseudonyms', type: typeOf(prefix), id: of };
    if (key.SK === ERASED) return { form: 'erasure', type: typeOf(prefix), id: of };
    return key.SK === META ? { form: 'secret', type: typeOf(prefix), id: of } : undefined;
  }
  if (head === 'OPERATION' && id === APPLY && rest.length === 3 && key.SK === META)
    return { form: 'applied', type: typeOf(rest[1] as string), id: rest[2] as string };
  if (head === 'OPERATION' && id === MANDATE && rest.length === 2 && key.SK === META)
    return { form: 'mandate-uses', id: rest[1] as string };
  if (rest.length !== 1) return undefined;
  if (head === 'OPERATION' && key.SK === APPLY) return { form: 'apply', id };
  if (head === 'OPERATION') return key.SK === META ? { form: 'operation', id } : undefined;
  if (head === 'APPROVAL') return key.SK === META ? { form: 'approval', id } : undefined;
  const type = typeOf(head);
  if (key.SK === META) return { form: 'node', type, id };
  if (key.SK === DECISION) return { form: 'decision', type, id };
  if (sort[0] === DECISION) {
    const [, kind, permission, ...more] = sort;
    if (kind === IN && permission !== undefined && more.length === 1)
      return { form: 'memberships', type, id, scope: { type: typeOf(permission), id: more[0] as string } };
    if (kind === INVARIANTS && permission === undefined) return { form: 'invariants', type, id };
    if (kind === ISSUER && permission !== undefined && more.length === 0)
      return { form: 'external-groups', type, id, issuer: permission };
    const known = (kind === 'PAGE' || kind === 'PERMISSION') && more.length === 0;
    return known && permission !== undefined ? { form: 'tenant-effects', type, id, permission } : undefined;
  }
  if (sort[0] === META) {
    const number = Number(sort[2]);
    return key.SK === join(META, GATE, String(number)) && number in GATES
      ? { form: 'gate', type, id, number }
      : undefined;
  }
  return parseEdgeKey({ type, id }, sort);
}

function parseIdentityKey([within = '', ...sub]: readonly string[], sort: string): ParsedKey | undefined {
  const value = sub.join('#');
  if (sort !== META || within === '' || value === '') return undefined;
  return { form: 'guard', kind: IDENTITY, within, value };
}

/** `LOCATION#id`, or with a kind before it `ASSIGNMENT#LOCATION#id#ROLE#id`. */
function parseEdgeKey(from: Ref, sort: readonly string[]): ParsedKey | undefined {
  const kind = sort.length % 2 === 1 ? sort[0] : undefined;
  const words = kind === undefined ? sort : sort.slice(1);
  if (words.length === 0 || (kind === undefined && words.length > 2)) return undefined;
  const to: Ref[] = [];
  for (let at = 0; at < words.length; at += 2)
    to.push({ type: typeOf(words[at] as string), id: words[at + 1] as string });
  const edge = { form: 'edge' as const, type: from.type, id: from.id, to };
  return kind === undefined ? edge : { ...edge, kind: typeOf(kind) };
}

/** `GLOBAL#shard` or `TENANT#id#shard`, and then `time#id`. */
function parseLogKey(partition: readonly string[], sort: readonly string[]): ParsedKey | undefined {
  const [time, id, ...more] = sort;
  if (time === undefined || id === undefined || more.length > 0) return undefined;
  if (partition.length === 2 && partition[0] === GLOBAL_LOG) return { form: 'log', time, id };
  const [prefix, owner] = partition;
  if (partition.length !== 3 || prefix === undefined || owner === undefined) return undefined;
  return { form: 'log', owner: { type: typeOf(prefix), id: owner }, time, id };
}
