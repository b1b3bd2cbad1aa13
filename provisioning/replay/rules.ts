import { defined } from '../../table/defined.ts';
import { ENTITIES } from '../../table/entities/registry.ts';
import { formatRef } from '../../table/identifiers.ts';
import { originsOf, readOrigins } from '../../table/membership-origins.ts';
import { COMMANDS } from '../all-commands.ts';
import { canonical } from '../canonical.ts';
import { endOfMembership } from '../commands/memberships.ts';
import { kindOf } from '../commands/node-kinds.ts';
import { EDGE_LABELS } from '../edges/edges-beside.ts';
import { isClosed } from '../kinds/entries.ts';
import { type NodeKind, nameFieldsOf, namesOf } from '../kinds/node-kind.ts';
import type { Sent } from '../plan.ts';
import type { Attributes } from '../visible.ts';
import type { ChangeRecord } from './record.ts';

/**
 * What a replay sends to a restored table, decided from the last record of each entity and from what the table
 * says of it now. It only ever takes access away: what the last record has and the table has not is for people.
 */
export interface Replay {
  /** What takes away what the table has too much. */
  readonly commands: readonly Sent[];
  /** What may leave access that was taken away: for people to do. */
  readonly byHand: readonly string[];
  /** What was given since and is not there: for people or the systems that gave it. */
  readonly lost: readonly string[];
}

const NOTHING: Replay = { commands: [], byHand: [], lost: [] };

/** How each kind of entity is replayed. What is in neither list gives no access: it is left out. */
const REMOVED: ReadonlySet<string> = new Set([
  'user',
  'technical-user',
  'subject',
  'session',
  'token',
  'mandate',
  'grant',
  'membership',
  'assignment',
  'global-role',
  'admin',
  'group-role',
  'workstream-member',
  'group',
  'role',
  'page',
  'permission',
  'subscription',
  'license',
  'external-group',
  'domain',
  'scim-connection',
  'scim-credential',
  'scim-user',
  'scim-group',
]);

/** A change of these may open as well as close: people decide. */
const BY_HAND: ReadonlySet<string> = new Set(['route', 'resource-type', 'property', 'module']);

const isRemovable = (type: string): boolean => REMOVED.has(type) || nodeKindOf(type)?.entity.inTree === true;

/** The kind of a node. By its form alone the type of an edge could be that of a scope. */
const nodeKindOf = (type: string): NodeKind | undefined =>
  COMMANDS.has(`${type}.read`) && !Object.hasOwn(ENTITIES, type) ? undefined : kindOf(type);

/** Whether the records of an entity of this type can matter to access. */
export const concernsAccess = ({ action, entity: { type } }: ChangeRecord): boolean =>
  action !== 'audit.create' &&
  action !== 'verify.repair' &&
  (type === 'role-permission' || BY_HAND.has(type) || isRemovable(type));

/** It takes several steps, and is done again where the user is gone already: for the key and the old records. */
const ERASE = 'user.erase';

/** Whether the last of these records is a removal, or the beginning of one. */
export const isRemoval = ({ action, after }: ChangeRecord): boolean =>
  after === undefined || action === ERASE || after.deletingSince !== undefined;

/** Whether a record ends a node with all that hangs on it, of which there are no records. */
export const endsNode = (record: ChangeRecord): boolean => {
  const { type } = record.entity;
  return isRemoval(record) && isRemovable(type) && (type === 'scim-user' || nodeKindOf(type) !== undefined);
};

const TYPE_OF_EDGE = new Map(Object.entries(EDGE_LABELS).map(([type, label]) => [label, type]));

/** What was changed beside, as records of their own. What goes with a node goes with it again. */
export const edgesBeside = (record: ChangeRecord): readonly ChangeRecord[] =>
  (isRemoval(record) ? [] : (record.edges ?? [])).flatMap(({ label, before, after }) => {
    const type = TYPE_OF_EDGE.get(label);
    if (type === undefined) return [];
    const of = { ...before, ...after };
    const names = type === 'grant' ? ['id'] : shapeOf(type);
    const id = names.map((name) => of[name]).join(' ');
    return [{ ...record, entity: { type, id }, before, after, edges: undefined }];
  });

/** The fields by which a kind is read. */
const shapeOf = (type: string): readonly string[] =>
  Object.keys((COMMANDS.get(`${type}.read`)?.input as { shape?: object } | undefined)?.shape ?? {});

