import * as z from 'zod';
import * as field from '../../table/entities/fields.ts';
import { entityOf } from '../../table/entities/registry.ts';
import { SCOPES } from '../../table/entities/scopes.ts';
import { COMMANDS } from '../all-commands.ts';
import { fieldsOf } from '../command.ts';

/**
 * What each command answers as `result`. Most follows from what a creation takes; here is what provisioning adds. Only
 * documents and tests load this: nothing that runs needs it, and a test compares it with the answers.
 */
type Shape = Readonly<Record<string, z.ZodType>>;

const instant = z.iso.datetime();
const text = z.string();
const count = z.int().min(0);
const reference = z.string().describe('reference such as `location:ID`');
const scope = { ancestors: z.array(reference), movingTo: reference.optional() };
const parts = { module: text, action: text, resource: text };
const partial = (shape: Shape): Shape =>
  Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, schema.optional()]));
const holder = { roles: z.array(field.id).optional(), isAdmin: z.boolean().optional() };

const ORIGINS = {
  origins: z.array(text).describe('who gives it: `hand`, and ids of connections; by hand alone, if left out'),
  suspended: z.array(text).describe('those that do not count at present'),
};

/** Attributes that provisioning adds to those that a creation takes. */
const ADDED: Readonly<Record<string, Shape>> = {
  ...Object.fromEntries(Object.keys(SCOPES).map((type) => [type, scope])),
  user: { ...holder, source: field.id.optional(), sourceActive: z.boolean().optional() },
  'technical-user': holder,
  license: { root: reference },
  'external-group': { groupScope: reference },
  role: { isSystem: z.boolean() },
  permission: parts,
  membership: { scope: reference, ...partial(ORIGINS) },
  'group-role': { scope: reference },
  'role-permission': { roleScope: text, ...partial(parts) },
  setting: { id: field.id },
  'scim-credential': { root: reference },
  mandate: { endsAt: instant, status: z.enum(['active', 'ended']), endedAt: instant.optional() },
  group: { source: field.id.optional() },
  'scim-group': { group: field.id, root: reference },
  'scim-user': { user: field.id, root: reference, made: z.boolean() },
  token: { revoked: z.boolean(), revokedAt: instant.optional(), revokedBy: field.id.optional() },
};

const USER_NAMES = { userDisplayName: text.optional(), userType: text.optional() };

/** Attributes of the entries of a list, beside those of the entities: names, where they are asked for. */
const LISTED: Readonly<Record<string, Shape>> = {
  membership: { ...USER_NAMES, groupName: text.optional(), groupType: text.optional() },
  grant: { ...USER_NAMES, locationCode: text.optional(), locationName: text.optional() },
};

const shapeOf = (command: string): Shape => fieldsOf(COMMANDS.get(command));

