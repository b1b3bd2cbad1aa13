import * as z from 'zod';
import { ENTITIES } from '../../table/entities/registry.ts';
import { conflict, stale } from '../../table/errors.ts';
import { identityOf, type Key, nodeKey } from '../../table/keys.ts';
import { type Action, keyOf } from '../../table/write/action.ts';
import { writeCommand } from '../command.ts';
import { whenAllowOnly } from '../edges/allow-only.ts';
import { group as groupRef } from '../edges/rights.ts';
import type { Steps } from '../in-steps.ts';
import { planClosing, planDeletion } from '../kinds/deletion.ts';
import { updateSchema } from '../kinds/node-commands.ts';
import { type NodeKind, tenantOf } from '../kinds/node-kind.ts';
import { differing, planChange, planCreation } from '../kinds/writing.ts';
import { throughGate } from '../nodes/gates.ts';
import { guardKeyOf, ownerOf } from '../nodes/guards.ts';
import { loadRef, loadScope, textOf, touchLiving } from '../nodes/nodes.ts';
import { createPlanned } from '../nodes/planned-writes.ts';
import { groupLinkRef } from '../nodes/scim-links.ts';
import { keptPlan, type Node, type OneTransaction, type Planning } from '../plan.ts';
import { type Attributes, visible } from '../visible.ts';
import { GROUP } from './groups.ts';
import { findLinkCommand, listOfConnectionCommand } from './scim-find.ts';
import { listGroups, listMembers, members, membersOf, notLinked, stepsOf } from './scim-members.ts';
import { type Connection, loadConnection } from './scim-named-user.ts';

const LINK = ENTITIES['scim-group'];
const KIND: NodeKind = { entity: LINK, behaviour: {} };
const MAPPING = ENTITIES['external-group'];
const { connection, group, displayName, externalId } = LINK.attributes.shape;

/** Reads a link. The same is said of what is another connection's and of what is not there. */
async function loadLink(planning: Planning, of: string, id: string): Promise<Node> {
  const ref = groupLinkRef(of, id);
  const item = await planning.reader.get(nodeKey(ref));
  if (!item || item.deletingSince !== undefined) throw notLinked();
  return { ref, item };
}

const MAX_NAME = 128;

/** A name for a group of ours: providers use longer ones, and `#`, which no name holds. */
function nameFor(text: string): string {
  let name = '';
  for (const sign of text.replaceAll('#', '\uff03').trim()) {
    if (name.length + sign.length > MAX_NAME) break;
    name += sign;
  }
  return name;
}

/** The group that the mapping of an external group means, and on what that rests. */
async function meantBy({ reader }: Planning, { root, issuer }: Connection, external: string | undefined) {
  if (issuer === undefined || external === undefined) return undefined;
  const key = guardKeyOf(MAPPING.guards[0], { scope: root, issuer, externalId: external });
  const guard = key && (await reader.get(key));
  if (!guard) return { conditions: key ? [absent(key)] : [], id: undefined };
  const ref = ownerOf(guard, MAPPING);
  const mapping = await loadRef({ reader }, ref, 'externalId');
  const id = textOf(mapping.item, 'group');
  const conditions = [
    { ...touchLiving(ref, 'externalId'), failure: changedMeaning },
    whenAllowOnly(groupRef(id), 'externalId'),
  ];
  return { conditions, id };
}

const absent = (key: Key): Action => ({
  kind: 'check',
  key,
  when: { exists: false },
  failure: changedMeaning,
});

const changedMeaning = () => stale('what the external group means', 'externalId');

