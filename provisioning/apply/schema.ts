import * as z from 'zod';
import type { Entity, PlainEntity } from '../../table/entities/entity.ts';
import * as field from '../../table/entities/fields.ts';
import { ENTITIES, PLAIN_ENTITIES, type PlainSection } from '../../table/entities/registry.ts';
import { SCOPES } from '../../table/entities/scopes.ts';
import { VALUE_TYPES } from '../nodes/settings.ts';
import { isScopeName, permissionTemplate, scopeTemplate } from '../routes/fields.ts';
import {
  choice,
  effects,
  end,
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
} from './fields.ts';

/**
 * A tenant, or several, as people describe them: resources by name, with the attributes that the commands of
 * provisioning give them. What is left out of a resource stays as the table has it; null clears it.
 */
const text = z.string('must be a text');
const id = z.string('must be an id, in quotes').pipe(field.id).optional();
const description = field.text(1_000).nullable().optional();
/** Which there are depends on what has it: all are in lower case. */
const status = z
  .preprocess(
    (value) => (typeof value === 'string' ? value.toLowerCase() : value),
    z.string('must be a status, as active'),
  )
  .optional();
const since = instant.nullable().optional();
const until = end.nullable().optional();
const period = { from: since, until };
/** The resource is only referred to: it must be in the table, and nothing of it is changed. */
const existing = flag.optional();
const onlyTrue = z.literal(true, 'must be true, or left out').optional();

/** Attributes that manifests call as commands do. Those of one name and several schemas are checked by the commands. */
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
      return [key, (only && schemas.size === 1 ? inAnyCase(only) : z.json()).nullable().optional()];
    }),
  );
}

function inAnyCase(schema: z.ZodType): z.ZodType {
  const given = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  return given instanceof z.ZodEnum ? choice(given.options.map(String)) : schema;
}

const scopeType = object({
  root: flag.optional(),
  parents: names(z.string()),
  children: names(z.string()),
  description,
});

const scope = object({
  id,
  name: name.optional(),
  type: z.string('must be a type, as tenant or location'),
  parent: name.optional(),
  status,
  combination: choice(
    ['allow-overrides', 'deny-overrides'],
    'must be allow-overrides or deny-overrides',
  ).optional(),
  /** Of a workstream: the enterprise for which it needs a licence. */
  enterprise: name.optional(),
  /** The `type` of a zone or a device. */
  kind: text.nullable().optional(),
  ...attributes(Object.values(SCOPES), 'type', 'name', 'parent', 'status', 'combination', 'enterprise'),
});

/** Grantable in any tenant unless it is global, or a tenant owns it. */
const role = object({
  id,
  existing,
  name: name.optional(),
  global: flag.optional(),
  owner: name.optional(),
  parent: name.nullable().optional(),
  allowOnly: onlyTrue,
  /** A role template, by its id or name: the role has its permissions beside those of `allow` and `deny`. */
  template: name.optional(),
  allow: effects,
  deny: effects,
  description,
});

const group = object({
  id,
  name: name.optional(),
  scope: name,
  roles: names(name),
  /** Its members are all active subjects; nobody is in it by a membership. */
  everyone: onlyTrue,
  allowOnly: onlyTrue,
  ...attributes([ENTITIES.group], 'name', 'scope', 'everyone', 'allowOnly'),
});

const access = {
  id,
  status,
  /** The end date. */
  until,
  admin: flag.optional(),
  groups: names(name),
  assignments: list(object({ role: name, scope: name, ...period })),
  /** Tenants, each with the roles there. */
  grants: named(names(name)),
  globalRoles: names(name),
};

const user = object({
  ...access,
  existing,
  tenant: name.nullable().optional(),
  ...attributes([ENTITIES.user], 'tenant', 'status', 'endsAt'),
});
const technicalUser = object({
  ...access,
  account: name,
  name: name.optional(),
  description,
  properties: field.properties.nullable().optional(),
});

/** An agent, or a subject of a type that was added. */
const subject = object({
  ...access,
  type: z.string('must be a subject type, as device').pipe(field.subjectType),
  name: name.nullable().optional(),
  tenant: name.nullable().optional(),
  ...attributes([ENTITIES.subject], 'type', 'name', 'tenant', 'status', 'endsAt'),
});

const subscription = object({
  id,
  scope: name,
  module: name,
  status,
  ...period,
  ...attributes([ENTITIES.subscription], 'scope', 'module', 'status', 'startDate', 'endDate', 'createdBy'),
});
const license = object({
  id,
  account: name,
  enterprise: name,
  name: name.nullable().optional(),
  status,
  ...period,
});

/** A group of an identity provider, as its tokens have it. */
const externalGroup = object({
  id,
  scope: name,
  issuer: ENTITIES['external-group'].attributes.shape.issuer,
  externalId: ENTITIES['external-group'].attributes.shape.externalId,
  group: name,
  description,
});

