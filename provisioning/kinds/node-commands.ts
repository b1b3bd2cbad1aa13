import * as z from 'zod';
import type { Entity } from '../../table/entities/entity.ts';
import * as field from '../../table/entities/fields.ts';
import type { EntityType } from '../../table/entities/registry.ts';
import { SCOPES } from '../../table/entities/scopes.ts';
import { notFound } from '../../table/errors.ts';
import { isRef, SUBJECT_NODES } from '../../table/identifiers.ts';
import { nodeKey } from '../../table/keys.ts';
import { type Command, changesAccess, POSSIBLY, RESTORE, readCommand, writeCommand } from '../command.ts';
import { guardKeyOf, ownerOf } from '../nodes/guards.ts';
import { loadRef } from '../nodes/nodes.ts';
import { readScopeRef } from '../nodes/scope-types.ts';
import { type Attributes, visible } from '../visible.ts';
import { planDeletionOf } from './deletion.ts';
import { isClosed } from './entries.ts';
import { listOfKind } from './lists.ts';
import { aKind, labelOf, type NodeKind, namedBy, nameFieldOf, nameFieldsOf } from './node-kind.ts';
import { planChange, planCreation } from './writing.ts';

/**
 * Create, read, update and delete for a kind of node, and what it has beside these or in their place. What is fixed at its
 * creation has no update.
 */
export function nodeCommands(kind: NodeKind): readonly Command[] {
  const { entity, commands: own = [listOfKind(entity.type as EntityType)] } = kind;
  const isFixed = Object.keys(entity.attributes.shape).every((name) => entity.immutable?.includes(name));
  const made = [
    createCommand(kind),
    readNodeCommand(entity),
    ...(isFixed ? [] : [updateCommand(kind)]),
    deleteCommand(kind),
  ];
  return [...made.filter(({ name }) => !own.some((each) => each.name === name)), ...own];
}

const AGAIN = z.boolean().optional().describe('whether somebody who was erased under this id may come back');

function createCommand(kind: NodeKind): Command {
  const { entity, behaviour } = kind;
  const input = entity.naturalKey
    ? entity.attributes
    : entity.attributes.extend({
        id: field.id.optional(),
        ...(behaviour.onChosenId ? { again: AGAIN } : {}),
      });
  return writeCommand({
    name: `${entity.type}.create`,
    summary: `Creates ${aKind(entity)}. ${entity.summary}`,
    input,
    plan: (planning, given: Attributes) => planCreation(planning, kind, given),
  });
}

/** By its id, or by a unique value: guards are look-ups as well. */
function readNodeCommand(entity: Entity): Command {
  const names = nameFieldsOf(entity, 'read');
  const lookups = lookupsOf(entity);
  const choices = [Object.keys(names), ...lookups.choices];
  const shape = { ...names, ...lookups.shape };
  const spelled = choices.map((choice) => choice.join(' and ')).join(' or ');
  return readCommand({
    name: `${entity.type}.read`,
    summary: `Reads ${aKind(entity)} by ${entity.namedIn ? 'its reference' : spelled}.`,
    input:
      lookups.choices.length > 0
        ? z.strictObject(shape).partial().refine(isOneOf(choices), `give exactly one of ${spelled}`)
        : z.strictObject(shape),
    run: async ({ reader }, given: Attributes) => {
      const guard = entity.guards.find(
        (each) => !(nameFieldOf(entity) in given) && given[each.field] !== undefined,
      );
      const by = guard?.field ?? nameFieldOf(entity);
      const key = guard && guardKeyOf(guard, given);
      const found = key ? await reader.get(key) : undefined;
      if (key && !found) {
        const { scope } = given;
        if (typeof scope === 'string' && isRef(scope)) await readScopeRef(reader, scope, 'scope');
        throw notFound(by, `${aKind(entity)} with this ${by}`);
      }
      const item = await reader.get(nodeKey(found ? ownerOf(found, entity) : namedBy(entity, given)));
      if (!item) throw notFound(by, `this ${labelOf(entity)}`);
      return visible(item);
    },
  });
}

