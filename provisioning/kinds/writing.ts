import type { Entity } from '../../table/entities/entity.ts';
import { conflict, notFound } from '../../table/errors.ts';
import type { Item } from '../../table/item.ts';
import { nodeKey } from '../../table/keys.ts';
import { type Action, create, type Expected, type Value } from '../../table/write/action.ts';
import { canonical } from '../canonical.ts';
import { guardedValues, moveGuards } from '../nodes/guards.ts';
import { indexAttributes, indexChanges } from '../nodes/index-attributes.ts';
import { moveNodeNames } from '../nodes/node-names.ts';
import { refuseDeleting, toUpdate } from '../nodes/nodes.ts';
import { addOwner, moveOwners } from '../nodes/ownership.ts';
import { changeSecrets, putSecrets, splitSecrets } from '../nodes/secrets.ts';
import type { AuditEntry, Node, OneTransaction, Planning } from '../plan.ts';
import { type Attributes, visible } from '../visible.ts';
import { auditBefore, changedMeanwhile } from './deletion.ts';
import { changeEntries, createEntries } from './entries.ts';
import {
  idFieldOf,
  idsOf,
  itemTypeOf,
  labelOf,
  type NodeKind,
  nameFieldOf,
  nodeOf,
  ownersOf,
  tenantOf,
} from './node-kind.ts';

/** A node that is made or changed, with all that repeats it. */
export type NodePlan = OneTransaction & { readonly audit: AuditEntry };

/**
 * The creation of a node.
 *
 * @param derived attributes that no command takes
 */
export async function planCreation(
  planning: Planning,
  kind: NodeKind,
  given: Attributes,
  derived: Attributes = {},
): Promise<NodePlan> {
  const { entity, behaviour } = kind;
  const { id: wanted, again, ...values } = given;
  const attributes = { ...entity.defaults, ...values };
  const ref = nodeOf(entity, entity.naturalKey ? values : { ...values, id: wanted ?? planning.newId() });
  const { id = ref.id } = idsOf(entity, ref);
  await behaviour.check?.(planning, attributes, attributes);
  const extra = (await behaviour.onCreate?.(planning, ref, attributes)) ?? {};
  const { open, secrets } = splitSecrets(entity, attributes);
  const stored = {
    id,
    ...open,
    ...derived,
    ...extra.derived,
    createdAt: planning.now,
    updatedAt: planning.now,
  };
  const kept = indexAttributes(entity, ref, stored);
  const item: Item = { ...nodeKey(ref), Type: itemTypeOf(entity), ...stored, rev: 0, ...kept };
  const put = create(item, () => conflict(idFieldOf(entity), `this ${labelOf(entity)} exists already`));
  const owners = ownersOf(kind, stored, ref);
  return {
    actions: [
      ...moveGuards(entity, ref, {}, attributes, planning.now),
      ...moveNodeNames(entity, ref, {}, stored),
      put,
      ...putSecrets(ref, secrets, planning.now),
      ...owners.flatMap((owner) => addOwner(owner, ref, item)),
      ...createEntries({ ref, item }),
      ...(extra.actions ?? []),
      ...(wanted !== undefined && behaviour.onChosenId ? [behaviour.onChosenId(ref, again === true)] : []),
    ],
    result: visible(stored),
    ...(extra.shownOnce ? { shownOnce: extra.shownOnce } : {}),
    audit: {
      entity: ref,
      tenant: tenantOf(entity, stored),
      beyondTenant: beyondTenant(entity, given),
      lent: extra.lent,
      after: visible(stored),
    },
  };
}

/** The first field given that counts in other tenants too. A chosen id does: logins name ids. */
export const beyondTenant = ({ givenInTenant, defaults }: Entity, given: Attributes): string | undefined =>
  givenInTenant &&
  Object.keys(given).find((name) => !givenInTenant.includes(name) && given[name] !== defaults?.[name]);

/** What of a change the node does not have already; null clears an attribute. */
export const differing = (given: object, item: Item): Attributes =>
  Object.fromEntries(
    Object.entries(given).filter(
      ([name, value]) => value !== undefined && canonical(value ?? undefined) !== canonical(item[name]),
    ),
  );

/**
 * A change of a node; null clears an attribute.
 *
 * @param asRead attributes on which the change rests, beside those that the kind names
 */
export async function planChange(
  planning: Planning,
  kind: NodeKind,
  node: Node,
  given: Attributes,
  asRead: readonly string[] = [],
): Promise<NodePlan> {
  const { entity, behaviour } = kind;
  const idField = nameFieldOf(entity);
  const { open: changes, secrets } = splitSecrets(entity, given);
  refuseDeleting(node, idField);
  const after: Record<string, unknown> = { ...node.item, ...changes, updatedAt: planning.now };
  for (const attribute of Object.keys(changes)) if (after[attribute] === null) delete after[attribute];
  const changed = {
    ...changes,
    updatedAt: planning.now,
    ...indexChanges(entity, node.ref, node.item, after),
  };
  const resting = [...(behaviour.asRead ?? []), ...asRead];
  const update: Action = {
    kind: 'update',
    key: nodeKey(node.ref),
    ...toUpdate(changed),
    add: { rev: 1 },
    // What was read decides which guards are freed, so it must still be so. It is the first condition:
    // a guard that has moved on with its owner is no conflict, but a reason to plan again.
    when: {
      exists: true,
      equals: {
        ...guardedValues(entity, node.item),
        ...Object.fromEntries(
          resting.map((attribute) => [attribute, node.item[attribute] as string | undefined]),
        ),
        deletingSince: undefined,
      },
    },
    failure: (found) => (found ? changedMeanwhile(entity) : notFound(idField, `this ${labelOf(entity)}`)),
  };
  await behaviour.check?.(planning, changes, after);
  const extra = (await behaviour.onUpdate?.(planning, node, after, changes)) ?? [];
  return {
    actions: [
      update,
      ...changeSecrets(node.ref, secrets, planning.now),
      ...moveGuards(entity, node.ref, node.item, after, planning.now),
      ...moveNodeNames(entity, node.ref, node.item, after),
      ...moveOwners(
        node.ref,
        ownersOf(kind, node.item, node.ref),
        ownersOf(kind, after, node.ref),
        after,
        changed,
      ),
      ...changeEntries(node, after as Item, changes),
      ...extra,
    ],
    result: visible(after),
    audit: {
      ...auditBefore(entity, node),
      beyondTenant: beyondTenant(entity, changes),
      after: visible(after),
    },
  };
}

/**
 * The end of a node, for good, by somebody's word.
 *
 * @param open what it says until then
 */
export function planEnding(
  { now }: Planning,
  kind: NodeKind,
  node: Node,
  ending: Readonly<Record<string, Value>>,
  open: Readonly<Record<string, Expected>>,
): NodePlan {
  const { entity } = kind;
  const changes = { ...ending, updatedAt: now };
  const after = { ...node.item, ...changes };
  const owners = ownersOf(kind, node.item, node.ref);
  return {
    actions: [
      {
        kind: 'update',
        key: nodeKey(node.ref),
        set: changes,
        add: { rev: 1 },
        when: { exists: true, equals: open },
        failure: () => changedMeanwhile(entity),
      },
      ...moveOwners(node.ref, owners, owners, after, changes),
      ...changeEntries(node, after),
    ],
    result: visible(after),
    audit: { ...auditBefore(entity, node), after: visible(after) },
  };
}
