import type { Model, Properties } from './model.ts';

/**
 * What can be done to a world: the command that tells provisioning, and what it means for the model. A
 * command that provisioning refuses means nothing.
 */
export interface Operation {
  readonly command: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly apply: (model: Model) => void;
}

type Input = Readonly<Record<string, unknown>>;
type List = keyof Model;
type Entry<L extends List> = Model[L][number];
/** What some entries of a list have in common. */
type Like<L extends List> = Partial<Entry<L>>;

const isLike = (each: unknown, of: object): boolean =>
  Object.entries(of).every(([name, value]) => (each as Input)[name] === value);

/** Takes out of each list what is like this. */
function forget(model: Model, gone: { readonly [L in List]?: Like<L> }): void {
  for (const [list, of] of Object.entries(gone as Readonly<Record<string, object>>))
    Object.assign(model, { [list]: without<unknown>(model[list as List], (each) => isLike(each, of)) });
}

/** A command that adds an entry to a list. */
const adding = <L extends List>(command: string, input: Input, list: L, entry: Entry<L>): Operation => ({
  command,
  input,
  apply: (model) => (model[list] as Entry<L>[]).push(structuredClone(entry)),
});
/** One that takes out what is like this. */
const removing = <L extends List>(command: string, input: Input, list: L, gone: Like<L>): Operation => ({
  command,
  input,
  apply: (model) => forget(model, { [list]: gone }),
});
/** One that changes what is like this. */
const changing = <L extends List>(
  command: string,
  input: Input,
  list: L,
  of: Like<L>,
  change: { readonly [K in keyof Entry<L>]?: Entry<L>[K] | undefined },
): Operation => ({
  command,
  input,
  apply: (model) => {
    for (const each of model[list]) if (isLike(each, of)) Object.assign(each, change);
  },
});

/** Operations as one transaction. */
export const together = (...operations: readonly Operation[]): Operation => ({
  command: 'transaction.write',
  input: { commands: operations.map(({ command, input }) => ({ command, input })) },
  apply: (model) => {
    for (const { apply } of operations) apply(model);
  },
});

const [EVER, NEVER] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
const iso = (instant: number | null): string | null =>
  instant === null ? null : new Date(instant).toISOString();

/** A validity in time; null is an open side. */
export interface Validity {
  readonly from: number | null;
  readonly until: number | null;
}
export const ALWAYS: Validity = { from: null, until: null };
const closed = ({ from, until }: Validity) => ({ from: from ?? EVER, until: until ?? NEVER });
/** Dates of a change: an open side is null. */
const newDates = (start: string, end: string, { from, until }: Validity): Input => ({
  [start]: iso(from),
  [end]: iso(until),
});
/** Dates of a creation: an open side is left out. */
const dates = (start: string, end: string, validity: Validity): Input =>
  given(newDates(start, end, validity), null);

const idOf = (ref: string): string => ref.slice(ref.indexOf(':') + 1);
const typeOf = (ref: string): string => ref.slice(0, ref.indexOf(':'));
/** Edges name a user by id, any other subject by reference. */
const nameOf = (subject: string): string => (typeOf(subject) === 'user' ? idOf(subject) : subject);
const without = <T>(list: readonly T[], gone: (each: T) => boolean): T[] =>
  list.filter((each) => !gone(each));
/** Without what is undefined, or another value that stands for nothing. */
const given = <T extends object>(
  values: T,
  nothing: null | undefined = undefined,
): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== nothing)) as never;

// Subjects.

const creatingSubject = (
  ref: string,
  status: string,
  endsAt: number | null,
  properties?: Properties,
): Operation =>
  adding(
    subjectCommand(ref, 'create'),
    { ...subjectId(ref), status, ...given({ endsAt: iso(endsAt) }, null), ...given({ properties }) },
    'subjects',
    { ref, status, endsAt: endsAt ?? NEVER, account: undefined, ...given({ properties }) },
  );
export const createUser = creatingSubject;
export const createAddedSubject = creatingSubject;

