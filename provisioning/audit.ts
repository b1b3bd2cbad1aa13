import * as z from 'zod';
import { defined } from '../table/defined.ts';
import { DAY_MS, INDEXES, type IndexName } from '../table/entities/entity.ts';
import * as field from '../table/entities/fields.ts';
import { GatehouseError } from '../table/errors.ts';
import { groupBy } from '../table/group-by.ts';
import { formatRef, type Ref } from '../table/identifiers.ts';
import { LOG_COUNTERS, logCountKey, logKey, partitionOf, shardOf, timedSort } from '../table/keys.ts';
import { type Action, create, type Update } from '../table/write/action.ts';
import type { AuditEntry } from './plan.ts';
import { actorUser, peopleIn } from './pseudonyms.ts';

/** Milliseconds for which audit records are kept: a year. */
export const AUDIT_LIFETIME_MS = 365 * DAY_MS;

/** Where a request came from. */
export const auditOrigin = z.strictObject({
  ipAddress: field.ipAddress.optional(),
  userAgent: field.text(512).optional(),
  sessionId: field.id.optional(),
  metadata: field.map.optional(),
});

/** Who sent a request, and from where. */
export interface AuditSender {
  /** Who acted. */
  readonly actor?: string | undefined;
  /** The subject for whom the actor acted, a reference; undefined where it acted for itself. */
  readonly onBehalfOf?: string | undefined;
  /** The mandate by which it did, a reference. */
  readonly mandate?: string | undefined;
  readonly origin?: Readonly<Record<string, unknown>> | undefined;
  /** The ARN of the IAM principal that acted as the actor. */
  readonly principal?: string | undefined;
}

export interface AuditContext {
  /** Fresh ULIDs. */
  readonly newId: () => string;
  /** Which counter counts the records of this transaction: see {@link counters}. */
  readonly counter: number;
  readonly now: string;
  readonly writtenAt: number;
  readonly command: string;
  readonly operationId: string;
  readonly event: AuditSender;
  /** Which step of a command that takes several. */
  readonly step: number | undefined;
}

/** A change that opens or closes much is marked, so that it can be found. */
const severityOf = (command: string): string => {
  if (command.startsWith('admin.')) return 'critical';
  return /\.(delete|delete-tree|end|end-all|erase|revoke|move)$/.test(command) ? 'warning' : 'info';
};

/**
 * The counters of one process, one after the other: concurrent commands of one process take different ones,
 * so that their transactions do not conflict.
 */
export function counters(newId: () => string): () => number {
  let turn: number | undefined;
  return () => {
    turn = turn === undefined ? shardOf(newId(), LOG_COUNTERS) : (turn + 1) % LOG_COUNTERS;
    return turn;
  };
}

/**
 * How many items of a transaction these entries take at most: their records, a count for each log, and a key of
 * pseudonyms for each person.
 */
export const auditSize = (entries: readonly AuditEntry[]): number =>
  entries.length + byLog(entries).size + peopleIn(entries);

const byLog = (entries: readonly AuditEntry[]) =>
  groupBy(entries, ({ tenant }) => (tenant ? formatRef(tenant) : ''));

/**
 * The records of a write and their counts, put in the same transaction: what happened is never without its
 * trace, and a record that is taken away later is missed.
 */
export function auditActions(entries: readonly AuditEntry[], context: AuditContext): readonly Action[] {
  const counts = [...byLog(entries).values()].map((of) => countOf(of[0]?.tenant, of.length, context));
  return [...entries.map((entry) => auditRecord(entry, context)), ...counts];
}

/** A blind addition: it conflicts with other transactions only while both are under way. */
function countOf(owner: Ref | undefined, records: number, { now, counter }: AuditContext): Update {
  return {
    kind: 'update',
    key: logCountKey(owner, monthOf(now), counter),
    set: { Type: 'AuditCount', ttl: Math.floor((endOfMonth(now) + AUDIT_LIFETIME_MS) / 1000) },
    add: { records },
  };
}

/** The month of an instant, as 2026-11. */
export const monthOf = (instant: string): string => instant.slice(0, 7);

/** Its last record goes when its count does. */
const endOfMonth = (instant: string): number =>
  Date.UTC(Number(instant.slice(0, 4)), Number(instant.slice(5, 7)), 1);

function auditRecord(entry: AuditEntry, context: AuditContext): Action {
  const { actor: sender, origin, principal } = context.event;
  const { actor, onBehalfOf, mandate } = entry.acting ?? context.event;
  const vouchedBy = sender === actor ? undefined : sender;
  const id = context.newId();
  const { command = context.command, tenant, before, after } = entry;
  const user = actorUser(onBehalfOf ?? actor);
  const acting = onBehalfOf === undefined ? undefined : actorUser(actor);
  const item = {
    ...logKey(tenant, context.now, id),
    Type: 'AuditLog',
    id,
    action: command,
    entityType: entry.entity.type,
    entityId: entry.entity.id,
    timestamp: context.now,
    operationId: context.operationId,
    source: 'provisioning',
    status: 'success',
    severity: severityOf(command),
    ...defined({ actor, onBehalfOf, mandate, vouchedBy }),
    ...(user ? { userId: user.id, ...activityKey(INDEXES.tenant, user, context.now, id) } : {}),
    ...(acting ? activityKey(INDEXES.all, acting, context.now, id) : {}),
    ...origin,
    ...defined({ principal, tenant: tenant && formatRef(tenant), step: context.step, before, after }),
    ...entry.details,
    counter: context.counter,
    ttl: Math.floor((context.writtenAt + AUDIT_LIFETIME_MS) / 1000),
  };
  return create(item, () => new GatehouseError('internal', 'two audit records with one id'));
}

/** What a user did, or had done, in the order of time; in the index of all, what an actor did for others. */
const activityKey = (index: IndexName, user: Ref, time: string, id: string) => ({
  [`${index}PK`]: partitionOf(user),
  [`${index}SK`]: timedSort('audit', time, id),
});
