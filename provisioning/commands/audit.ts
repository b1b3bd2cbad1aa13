import * as z from 'zod';
import * as field from '../../table/entities/fields.ts';
import { invalid } from '../../table/errors.ts';
import { doneForOthers, inTenant, logOf } from '../../table/index-queries.ts';
import { auditOrigin } from '../audit.ts';
import { type Command, writeCommand } from '../command.ts';
import { subject } from '../edges/rights.ts';
import { by, listCommand, period } from '../kinds/lists.ts';
import { namesOfRecords } from '../names/of-records.ts';
import { loadScope } from '../nodes/nodes.ts';
import { readScopeRef } from '../nodes/scope-types.ts';
import { revealed } from '../pseudonyms.ts';

/**
 * The audit log. Every write leaves its record by itself; an application may add what it sees,
 * such as a login that failed. Records are never changed; they go after a year.
 */
const word = field.pageName;

/** @param isOurs whether a command of ours has this name */
export const auditCommands = (isOurs: (name: string) => boolean): readonly Command[] => [
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
      if (isOurs(details.action) || details.action === 'verify.repair')
        throw invalid('action', 'action is the name of a command: such records are made by commands alone');
      const owner = tenant === undefined ? undefined : (await loadScope(planning, tenant, 'tenant')).ref;
      return {
        actions: [],
        result: { recorded: true, timestamp: planning.now },
        audit: {
          entity: { type: entityType, id: entityId },
          tenant: owner,
          details: { ...details, source: 'application' },
        },
      };
    },
  }),
  revealing(
    listCommand({
      name: 'audit.list',
      summary:
        'Lists audit records by time, page by page: of a tenant, of a user who acted or had somebody act, of an actor who acted for others, or of what belongs to no tenant.',
      namesIn: async (reader, records, { tenant }) =>
        namesOfRecords(reader, records, typeof tenant === 'string' ? tenant : undefined),
      by: [
        by(
          { tenant: field.ref },
          async ({ tenant, ...time }, reader) => logOf(await readScopeRef(reader, tenant, 'tenant'), time),
          period,
        ),
        by({ user: field.subject }, ({ user, ...time }) => inTenant('audit', subject(user), time), period),
        by({ actor: field.subject }, ({ actor, ...time }) => doneForOthers(subject(actor), time), period),
        by({}, (time) => logOf(undefined, time), period),
      ],
    }),
  ),
];

/** A list with the values in the place of pseudonyms, as far as their keys are there. */
const revealing = (command: Command): Command =>
  command.kind === 'read'
    ? {
        ...command,
        run: async (context, input) => revealed(context.reader, await command.run(context, input)),
      }
    : command;
