import type * as z from 'zod';
import { ACCESS } from './access.ts';
import { ENTITLEMENTS } from './entitlements.ts';
import type { Entity, PlainEntity } from './entity.ts';
import { MANDATES } from './mandates.ts';
import * as PLAIN from './plain/index.ts';
import { RECORDS } from './records.ts';
import { SCIM } from './scim.ts';
import { isBuiltIn, mayBeScopeType } from './scope-types.ts';
import { SCOPES } from './scopes.ts';
import { SUBJECTS } from './subjects.ts';

/**
 * The kinds of nodes. Everything that differs from kind to kind and is not behaviour stands in these entries:
 * attributes and their schemas, guards, lists, time-to-live.
 */
export const ENTITIES = {
  ...SCOPES,
  ...SUBJECTS,
  ...ACCESS,
  ...ENTITLEMENTS,
  ...PLAIN,
  ...SCIM,
  ...RECORDS,
  ...MANDATES,
} as const satisfies Record<string, Entity>;

export type EntityType = keyof typeof ENTITIES;

/** The entry of a type; undefined for a text that is none, as that of scopes and subjects of added types. */
export const entityOf = (type: string): Entity | undefined =>
  Object.hasOwn(ENTITIES, type) ? ENTITIES[type as EntityType] : undefined;

/** The kinds that are no more than their entry. */
export const PLAIN_ENTITIES: readonly PlainEntity[] = Object.values(PLAIN);

type Plain = typeof PLAIN;
type PlainWith<T> = { [K in keyof Plain]: Plain[K] extends T ? Plain[K] : never }[keyof Plain];
/** Their sections of a manifest. */
export type PlainSection = PlainWith<{ readonly section: string }>['section'];

/** What nodes are found by that people name, though no guard makes the name unique. */
const NAMED = ['subject', 'scope', 'group', 'role', 'role-template'] as const;
export type NamedKind = (typeof NAMED)[number] | PlainWith<{ readonly named: object }>['type'];
export const NAMED_KINDS: readonly NamedKind[] = [
  ...NAMED,
  ...PLAIN_ENTITIES.flatMap(({ named }) => (named ? [named.kind as NamedKind] : [])),
];

/** Whether nodes of this type are scopes: of a type that comes with the table or may be added. */
export const isScopeType = (type: string): boolean =>
  isBuiltIn(type) || (mayBeScopeType(type) && !Object.hasOwn(ENTITIES, type));

/** Statuses that end access and can be taken back, the plainest first. */
const CLOSING = ['suspended', 'disabled', 'on-hold', 'inactive'];

/** The statuses that nodes of a type may have. */
export function statusesOf(type: string): readonly string[] {
  const { status } = (entityOf(type)?.attributes.shape ?? {}) as {
    readonly status?: z.ZodOptional<z.ZodEnum<Readonly<Record<string, string>>>>;
  };
  return status?.unwrap().options ?? [];
}

/** The status that closes a scope or disables a subject, by type; `scope` and `subject` are those that were added. */
export const closingStatus = (type: string): string | undefined =>
  CLOSING.find((each) => statusesOf(type).includes(each));