/** The plan that links a connection to a group: to one that a mapping means, or else to one that is made. */
async function planLink(planning: Planning, given: Attributes): Promise<OneTransaction> {
  const of = await loadConnection(planning, String(given.connection));
  const meant = await meantBy(planning, of, given.externalId as string | undefined);
  const planned = createPlanned(planning.reader);
  const later = { ...planning, reader: planned.reader };
  const made =
    meant?.id === undefined
      ? await planCreation(
          later,
          GROUP,
          { scope: of.root, name: nameFor(String(given.displayName)), allowOnly: true },
          { source: of.ref.id },
        )
      : undefined;
  await planned.add(made?.actions ?? []);
  const id = meant?.id ?? String(made?.audit.entity.id);
  const link = await planCreation(later, KIND, { ...given, group: id }, { root: of.root });
  const at = identityOf(nodeKey(groupLinkRef(of.ref.id, id)));
  const isLinked = () => conflict('externalId', 'the connection has this group already');
  await planned.add([
    ...(meant?.conditions ?? []),
    ...link.actions.map((action) =>
      identityOf(keyOf(action)) === at ? { ...action, failure: isLinked } : action,
    ),
  ]);
  const audit = made ? [{ ...made.audit, command: 'group.create' }, link.audit] : link.audit;
  const tenant = await loadScope(later, of.root, 'connection');
  const name = String(given.displayName);
  const actions = await throughGate(planned.reader, name, [tenant, of], planned.actions());
  return { actions, result: link.result, audit };
}

const create = writeCommand({
  name: 'scim-group.create',
  summary:
    'Links a connection to the group that its tenant says the external group means; makes an allow-only group at the tenant where it says none.',
  input: z.strictObject({ connection, displayName, externalId }),
  plan: planLink,
});

interface Said {
  readonly connection: string;
  readonly group: string;
  readonly displayName?: string;
  readonly externalId?: string | null;
}

const update = writeCommand({
  name: 'scim-group.update',
  summary:
    'Changes what a connection says of a group; null clears an optional field. The group that it made is called so too.',
  input: updateSchema(LINK),
  plan: async (planning, { connection: of, group: id, ...said }: Said) => {
    const link = await loadLink(planning, of, id);
    const changes = differing(said, link.item);
    if (Object.keys(changes).length === 0) {
      const after = visible(link.item);
      return keptPlan({ entity: link.ref, tenant: tenantOf(LINK, link.item), after }, after);
    }
    const change = await planChange(planning, KIND, link, changes);
    const own = await loadRef(planning, groupRef(id), 'group');
    const name = nameFor(said.displayName ?? textOf(link.item, 'displayName'));
    if (own.item.source !== of || own.item.name === name) return change;
    const renamed = await planChange(planning, GROUP, own, { name }, ['source']);
    return {
      ...change,
      actions: [...change.actions, ...renamed.actions],
      audit: [change.audit, { ...renamed.audit, command: 'group.update' }],
    };
  },
});

/** Ends the memberships that a connection gives by a group, and then its link. */
async function* ending(planning: Planning, input: { connection: string; group: string }): Steps {
  const ref = groupLinkRef(input.connection, input.group);
  const result = { ...input, deleted: true };
  const item = await planning.reader.get(nodeKey(ref));
  if (!item && planning.again !== true) throw notLinked();
  if (!item) return { actions: [], audit: [], result };
  const given = await membersOf(planning.reader, input);
  const moves = given.map((edge) => ({ user: textOf(edge, 'user'), comes: false }));
  const { steps } = await stepsOf(planning, input, moves);
  let later = planning;
  // From now on it gets no members.
  if (item.deletingSince === undefined && steps.length > 0)
    later = yield { ...planClosing(later, KIND, { ref, item }), result };
  for (const step of steps) later = yield { ...(await step(later)), result };
  // Without a step before it, a member that came meanwhile has to be seen: the deletion rests on the first reading.
  const last = later === planning ? { ref, item } : await loadRef(later, ref, 'group');
  return planDeletion(later, KIND, last);
}

const end = writeCommand({
  name: 'scim-group.delete',
  summary: 'Ends what a connection gave by a group, and forgets the group. The group itself stays.',
  input: z.strictObject({ connection, group }),
  destructive: { undo: 'scim-group.create with the same fields, and scim-group.members' },
  steps: ending,
});

const find = findLinkCommand(
  LINK,
  'group',
  'Finds the group of a connection with a displayName, whatever its case, or with an externalId.',
);

export const SCIM_GROUP: NodeKind = {
  entity: LINK,
  behaviour: {},
  commands: [
    create,
    update,
    end,
    find,
    listOfConnectionCommand(LINK, 'group'),
    members,
    listMembers,
    listGroups,
  ],
};
