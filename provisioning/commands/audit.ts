import * as z from 'zod';
import * as field from '../../table/entities/fields.ts';
import { inTenant, logOf } from '../../table/index-queries.ts';
import { auditOrigin } from '../audit.ts';
import { type Command, writeCommand } from '../command.ts';
import { subject } from '../edges/rights.ts';
import { by, listCommand, period } from '../kinds/lists.ts';
import { loadScope } from '../nodes/nodes.ts';
import { readScopeRef } from '../nodes/scope-types.ts';

/**
 * The audit log. Every write leaves its record by itself; an application may add what it sees,
 * such as a login that failed. Records are never changed; they go after a year.
 */
const word = field.pageName;

export const auditCommands: readonly Command[] = [
  writeCommand({
    name: 'audit.create',
    summary: 'Adds a record of an application to the audit log of a tenant, or of none.',
    input: z.strictObject({
      tenant: field.ref.optional(),
      action: word,
      entityType: word,
      entityId: field.text(256),
      status: z.enum(['success', 'failure', 'error']).optional(),
      severity: z.enum(['info', 'warning', 'critical']).optional(),
      relatedEntities: field.map.optional(),
      ...auditOrigin.shape,
    }),
    plan: async (planning, { tenant, entityType, entityId, ...details }) => {
      const owner = tenant === undefined ? undefined : (await loadScope(planning, tenant, 'tenant')).ref;
      return {
        actions: [],
        result: { recorded: true, timestamp: planning.now },
        // Whatever it calls the action, it is not one of ours.
        audit: {
          entity: { type: entityType, id: entityId },
          tenant: owner,
          details: { ...details, source: 'application' },
        },
      };
    },
  }),
  listCommand({
    name: 'audit.list',
    summary:
      'Lists audit records by time, page by page: of a tenant, of a user who acted, or of what belongs to no tenant.',
    by: [
      by(
        { tenant: field.ref },
        async ({ tenant, ...time }, reader) => logOf(await readScopeRef(reader, tenant, 'tenant'), time),
        period,
      ),
      by({ user: field.subject }, ({ user, ...time }) => inTenant('audit', subject(user), time), period),
      by({}, (time) => logOf(undefined, time), period),
    ],
  }),
];
