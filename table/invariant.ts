import * as z from 'zod';
import * as field from './entities/fields.ts';
import { ENTITIES } from './entities/registry.ts';

const { name, separate, within, never, except } = ENTITIES.invariant.attributes.shape;

/** What an invariant of `separate` must not have, and one of `never`. */
const isOne = (of: { separate?: unknown; within?: unknown; never?: unknown; except?: unknown }): boolean =>
  of.separate === undefined
    ? of.never !== undefined && of.within === undefined
    : of.never === undefined && of.except === undefined;

export const NOT_ONE = 'give either separate, with within or not, or never, with except or not';

/**
 * A statement about all answers in one tenant: that nobody may have two of the permissions of
 * `separate` at a time, anywhere in the tenant or at one scope; or that nobody may have `never`, except the members of a
 * group.
 */
export const invariantSchema = z
  .strictObject({ id: field.id, name, separate, within, never, except })
  .refine(isOne, NOT_ONE);

export type Invariant = z.infer<typeof invariantSchema>;

/** The permissions that an invariant is about. */
export const permissionsOf = ({ separate, never }: Invariant): readonly string[] =>
  separate ?? (never === undefined ? [] : [never]);
