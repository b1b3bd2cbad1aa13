import * as z from 'zod';
import { METHODS } from '../../authorizer/routes/rule.ts';
import type { Entity } from '../../table/entities/entity.ts';
import * as field from '../../table/entities/fields.ts';
import { ENTITIES } from '../../table/entities/registry.ts';
import { SCOPES } from '../../table/entities/scopes.ts';
import { permissionTemplate, scopeTemplate } from '../routes/schema.ts';
import {
  flag,
  instant,
  list,
  listed,
  name,
  named,
  object,
  pageName,
  permissionName,
} from '../world/fields.ts';
import * as shape from '../world/shapes.ts';

/**
 * A tenant, or several, as people write them down: a world (world/schema.ts) whose things may have an id, and all the
 * attributes that the commands of provisioning give them. What is left out of a thing is not said, and stays as it is
 * in the table; null clears it.
 */
const text = z.string('must be a text');
const id = z.string('must be an id, in quotes').pipe(field.id).optional();
const since = instant.nullable().optional();
const period = shape.periodOf(since);

/** Attributes of commands that the file calls as they do. Those of one name and several schemas are judged later. */
function attributes(entities: readonly Entity[], ...except: readonly string[]): Record<string, z.ZodType> {
  const found = new Map<string, Set<z.ZodType>>();
  for (const entity of entities) {
    for (const [key, schema] of Object.entries(entity.attributes.shape) as [string, z.ZodType][]) {
      if (except.includes(key) || entity.secret?.includes(key)) continue;
      found.set(key, (found.get(key) ?? new Set()).add(schema));
    }
  }
  return Object.fromEntries(
    [...found].map(([key, schemas]) => {
      const [only] = schemas;
      return [key, (only && schemas.size === 1 ? only : z.json()).nullable().optional()];
    }),
  );
}

/** Attributes of scopes beside those that are named below; `type` of a zone or a device is its `kind` here. */
export const SCOPE_ATTRIBUTES = attributes(
  Object.values(SCOPES),
  ...['type', 'name', 'parent', 'status', 'combination', 'enterprise'],
);
export const USER_ATTRIBUTES = attributes([ENTITIES.user], 'tenant', 'status', 'endsAt');

const description = field.text(1_000).nullable().optional();

const scopeType = object({ ...shape.scopeType, description });

const scope = object({
  ...{ id, name: name.optional() },
  ...shape.scope,
  kind: text.nullable().optional(),
  ...SCOPE_ATTRIBUTES,
});

const role = object({
  ...{ id, name: name.optional() },
  ...{ ...shape.role, parent: name.nullable().optional() },
  description,
});

const group = object({
  ...{ id, name: name.optional() },
  ...shape.group,
  ...attributes([ENTITIES.group], 'name', 'scope'),
});

const access = { id, ...shape.accessShape(since) };

const user = object({ ...access, tenant: name.nullable().optional(), ...USER_ATTRIBUTES });
const technicalUser = object({ ...access, account: name, name: name.optional(), description });

const subscription = object({
  id,
  scope: name,
  module: name,
  status: shape.status,
  ...period,
  ...attributes([ENTITIES.subscription], 'scope', 'module', 'status', 'startDate', 'endDate', 'createdBy'),
});
const license = object({
  id,
  account: name,
  enterprise: name,
  name: name.nullable().optional(),
  status: shape.status,
  ...period,
});

const setting = object({
  scope: name.optional(),
  user: name.optional(),
  key: pageName,
  value: z.union([z.string(), z.number(), z.boolean(), z.json()]),
  /** Given where the value is written as text; otherwise told from the value. */
  valueType: z.enum(['string', 'number', 'boolean', 'json']).optional(),
  overridable: flag.optional(),
  description,
}).superRefine((of, context) => {
  if ((of.scope === undefined) === (of.user === undefined))
    context.addIssue('a setting is of a scope or of a user: give one of both');
});

const route = object({
  api: pageName.optional(),
  method: z.enum([...METHODS], 'must be a verb, as GET, or ANY'),
  path: z.string('must be a path, as /projects/{project}'),
  permission: permissionTemplate,
  scope: scopeTemplate,
  description,
});

export const manifestSchema = object({
  /** For editors. */
  $schema: z.string().optional(),
  /** The table that it is for: no other one is planned or changed with it. */
  table: text.optional(),
  scopeTypes: named(scopeType),
  modules: listed(object({ sold: flag.optional(), description }), pageName),
  pages: listed(object({ module: name.nullable().optional(), description }), pageName),
  permissions: listed(object({ dangerous: flag.optional(), description }), permissionName),
  scopes: named(scope),
  roles: named(role),
  groups: named(group),
  users: named(user),
  technicalUsers: named(technicalUser),
  subscriptions: list(subscription),
  licenses: list(license),
  settings: list(setting),
  routes: list(route),
});

export type Manifest = z.infer<typeof manifestSchema>;
export const SECTIONS = [
  ...['scopeTypes', 'modules', 'pages', 'permissions', 'scopes', 'roles', 'groups', 'users'],
  ...['technicalUsers', 'subscriptions', 'licenses', 'settings', 'routes'],
] as const;