/** What must never be true in a tenant: in the only one of the manifest, where it names none. */
const invariant = object({
  id,
  scope: name.optional(),
  name,
  separate: ENTITIES.invariant.attributes.shape.separate,
  within: choice(ENTITIES.invariant.attributes.shape.within.unwrap().options).optional(),
  never: ENTITIES.invariant.attributes.shape.never,
  except: object({ group: name }).optional(),
  description,
});

const setting = object({
  scope: name.optional(),
  user: name.optional(),
  key: pageName,
  value: z.union([z.string(), z.number(), z.boolean(), z.json()]),
  /** Needed where the value is written as text but is of another type. */
  valueType: choice(VALUE_TYPES).optional(),
  overridable: flag.optional(),
  description,
}).superRefine((of, context) => {
  if ((of.scope === undefined) === (of.user === undefined))
    context.addIssue('a setting is of a scope or of a user: give one of both');
});

/** A template of a scope, or the name of one: of this manifest, or else of the table. */
const routeScope = z.string('must be a text such as project:{project}').superRefine((scope, context) => {
  const { error } = (isScopeName(scope) ? field.name : scopeTemplate).safeParse(scope);
  for (const { message } of error?.issues ?? []) context.addIssue(message);
});

const route = object({
  api: pageName.optional(),
  method: choice(ENTITIES.route.attributes.shape.method.options, 'must be a verb, as GET, or ANY'),
  path: z.string('must be a path, as /projects/{project}'),
  permission: permissionTemplate,
  scope: routeScope,
  description,
});

/** The declaration of a property. */
const property = object({
  of: ENTITIES.property.attributes.shape.of,
  name: ENTITIES.property.attributes.shape.name,
  type: choice(ENTITIES.property.attributes.shape.type.options),
  /** Of actions and of the context: `passed`. */
  source: choice(ENTITIES.property.attributes.shape.source.unwrap().options).optional(),
  description,
});

/** How resources of a type are decided (table/resource-type.ts); what is null is as for a type without it. */
const resourceType = object(attributes([ENTITIES['resource-type']], 'name'));

/** Entries of a plain kind, by their unique value. */
const plain = (entity: PlainEntity, owner = '') =>
  named(object({ id, [owner]: name, ...attributes([entity], owner) }));
const plainSections = Object.fromEntries(
  PLAIN_ENTITIES.flatMap((entity) =>
    entity.section === undefined ? [] : [[entity.section, plain(entity, entity.hangsOn?.[0])]],
  ),
) as Record<PlainSection, ReturnType<typeof plain>>;

export const sections = {
  scopeTypes: named(scopeType),
  subjectTypes: listed(object({ description }), z.string('must be a subject type').pipe(field.subjectType)),
  modules: listed(object({ sold: flag.optional(), description }), pageName),
  pages: listed(object({ module: name.nullable().optional(), description }), pageName),
  permissions: listed(object({ dangerous: flag.optional(), description }), permissionName),
  properties: list(property),
  resourceTypes: named(resourceType, ENTITIES['resource-type'].attributes.shape.name),
  scopes: named(scope),
  roles: named(role),
  groups: named(group),
  users: named(user),
  technicalUsers: named(technicalUser),
  subjects: named(subject),
  subscriptions: list(subscription),
  licenses: list(license),
  externalGroups: list(externalGroup),
  invariants: list(invariant),
  ...plainSections,
  settings: list(setting),
  routes: list(route),
};

export const manifestSchema = object({
  /** For editors. */
  $schema: z.string().optional(),
  /** The table that it is for: no other one is planned or changed with it. */
  table: text.optional(),
  /** It is a part of a whole: nothing follows from what it leaves out. */
  part: onlyTrue,
  ...sections,
});

export type Manifest = z.infer<typeof manifestSchema>;
export type Section = keyof typeof sections;
export const SECTIONS = Object.keys(sections) as readonly Section[];

/** The sections of plain kinds. */
export const PLAIN_SECTIONS = Object.keys(plainSections) as readonly Section[];

/** The words of an entry of a section. */
export const wordsOf = (section: Section): readonly string[] => Object.keys(shapeOf(sections[section]));

function shapeOf(schema: z.ZodType): object {
  const { shape, out, valueType, element } = schema.def as unknown as Record<string, z.ZodType | undefined>;
  const inner = out ?? valueType ?? element;
  return shape ?? (inner ? shapeOf(inner) : {});
}

/** Whether the entries of a section have no names. */
export const isList = (section: Section): boolean =>
  'element' in ((sections[section].def as unknown as { out: z.ZodType }).out.def as object);

/** The sections of what has no name: an entry is told apart by its place among those of one scope for one purpose. */
export const NAMELESS = ['subscriptions', 'licenses', 'externalGroups'] as const;

/** The sections of subjects. */
export const PEOPLE = ['users', 'technicalUsers', 'subjects'] as const;
export type Person = Manifest[(typeof PEOPLE)[number]][string];
