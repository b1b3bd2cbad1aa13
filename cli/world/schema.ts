import type * as z from 'zod';
import { flag, instant, list, listed, name, named, object, pageName, permissionName } from './fields.ts';
import { accessShape, group, periodOf, role, scope, scopeType, status } from './shapes.ts';

/**
 * What decisions rest on (SPEC section 2), as people write it: everything has a name, and refers to other things by
 * their names. Which names there are, and whether they fit, is for references.ts; what a status may be and what may
 * stand where, for the commands of provisioning.
 */
const since = instant.optional();
const period = periodOf(since);
const access = accessShape(since);

export const worldSchema = object({
  scopeTypes: named(object(scopeType)),
  modules: listed(object({ sold: flag.optional() }), pageName),
  pages: listed(object({ module: name.optional() }), pageName),
  permissions: listed(object({}), permissionName),
  scopes: named(object(scope)),
  roles: named(object(role)),
  groups: named(object(group)),
  users: named(object(access)),
  technicalUsers: named(object({ account: name, ...access })),
  subscriptions: list(object({ scope: name, module: name, status, ...period })),
  licenses: list(object({ account: name, enterprise: name, status, ...period })),
});

export type World = z.infer<typeof worldSchema>;
export type Access = World['users'][string];
