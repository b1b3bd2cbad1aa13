import * as z from 'zod';
import { isRef } from '../identifiers.ts';
import { normaliseEmail, normaliseName, normalisePhone, normaliseUsername } from '../normalise.ts';
import { parsePathTemplate, parseScopeTemplate, parseValueTemplate, routeShape } from '../route-template.ts';
import type { Entity } from './entity.ts';
import * as field from './fields.ts';
import { SCOPES } from './scopes.ts';

/** A role's scope: `global`, `tenant` (grantable in any tenant), or the root that owns it (`tenant:01J…`). */
const roleScope = z
  .string()
  .max(100)
  .refine(
    (value) => value === 'global' || value === 'tenant' || isRef(value),
    'is neither global, nor tenant, nor a reference such as tenant:01J8Z0E2Z8D2A3J7A7Y2H9GQ9C',
  );

/**
 * The kinds of nodes. Everything that differs from kind to kind and is not behaviour stands here:
 * attributes and their schemas, guards, lists.
 */
export const ENTITIES = {
  ...SCOPES,
  user: {
    type: 'user',
    label: 'User',
    summary: 'A person who is granted access.',
    attributes: z.strictObject({
      email: field.normalised(normaliseEmail).optional(),
      emailProvider: z.enum(['google', 'github', 'microsoft']).optional(),
      phone: field.normalised(normalisePhone).optional(),
      username: field.normalised(normaliseUsername).optional(),
      displayName: field.text(256).optional(),
      givenName: field.text(128).optional(),
      familyName: field.text(128).optional(),
      title: field.text(256).optional(),
      department: field.text(256).optional(),
      userType: z
        .enum(['MEMBER', 'LEAD', 'internal', 'client_admin', 'external_customer', 'external_tenant'])
        .optional(),
      tenant: field.ref.optional(),
      status: z.enum(['active', 'disabled', 'inactive']).optional(),
      endsAt: field.instant.optional(),
      lastLoginAt: field.instant.optional(),
      invitedBy: field.id.optional(),
      invitedAt: field.instant.optional(),
      mfaEnabled: z.boolean().optional(),
      mfaType: field.text(64).optional(),
      mfaSecret: field.text(1_024).optional(),
      passwordHash: field.text(1_024).optional(),
      passwordLastChangedAt: field.instant.optional(),
    }),
    defaults: { status: 'active' },
    secret: ['mfaSecret', 'passwordHash'],
    inTenant: { tenant: 'tenant', time: 'createdAt' },
    byStatus: { status: 'status', date: 'endsAt' },
    guards: [
      { kind: 'EMAIL', field: 'email', normalise: normaliseEmail, repeats: { provider: 'emailProvider' } },
      { kind: 'PHONE', field: 'phone', normalise: normalisePhone },
      { kind: 'USERNAME', field: 'username', normalise: normaliseUsername },
    ],
    listShards: 16,
  },
  group: {
    type: 'group',
    label: 'Group',
    summary: 'A set of users at one scope; it carries roles.',
    attributes: z.strictObject({
      scope: field.ref,
      name: field.name,
      groupType: z.enum(['TEACHER', 'VOLUNTEER']).optional(),
      description: field.text(1_000).optional(),
    }),
    immutable: ['scope'],
    inTenant: { tenant: 'root', time: 'createdAt' },
    guards: [],
    listShards: 8,
  },
  role: {
    type: 'role',
    label: 'Role',
    summary: 'A named set of permissions: global, grantable in any tenant, or owned by one tenant.',
    attributes: z.strictObject({
      name: field.name,
      scope: roleScope,
      parent: field.id.optional(),
      description: field.text(1_000).optional(),
    }),
    immutable: ['scope'],
    inTenant: { tenant: 'scope', time: 'createdAt' },
    guards: [{ kind: 'ROLE_NAME', field: 'name', normalise: normaliseName, within: ['scope'] }],
    listShards: 4,
  },
  page: {
    type: 'page',
    label: 'Page',
    summary: 'A page that can be checked (seed 003), or a menu key (seed 002).',
    attributes: z.strictObject({ name: field.pageName, description: field.text(1_000).optional() }),
    immutable: ['name'],
    naturalKey: 'name',
    guards: [],
    listShards: 4,
  },
  permission: {
    type: 'permission',
    label: 'Permission',
    summary: 'A permission module:action:resource that can be checked (seeds 000 and 001).',
    attributes: z.strictObject({
      name: field.permissionName.refine(
        (value) => value.includes(':'),
        'is not of the form module:action:resource',
      ),
      description: field.text(1_000).optional(),
      isDangerous: z.boolean().optional(),
    }),
    defaults: { isDangerous: false },
    immutable: ['name'],
    naturalKey: 'name',
    guards: [],
    listShards: 4,
  },
  route: {
    type: 'route',
    label: 'Route',
    summary: 'Which permission and scope a request to one route of an API needs.',
    attributes: z.strictObject({
      api: field.pageName.optional(),
      method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'ANY']),
      path: field.parsed(400, parsePathTemplate),
      permission: field.parsed(400, parseValueTemplate),
      scope: field.parsed(400, parseScopeTemplate),
      description: field.text(1_000).optional(),
    }),
    defaults: { api: 'default' },
    immutable: ['api', 'method', 'path'],
    guards: [{ kind: 'API_ROUTE', field: 'path', normalise: routeShape, within: ['api', 'method'] }],
    listShards: 4,
  },
} as const satisfies Record<string, Entity>;

export type EntityType = keyof typeof ENTITIES;
