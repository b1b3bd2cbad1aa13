import * as z from 'zod';
import * as field from '../../table/entities/fields.ts';
import { isBuiltIn, mayBeScopeType } from '../../table/entities/scope-types.ts';
import { conflict, GatehouseError, invalid } from '../../table/errors.ts';
import { formatRef, parseRef, type Ref } from '../../table/identifiers.ts';
import { guardKey, nodeKey } from '../../table/keys.ts';
import { normaliseEmail, normaliseName } from '../../table/normalise.ts';
import type { Action } from '../../table/write/action.ts';
import { MAX_ACTIONS } from '../../table/write/transaction.ts';
import { createAssembly } from '../assembly.ts';
import { type Command, writeCommand } from '../command.ts';
import { loadNode } from '../nodes/nodes.ts';
import { fits } from '../nodes/steps.ts';
import type { Plan, Planning } from '../plan.ts';
import { edgeKindCommands } from './edges.ts';
import { grantCommands } from './grants.ts';
import { roleCommands } from './roles.ts';
import { scopeCommands } from './scopes.ts';
import { userCommands } from './users.ts';

/**
 * A tenant from nothing in one transaction: its root scope, its roles, its first user with a grant. Each part is
 * planned by the command that makes it alone, with that command's guards, edges and decision items.
 */
const PARTS: ReadonlyMap<string, Command> = new Map(
  [...scopeCommands, ...userCommands, ...roleCommands, ...edgeKindCommands, ...grantCommands].map((each) => [
    each.name,
    each,
  ]),
);

const newRole = z.strictObject({
  name: field.name,
  description: field.text(1_000).optional(),
  /** An existing role to inherit from. */
  parent: field.id.optional(),
  template: field.id.optional(),
  permissions: z
    .array(z.strictObject({ permission: field.permissionOrPattern, effect: field.effect.default('ALLOW') }))
    .max(100)
    .optional(),
});

const input = z
  .strictObject({
    type: z
      .string()
      .max(32)
      .refine(mayBeScopeType, 'is no scope type')
      .optional()
      .describe('type of the root scope, `tenant` unless given'),
    id: field.id.optional(),
    name: field.name,
    attributes: field.map
      .optional()
      .describe('other fields of the root scope, as its own create command takes them'),
    user: field.id.optional(),
    email: field.normalised(normaliseEmail).optional(),
    displayName: field.text(256).optional(),
    roles: z
      .array(newRole)
      .max(30)
      .refine(
        (list) => new Set(list.map(({ name }) => normaliseName(name, 'roles'))).size === list.length,
        'names a role twice',
      )
      .describe(
        'list of `{ name, description?, parent?, template?, permissions?: [{ permission, effect? }] }`',
      )
      .optional(),
    adminRoles: z
      .array(field.name)
      .min(1)
      .max(20)
      .refine((list) => new Set(list).size === list.length, 'names a role twice')
      .describe('list of names of these roles, or ids of existing ones'),
  })
  .refine(
    ({ user, email }) => (user === undefined) !== (email === undefined),
    'either user or email is needed',
  )
  .refine(
    ({ user, displayName }) => user === undefined || displayName === undefined,
    'displayName goes with email',
  );

type Assembly = ReturnType<typeof createAssembly>;

const idOf = ({ result }: Plan): string => String(result.id);

/** The user that has this email, or none: if that changes until the write, it is planned anew. */
async function findUser(planning: Planning, email: string): Promise<Ref | undefined> {
  const guard = await planning.reader.get(guardKey('EMAIL', email));
  return guard ? parseRef(String(guard.owner), 'email') : undefined;
}

const changedHands = () =>
  new GatehouseError('stale', 'this email was given to someone else meanwhile', { field: 'email' });

/** What was read of a user who is there already holds until the grant is written. */
async function settleExisting(
  planning: Planning,
  assembly: Assembly,
  ref: Ref,
  email: string | undefined,
): Promise<void> {
  const at = email === undefined ? 'user' : 'email';
  const { item } = await loadNode(planning, 'user', ref.id, at);
  if (item.status !== 'active') throw conflict(at, `${formatRef(ref)} is not active`, formatRef(ref));
  await assembly.add([
    {
      kind: 'update',
      key: nodeKey(ref),
      when: { exists: true, equals: { status: 'active' } },
      failure: () =>
        new GatehouseError('stale', `${formatRef(ref)} was changed by someone else meanwhile`, { field: at }),
    },
    ...(email === undefined
      ? []
      : [
          {
            kind: 'check' as const,
            key: guardKey('EMAIL', email),
            when: { exists: true, equals: { owner: formatRef(ref) } },
            failure: changedHands,
          },
        ]),
  ]);
}

