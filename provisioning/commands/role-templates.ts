import * as z from 'zod';
import * as field from '../../table/entities/fields.ts';
import { ENTITIES } from '../../table/entities/registry.ts';
import { conflict, GatehouseError, invalid, limitExceeded, stale } from '../../table/errors.ts';
import { edgesFrom } from '../../table/partition-queries.ts';
import { readPermissionName } from '../../table/permission-name.ts';
import type { Action } from '../../table/write/action.ts';
import { writeCommand } from '../command.ts';
import { refusedEffect } from '../edges/allow-only.ts';
import { addEdge, type Edge } from '../edges/edge.ts';
import { ownerOf, permissionOrPattern, role, rolePermission } from '../edges/rights.ts';
import { listOfKind } from '../kinds/lists.ts';
import type { Behaviour, Extra, NodeKind } from '../kinds/node-kind.ts';
import { loadNode, loadRef, textOf } from '../nodes/nodes.ts';
import { problemOfCondition, readDeclarations } from '../nodes/properties.ts';
import type { Planning } from '../plan.ts';

/**
 * Role templates: permissions that a new role starts with. The role keeps
 * what it was given when the template changes; `role-template.apply` adds what it lacks.
 */
const A_STEPFUL = 20;

const lent = z.array(
  z.object({ permission: z.string(), effect: z.enum(['ALLOW', 'DENY']), when: z.string().optional() }),
);
type Lent = z.infer<typeof lent>;

async function permissionsOf(planning: Planning, template: string, at: string): Promise<Lent> {
  const { item } = await loadNode(planning, 'role-template', template, at);
  const parsed = lent.safeParse(item.permissions);
  if (!parsed.success)
    throw new GatehouseError('damaged_item', 'the template has no permissions', { field: at });
  return parsed.data;
}

async function refuseUnregistered(planning: Planning, permissions: Lent): Promise<void> {
  for (const { permission } of permissions) {
    // A pattern is no node.
    if (readPermissionName(permission))
      await loadRef(planning, permissionOrPattern(permission), 'permissions');
  }
}

/** Throws `invalid` on a condition that today's declarations refuse. */
async function refuseConditions({ reader }: Planning, permissions: Lent): Promise<void> {
  const conditions = permissions.filter(({ when }) => when !== undefined);
  if (conditions.length === 0) return;
  const declarations = await readDeclarations(reader);
  for (const { permission, when } of conditions) {
    const problem = await problemOfCondition(String(when), declarations);
    if (problem !== undefined) throw invalid('permissions', `permissions: when of ${permission}: ${problem}`);
  }
}

const edgesTo = (planning: Planning, id: string, roleScope: string, permissions: Lent): readonly Edge[] =>
  permissions.map(({ permission, effect, when }) =>
    rolePermission({ role: id, permission, effect, when, roleScope, grantedAt: planning.now }),
  );

/** What a role that is made from a template holds from the start, in the transaction of its creation. */
export async function fromTemplate(
  planning: Planning,
  {
    id,
    scope: roleScope,
    allowOnly,
  }: { readonly id: string; readonly scope: string; readonly allowOnly: boolean },
  template: string,
): Promise<Extra> {
  const permissions = await permissionsOf(planning, template, 'customTemplateId');
  const refusals = permissions.map(({ effect, permission }) => refusedEffect(role(id), effect, permission));
  const refusal = allowOnly ? refusals.find((each) => each !== undefined) : undefined;
  if (refusal) throw conflict('customTemplateId', refusal.message);
  if (permissions.length > A_STEPFUL) {
    throw limitExceeded(
      `the template holds ${permissions.length} permissions, a role is created with at most ${A_STEPFUL}: create it without the template, then use role-template.apply`,
      'customTemplateId',
    );
  }
  await refuseConditions(planning, permissions);
  // The role is created in the same transaction: there is nothing yet that could be counted up, or asked.
  return {
    actions: edgesTo(planning, id, roleScope, permissions).flatMap((edge) =>
      addEdge({ ...edge, ends: edge.ends.filter(({ ref }) => ref.id !== id), grant: [] }, planning.now),
    ),
    lent: permissions.map(({ permission }) => permission),
  };
}

/** What the role was given meanwhile, as by a copy of this request, it needs no more: the step is planned anew. */
const unlessGiven = (action: Action): Action =>
  action.kind === 'put' ? { ...action, failure: () => stale('the role', 'role') } : action;

const applyTemplate = writeCommand({
  name: 'role-template.apply',
  summary:
    'Gives a role every permission of a template that it does not have yet, in as many steps as needed.',
  input: z.strictObject({ id: field.id, role: field.id }),
  steps: async function* (planning, input) {
    for (;;) {
      const target = await loadNode(planning, 'role', input.role, 'role');
      const roleScope = textOf(target.item, 'scope');
      const wanted = await permissionsOf(planning, input.id, 'id');
      const existing = await planning.reader.listAll(edgesFrom(target.ref, 'page', 'permission'));
      const has = new Set(existing.map((edge) => textOf(edge, 'permission')));
      // What it forbids comes first: half a template must not allow more than all of it.
      const lacking = wanted
        .filter(({ permission }) => !has.has(permission))
        .sort((a, b) => Number(b.effect === 'DENY') - Number(a.effect === 'DENY'));
      const now = lacking.slice(0, A_STEPFUL);
      const entryOf = (given: Lent) => ({
        entity: target.ref,
        tenant: ownerOf(roleScope),
        after: { template: input.id, given: given.map(({ permission }) => permission) },
      });
      await refuseUnregistered(planning, now);
      await refuseConditions(planning, now);
      const step = {
        actions: edgesTo(planning, input.role, roleScope, now)
          .flatMap((edge) => addEdge(edge, planning.now))
          .map(unlessGiven),
        result: { id: input.id, role: input.role, permissions: wanted.length },
        audit: entryOf(now),
      };
      if (lacking.length === now.length) return step;
      planning = yield { ...step, carries: [entryOf(lacking)] };
    }
  },
});

const templateBehaviour: Behaviour = {
  check: async (planning, { permissions }) => {
    if (permissions === undefined) return;
    await refuseUnregistered(planning, permissions as Lent);
    await refuseConditions(planning, permissions as Lent);
  },
};

export const TEMPLATE: NodeKind = {
  entity: ENTITIES['role-template'],
  behaviour: templateBehaviour,
  commands: [applyTemplate, listOfKind('role-template')],
};
