import type * as z from 'zod';
import type { Entity } from '../../table/entities/entity.ts';
import * as field from '../../table/entities/fields.ts';
import {
  isRef,
  parseRef,
  REGISTERED_SUBJECT,
  type Ref,
  readSubject,
  subjectNode,
} from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import type { Action } from '../../table/write/action.ts';
import type { Owner } from '../nodes/ownership.ts';
import type { Node, Planning } from '../plan.ts';

/**
 * A kind of node: its entry in the registry, and its behaviour: what is particular to it (decision items,
 * owners). The commands of node-commands.ts and the deletion are made from both.
 */
export interface NodeKind {
  readonly entity: Entity;
  readonly behaviour: Behaviour;
}

export type Attributes = Readonly<Record<string, unknown>>;

export interface Behaviour {
  /** The owners of the node, from its attributes, where the registry does not name them all. */
  readonly owners?: (attributes: Attributes, ref: Ref) => readonly Owner[];
  /** Attributes that decide what else an update writes: they must still be as they were read. */
  readonly asRead?: readonly string[];
  /** Actions beside the node, its guards and its owners' edges, and attributes derived at creation. */
  readonly onCreate?: (planning: Planning, ref: Ref, attributes: Attributes) => Promise<Extra>;
  /** An action for a chosen id, which may have belonged to what is to stay away; `again` says that it may come back. */
  readonly onChosenId?: (ref: Ref, again: boolean) => Action;
  /** Actions beside those; `after` holds all attributes as they will be. */
  readonly onUpdate?: (
    planning: Planning,
    node: Node,
    after: Attributes,
    changes: Attributes,
  ) => Promise<readonly Action[]>;
  /** The node cannot be deleted while it owns others. */
  readonly keepsOwned?: true;
  /** Throws when the node cannot be deleted as things are, for another reason. */
  readonly refuseDeletion?: (planning: Planning, node: Node) => Promise<void>;
  /** Makes the node count for nothing at once, before its edges go in steps. */
  readonly close?: (node: Node) => readonly Action[];
  /** What must go with the node beside its edges, in portions any number of which fit into one step. */
  readonly remains?: (
    planning: Planning,
    node: Node,
    around: readonly Item[],
  ) => Promise<readonly Action[][]>;
  /** Actions of the deletion itself, beside the node, its guards, its owners' edges and what hung on it. */
  readonly onDelete?: (node: Node) => readonly Action[];
}

interface Extra {
  readonly actions?: readonly Action[];
  /** Attributes that creation works out: part of the node beside those that were given. */
  readonly derived?: Attributes;
  /** Attributes of the answer that are kept nowhere. */
  readonly shownOnce?: Attributes;
}

/** The tenant whose log records changes of a node: the one that lists it, or the root of a scope. */
export function tenantOf({ inTenant }: Entity, attributes: Attributes): Ref | undefined {
  const tenant = attributes[inTenant?.tenant ?? 'root'];
  return typeof tenant === 'string' && isRef(tenant) ? parseRef(tenant, 'tenant') : undefined;
}

/** The owners of a node. */
export const ownersOf = (
  { entity, behaviour }: NodeKind,
  attributes: Attributes,
  ref: Ref,
): readonly Owner[] =>
  behaviour.owners?.(attributes, ref) ??
  (entity.hangsOn ?? []).flatMap((field) => {
    const value = attributes[field];
    if (typeof value !== 'string') return [];
    if (field === 'user') return [{ ref: readSubject(value, field), field }];
    return [{ ref: isRef(value) ? parseRef(value, field) : { type: field, id: value }, field }];
  });

/** The kind's name in a sentence: `technical user`. */
export const labelOf = ({ type }: Entity): string => type.replaceAll('-', ' ');

/** The same with its article. Names of kinds that begin with a vowel's letter but not its sound: `user`. */
export const aKind = (entity: Entity): string => {
  const label = labelOf(entity);
  return /^[aeio]/.test(label) ? `an ${label}` : `a ${label}`;
};

/** The input field that is blamed when a node is not as it should be: its id, or the end of the natural key. */
export const idFieldOf = (entity: Entity): string => entity.naturalKey?.at(-1) ?? 'id';

/** The input fields that name a node: its id, its natural key, or, where the type is data, type and id. */
export function nameFieldsOf(entity: Entity): Readonly<Record<string, z.ZodType>> {
  const attribute = (name: string) => entity.attributes.shape[name] as z.ZodType;
  if (entity.naturalKey) return Object.fromEntries(entity.naturalKey.map((name) => [name, attribute(name)]));
  return entity.typeFrom ? { [entity.typeFrom]: attribute(entity.typeFrom), id: field.id } : { id: field.id };
}

/** The node that the input of read, update and delete names. */
export const namedBy = (entity: Entity, given: Attributes): Ref => {
  const id = (entity.naturalKey ?? ['id']).map((name) => String(given[name])).join(':');
  if (!entity.typeFrom) return { type: entity.type, id };
  const typed = { type: String(given[entity.typeFrom]), id };
  return entity.type === REGISTERED_SUBJECT ? subjectNode(typed) : typed;
};

/** The input that names a node, as {@link namedBy} reads it. */
export function namesOf(entity: Entity, ref: Ref): Attributes {
  const { type, id } = entity.type === REGISTERED_SUBJECT ? parseRef(ref.id, 'id') : ref;
  const [first = 'id', ...rest] = entity.naturalKey ?? [];
  const parts = id.split(':');
  // Only the first attribute of a natural key holds colons.
  const last = parts.splice(parts.length - rest.length);
  return {
    ...(entity.typeFrom ? { [entity.typeFrom]: type } : {}),
    [first]: parts.join(':'),
    ...Object.fromEntries(rest.map((name, position) => [name, last[position]])),
  };
}