export const createTechnicalUser = (
  ref: string,
  account: string,
  status: string,
  properties?: Properties,
): Operation =>
  adding(
    'technical-user.create',
    { id: idOf(ref), account, name: `robot ${idOf(ref)}`, status, ...given({ properties }) },
    'subjects',
    { ref, status, endsAt: NEVER, account, ...given({ properties }) },
  );

/** The type of a subject that was added may be that of a scope, and so may its id. */
export const createSubjectType = (name: string): Operation => ({
  command: 'subject-type.create',
  input: { name },
  apply: () => {},
});

const isAddedSubject = (ref: string): boolean => !['user', 'technical-user'].includes(typeOf(ref));
const subjectCommand = (ref: string, verb: string): string =>
  `${isAddedSubject(ref) ? 'subject' : typeOf(ref)}.${verb}`;
const subjectId = (ref: string): Input =>
  isAddedSubject(ref) ? { type: typeOf(ref), id: idOf(ref) } : { id: idOf(ref) };

export const updateSubject = (
  ref: string,
  { endsAt, ...change }: { readonly status?: string; readonly endsAt?: number | null },
): Operation =>
  changing(
    subjectCommand(ref, 'update'),
    { ...subjectId(ref), ...change, ...(endsAt === undefined ? {} : { endsAt: iso(endsAt) }) },
    'subjects',
    { ref },
    { ...change, ...(endsAt === undefined ? {} : { endsAt: endsAt ?? NEVER }) },
  );

/** Replaces all properties; null removes them. */
export const setSubjectProperties = (ref: string, properties: Properties | null): Operation =>
  changing(
    subjectCommand(ref, 'update'),
    { ...subjectId(ref), properties },
    'subjects',
    { ref },
    { properties: properties ?? {} },
  );

export const deleteSubject = (ref: string): Operation => ({
  command: subjectCommand(ref, 'delete'),
  input: subjectId(ref),
  apply: (model) => forgetSubject(model, ref),
});

function forgetSubject(model: Model, ref: string): void {
  const its = { subject: ref };
  forget(model, { subjects: { ref }, memberships: its, assignments: its, grants: its, globalRoles: its });
  forget(model, { credentials: its, mandates: its });
  forget(model, { mandates: { actor: ref } });
  model.admins = without(model.admins, (each) => each === ref);
}

export const makeAdmin = (subject: string): Operation =>
  adding('admin.create', { user: nameOf(subject) }, 'admins', subject);

export const unmakeAdmin = (subject: string): Operation => ({
  command: 'admin.delete',
  input: { user: nameOf(subject) },
  apply: (model) => {
    model.admins = without(model.admins, (each) => each === subject);
  },
});

// Scopes.

/** The types that come with the table; others are created by `scope.create`. */
const BUILT_IN = 'tenant location client project building zone device account enterprise workstream'.split(
  ' ',
);
const scopeCommand = (ref: string, verb: string): string =>
  BUILT_IN.includes(typeOf(ref)) ? `${typeOf(ref)}.${verb}` : `scope.${verb}`;
const scopeId = (ref: string): Input =>
  BUILT_IN.includes(typeOf(ref)) ? { id: idOf(ref) } : { type: typeOf(ref), id: idOf(ref) };

export const createScopeType = (name: string, more: Input): Operation =>
  adding('scope-type.create', { name, ...more }, 'scopeTypes', name);

export const createScope = (
  ref: string,
  of: {
    readonly parent?: string | undefined;
    readonly status?: string | undefined;
    readonly combination?: string | undefined;
    readonly enterprise?: string | undefined;
    readonly properties?: Properties | undefined;
  },
): Operation =>
  adding(
    scopeCommand(ref, 'create'),
    { ...scopeId(ref), name: `${typeOf(ref)} ${idOf(ref)}`, ...given(of) },
    'scopes',
    {
      ref,
      status: 'active',
      combination: 'allow-overrides',
      parent: undefined,
      enterprise: undefined,
      ...given(of),
    },
  );

