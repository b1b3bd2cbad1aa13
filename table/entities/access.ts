import * as z from 'zod';
import { isRef, isType, MAX_REF_LENGTH } from '../identifiers.ts';
import { normaliseExternalId, normaliseIssuer, normaliseName } from '../normalise.ts';
import { overlap } from '../permission-name.ts';
import { isPropertyName, isPropertyOwner, SOURCES, VALUE_TYPES } from '../properties.ts';
import { isPermissionTemplate, isScopeTemplate } from '../resource-type.ts';
import { parsePathTemplate, parseScopeTemplate, parseValueTemplate, routeShape } from '../route-template.ts';
import type { Entity } from './entity.ts';
import * as field from './fields.ts';
import { isBuiltIn, mayBeScopeType } from './scope-types.ts';

/** A role's scope: `global`, `tenant` (grantable in any tenant), or the root that owns it (`tenant:01J…`). */
const roleScope = z
  .string()
  .max(MAX_REF_LENGTH)
  .refine(
    (value) => value === 'global' || value === 'tenant' || isRef(value),
    'is neither global, nor tenant, nor a reference such as tenant:01J8Z0E2Z8D2A3J7A7Y2H9GQ9C',
  )
  .describe(
    '`global` (held everywhere), `tenant` (granted in any tenant), or the tenant that owns it, as `tenant:ID`',
  );

const description = field.text(1_000).optional();

const allowOnly = (meaning: string) =>
  z.literal(true).optional().describe(`\`true\`: ${meaning}; once set, it stays`);

/** Types of scopes, as a list. */
const scopeTypes = z.array(field.scopeType).max(32).describe('list of scope types');

/** A template lends as many permissions as a role may reasonably hold, in one item. */
const templatePermissions = z
  .array(
    z.strictObject({
      permission: field.permissionOrPattern,
      effect: field.effect,
      when: field.condition.optional(),
    }),
  )
  .max(1_000)
  .refine(
    (list) => new Set(list.map(({ permission }) => permission)).size === list.length,
    'names a permission twice',
  )
  .describe('list of `{ permission, effect, when? }`');

/** Entities whose name is their key. */
const named = { immutable: ['name'], naturalKey: ['name'], guards: [], listShards: 4 } as const;

