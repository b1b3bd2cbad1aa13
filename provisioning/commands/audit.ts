import * as z from 'zod';
import * as field from '../../table/entities/fields.ts';
import { parseScopeRef } from '../../table/entities/scope-types.ts';
import { logPartitions, timesBetween } from '../../table/keys.ts';
import { viewsOf } from '../../table/view.ts';
import { type Command, readCommand } from '../command.ts';
import { pageFields, periodFields } from '../nodes/node-lists.ts';

/** The audit log of one tenant, or of what concerns none, by time (seed 000, "Get recent audit logs"). */
export const auditCommands: readonly Command[] = [
  readCommand({
    name: 'audit.list',
    summary: 'Lists the audit records of a tenant, or of what concerns no tenant, by time, page by page.',
    input: z.strictObject({ tenant: field.ref.optional(), ...periodFields, ...pageFields }),
    run: async ({ reader }, { tenant, from, until, ...page }) =>
      viewsOf(
        await reader.listMerged({
          partitions: logPartitions(tenant === undefined ? undefined : parseScopeRef(tenant, 'tenant')),
          between: timesBetween(from, until),
          ...page,
        }),
      ),
  }),
];