/** What the guards of a kind find it by: fields that are given together, and the schemas of them all. */
export function lookupsOf({ guards, attributes }: Entity) {
  const choices = guards.map((guard) => [guard.field, ...(guard.within ?? [])]);
  const shape: Record<string, z.ZodType> = {};
  for (const name of choices.flat()) shape[name] = attributes.shape[name] as z.ZodType;
  for (const { field: name, normalise } of guards) shape[name] = field.normalised(normalise);
  return { choices, shape };
}

/** Whether an input has all fields of one choice, and no others. */
export const isOneOf =
  (choices: readonly (readonly string[])[]) =>
  (given: Attributes): boolean =>
    choices.some(
      (choice) =>
        choice.length === Object.keys(given).length && choice.every((name) => given[name] !== undefined),
    );

/** Optional attributes may be cleared with null; those that must be there may only be replaced. */
export function updateSchema(entity: Entity) {
  const shape: Record<string, z.ZodType> = { ...nameFieldsOf(entity, 'update') };
  for (const [attribute, schema] of Object.entries(entity.attributes.shape) as [string, z.ZodType][]) {
    if (entity.immutable?.includes(attribute)) continue;
    const isKept =
      entity.defaults?.[attribute] !== undefined ||
      entity.filledIn?.includes(attribute) ||
      entity.lasting?.includes(attribute);
    const cleared = schema.safeParse(undefined).success && !isKept;
    shape[attribute] = cleared ? schema.nullable() : schema.optional();
  }
  return z
    .strictObject(shape)
    .refine((given) => Object.keys(given).length > namesIn(entity).length, 'nothing to change');
}

const namesIn = (entity: Entity): readonly string[] => Object.keys(nameFieldsOf(entity, 'update'));

function updateCommand(kind: NodeKind): Command {
  const { entity } = kind;
  const fixed = entity.immutable ? ` Fixed at creation: ${entity.immutable.join(', ')}.` : '';
  return writeCommand({
    name: `${entity.type}.update`,
    summary: `Changes ${aKind(entity)}; null clears an optional field.${fixed}`,
    input: updateSchema(entity),
    ...(isClosable(entity) || changesAccess(entity.attributes.shape)
      ? {
          destructive: {
            undo: undoOfUpdate(entity),
            ...POSSIBLY,
            ...(isClosable(entity) ? { when: closes } : {}),
          },
        }
      : {}),
    plan: async (planning, given: Attributes) => {
      const names = namesIn(entity);
      const changes = Object.fromEntries(Object.entries(given).filter(([name]) => !names.includes(name)));
      const node = await loadRef(planning, namedBy(entity, given), nameFieldOf(entity));
      return planChange(planning, kind, node, changes);
    },
  });
}

const undoOfUpdate = (entity: Entity): string =>
  isClosable(entity)
    ? `${entity.type}.update with status=active, or with the values that it had`
    : `${entity.type}.update with the values that it had`;

/** Whether its status decides: without an active one nobody gets access by it. */
const isClosable = ({ attributes }: Entity): boolean =>
  attributes.shape.status?.safeParse('active').success === true;
const closes = ({ status }: Attributes): boolean => isClosed(status);

/** Kinds that are granted, or to which something is granted: a new one has none of that. */
const isInEdges = (type: string): boolean =>
  Object.hasOwn(SCOPES, type) ||
  SUBJECT_NODES.includes(type) ||
  ['group', 'role', 'page', 'permission'].includes(type);

const undoOfDeletion = ({ type }: Entity): string =>
  isInEdges(type)
    ? `none: ${type}.create makes a new one, without what was granted to it or by it; ${RESTORE}`
    : type === 'token'
      ? 'none: token.create issues another one'
      : type === 'property'
        ? 'property.create with the same fields; until then no condition that uses it can be evaluated'
        : `${type}.create with the same fields`;

function deleteCommand(kind: NodeKind): Command {
  const { entity } = kind;
  return writeCommand({
    name: `${entity.type}.delete`,
    summary: `Deletes ${aKind(entity)} with its edges and frees its unique values.`,
    inSteps: true,
    input: z.strictObject(nameFieldsOf(entity, 'delete')),
    destructive: { undo: undoOfDeletion(entity) },
    plan: (planning, given: Attributes) =>
      planDeletionOf(planning, kind, namedBy(entity, given), planning.again === true),
  });
}
