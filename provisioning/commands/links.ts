import * as z from 'zod';
import * as field from '../../table/entities/fields.ts';
import { parseScopeRef } from '../../table/entities/scope-types.ts';
import { edgeKey } from '../../table/keys.ts';
import { edgesFrom, edgesToSubjects } from '../../table/partition-queries.ts';
import type { Command } from '../command.ts';
import { subject } from '../edges/rights.ts';
import { type EdgeKind, edgeCommands } from '../kinds/edge-commands.ts';
import { by } from '../kinds/lists.ts';
import { loadNode, loadScopeOf, rootOf, textOf } from '../nodes/nodes.ts';
import { readScopeRef } from '../nodes/scope-types.ts';

/** Links that give no rights: who works in a workstream, what an enterprise uses. */

const workstreamMemberKind: EdgeKind = {
  type: 'workstream-member',
  summary: 'the assignment of a user to a workstream, which gives no rights by itself',
  identity: z.strictObject({ user: field.subject, workstream: field.ref }),
  since: 'assignedAt',
  keyOf: (of) => edgeKey(subject(String(of.user)), parseScopeRef(String(of.workstream), 'workstream')),
  complete: async (planning, input) => {
    const place = await loadScopeOf(planning, 'workstream', String(input.workstream));
    return { tenant: rootOf(place) };
  },
  tenantOf: async (planning, item) =>
    rootOf(await loadScopeOf(planning, 'workstream', textOf(item, 'workstream'))),
  lists: [
    by({ user: field.subject }, ({ user }) => edgesFrom(subject(user), 'workstream')),
    by({ workstream: field.ref }, async ({ workstream }, reader) =>
      edgesToSubjects(await readScopeRef(reader, workstream, 'workstream')),
    ),
  ],
};

const usageKind = (type: 'product' | 'service'): EdgeKind => ({
  type: `enterprise-${type}`,
  summary: `a ${type} that an enterprise uses`,
  identity: z.strictObject({ enterprise: field.ref, [type]: field.id }),
  since: 'assignedAt',
  keyOf: (of) => edgeKey(parseScopeRef(String(of.enterprise), 'enterprise'), { type, id: String(of[type]) }),
  complete: async (planning, input) => {
    const place = await loadScopeOf(planning, 'enterprise', String(input.enterprise));
    await loadNode(planning, type, String(input[type]), type);
    return { tenant: place.ref };
  },
  tenantOf: async (_planning, item) => parseScopeRef(textOf(item, 'enterprise'), 'enterprise'),
  lists: [
    by({ enterprise: field.ref }, async ({ enterprise }, reader) =>
      edgesFrom(await readScopeRef(reader, enterprise, 'enterprise'), type),
    ),
    by({ [type]: field.id }, (given) => edgesFrom({ type, id: String(given[type]) }, 'enterprise')),
  ],
});

export const linkCommands: readonly Command[] = [
  workstreamMemberKind,
  usageKind('product'),
  usageKind('service'),
].flatMap(edgeCommands);
