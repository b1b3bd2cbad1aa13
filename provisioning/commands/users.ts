import * as z from 'zod';
import { newSubject, subjectChanges } from '../../table/decision/writes.ts';
import * as field from '../../table/entities/fields.ts';
import { ENTITIES } from '../../table/entities/registry.ts';
import { parseScopeRef } from '../../table/entities/scope-types.ts';
import { invalid } from '../../table/errors.ts';
import { parseRef } from '../../table/identifiers.ts';
import { decisionKey } from '../../table/keys.ts';
import { viewsOf } from '../../table/view.ts';
import type { Action } from '../../table/write/action.ts';
import { type Command, readCommand } from '../command.ts';
import { type Behaviour, nodeCommands } from '../nodes/node-commands.ts';
import { allOf, inTenant, pageFields, periodFields, withStatus } from '../nodes/node-lists.ts';
import { loadScope, optionalText, textOf, touch } from '../nodes/nodes.ts';
import type { Planning } from '../plan.ts';

/**
 * The tenant in whose list of users a user stands (seeds 000 and 002: `client_id`, `ACCOUNT#id#USERS`). It
 * gives no rights: grants do.
 */
async function settle(planning: Planning, tenant: unknown): Promise<readonly Action[]> {
  if (typeof tenant !== 'string') return [];
  const { ref, item } = await loadScope(planning, tenant, 'tenant');
  if (textOf(item, 'root') !== tenant) throw invalid('tenant', 'a tenant is a root scope');
  return [touch(ref, 'tenant')];
}

/** Users: nodes with three unique values and a decision item that starts empty. */
const userBehaviour: Behaviour = {
  tenantOf: (node) => {
    const tenant = optionalText(node.item, 'tenant');
    return tenant === undefined ? undefined : parseRef(tenant, 'tenant');
  },
  onCreate: async (planning, ref, { status, endsAt, tenant }) => ({
    actions: [
      newSubject(ref, planning.writtenAt, {
        status: String(status),
        ...(typeof endsAt === 'string' ? { endsAt } : {}),
      }),
      ...(await settle(planning, tenant)),
    ],
    tenant: typeof tenant === 'string' ? parseRef(tenant, 'tenant') : undefined,
  }),
  onUpdate: async (planning, node, _after, { status, endsAt, tenant }) => {
    const settled = await settle(planning, tenant);
    if (status === undefined && endsAt === undefined) return settled;
    const set: Record<string, string> = {};
    if (typeof status === 'string') set.status = status;
    if (typeof endsAt === 'string') set.endsAt = endsAt;
    return [
      ...settled,
      subjectChanges(node.ref, planning.writtenAt).set(set, endsAt === null ? ['endsAt'] : []),
    ];
  },
  onDelete: async (_planning, node) => [{ kind: 'delete', key: decisionKey(node.ref) }],
};

const listUsers = readCommand({
  name: 'user.list',
  summary:
    'Lists users: of one tenant by their creation, of one status by their end (those without one last), or all.',
  input: z
    .strictObject({
      tenant: field.ref.optional(),
      status: ENTITIES.user.attributes.shape.status,
      ...periodFields,
      ...pageFields,
    })
    .refine(
      (given) => given.tenant === undefined || given.status === undefined,
      'give tenant or status, not both',
    )
    .refine(
      (given) => given.tenant !== undefined || given.status !== undefined || (!given.from && !given.until),
      'from and until go with tenant or status',
    ),
  run: async ({ reader }, { tenant, status, from, until, ...page }) => {
    if (tenant !== undefined) {
      return viewsOf(
        await reader.list({ ...inTenant('user', parseScopeRef(tenant, 'tenant'), { from, until }), ...page }),
      );
    }
    if (status !== undefined) {
      return viewsOf(await reader.listMerged({ ...withStatus('user', status, { from, until }), ...page }));
    }
    return viewsOf(await reader.list({ ...allOf('user'), ...page }));
  },
});

export const userCommands: readonly Command[] = [...nodeCommands('user', userBehaviour), listUsers];
