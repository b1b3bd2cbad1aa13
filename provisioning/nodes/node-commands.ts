import * as z from 'zod';
import type { Entity } from '../../table/entities/entity.ts';
import * as field from '../../table/entities/fields.ts';
import { ENTITIES, type EntityType } from '../../table/entities/registry.ts';
import { conflict, GatehouseError, notFound } from '../../table/errors.ts';
import type { Ref } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { guardKey, nodeKey, partitionOf } from '../../table/keys.ts';
import { viewOf } from '../../table/view.ts';
import { type Action, create } from '../../table/write/action.ts';
import { type Command, readCommand, writeCommand } from '../command.ts';
import { removeEdge } from '../edges/edge.ts';
import { howToLighten, readEdge } from '../edges/read-edge.ts';
import type { Node, Planning } from '../plan.ts';
import { claimGuards, freeGuards, guardedValues, moveGuards } from './guards.ts';
import { indexAttributes, indexChanges } from './index-attributes.ts';
import { loadNode, toUpdate } from './nodes.ts';

/**
 * Create, read, update, delete and list for a kind of node, made from its registry entry. What is
 * particular to the kind (decision items, owners) comes from its behaviour.
 */
export type Attributes = Readonly<Record<string, unknown>>;

/** What a kind of node adds to the generic commands. */
export interface Behaviour {
  /** Actions beside the node and its guards, and attributes derived at creation. */
  readonly onCreate: (planning: Planning, ref: Ref, attributes: Attributes) => Promise<Extra>;
  /** Actions beside the node and its guards; `after` holds all attributes as they will be. */
  readonly onUpdate?: (
    planning: Planning,
    node: Node,
    after: Attributes,
    changes: Attributes,
  ) => Promise<readonly Action[]>;
  /** Actions beside the node, its guards and its edges; refuses while something still hangs on the node. */
  readonly onDelete: (planning: Planning, node: Node, around: readonly Item[]) => Promise<readonly Action[]>;
  /** The tenant whose log records changes of this node. */
  readonly tenantOf?: (node: Node) => Ref | undefined;
}

export interface Extra {
  readonly actions: readonly Action[];
  readonly derived?: Attributes;
  readonly tenant?: Ref | undefined;
}

const labelOf = (entity: Entity) => entity.label.toLowerCase();

/** The input field that names a node: its id, or the attribute that is its natural key. */
const idFieldOf = (entity: Entity): string => entity.naturalKey ?? 'id';
const idSchemaOf = (entity: Entity): z.ZodType =>
  entity.naturalKey ? (entity.attributes.shape[entity.naturalKey] as z.ZodType) : field.id;

export function nodeCommands(type: EntityType, behaviour: Behaviour): readonly Command[] {
  const entity: Entity = ENTITIES[type];
  return [
    createCommand(entity, type, behaviour),
    readNodeCommand(entity, type),
    updateCommand(entity, type, behaviour),
    deleteCommand(entity, type, behaviour),
  ];
}

function createCommand(entity: Entity, type: EntityType, behaviour: Behaviour): Command {
  const input = entity.naturalKey ? entity.attributes : entity.attributes.extend({ id: field.id.optional() });
  return writeCommand({
    name: `${type}.create`,
    summary: `Creates a ${labelOf(entity)}. ${entity.summary}`,
    input,
    plan: async (planning, given: Attributes) => {
      const { id: wanted, ...values } = given;
      const attributes = { ...entity.defaults, ...values };
      const id = String(entity.naturalKey ? values[entity.naturalKey] : (wanted ?? planning.newId()));
      const ref = { type, id };
      const extra = await behaviour.onCreate(planning, ref, attributes);
      const stored = {
        id,
        ...attributes,
        ...extra.derived,
        createdAt: planning.now,
        updatedAt: planning.now,
      };
      const item: Item = {
        ...nodeKey(ref),
        Type: entity.label,
        ...stored,
        rev: 0,
        ...indexAttributes(entity, ref, stored),
      };
      const put = create(item, () => conflict(idFieldOf(entity), `this ${labelOf(entity)} exists already`));
      return {
        actions: [...claimGuards(entity, ref, attributes, planning.now), put, ...extra.actions],
        result: viewOf(stored),
        audit: { entity: ref, tenant: extra.tenant, after: viewOf(stored) },
      };
    },
  });
}

function readNodeCommand(entity: Entity, type: EntityType): Command {
  // Guards that need no second value are look-ups as well.
  const lookups = entity.guards.filter((guard) => !guard.within);
  const shape: Record<string, z.ZodType> = {
    [idFieldOf(entity)]: lookups.length > 0 ? idSchemaOf(entity).optional() : idSchemaOf(entity),
  };
  for (const guard of lookups) shape[guard.field] = field.normalised(guard.normalise).optional();
  const fields = Object.keys(shape);
  return readCommand({
    name: `${type}.read`,
    summary: `Reads a ${labelOf(entity)} by ${fields.join(' or ')}.`,
    input: z
      .strictObject(shape)
      .refine((given) => Object.keys(given).length === 1, `exactly one of ${fields.join(', ')} is needed`),
    run: async ({ reader }, given: Attributes) => {
      const [by = '', value] = Object.entries(given)[0] ?? [];
      const guard = lookups.find((each) => each.field === by);
      const found = guard ? await reader.get(guardKey(guard.kind, String(value))) : undefined;
      if (guard && !found) throw notFound(by, `a ${labelOf(entity)} with this ${by}`);
      const id = found ? String(found.owner).slice(type.length + 1) : String(value);
      const item = await reader.get(nodeKey({ type, id }));
      if (!item) throw notFound(by, `this ${labelOf(entity)}`);
      return viewOf(item);
    },
  });
}