/** The read command that says what the table has of the entity. */
export function readOf(record: ChangeRecord): Sent | undefined {
  const { entity, before, after } = record;
  const kind = nodeKindOf(entity.type);
  if (kind) {
    const names = namesOf(kind.entity, entity);
    const known = { ...before, ...after };
    // A key of several parts is in the record as it was given.
    const input = kind.entity.naturalKey
      ? Object.fromEntries(
          Object.keys(nameFieldsOf(kind.entity, 'read')).map((name) => [name, known[name] ?? names[name]]),
        )
      : names;
    return { command: `${kind.entity.type}.read`, input };
  }
  if (entity.type === 'grant') return { command: 'grant.read', input: { id: entity.id } };
  const names = shapeOf(entity.type);
  if (names.length === 0) return undefined;
  return { command: `${entity.type}.read`, input: pick({ ...before, ...after }, names) };
}

const pick = (from: Attributes, names: readonly string[]): Attributes =>
  Object.fromEntries(names.filter((name) => from[name] !== undefined).map((name) => [name, from[name]]));

const ENDS = ['endsAt', 'endDate', 'sessionEnd'];
const STARTS = ['startsAt', 'startDate'];
/** By these a person is found: one that was cleared logs in no more. */
const IDENTITIES = ['email', 'phone', 'username', 'issuer', 'sub'] as const;
/** Changes of these may open as well as close. */
const EITHER = [
  'properties',
  'parent',
  'combination',
  'module',
  'enterprise',
  'soldBySubscription',
  'maxUsers',
  'everyone',
  'ancestors',
] as const;

/**
 * What a replay does about one entity.
 *
 * @param last its last record
 * @param current what the table has; undefined: nothing
 * @param changed attributes that some record since the restore point changed
 */
export function replayOf(
  last: ChangeRecord,
  current: Attributes | undefined,
  changed: ReadonlySet<string>,
): Replay {
  const { entity, action } = last;
  const name = nameOf(last);
  const says = (text: string): string => `${name}: ${text}`;
  if (action === 'scope.move') return { ...NOTHING, byHand: [says('it was moved: send scope.move again')] };
  if (BY_HAND.has(entity.type))
    return {
      ...NOTHING,
      byHand: [says(`${action} may open as well as close: compare it and send it again`)],
    };
  if (entity.type === 'role-permission') return replayOfEffect(last, current, says);
  if (entity.type === 'membership') return replayOfMembership(last, current, says);
  const read = readOf(last);
  if (!read) return NOTHING;
  if (action === ERASE && entity.type === 'user')
    return { ...NOTHING, commands: [{ command: ERASE, input: read.input }] };
  if (isRemoval(last)) {
    if (!current) return NOTHING;
    return {
      ...NOTHING,
      commands: [{ command: read.command.replace('.read', '.delete'), input: read.input }],
    };
  }
  const wanted = last.after as Attributes;
  if (!current) return { ...NOTHING, lost: [says(`${action}: it is not in the table`)] };
  return replayOfChange({ read, wanted, current, changed, says });
}

interface Change {
  readonly read: Sent;
  readonly wanted: Attributes;
  readonly current: Attributes;
  readonly changed: ReadonlySet<string>;
  readonly says: (text: string) => string;
}

