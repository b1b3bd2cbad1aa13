import * as z from 'zod';
import {
  flag,
  instant,
  list,
  listed,
  name,
  named,
  names,
  object,
  pageName,
  permissionName,
  permissionOrPattern,
} from './fields.ts';

/**
 * What decisions rest on (SPEC section 2), as people write it: everything has a name, and refers to other things by
 * their names. Which names there are, and whether they fit, is for references.ts; what a status may be and what may
 * stand where, for the commands of provisioning.
 */
const period = { from: instant.optional(), until: instant.optional() };
const status = z.string('must be a status, as active').optional();

const scopeType = object({
  root: flag.optional(),
  parents: names(z.string()),
  children: names(z.string()),
});

const scope = object({
  type: z.string('must be a type, as tenant or location'),
  parent: name.optional(),
  status,
  combination: z
    .enum(['allow-overrides', 'deny-overrides'], 'must be allow-overrides or deny-overrides')
    .optional(),
  /** Of a workstream: the enterprise for which it needs a licence. */
  enterprise: name.optional(),
});

/** Grantable in any tenant unless it is global, or a tenant owns it. */
const role = object({
  global: flag.optional(),
  owner: name.optional(),
  parent: name.optional(),
  allow: names(permissionOrPattern),
  deny: names(permissionOrPattern),
});

const group = object({ scope: name, roles: names(name) });

const assignment = object({ role: name, scope: name, ...period });

const standing = {
  status,
  /** The end date. */
  until: instant.optional(),
  admin: flag.optional(),
  groups: names(name),
  assignments: list(assignment),
  /** Tenants, each with the roles there. */
  grants: named(names(name)),
  globalRoles: names(name),
};

export const worldSchema = object({
  scopeTypes: named(scopeType),
  modules: listed(object({ sold: flag.optional() }), pageName),
  pages: listed(object({ module: name.optional() }), pageName),
  permissions: listed(object({}), permissionName),
  scopes: named(scope),
  roles: named(role),
  groups: named(group),
  users: named(object(standing)),
  technicalUsers: named(object({ account: name, ...standing })),
  subscriptions: list(object({ scope: name, module: name, status, ...period })),
  licenses: list(object({ account: name, enterprise: name, status, ...period })),
});

export type World = z.infer<typeof worldSchema>;
export type Standing = World['users'][string];
