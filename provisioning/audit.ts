import { GatehouseError } from '../table/errors.ts';
import { formatRef } from '../table/identifiers.ts';
import { logKey } from '../table/keys.ts';
import { type Action, create } from '../table/write/action.ts';
import type { AuditEntry } from './plan.ts';

/** Audit records are kept a year (seed 000). */
const LIFETIME_SECONDS = 31_536_000;

export interface AuditContext {
  readonly id: string;
  readonly now: string;
  readonly writtenAt: number;
  readonly command: string;
  readonly operationId: string;
  readonly actor: string | undefined;
}

/** The record of a write, put in the same transaction: what happened is never without its trace. */
export function auditRecord(entry: AuditEntry, context: AuditContext): Action {
  const item = {
    ...logKey(entry.tenant, context.now, context.id),
    Type: 'AuditLog',
    id: context.id,
    action: context.command,
    entityType: entry.entity.type,
    entityId: entry.entity.id,
    timestamp: context.now,
    operationId: context.operationId,
    status: 'success',
    severity: 'info',
    ...(context.actor === undefined ? {} : { actor: context.actor }),
    ...(entry.tenant ? { tenant: formatRef(entry.tenant) } : {}),
    ...(entry.before ? { before: entry.before } : {}),
    ...(entry.after ? { after: entry.after } : {}),
    ttl: Math.floor(context.writtenAt / 1000) + LIFETIME_SECONDS,
  };
  return create(item, () => new GatehouseError('internal', 'two audit records with one id'));
}