export const updateScope = (
  ref: string,
  change: { readonly status?: string; readonly combination?: string; readonly enterprise?: string },
): Operation =>
  changing(scopeCommand(ref, 'update'), { ...scopeId(ref), ...change }, 'scopes', { ref }, change);

export const setScopeProperties = (ref: string, properties: Properties | null): Operation =>
  changing(
    scopeCommand(ref, 'update'),
    { ...scopeId(ref), properties },
    'scopes',
    { ref },
    { properties: properties ?? {} },
  );

export const moveScope = (ref: string, parent: string): Operation =>
  changing('scope.move', { scope: ref, parent }, 'scopes', { ref }, { parent });

export const deleteScope = (ref: string): Operation => ({
  command: scopeCommand(ref, 'delete'),
  input: scopeId(ref),
  apply: (model) => forgetScope(model, ref),
});

export const deleteTree = (ref: string): Operation => ({
  command: 'scope.delete-tree',
  input: { scope: ref },
  apply: (model) => forgetTree(model, ref),
});

/** The scope first: in a draft, which refuses no move, it may stand below itself. */
function forgetTree(model: Model, ref: string): void {
  const below = model.scopes.filter(({ parent }) => parent === ref);
  forgetScope(model, ref);
  for (const each of below) forgetTree(model, each.ref);
}

/** A scope goes with its groups, with what it owns and with what is granted or sold there. */
function forgetScope(model: Model, ref: string): void {
  const there = { scope: ref };
  for (const { id } of model.groups.filter(({ scope }) => scope === ref)) forgetGroup(model, id);
  for (const { id } of model.roles.filter(({ scope }) => scope === ref)) forgetRole(model, id);
  for (const robot of model.subjects.filter(({ account }) => account === ref))
    forgetSubject(model, robot.ref);
  model.mandates = without(model.mandates, ({ scopes }) => scopes.includes(ref));
  forget(model, { scopes: { ref }, assignments: there, grants: { root: ref }, subscriptions: there });
  forget(model, { licences: { account: ref } });
  forget(model, { licences: { enterprise: ref } });
}

// Groups.

const group = (id: string, scope: string, more: Input, everyone = false): Operation =>
  adding('group.create', { id, scope, name: `group ${id}`, ...more }, 'groups', { id, scope, everyone });

export const createGroup = (id: string, scope: string, everyone = false): Operation =>
  group(id, scope, everyone ? { everyone } : {}, everyone);

/** One that tokens may name. */
export const createAllowOnlyGroup = (id: string, scope: string): Operation =>
  group(id, scope, { allowOnly: true });

export const deleteGroup = (id: string): Operation => ({
  command: 'group.delete',
  input: { id },
  apply: (model) => forgetGroup(model, id),
});

const forgetGroup = (model: Model, id: string): void => {
  const its = { group: id };
  forget(model, { groups: { id }, memberships: its, groupRoles: its, externalGroups: its });
};

/** Lets tokens of an issuer, in which it has a name, name a group of a root. */
export const nameGroup = (id: string, root: string, issuer: string, name: string, group: string): Operation =>
  adding('external-group.create', { id, scope: root, issuer, externalId: name, group }, 'externalGroups', {
    id,
    root,
    issuer,
    name,
    group,
  });

export const unnameGroup = (id: string): Operation =>
  removing('external-group.delete', { id }, 'externalGroups', { id });

export const join = (subject: string, group: string): Operation =>
  adding('membership.create', { user: nameOf(subject), group }, 'memberships', { subject, group });

export const leave = (subject: string, group: string): Operation =>
  removing('membership.delete', { user: nameOf(subject), group }, 'memberships', { subject, group });

export const giveGroupRole = (group: string, role: string): Operation =>
  adding('group-role.create', { group, role }, 'groupRoles', { group, role });

export const takeGroupRole = (group: string, role: string): Operation =>
  removing('group-role.delete', { group, role }, 'groupRoles', { group, role });