function replayOfChange({ read, wanted, current, changed, says }: Change): Replay {
  const set: Record<string, unknown> = {};
  const byHand: string[] = [];
  const lost: string[] = [];
  const type = read.command.replace('.read', '');
  // A mandate ends for good, by a command of its own.
  const isMandate = type === 'mandate';
  if (isClosed(wanted.status) && !isClosed(current.status) && !isMandate) set.status = wanted.status;
  else if (isClosed(current.status) && !isClosed(wanted.status))
    lost.push(says('its status was set to active'));
  // The user whom a connection made ends with that.
  if (type === 'scim-user' && wanted.active === false && current.active !== false) set.active = false;
  for (const name of [...ENDS, ...STARTS]) {
    const [is, be] = [current[name], wanted[name]];
    const isEnd = ENDS.includes(name);
    const isNarrower = isEnd ? String(be) < String(is) : String(be) > String(is);
    if (be !== undefined && (is === undefined || isNarrower)) set[name] = be;
    else if (canonical(be) !== canonical(is) && changed.has(name))
      lost.push(says(`${name} was ${isEnd ? 'put off' : 'brought forward'} or removed`));
  }
  for (const name of IDENTITIES) {
    if (!changed.has(name) || current[name] === undefined) continue;
    if (wanted[name] === undefined) set[name] = null;
    else byHand.push(says(`${name} was changed: whoever has the old one may be taken for this user`));
  }
  if (Array.isArray(wanted.roles) && Array.isArray(current.roles)) {
    const [kept, had] = [new Set<unknown>(wanted.roles), new Set<unknown>(current.roles)];
    const left = current.roles.filter((role) => kept.has(role));
    if (left.length < current.roles.length) set.roles = left;
    const more = wanted.roles.filter((role) => !had.has(role));
    if (more.length > 0) lost.push(says(`${more.length} role(s) were added`));
  }
  for (const name of EITHER) {
    if (changed.has(name) && canonical(wanted[name]) !== canonical(current[name]))
      byHand.push(says(`${name} was changed: that may open as well as close`));
  }
  if (changed.has('mandateOptional') && current.mandateOptional === true && wanted.mandateOptional !== true)
    set.mandateOptional = null;
  const commands: Sent[] = [];
  if (type === 'token' && wanted.revoked === true && current.revoked !== true)
    commands.push({ command: 'token.revoke', input: read.input });
  // What its uses have taken since is not in the table: it would be there to be taken again.
  const isUsed = changed.has('taken');
  if (isMandate && (isClosed(wanted.status) || isUsed) && !isClosed(current.status))
    commands.push({ command: 'mandate.end', input: read.input });
  if (Object.keys(set).length > 0)
    commands.push({ command: `${type}.update`, input: { ...read.input, ...set } });
  return { commands, byHand, lost };
}

/** Each origin for itself: a membership ends with the last one. Whether one is suspended, its user in the connection says. */
function replayOfMembership(
  last: ChangeRecord,
  current: Attributes | undefined,
  says: Change['says'],
): Replay {
  const { before, after } = last;
  const of = pick({ ...before, ...after }, ['user', 'group']);
  const wanted = isRemoval(last) ? [] : originsOf(readOrigins(after as Attributes));
  const there = current ? originsOf(readOrigins(current)) : [];
  const ended = there.filter((origin) => !wanted.includes(origin));
  const isLost = wanted.some((origin) => !there.includes(origin));
  return {
    commands: ended.map((origin) => endOfMembership(of, origin)),
    byHand: [],
    lost: isLost ? [says(`${last.action}: it is not in the table`)] : [],
  };
}

/** An effect: an ALLOW that went goes, a DENY that came comes, and a condition that narrowed an ALLOW narrows it. */
function replayOfEffect(last: ChangeRecord, current: Attributes | undefined, says: Change['says']): Replay {
  const { before, after } = last;
  const names = pick({ ...before, ...after }, ['role', 'permission']);
  const send = (command: string, input: Attributes): Replay => ({
    ...NOTHING,
    commands: [{ command: `role-permission.${command}`, input: { ...names, ...input } }],
  });
  if (isRemoval(last)) {
    if (!current) return NOTHING;
    return current.effect === 'ALLOW'
      ? send('delete', {})
      : { ...NOTHING, lost: [says('its DENY was removed')] };
  }
  const { effect, when } = after as Attributes;
  const condition = defined({ when });
  if (!current)
    return effect === 'DENY'
      ? send('create', { effect, ...condition })
      : { ...NOTHING, lost: [says('its ALLOW was added')] };
  const isSame = canonical(current.when) === canonical(when);
  if (effect === current.effect && isSame) return NOTHING;
  if (effect === 'DENY') {
    // A DENY without condition closes most; one in the place of an ALLOW closes in any case.
    if (current.effect === 'ALLOW' || when === undefined)
      return send('update', { effect, when: when ?? null });
    return current.when === undefined
      ? { ...NOTHING, lost: [says('its DENY got a condition')] }
      : { ...NOTHING, byHand: [says('the condition of its DENY was changed')] };
  }
  if (current.effect === 'DENY') return { ...NOTHING, lost: [says('its DENY became an ALLOW')] };
  if (when === undefined) return { ...NOTHING, lost: [says('its ALLOW lost its condition')] };
  return current.when === undefined
    ? send('update', { when })
    : { ...NOTHING, byHand: [says('the condition of its ALLOW was changed')] };
}

/** How people are told of an entity: by type and id, never by a name. */
const nameOf = ({ entity }: ChangeRecord): string => formatRef(entity);
