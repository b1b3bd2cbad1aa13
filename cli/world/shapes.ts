import * as z from 'zod';
import { flag, list, name, named, names, object, permissionOrPattern } from './fields.ts';

/**
 * What things of a world and of a manifest (manifest/schema.ts) have in common. A manifest says more of each, and
 * clears with null.
 */
export const status = z.string('must be a status, as active').optional();

export const scopeType = {
  root: flag.optional(),
  parents: names(z.string()),
  children: names(z.string()),
};

export const scope = {
  type: z.string('must be a type, as tenant or location'),
  parent: name.optional(),
  status,
  combination: z
    .enum(['allow-overrides', 'deny-overrides'], 'must be allow-overrides or deny-overrides')
    .optional(),
  /** Of a workstream: the enterprise for which it needs a licence. */
  enterprise: name.optional(),
};

/** Grantable in any tenant unless it is global, or a tenant owns it. */
export const role = {
  global: flag.optional(),
  owner: name.optional(),
  parent: name.optional(),
  allow: names(permissionOrPattern),
  deny: names(permissionOrPattern),
};

export const group = { scope: name, roles: names(name) };

/** A period between two instants, each as the file may write it. */
export const periodOf = <T extends z.ZodType>(instant: T) => ({ from: instant, until: instant });

/** What somebody is and holds, with instants as the file may write them. */
export const accessShape = <T extends z.ZodType>(instant: T) => ({
  status,
  /** The end date. */
  until: instant,
  admin: flag.optional(),
  groups: names(name),
  assignments: list(object({ role: name, scope: name, ...periodOf(instant) })),
  /** Tenants, each with the roles there. */
  grants: named(names(name)),
  globalRoles: names(name),
});