// Roles.

const role = (id: string, scope: string, more: Input, parent?: string): Operation =>
  adding('role.create', { id, name: `role ${id}`, scope, ...more }, 'roles', { id, scope, parent });

/** One that an allow-only group may carry. */
export const createAllowOnlyRole = (id: string): Operation => role(id, 'tenant', { allowOnly: true });

export const createRole = (id: string, scope: string, parent?: string): Operation =>
  role(id, scope, given({ parent }), parent);

export const setRoleParent = (id: string, parent: string | null): Operation =>
  changing('role.update', { id, parent }, 'roles', { id }, { parent: parent ?? undefined });

export const deleteRole = (id: string): Operation => ({
  command: 'role.delete',
  input: { id },
  apply: (model) => forgetRole(model, id),
});

function forgetRole(model: Model, id: string): void {
  const its = { role: id };
  forget(model, { roles: { id }, effects: its, groupRoles: its, assignments: its, globalRoles: its });
  for (const grant of model.grants) grant.roles = without(grant.roles, (role) => role === id);
}

export const addEffect = (role: string, on: string, effect: string, when?: string): Operation =>
  adding('role-permission.create', { role, permission: on, effect, ...given({ when }) }, 'effects', {
    role,
    on,
    effect,
    when,
  });

export const changeEffect = (role: string, on: string, effect: string): Operation =>
  changing('role-permission.update', { role, permission: on, effect }, 'effects', { role, on }, { effect });

/** Null removes the condition. */
export const changeCondition = (role: string, on: string, when: string | null): Operation =>
  changing(
    'role-permission.update',
    { role, permission: on, when },
    'effects',
    { role, on },
    { when: when ?? undefined },
  );

export const removeEffect = (role: string, on: string): Operation =>
  removing('role-permission.delete', { role, permission: on }, 'effects', { role, on });

// Grants.

export const assign = (subject: string, scope: string, role: string, validity: Validity): Operation =>
  adding(
    'assignment.create',
    { user: nameOf(subject), scope, role, ...dates('startsAt', 'endsAt', validity) },
    'assignments',
    { subject, scope, role, ...closed(validity) },
  );

export const reassign = (subject: string, scope: string, role: string, validity: Validity): Operation =>
  changing(
    'assignment.update',
    { user: nameOf(subject), scope, role, ...newDates('startsAt', 'endsAt', validity) },
    'assignments',
    { subject, scope, role },
    closed(validity),
  );

export const unassign = (subject: string, scope: string, role: string): Operation =>
  removing('assignment.delete', { user: nameOf(subject), scope, role }, 'assignments', {
    subject,
    scope,
    role,
  });

export const grant = (subject: string, root: string, roles: readonly string[]): Operation =>
  adding('grant.create', { user: nameOf(subject), scope: root, roles }, 'grants', { subject, root, roles });

export const regrant = (subject: string, root: string, roles: readonly string[]): Operation =>
  changing(
    'grant.update',
    { user: nameOf(subject), scope: root, roles },
    'grants',
    { subject, root },
    { roles },
  );

export const ungrant = (subject: string, root: string): Operation =>
  removing('grant.delete', { user: nameOf(subject), scope: root }, 'grants', { subject, root });

export const giveGlobalRole = (subject: string, role: string): Operation =>
  adding('global-role.create', { user: nameOf(subject), role }, 'globalRoles', { subject, role });

export const takeGlobalRole = (subject: string, role: string): Operation =>
  removing('global-role.delete', { user: nameOf(subject), role }, 'globalRoles', { subject, role });

// Declarations of properties.

export const declare = (of: string, name: string, type: string, source: string): Operation => {
  const declaration = { of, name, type, source };
  return adding('property.create', declaration, 'declarations', declaration);
};

/** Conditions and values that use it stay, and are those of a property that is not declared. */
export const undeclare = (of: string, name: string): Operation =>
  removing('property.delete', { of, name }, 'declarations', { of, name });