async function plan(planning: Planning, given: z.infer<typeof input>): Promise<Plan> {
  const { type = 'tenant', id = planning.newId(), name, attributes = {}, roles = [], adminRoles } = given;
  const assembly = createAssembly(planning, PARTS);
  if ('parent' in attributes) throw invalid('attributes.parent', 'a tenant is a root: it has no parent');
  const twice = ['id', 'name', 'type'].find((each) => each in attributes);
  if (twice !== undefined) throw invalid(`attributes.${twice}`, `${twice} is a field of its own`);

  const isOwn = isBuiltIn(type);
  const root = await assembly.plan(
    isOwn ? `${type}.create` : 'scope.create',
    { ...attributes, ...(isOwn ? {} : { type }), id, name },
    (each) =>
      ['id', 'name', 'type'].includes(each) ? each : each === 'parent' ? 'type' : `attributes.${each}`,
  );
  const ref = { type, id };
  const scope = formatRef(ref);

  const made: { readonly id: string; readonly name: string }[] = [];
  for (const [position, { template, permissions = [], ...role }] of roles.entries()) {
    const at = `roles.${position}`;
    const created = await assembly.plan(
      'role.create',
      { ...role, scope, ...(template === undefined ? {} : { customTemplateId: template }) },
      (each) => `${at}.${each === 'customTemplateId' ? 'template' : each}`,
    );
    made.push({ id: idOf(created), name: role.name });
    for (const [which, { permission, effect }] of permissions.entries()) {
      await assembly.plan(
        'role-permission.create',
        { role: idOf(created), permission, effect },
        () => `${at}.permissions.${which}`,
      );
    }
  }

  const { user, email, displayName } = given;
  const existing = email === undefined ? { type: 'user', id: String(user) } : await findUser(planning, email);
  if (existing) await settleExisting(planning, assembly, existing, email);
  const admin =
    existing?.id ??
    idOf(
      await assembly.plan(
        'user.create',
        { email, tenant: scope, ...(displayName === undefined ? {} : { displayName }) },
        (each) => each,
      ),
    );

  const held = adminRoles.map((each) => made.find((role) => sameName(role.name, each))?.id ?? each);
  const unknown = held.findIndex((each) => !field.id.safeParse(each).success);
  if (unknown >= 0)
    throw invalid(
      `adminRoles.${unknown}`,
      `${adminRoles[unknown]} is neither the name of a role in roles nor the id of one that exists`,
    );
  const grant = await assembly.plan('grant.create', { user: admin, scope, roles: held }, (each) =>
    each === 'roles'
      ? 'adminRoles'
      : each === 'user' && email !== undefined
        ? 'email'
        : each === 'scope'
          ? 'id'
          : each,
  );

  // Should the email be taken between the look-up and the write, it is looked up anew.
  const taken = email === undefined ? undefined : guardKey('EMAIL', email);
  const actions = assembly
    .actions()
    .map(
      (action): Action =>
        action.kind === 'put' && action.item.PK === taken?.PK && action.item.SK === taken.SK
          ? { ...action, failure: changedHands }
          : action,
    );
  if (!fits(actions)) throw tooLarge(actions.length);
  const result = {
    scope,
    root: root.result,
    roles: made,
    admin: { id: admin, isNew: existing === undefined, grant: idOf(grant), roles: held },
  };
  return { actions, result, audit: { entity: ref, tenant: ref, after: result } };
}

const sameName = (a: string, b: string): boolean =>
  normaliseName(a, 'name') === normaliseName(b, 'adminRoles');

/** The record of the operation and the audit record go with it. */
const tooLarge = (size: number) =>
  new GatehouseError(
    'limit_exceeded',
    `this onboarding touches ${size + 2} items; one transaction holds ${MAX_ACTIONS}. Each page or permission of a role takes three or four: give the role of the admin only, or patterns such as reports:*:*, or roles with scope tenant that are there already; add the rest with role.create and role-template.apply`,
    { field: 'roles' },
  );

export const onboardCommand: Command = writeCommand({
  name: 'tenant.onboard',
  summary:
    'Makes a tenant with all that it begins with, as one transaction or not at all: its root scope, roles with what they may do, and its first administrator, who is a new user or the one that has the email already, with a grant of adminRoles.',
  input,
  plan,
});
