import * as z from 'zod';
import { newSubject, subjectChanges } from '../../table/decision/writes.ts';
import * as field from '../../table/entities/fields.ts';
import { ENTITIES } from '../../table/entities/registry.ts';
import { invalid } from '../../table/errors.ts';
import { parseRef, type Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { decisionKey, nodeKey } from '../../table/keys.ts';
import { allOf, inTenant, withStatus } from '../../table/patterns/lists.ts';
import { mergedPageOf, pageOf } from '../../table/patterns/reads.ts';
import { OWNERSHIP } from '../../table/patterns/stretches.ts';
import type { Action } from '../../table/write/action.ts';
import { type Command, readCommand } from '../command.ts';
import { nodeCommands, tenantFrom } from '../kinds/node-commands.ts';
import type { Attributes, Behaviour, NodeKind } from '../kinds/node-kind.ts';
import { listOwnedCommand, pageFields, periodFields } from '../kinds/node-lists.ts';
import { loadScope, loadScopeOf, textOf, touchLiving } from '../nodes/nodes.ts';
import { readScopeRef } from '../nodes/scope-types.ts';
import type { Node, Planning } from '../plan.ts';

/**
 * The tenant in whose list of users a user stands (seeds 000 and 002: `client_id`, `ACCOUNT#id#USERS`). It
 * gives no rights: grants do.
 */
async function settle(planning: Planning, tenant: unknown): Promise<readonly Action[]> {
  if (typeof tenant !== 'string') return [];
  const { ref, item } = await loadScope(planning, tenant, 'tenant');
  if (textOf(item, 'root') !== tenant) throw invalid('tenant', 'a tenant is a root scope');
  return [touchLiving(ref, 'tenant')];
}

/** A subject's decision item, which starts empty. */
const startSubject = (ref: Ref, { status, endsAt }: Attributes): Action =>
  newSubject(ref, {
    status: String(status),
    ...(typeof endsAt === 'string' ? { endsAt } : {}),
  });

function changeSubject(ref: Ref, { status, endsAt }: Attributes): readonly Action[] {
  if (status === undefined && endsAt === undefined) return [];
  const set: Record<string, string> = {};
  if (typeof status === 'string') set.status = status;
  if (typeof endsAt === 'string') set.endsAt = endsAt;
  return [subjectChanges(ref).set(set, endsAt === null ? ['endsAt'] : [])];
}

/** Who is being deleted may do nothing any more. */
const closeSubject = ({ ref }: Node): readonly Action[] => [
  subjectChanges(ref).set({ status: 'deleting' }, []),
];
/** Tokens and sessions go with whose they are. */
const recordsOf = async (
  _planning: Planning,
  _node: Node,
  around: readonly Item[],
): Promise<readonly Action[][]> =>
  around
    .filter((item) => item.Type === OWNERSHIP)
    .map(({ PK, SK, owned }) => {
      const record = parseRef(String(owned), 'owned');
      const keys = [{ PK, SK }, nodeKey(record), decisionKey(record)];
      return keys.map((key) => ({ kind: 'delete', key }));
    });

const endSubject = ({ ref }: Node): readonly Action[] => [{ kind: 'delete', key: decisionKey(ref) }];

/** Users: nodes with three unique values and a decision item. */
const userBehaviour: Behaviour = {
  tenantOf: tenantFrom('tenant'),
  onCreate: async (planning, ref, attributes) => ({
    actions: [startSubject(ref, attributes), ...(await settle(planning, attributes.tenant))],
    tenant: typeof attributes.tenant === 'string' ? parseRef(attributes.tenant, 'tenant') : undefined,
  }),
  onUpdate: async (planning, node, _after, changes) => [
    ...(await settle(planning, changes.tenant)),
    ...changeSubject(node.ref, changes),
  ],
  close: closeSubject,
  remains: recordsOf,
  onDelete: endSubject,
};

/** Technical users: owned by an account, checked like users. */
const technicalUserBehaviour: Behaviour = {
  tenantOf: tenantFrom('account'),
  onCreate: async (planning, ref, attributes) => {
    const account = await loadScopeOf(planning, 'account', String(attributes.account), 'account');
    return { actions: [startSubject(ref, attributes)], tenant: account.ref };
  },
  onUpdate: async (_planning, node, _after, changes) => changeSubject(node.ref, changes),
  close: closeSubject,
  remains: recordsOf,
  onDelete: endSubject,
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
    const period = { from, until };
    if (status !== undefined) return mergedPageOf(reader, withStatus('user', status, period), page);
    const query =
      tenant === undefined
        ? allOf('user')
        : inTenant('user', await readScopeRef(reader, tenant, 'tenant'), period);
    return pageOf(reader, query, page);
  },
});

export const USER_KINDS: readonly NodeKind[] = [
  { entity: ENTITIES.user, behaviour: userBehaviour },
  { entity: ENTITIES['technical-user'], behaviour: technicalUserBehaviour },
];

export const userCommands: readonly Command[] = [
  ...USER_KINDS.flatMap(nodeCommands),
  listUsers,
  listOwnedCommand('technical-user', 'account'),
];