// What callers show, and what requests need.

/** Null removes it. */
export const setEmail = (user: string, email: string | null): Operation =>
  changing(
    'user.update',
    { id: idOf(user), email },
    'subjects',
    { ref: user },
    { email: email ?? undefined },
  );

export const createSession = (id: string, user: string): Operation =>
  adding('session.create', { id, user: idOf(user), status: 'active' }, 'credentials', {
    ref: `session:${id}`,
    subject: user,
    active: true,
  });

export const changeSession = (id: string, status: 'active' | 'revoked'): Operation =>
  changing(
    'session.update',
    { id, status },
    'credentials',
    { ref: `session:${id}` },
    { active: status === 'active' },
  );

export const createApiToken = (id: string, subject: string): Operation =>
  adding('token.create', { id, user: nameOf(subject), tokenType: 'api' }, 'credentials', {
    ref: `token:${id}`,
    subject,
    active: true,
  });

export const revokeToken = (id: string): Operation =>
  changing('token.revoke', { id }, 'credentials', { ref: `token:${id}` }, { active: false });

export const deleteCredential = (ref: string): Operation =>
  removing(`${typeOf(ref)}.delete`, { id: idOf(ref) }, 'credentials', { ref });

export const createRoute = (id: string, path: string, permission: string, scope: string): Operation =>
  adding('route.create', { id, method: 'GET', path, permission, scope }, 'routes', { id, permission, scope });

export const changeRoute = (id: string, permission: string): Operation =>
  changing('route.update', { id, permission }, 'routes', { id }, { permission });

export const deleteRoute = (id: string): Operation => removing('route.delete', { id }, 'routes', { id });

// What is checked, and what is sold.

export const createModule = (name: string, sold: boolean): Operation =>
  adding('module.create', { name, soldBySubscription: sold }, 'modules', { name, sold });

export const sellModule = (name: string, sold: boolean): Operation =>
  changing('module.update', { name, soldBySubscription: sold }, 'modules', { name }, { sold });

export const register = (name: string, module?: string): Operation =>
  adding(
    name.includes(':') ? 'permission.create' : 'page.create',
    { name, ...given({ module }) },
    'permissions',
    { name, module },
  );

export const setPageModule = (name: string, module: string | null): Operation =>
  changing('page.update', { name, module }, 'permissions', { name }, { module: module ?? undefined });

/** A permission goes with the effects of all roles on it; those of patterns stay. */
export const unregister = (name: string): Operation => ({
  command: name.includes(':') ? 'permission.delete' : 'page.delete',
  input: { name },
  apply: (model) => forget(model, { permissions: { name }, effects: { on: name } }),
});

export const subscribe = (
  id: string,
  scope: string,
  module: string,
  status: string,
  validity: Validity,
): Operation => {
  const of = { id, scope, module, status };
  const input = { ...of, ...dates('startDate', 'endDate', validity) };
  return adding('subscription.create', input, 'subscriptions', { ...of, ...closed(validity) });
};

export const license = (
  id: string,
  account: string,
  enterprise: string,
  status: string,
  validity: Validity,
): Operation => {
  const of = { id, account, enterprise, status };
  const input = { ...of, ...dates('startDate', 'endDate', validity) };
  return adding('license.create', input, 'licences', { ...of, ...closed(validity) });
};

const ENTITLEMENTS = { subscription: 'subscriptions', license: 'licences' } as const;

export const changeEntitlement = (
  kind: keyof typeof ENTITLEMENTS,
  id: string,
  status: string,
  validity: Validity,
): Operation =>
  changing(
    `${kind}.update`,
    { id, status, ...newDates('startDate', 'endDate', validity) },
    ENTITLEMENTS[kind],
    { id },
    { status, ...closed(validity) },
  );

export const endEntitlement = (kind: keyof typeof ENTITLEMENTS, id: string): Operation =>
  removing(`${kind}.delete`, { id }, ENTITLEMENTS[kind], { id });