const sameAs = (naturalKey: readonly string[]): string =>
  `the same as ${naturalKey.map((name) => `\`${name}\``).join(' and ')}${naturalKey.length > 1 ? ', joined by a colon' : ''}`;

/** An entity or an edge as commands answer it. */
function stored(type: string): Shape {
  const { secret = [], hidden = [], naturalKey, inTenant, attributes } = entityOf(type) ?? {};
  const isKept = (name: string): boolean => !attributes || name === 'id' || name in attributes.shape;
  const given = Object.entries(shapeOf(`${type}.create`)).filter(
    ([name]) => !secret.includes(name) && !hidden.includes(name) && isKept(name),
  );
  return {
    ...Object.fromEntries(given.map(([name, schema]) => [name, name === 'id' ? field.id : schema])),
    ...(naturalKey ? { id: text.describe(sameAs(naturalKey)) } : {}),
    ...(inTenant?.tenant === 'root' ? { root: reference } : {}),
    ...ADDED[type],
    createdAt: instant,
    updatedAt: instant,
    deletingSince: instant.optional(),
  };
}

const page = (entry: z.ZodType): Shape => ({
  items: z.array(entry),
  cursor: z.string().optional().describe('of the next page, while there is one'),
});

/** Entities and edges of several types, each with its reference. */
const several = page(z.looseObject({ ref: reference }));

const MANIFEST_COUNTS: Shape = Object.fromEntries(
  ['create', 'change', 'remove', 'dangerous', 'kept', 'unchanged'].map((name) => [name, count]),
);
const side = z.strictObject({
  people: count,
  more: z.boolean(),
  rows: z.array(
    z.strictObject({
      scope: reference,
      name: text.optional(),
      scopesBelow: count,
      people: count,
      subjects: z.array(reference),
      permissions: z.array(text),
      morePermissions: count,
    }),
  ),
  moreRows: count,
});
const leaves = z.strictObject({
  rows: z.array(
    z.strictObject({ kind: z.enum(['route', 'resource-type']), id: text, label: text, scope: reference }),
  ),
  moreRows: count,
});
const DIFFERENCE = {
  loses: side,
  gains: side,
  incomplete: text.optional(),
  leaves: leaves.optional(),
};
const anyMap = z.record(z.string(), z.unknown());

const candidate = z.strictObject({
  ref: reference,
  name: text,
  by: z.enum(['reference', 'id', 'email', 'phone', 'username', 'name']),
  path: text.optional(),
  email: text.optional(),
});

/** A command that waits for approval, or did. */
const REQUEST = {
  id: text,
  command: text,
  requestedBy: reference,
  requestedAt: instant,
  expiresAt: instant,
  status: z.enum(['open', 'running', 'rejected', 'ended']),
  digest: text,
  decidedBy: reference.optional(),
};

/** What names something that was deleted: its fields in the command, or its type and id. */
function idsOf(type: string, command: string): Shape {
  const { typeFrom, attributes } = entityOf(type) ?? {};
  return typeFrom ? { [typeFrom]: attributes?.shape[typeFrom] as z.ZodType, id: field.id } : shapeOf(command);
}

const ENDED = {
  administered: z.literal(true).optional().describe('whether it ended somebody who administers the tenant'),
};

/** The commands whose result is none of the usual ones. */
const OTHERS: Readonly<Record<string, Shape>> = {
  'tenant.list-all': several,
  'user.access': page(z.looseObject({ user: field.subject })),
  'access.compare': DIFFERENCE,
  'user.find': { id: field.id, ref: reference, value: text, provider: text.optional() },
  'name.find': { candidates: z.array(candidate), more: z.boolean(), elsewhere: z.array(candidate) },
  'name.owners': { owners: z.array(reference.nullable()) },
  'name.labels': { labels: z.array(z.strictObject({ name: text, email: text.optional() }).nullable()) },
  'name.suggest': { meant: text.optional() },
  'membership.delete': {
    ...shapeOf('membership.delete'),
    deleted: z.literal(true),
    origins: ORIGINS.origins.optional().describe('who still gives it, if somebody does'),
  },
  'scim-group.members': { connection: field.id, group: field.id },
  'scim-group.list-members': page(z.strictObject(stored('membership'))),
  'scim-user.list-groups': page(z.strictObject(stored('scim-group'))),
  'grant.delete': { id: field.id, deleted: z.literal(true) },
  'role-template.apply': { id: field.id, role: field.id, permissions: count },
  'token.create': {
    ...stored('token'),
    token: text.optional().describe('text of an API token, in this answer only'),
  },
  'mandate.create': {
    ...stored('mandate'),
    token: text.optional().describe('text of the token, in this answer only'),
  },
  'mandate.end-all': { subject: reference, ended: z.literal(true) },
  'mandate.use': {
    mandate: field.id,
    allowed: z.boolean(),
    reason: text.optional().describe('of a refusal: that of the decision, `budget_amount` or `budget_spent`'),
    use: text.optional().describe('of an allow: the id of the operation'),
    remaining: count
      .optional()
      .describe('what is left at most: other uses may have taken of it at that time'),
  },
  'scim-credential.create': {
    ...stored('scim-credential'),
    token: text.describe('text of the credential, in this answer only'),
  },
  'scim-user.update': { ...stored('scim-user'), ...ENDED, kept: z.literal(true).optional() },
  'scim-user.delete': { ...idsOf('scim-user', 'scim-user.delete'), deleted: z.literal(true), ...ENDED },
  'setting.resolve': {
    settings: z.record(
      z.string(),
      z.strictObject({ value: z.json(), valueType: text, from: reference, isOverridable: z.boolean() }),
    ),
  },
  'approval.list': page(z.strictObject({ ...REQUEST, input: anyMap })),
  'approval.approve': { id: text, command: text, requestedBy: reference, result: anyMap },
  'approval.reject': REQUEST,
  'audit.create': { recorded: z.literal(true), timestamp: instant },
  'audit.list': {
    ...page(z.looseObject({ id: field.id, action: text, timestamp: instant })),
    names: z.record(z.string(), text).optional().describe('by reference, where `withNames` asks for them'),
  },
  'route.list': page(
    z.strictObject({ id: field.id, method: text, path: text, permission: text, scope: text }),
  ),
  'scope.move': { scope: reference, parent: reference, ancestors: z.array(reference) },
  'user.erase': { id: text, erased: z.literal(true) },
  'user.release': { ...stored('user'), kept: z.literal(true).optional() },
  'scope.delete-tree': { scope: reference, deleted: z.literal(true) },
  'transaction.write': { results: z.array(anyMap).describe('list of the results of the parts') },
  'tenant.plan': {
    ...MANIFEST_COUNTS,
    changes: z.array(anyMap),
    access: z.strictObject(DIFFERENCE),
    keeps: z.array(anyMap),
    problems: z.array(anyMap),
  },
  'tenant.apply': MANIFEST_COUNTS,
  'tenant.onboard': {
    scope: reference,
    roles: z.array(z.strictObject({ id: field.id, name: text })),
    users: z.array(z.strictObject({ id: text, name: text, isNew: z.boolean() })),
    created: count,
  },
};

function shapeOfResult(command: string): Shape {
  const [type = '', verb] = command.split('.');
  const other = OTHERS[command];
  if (other) return other;
  if (verb === 'read-all') return several;
  if (verb === 'list') return page(z.strictObject({ ...stored(type), ...LISTED[type] }));
  return verb === 'delete' ? { ...idsOf(type, command), deleted: z.literal(true) } : stored(type);
}

/** The schema of a command's result. */
export const resultOf = (command: string): z.ZodObject => z.strictObject(shapeOfResult(command));
