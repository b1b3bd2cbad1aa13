import * as z from 'zod';
import type { Entity } from '../../table/entities/entity.ts';
import * as field from '../../table/entities/fields.ts';
import { notAdded } from '../../table/entities/scope-types.ts';
import {
  formatRef,
  isRef,
  MAX_REF_LENGTH,
  parseRef,
  REGISTERED_SUBJECT,
  type Ref,
  readSubject,
  subjectNode,
} from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import type { Action } from '../../table/write/action.ts';
import type { Command } from '../command.ts';
import type { Owner } from '../nodes/ownership.ts';
import type { AuditEntry, Node, Planning } from '../plan.ts';
import type { Attributes } from '../visible.ts';

/**
 * A kind of node: its entry in the registry, and its behaviour: what is particular to it (owners,
 * refusals). The commands of node-commands.ts and the deletion are made from both.
 */
export interface NodeKind {
  readonly entity: Entity;
  readonly behaviour: Behaviour;
  /** Beside create, read, update and delete; where left out, its list. */
  readonly commands?: readonly Command[] | undefined;
}

export interface Behaviour {
  /** The owners of the node, from its attributes, where the registry does not name them all. */
  readonly owners?: (attributes: Attributes, ref: Ref) => readonly Owner[];
  /** Attributes that decide what else an update writes: they must still be as they were read. */
  readonly asRead?: readonly string[];
  /**
   * Throws where a creation or a change is not possible; `after` holds all attributes as they will be, `changes` those
   * that are given: at a creation both are the same. It comes before what else is read.
   */
  readonly check?: (planning: Planning, changes: Attributes, after: Attributes) => Promise<void>;
  /** Actions beside the node, its guards and its owners' edges, and attributes derived at creation. */
  readonly onCreate?: (planning: Planning, ref: Ref, attributes: Attributes) => Promise<Extra | undefined>;
  /** An action for a chosen id, which may have belonged to what is to stay away; `again` says that it may come back. */
  readonly onChosenId?: (ref: Ref, again: boolean) => Action;
  /** Actions beside those; `after` holds all attributes as they will be. */
  readonly onUpdate?: (
    planning: Planning,
    node: Node,
    after: Attributes,
    changes: Attributes,
  ) => Promise<readonly Action[] | undefined>;
  /** The node cannot be deleted while it owns others: of any type, or of these. */
  readonly keepsOwned?: true | readonly string[];
  /** Conditions of a deletion that are read before what the node owns: what came since does not touch the node. */
  readonly beforeDeletion?: (planning: Planning, node: Node) => Promise<readonly Action[]>;
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

/** What a creation adds to the node. */
export interface Extra {
  readonly actions?: readonly Action[];
  /** Attributes that creation works out: part of the node beside those that were given. */
  readonly derived?: Attributes;
  /** Attributes of the answer that are kept nowhere. */
  readonly shownOnce?: Attributes;
  /** Of the audit entry. */
  readonly lent?: AuditEntry['lent'];
}

/** The tenant whose log records changes of a node: the one that lists it, or the root of a scope. */
export function tenantOf({ inTenant }: Entity, attributes: Attributes): Ref | undefined {
  const tenant = attributes[inTenant?.tenant ?? 'root'];
  return typeof tenant === 'string' && isRef(tenant) ? parseRef(tenant, 'tenant') : undefined;
}

/** The type of an owner that is named by its id, where the attribute is called otherwise. */
const OWNER_TYPES: Readonly<Record<string, string>> = { connection: 'scim-connection' };

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
    return [
      {
        ref: isRef(value) ? parseRef(value, field) : { type: OWNER_TYPES[field] ?? field, id: value },
        field,
      },
    ];
  });

/** The kind's name in a sentence: `technical user`. */
export const labelOf = ({ type }: Pick<Entity, 'type'>): string => type.replaceAll('-', ' ');

/** The `Type` of its items: `TechnicalUser`. */
export const itemTypeOf = ({ type, label }: Pick<Entity, 'type' | 'label'>): string =>
  label ?? type.replace(/(?:^|-)(.)/g, (_, first: string) => first.toUpperCase());

/** The same with its article. Names of kinds that begin with a vowel's letter but not its sound: `user`. */
export const aKind = (entity: Entity): string => {
  const label = labelOf(entity);
  return /^[aeio]/.test(label) ? `an ${label}` : `a ${label}`;
};

/** The attribute that is blamed when a node exists already: its id, or the end of the natural key. */
export const idFieldOf = (entity: Entity): string => entity.naturalKey?.at(-1) ?? 'id';

/** The field of read, update and delete that is blamed when a node is not as it should be. */
export const nameFieldOf = (entity: Entity): string => entity.namedIn ?? idFieldOf(entity);

const ADDED: Readonly<Record<NonNullable<Entity['namedIn']>, string>> = {
  scope: 'reference such as `ward:ID` to a scope of an added type',
  user: 'reference such as `device:ID` to a subject of an added type',
};

/** A reference of a type that was added, in the input of `KIND.VERB`. */
const typedRef = (type: z.ZodType, namedIn: NonNullable<Entity['namedIn']>, verb: string) =>
  z
    .string()
    .max(MAX_REF_LENGTH)
    .superRefine((text, context) => {
      if (!isRef(text)) return context.addIssue('is not a reference of the form type:id');
      const { type: given } = parseRef(text, namedIn);
      if (!type.safeParse(given).success) context.addIssue(notAdded(given, verb));
    })
    .describe(ADDED[namedIn]);

/**
 * The input fields of `KIND.VERB` that name a node: its id, its natural key, or, where the type is data, its
 * reference.
 */
export function nameFieldsOf(entity: Entity, verb: string): Readonly<Record<string, z.ZodType>> {
  const { naturalKey, typeFrom, namedIn } = entity;
  const attribute = (name: string) => entity.attributes.shape[name] as z.ZodType;
  if (naturalKey) return Object.fromEntries(naturalKey.map((name) => [name, attribute(name)]));
  return typeFrom && namedIn ? { [namedIn]: typedRef(attribute(typeFrom), namedIn, verb) } : { id: field.id };
}

/** The node that has these attributes: its id, with its type where that is data, or its natural key. */
export const nodeOf = (entity: Entity, attributes: Attributes): Ref => {
  const id = (entity.naturalKey ?? ['id']).map((name) => String(attributes[name])).join(':');
  if (!entity.typeFrom) return { type: entity.type, id };
  return asNode(entity, { type: String(attributes[entity.typeFrom]), id });
};

/** The node that the input of read, update and delete names. */
export const namedBy = (entity: Entity, given: Attributes): Ref =>
  entity.namedIn
    ? asNode(entity, parseRef(String(given[entity.namedIn]), entity.namedIn))
    : nodeOf(entity, given);

const asNode = ({ type }: Entity, ref: Ref): Ref => (type === REGISTERED_SUBJECT ? subjectNode(ref) : ref);

/** The input that names a node, as {@link namedBy} reads it. */
export const namesOf = (entity: Entity, ref: Ref): Attributes =>
  entity.namedIn ? { [entity.namedIn]: formatRef(ref) } : idsOf(entity, ref);

/** The attributes by which a node is what it is, as {@link nodeOf} reads them. */
export function idsOf(entity: Entity, ref: Ref): Attributes {
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