/** Optional attributes may be cleared with null; those that must be there may only be replaced. */
function updateSchema(entity: Entity): z.ZodObject {
  const shape: Record<string, z.ZodType> = { [idFieldOf(entity)]: idSchemaOf(entity) };
  for (const [attribute, schema] of Object.entries(entity.attributes.shape) as [string, z.ZodType][]) {
    if (entity.immutable?.includes(attribute)) continue;
    const cleared = schema.safeParse(undefined).success && entity.defaults?.[attribute] === undefined;
    shape[attribute] = cleared ? schema.nullable() : schema.optional();
  }
  return z.strictObject(shape);
}

function updateCommand(entity: Entity, type: EntityType, behaviour: Behaviour): Command {
  const fixed = entity.immutable ? ` Fixed at creation: ${entity.immutable.join(', ')}.` : '';
  return writeCommand({
    name: `${type}.update`,
    summary: `Changes a ${labelOf(entity)}; null clears an optional field.${fixed}`,
    input: updateSchema(entity).refine((given) => Object.keys(given).length > 1, 'nothing to change'),
    plan: async (planning, given: Attributes) => {
      const { [idFieldOf(entity)]: id, ...changes } = given;
      const node = await loadNode(planning, type, String(id), idFieldOf(entity));
      const after: Record<string, unknown> = { ...viewOf(node.item), ...changes, updatedAt: planning.now };
      for (const attribute of Object.keys(changes)) if (after[attribute] === null) delete after[attribute];
      const update: Action = {
        kind: 'update',
        key: nodeKey(node.ref),
        ...toUpdate({
          ...changes,
          ...indexChanges(entity, node.ref, node.item, after),
          updatedAt: planning.now,
        }),
        add: { rev: 1 },
        // What was read decides which guards are freed, so it must still be so. It is the first condition:
        // a guard that has moved on with its owner is no conflict, but a reason to plan again.
        when: { exists: true, equals: guardedValues(entity, node.item) },
        failure: (found) => (found ? stale(entity) : notFound(idFieldOf(entity), `this ${labelOf(entity)}`)),
      };
      const extra = (await behaviour.onUpdate?.(planning, node, after, changes)) ?? [];
      return {
        actions: [update, ...moveGuards(entity, node.ref, node.item, after, planning.now), ...extra],
        result: viewOf(after),
        audit: {
          entity: node.ref,
          tenant: behaviour.tenantOf?.(node),
          before: viewOf(node.item),
          after: viewOf(after),
        },
      };
    },
  });
}

/** The node changed between our read and our write: plan again from what it is now. */
const stale = (entity: Entity) =>
  new GatehouseError('stale', `the ${labelOf(entity)} was changed by someone else meanwhile`, {
    field: idFieldOf(entity),
  });

function deleteCommand(entity: Entity, type: EntityType, behaviour: Behaviour): Command {
  return writeCommand({
    name: `${type}.delete`,
    summary: `Deletes a ${labelOf(entity)} with its edges and frees its unique values.`,
    input: z.strictObject({ [idFieldOf(entity)]: idSchemaOf(entity) }),
    plan: async (planning, given: Attributes) => {
      const id = String(given[idFieldOf(entity)]);
      const node = await loadNode(planning, type, id, idFieldOf(entity));
      // Read after the node: an edge that comes or goes from here on changes the revision.
      const around = await planning.reader.listAll({ ranges: [{ partition: partitionOf(node.ref) }] });
      const remove: Action = {
        kind: 'delete',
        key: nodeKey(node.ref),
        when: { exists: true, equals: { rev: node.item.rev as number } },
        failure: (found) => (found ? stale(entity) : notFound(idFieldOf(entity), `this ${labelOf(entity)}`)),
      };
      const edges = around.flatMap((item) => {
        const edge = readEdge(item);
        return edge ? removeEdge(edge, planning.writtenAt) : [];
      });
      return {
        actions: [
          remove,
          ...freeGuards(entity, node.ref, node.item),
          ...edges,
          ...(await behaviour.onDelete(planning, node, around)),
        ],
        result: { [idFieldOf(entity)]: id, deleted: true },
        audit: { entity: node.ref, tenant: behaviour.tenantOf?.(node), before: viewOf(node.item) },
        advice: howToLighten(around),
      };
    },
  });
}

/** Refuses to delete a node that still owns something. */
export function refuseWhileOwning(node: Node, around: readonly Item[]): void {
  const owned = around.filter((item) => item.Type === 'Ownership');
  const [first] = owned;
  if (first) {
    throw conflict(
      'id',
      `the ${node.ref.type} still has ${owned.length} dependent(s), the first is ${String(first.owned)}`,
    );
  }
}
