import * as z from 'zod';
import { DAY_MS, INDEXES } from '../table/entities/entity.ts';
import * as field from '../table/entities/fields.ts';
import { GatehouseError } from '../table/errors.ts';
import { formatRef, isRef, isUlidOrUuid, parseSubjectRef, type Ref } from '../table/identifiers.ts';
import { logKey, partitionOf, timedSort } from '../table/keys.ts';
import { type Action, create } from '../table/write/action.ts';
import type { AuditEntry } from './plan.ts';

/** Audit records are kept a year. */
const LIFETIME_MS = 365 * DAY_MS;

/** Where a request came from. */
export const auditOrigin = z.strictObject({
  ipAddress: field.ipAddress.optional(),
  userAgent: field.text(512).optional(),
  sessionId: field.id.optional(),
  metadata: field.map.optional(),
});

export interface AuditContext {
  readonly id: string;
  readonly now: string;
  readonly writtenAt: number;
  readonly command: string;
  readonly operationId: string;
  readonly event: {
    readonly actor?: string | undefined;
    readonly origin?: z.infer<typeof auditOrigin> | undefined;
    /** The ARN of the IAM principal that acted as the actor. */
    readonly principal?: string | undefined;
  };
  /** Which step of a command that takes several. */
  readonly step: number | undefined;
}

/** A change that opens or closes much is marked, so that it can be found. */
const severityOf = (command: string): string => {
  if (command.startsWith('admin.')) return 'critical';
  return /\.(delete|delete-tree|revoke|move)$/.test(command) ? 'warning' : 'info';
};

/** The record of a write, put in the same transaction: what happened is never without its trace. */
export function auditRecord(entry: AuditEntry, context: AuditContext): Action {
  const { actor, origin, principal } = context.event;
  const { command = context.command } = entry;
  const user = actor === undefined ? undefined : userOf(actor);
  const item = {
    ...logKey(entry.tenant, context.now, context.id),
    Type: 'AuditLog',
    id: context.id,
    action: command,
    entityType: entry.entity.type,
    entityId: entry.entity.id,
    timestamp: context.now,
    operationId: context.operationId,
    source: 'provisioning',
    status: 'success',
    severity: severityOf(command),
    ...(actor === undefined ? {} : { actor }),
    ...(user ? { userId: user.id, ...activityKey(user, context.now, context.id) } : {}),
    ...origin,
    ...(principal === undefined ? {} : { principal }),
    ...(entry.tenant ? { tenant: formatRef(entry.tenant) } : {}),
    ...(context.step === undefined ? {} : { step: context.step }),
    ...(entry.before ? { before: entry.before } : {}),
    ...(entry.after ? { after: entry.after } : {}),
    ...entry.details,
    ttl: Math.floor((context.writtenAt + LIFETIME_MS) / 1000),
  };
  return create(item, () => new GatehouseError('internal', 'two audit records with one id'));
}

/**
 * The user behind an actor that is named by a reference, or by a ULID or UUID. Others have no activity of their
 * own: `pipeline` and `ops@example.com` are ids in form, and nothing says that they are of users.
 */
function userOf(actor: string): Ref | undefined {
  if (isUlidOrUuid(actor)) return { type: 'user', id: actor };
  return isRef(actor) ? parseSubjectRef(actor, 'actor') : undefined;
}

/** What a user did, in the order of time. */
const activityKey = (user: Ref, time: string, id: string) => ({
  [`${INDEXES.tenant}PK`]: partitionOf(user),
  [`${INDEXES.tenant}SK`]: timedSort('audit', time, id),
});