/** What decides: groups, roles, what they are about, and where it is asked for. */
export const ACCESS = {
  'scope-type': {
    type: 'scope-type',
    summary: 'A type of scope that an operator adds: where it may stand, and what may stand under it.',
    attributes: z.strictObject({
      name: field.addedType((name) => isType(name) && mayBeScopeType(name) && !isBuiltIn(name)),
      root: z.boolean().optional(),
      parents: scopeTypes.optional(),
      children: scopeTypes.optional(),
      description,
    }),
    defaults: { root: false, parents: [], children: [] },
    ...named,
  },
  property: {
    type: 'property',
    summary:
      'The declaration of a property of subjects, resources, actions or the context, over which conditions are evaluated.',
    attributes: z.strictObject({
      of: z
        .string()
        .max(64)
        .refine(isPropertyOwner, 'is none of subject:TYPE, resource:TYPE, action and context')
        .describe(
          '`subject:TYPE` as `subject:user`, `resource:TYPE` as `resource:location`, `action` or `context`',
        ),
      name: z
        .string()
        .max(64)
        .refine(isPropertyName, 'is no name of letters, digits and underscore, the first no digit')
        .describe('name of letters, digits and underscore, at most 64 characters, the first no digit'),
      type: z.enum(VALUE_TYPES),
      source: z.enum(SOURCES).optional(),
      description,
    }),
    filledIn: ['source'],
    immutable: ['of', 'name', 'type', 'source'],
    naturalKey: ['of', 'name'],
    guards: [],
    listShards: 4,
  },
  'resource-type': {
    type: 'resource-type',
    summary:
      'A type of resources of the AuthZEN API: which permissions its actions are, and the scope at which to decide about objects that are not in the table.',
    attributes: z.strictObject({
      name: z
        .string()
        .max(32)
        .refine(isType, 'is no type (lower-case words with dashes)')
        .describe('type of resources, lower-case words with dashes'),
      permission: z
        .string()
        .max(400)
        .refine(isPermissionTemplate, 'is no permission with {action} in it, once')
        .describe('permission with `{action}` and perhaps `{type}`, as `{type}:{action}:{type}`')
        .optional(),
      actions: field.actions.optional(),
      scope: z
        .string()
        .max(200)
        .refine(isScopeTemplate, 'is neither type:id nor type:{property}')
        .describe('`tenant:ID`, or `tenant:{property}` from a property that the caller passes')
        .optional(),
      description,
    }),
    ...named,
  },
  group: {
    type: 'group',
    hangsOn: ['scope'],
    summary: 'A set of users at one scope; it carries roles.',
    attributes: z.strictObject({
      scope: field.ref,
      name: field.name,
      groupType: z.enum(['TEACHER', 'VOLUNTEER']).optional(),
      description,
      everyone: z
        .literal(true)
        .optional()
        .describe('`true`: its members are all active subjects, without memberships; one per scope'),
      allowOnly: allowOnly('it carries only allow-only roles'),
    }),
    lasting: ['allowOnly'],
    immutable: ['scope', 'everyone'],
    inTenant: { tenant: 'root', time: 'createdAt' },
    named: { kind: 'group', by: ['name'], above: 'scope' },
    guards: [],
    listShards: 8,
  },
  'external-group': {
    type: 'external-group',
    hangsOn: ['scope', 'group'],
    summary:
      'What a group of an identity provider means in one tenant: whoever shows a token of the issuer that names it counts as a member of a group there.',
    attributes: z.strictObject({
      scope: field.ref.describe('root scope, as `tenant:ID`'),
      issuer: field.normalised(normaliseIssuer).describe('`iss` of the tokens, as it is'),
      externalId: field.normalised(normaliseExternalId).describe('the group, as it stands in the claim'),
      group: field.id.describe('allow-only group of the tenant'),
      description,
    }),
    immutable: ['scope', 'issuer', 'externalId', 'group'],
    inTenant: { tenant: 'scope', time: 'createdAt' },
    guards: [
      {
        kind: 'EXTERNAL_GROUP_NAME',
        field: 'externalId',
        normalise: normaliseExternalId,
        within: ['scope', 'issuer'],
      },
    ],
    listShards: 4,
  },
  invariant: {
    type: 'invariant',
    hangsOn: ['scope'],
    summary:
      'What must never be true in one tenant: that somebody may do two things, or that somebody may do one.',
    attributes: z.strictObject({
      scope: field.ref.describe('root scope, as `tenant:ID`'),
      name: field.name,
      separate: z
        .array(field.permissionOrPattern)
        .min(2)
        .max(8)
        .refine(
          (all) => !all.some((one, n) => all.slice(n + 1).some((other) => overlap(one, other))),
          'names a permission twice, or patterns that cover the same',
        )
        .optional()
        .describe('list of pages, permissions and patterns of which nobody may have two at a time'),
      within: z
        .enum(['tenant', 'scope'])
        .optional()
        .describe('of `separate`: `tenant` (anywhere in it, if left out) or `scope` (at one and the same)'),
      never: field.permissionOrPattern
        .optional()
        .describe('page, permission or pattern of those that nobody may have'),
      except: z
        .strictObject({ group: field.id })
        .optional()
        .describe('of `never`: `{ group }`, whose members may have it'),
      description,
    }),
    immutable: ['scope'],
    inTenant: { tenant: 'scope', time: 'createdAt' },
    guards: [{ kind: 'INVARIANT_NAME', field: 'name', normalise: normaliseName, within: ['scope'] }],
    listShards: 4,
  },
  role: {
    type: 'role',
    hangsOn: ['scope', 'parent'],
    summary: 'A named set of permissions: global, grantable in any tenant, or owned by one tenant.',
    attributes: z.strictObject({
      name: field.name,
      scope: roleScope,
      parent: field.id.optional(),
      description,
      customTemplateId: field.id.optional(),
      createdBy: field.id.optional(),
      allowOnly: allowOnly(
        'it denies nothing, holds no permission of operators, and inherits only from allow-only roles',
      ),
    }),
    lasting: ['allowOnly'],
    immutable: ['scope', 'customTemplateId', 'createdBy'],
    inTenant: { tenant: 'scope', time: 'createdAt' },
    named: { kind: 'role', by: ['name'], above: 'scope' },
    guards: [{ kind: 'ROLE_NAME', field: 'name', normalise: normaliseName, within: ['scope'] }],
    listShards: 4,
  },
  'role-template': {
    type: 'role-template',
    summary: 'Permissions from which roles are made.',
    attributes: z.strictObject({ name: field.name, description, permissions: templatePermissions }),
    named: { kind: 'role-template', by: ['name'] },
    guards: [{ kind: 'TEMPLATE_NAME', field: 'name', normalise: normaliseName }],
    listShards: 4,
  },
  page: {
    type: 'page',
    hangsOn: ['module'],
    summary: 'A page or menu key that can be checked.',
    attributes: z.strictObject({ name: field.pageName, description, module: field.pageName.optional() }),
    ...named,
  },
  permission: {
    type: 'permission',
    summary: 'A permission module:action:resource that can be checked.',
    attributes: z.strictObject({
      name: field.permissionName.refine(
        (value) => value.includes(':'),
        'is not of the form module:action:resource',
      ),
      description,
      isDangerous: z.boolean().optional(),
    }),
    defaults: { isDangerous: false },
    ...named,
  },
  module: {
    type: 'module',
    summary:
      'A part of the application, the first word of its permissions. One that is sold needs a subscription.',
    attributes: z.strictObject({
      name: field.pageName,
      description,
      soldBySubscription: z.boolean().optional(),
    }),
    defaults: { soldBySubscription: false },
    ...named,
  },
  route: {
    type: 'route',
    summary: 'Which permission and scope a request to one route of an API needs.',
    attributes: z.strictObject({
      api: field.pageName.optional(),
      // A WebSocket's `CONNECT /$connect` and AppSync's `GRAPHQL /` have no verb, and ANY is not for them.
      method: z.enum([
        'GET',
        'HEAD',
        'POST',
        'PUT',
        'PATCH',
        'DELETE',
        'OPTIONS',
        'ANY',
        'CONNECT',
        'GRAPHQL',
      ]),
      path: field.parsed(400, parsePathTemplate),
      permission: field.parsed(400, parseValueTemplate),
      scope: field
        .parsed(400, parseScopeTemplate)
        .describe('scope or template of one, such as `location:{id}` or `tenant:{claim:tenant}`'),
      description,
    }),
    defaults: { api: 'default' },
    immutable: ['api', 'method', 'path'],
    guards: [{ kind: 'API_ROUTE', field: 'path', normalise: routeShape, within: ['api', 'method'] }],
    listShards: 4,
  },
  policy: {
    type: 'policy',
    summary: 'A static policy of Amazon Verified Permissions, by the name that it goes by.',
    attributes: z.strictObject({ policyId: field.pageName, name: field.pageName, description }),
    immutable: ['policyId'],
    naturalKey: ['policyId'],
    byName: 'name',
    guards: [{ kind: 'POLICY_NAME', field: 'name', normalise: normaliseName }],
    listShards: 4,
  },
} as const satisfies Record<string, Entity>;
