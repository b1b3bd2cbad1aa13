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
const operation = (command: string, input: Input, apply: Operation['apply']): Operation => ({
  command,
  input,
  apply,
});

/** Operations as one transaction. */
export const together = (...operations: readonly Operation[]): Operation =>
  operation(
    'transaction.write',
    { commands: operations.map(({ command, input }) => ({ command, input })) },
    (model) => {
      for (const { apply } of operations) apply(model);
    },
  );

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
/** Dates of a creation: an open side is left out. */
const dates = (start: string, end: string, { from, until }: Validity): Input => ({
  ...(from === null ? {} : { [start]: iso(from) }),
  ...(until === null ? {} : { [end]: iso(until) }),
});
/** Dates of a change: an open side is null. */
const newDates = (start: string, end: string, { from, until }: Validity): Input => ({
  [start]: iso(from),
  [end]: iso(until),
});

const idOf = (ref: string): string => ref.slice(ref.indexOf(':') + 1);
const typeOf = (ref: string): string => ref.slice(0, ref.indexOf(':'));
/** Edges name a user by id, any other subject by reference. */
const nameOf = (subject: string): string => (typeOf(subject) === 'user' ? idOf(subject) : subject);
const without = <T>(list: readonly T[], gone: (each: T) => boolean): T[] =>
  list.filter((each) => !gone(each));
/** Without what is undefined. */
const given = <T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
const endOf = (endsAt: number | null): Input => (endsAt === null ? {} : { endsAt: iso(endsAt) });

// Subjects.

export const createUser = (
  ref: string,
  status: string,
  endsAt: number | null,
  properties?: Properties,
): Operation =>
  operation('user.create', { id: idOf(ref), status, ...endOf(endsAt), ...given({ properties }) }, (model) =>
    model.subjects.push({
      ref,
      status,
      endsAt: endsAt ?? NEVER,
      account: undefined,
      ...given({ properties }),
    }),
  );

export const createTechnicalUser = (
  ref: string,
  account: string,
  status: string,
  properties?: Properties,
): Operation =>
  operation(
    'technical-user.create',
    { id: idOf(ref), account, name: `robot ${idOf(ref)}`, status, ...given({ properties }) },
    (model) => model.subjects.push({ ref, status, endsAt: NEVER, account, ...given({ properties }) }),
  );

/** The type of a subject that was added may be that of a scope, and so may its id. */
export const createSubjectType = (name: string): Operation =>
  operation('subject-type.create', { name }, () => {});

export const createAddedSubject = (
  ref: string,
  status: string,
  endsAt: number | null,
  properties?: Properties,
): Operation =>
  operation(
    'subject.create',
    { ...subjectId(ref), status, ...endOf(endsAt), ...given({ properties }) },
    (model) =>
      model.subjects.push({
        ref,
        status,
        endsAt: endsAt ?? NEVER,
        account: undefined,
        ...given({ properties }),
      }),
  );

const isAddedSubject = (ref: string): boolean => !['user', 'technical-user'].includes(typeOf(ref));
const subjectCommand = (ref: string, verb: string): string =>
  `${isAddedSubject(ref) ? 'subject' : typeOf(ref)}.${verb}`;
const subjectId = (ref: string): Input =>
  isAddedSubject(ref) ? { type: typeOf(ref), id: idOf(ref) } : { id: idOf(ref) };

export const updateSubject = (
  ref: string,
  change: { readonly status?: string; readonly endsAt?: number | null },
): Operation =>
  operation(
    subjectCommand(ref, 'update'),
    {
      ...subjectId(ref),
      ...(change.status === undefined ? {} : { status: change.status }),
      ...(change.endsAt === undefined ? {} : { endsAt: iso(change.endsAt) }),
    },
    (model) => {
      for (const each of model.subjects) {
        if (each.ref !== ref) continue;
        if (change.status !== undefined) each.status = change.status;
        if (change.endsAt !== undefined) each.endsAt = change.endsAt ?? NEVER;
      }
    },
  );

/** Replaces all properties of a subject or a scope; null removes them. */
const replaceProperties = (
  list: readonly { ref: string; properties?: Properties }[],
  ref: string,
  properties: Properties | null,
): void => {
  for (const each of list) if (each.ref === ref) each.properties = properties ?? {};
};

export const setSubjectProperties = (ref: string, properties: Properties | null): Operation =>
  operation(subjectCommand(ref, 'update'), { ...subjectId(ref), properties }, (model) =>
    replaceProperties(model.subjects, ref, properties),
  );

export const deleteSubject = (ref: string): Operation =>
  operation(subjectCommand(ref, 'delete'), subjectId(ref), (model) => forgetSubject(model, ref));

function forgetSubject(model: Model, ref: string): void {
  const isIts = ({ subject }: { subject: string }) => subject === ref;
  model.subjects = without(model.subjects, (each) => each.ref === ref);
  model.admins = without(model.admins, (each) => each === ref);
  model.memberships = without(model.memberships, isIts);
  model.assignments = without(model.assignments, isIts);
  model.grants = without(model.grants, isIts);
  model.globalRoles = without(model.globalRoles, isIts);
  model.mandates = without(model.mandates, (each) => isIts(each) || each.actor === ref);
  model.credentials = without(model.credentials, isIts);
}

export const makeAdmin = (subject: string): Operation =>
  operation('admin.create', { user: nameOf(subject) }, (model) => model.admins.push(subject));

export const unmakeAdmin = (subject: string): Operation =>
  operation('admin.delete', { user: nameOf(subject) }, (model) => {
    model.admins = without(model.admins, (each) => each === subject);
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
  operation('scope-type.create', { name, ...more }, (model) => model.scopeTypes.push(name));

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
  operation(
    scopeCommand(ref, 'create'),
    {
      ...scopeId(ref),
      name: `${typeOf(ref)} ${idOf(ref)}`,
      ...given(of),
    },
    (model) =>
      model.scopes.push({
        ref,
        parent: of.parent,
        status: of.status ?? 'active',
        combination: of.combination ?? 'allow-overrides',
        enterprise: of.enterprise,
        ...given({ properties: of.properties }),
      }),
  );

export const updateScope = (
  ref: string,
  change: { readonly status?: string; readonly combination?: string; readonly enterprise?: string },
): Operation =>
  operation(scopeCommand(ref, 'update'), { ...scopeId(ref), ...change }, (model) => {
    for (const each of model.scopes) if (each.ref === ref) Object.assign(each, change);
  });

export const setScopeProperties = (ref: string, properties: Properties | null): Operation =>
  operation(scopeCommand(ref, 'update'), { ...scopeId(ref), properties }, (model) =>
    replaceProperties(model.scopes, ref, properties),
  );

export const moveScope = (ref: string, parent: string): Operation =>
  operation('scope.move', { scope: ref, parent }, (model) => {
    for (const each of model.scopes) if (each.ref === ref) each.parent = parent;
  });

export const deleteScope = (ref: string): Operation =>
  operation(scopeCommand(ref, 'delete'), scopeId(ref), (model) => forgetScope(model, ref));

export const deleteTree = (ref: string): Operation =>
  operation('scope.delete-tree', { scope: ref }, (model) => forgetTree(model, ref));

/** The scope first: in a draft, which refuses no move, it may stand below itself. */
function forgetTree(model: Model, ref: string): void {
  const below = model.scopes.filter(({ parent }) => parent === ref);
  forgetScope(model, ref);
  for (const each of below) forgetTree(model, each.ref);
}

/** A scope goes with its groups, with what it owns and with what is granted or sold there. */
function forgetScope(model: Model, ref: string): void {
  model.scopes = without(model.scopes, (each) => each.ref === ref);
  for (const { id } of model.groups.filter(({ scope }) => scope === ref)) forgetGroup(model, id);
  for (const { id } of model.roles.filter(({ scope }) => scope === ref)) forgetRole(model, id);
  for (const { ref: robot } of model.subjects.filter(({ account }) => account === ref)) {
    forgetSubject(model, robot);
  }
  model.mandates = without(model.mandates, ({ scopes }) => scopes.includes(ref));
  model.assignments = without(model.assignments, ({ scope }) => scope === ref);
  model.grants = without(model.grants, ({ root }) => root === ref);
  model.subscriptions = without(model.subscriptions, ({ scope }) => scope === ref);
  model.licences = without(
    model.licences,
    ({ account, enterprise }) => account === ref || enterprise === ref,
  );
}

// Groups.

export const createGroup = (id: string, scope: string, everyone = false): Operation =>
  operation('group.create', { id, scope, name: `group ${id}`, ...(everyone ? { everyone } : {}) }, (model) =>
    model.groups.push({ id, scope, everyone }),
  );

/** One that tokens may name. */
export const createAllowOnlyGroup = (id: string, scope: string): Operation =>
  operation('group.create', { id, scope, name: `group ${id}`, allowOnly: true }, (model) =>
    model.groups.push({ id, scope, everyone: false }),
  );

export const deleteGroup = (id: string): Operation =>
  operation('group.delete', { id }, (model) => forgetGroup(model, id));

function forgetGroup(model: Model, id: string): void {
  model.groups = without(model.groups, (each) => each.id === id);
  model.memberships = without(model.memberships, ({ group }) => group === id);
  model.groupRoles = without(model.groupRoles, ({ group }) => group === id);
  model.externalGroups = without(model.externalGroups, ({ group }) => group === id);
}

/** Lets tokens of an issuer, in which it has a name, name a group of a root. */
export const nameGroup = (id: string, root: string, issuer: string, name: string, group: string): Operation =>
  operation('external-group.create', { id, scope: root, issuer, externalId: name, group }, (model) =>
    model.externalGroups.push({ id, root, issuer, name, group }),
  );

export const unnameGroup = (id: string): Operation =>
  operation('external-group.delete', { id }, (model) => {
    model.externalGroups = without(model.externalGroups, (each) => each.id === id);
  });

export const join = (subject: string, group: string): Operation =>
  operation('membership.create', { user: nameOf(subject), group }, (model) =>
    model.memberships.push({ subject, group }),
  );

export const leave = (subject: string, group: string): Operation =>
  operation('membership.delete', { user: nameOf(subject), group }, (model) => {
    model.memberships = without(
      model.memberships,
      (each) => each.subject === subject && each.group === group,
    );
  });

export const giveGroupRole = (group: string, role: string): Operation =>
  operation('group-role.create', { group, role }, (model) => model.groupRoles.push({ group, role }));

export const takeGroupRole = (group: string, role: string): Operation =>
  operation('group-role.delete', { group, role }, (model) => {
    model.groupRoles = without(model.groupRoles, (each) => each.group === group && each.role === role);
  });

// Roles.

/** One that an allow-only group may carry. */
export const createAllowOnlyRole = (id: string): Operation =>
  operation('role.create', { id, name: `role ${id}`, scope: 'tenant', allowOnly: true }, (model) =>
    model.roles.push({ id, scope: 'tenant', parent: undefined }),
  );

export const createRole = (id: string, scope: string, parent?: string): Operation =>
  operation(
    'role.create',
    { id, name: `role ${id}`, scope, ...(parent === undefined ? {} : { parent }) },
    (model) => model.roles.push({ id, scope, parent }),
  );

export const setRoleParent = (id: string, parent: string | null): Operation =>
  operation('role.update', { id, parent }, (model) => {
    for (const each of model.roles) if (each.id === id) each.parent = parent ?? undefined;
  });

export const deleteRole = (id: string): Operation =>
  operation('role.delete', { id }, (model) => forgetRole(model, id));

function forgetRole(model: Model, id: string): void {
  const isIts = ({ role }: { role: string }) => role === id;
  model.roles = without(model.roles, (each) => each.id === id);
  model.effects = without(model.effects, isIts);
  model.groupRoles = without(model.groupRoles, isIts);
  model.assignments = without(model.assignments, isIts);
  model.globalRoles = without(model.globalRoles, isIts);
  for (const grant of model.grants) grant.roles = without(grant.roles, (role) => role === id);
}

export const addEffect = (role: string, on: string, effect: string, when?: string): Operation =>
  operation('role-permission.create', { role, permission: on, effect, ...given({ when }) }, (model) =>
    model.effects.push({ role, on, effect, when }),
  );

export const changeEffect = (role: string, on: string, effect: string): Operation =>
  operation('role-permission.update', { role, permission: on, effect }, (model) => {
    for (const each of model.effects) if (each.role === role && each.on === on) each.effect = effect;
  });

/** Null removes the condition. */
export const changeCondition = (role: string, on: string, when: string | null): Operation =>
  operation('role-permission.update', { role, permission: on, when }, (model) => {
    for (const each of model.effects) if (each.role === role && each.on === on) each.when = when ?? undefined;
  });

export const removeEffect = (role: string, on: string): Operation =>
  operation('role-permission.delete', { role, permission: on }, (model) => {
    model.effects = without(model.effects, (each) => each.role === role && each.on === on);
  });

// Grants.

export const assign = (subject: string, scope: string, role: string, validity: Validity): Operation =>
  operation(
    'assignment.create',
    { user: nameOf(subject), scope, role, ...dates('startsAt', 'endsAt', validity) },
    (model) => model.assignments.push({ subject, scope, role, ...closed(validity) }),
  );

export const reassign = (subject: string, scope: string, role: string, validity: Validity): Operation =>
  operation(
    'assignment.update',
    { user: nameOf(subject), scope, role, ...newDates('startsAt', 'endsAt', validity) },
    (model) => {
      for (const each of model.assignments) {
        if (each.subject === subject && each.scope === scope && each.role === role) {
          Object.assign(each, closed(validity));
        }
      }
    },
  );

export const unassign = (subject: string, scope: string, role: string): Operation =>
  operation('assignment.delete', { user: nameOf(subject), scope, role }, (model) => {
    model.assignments = without(
      model.assignments,
      (each) => each.subject === subject && each.scope === scope && each.role === role,
    );
  });

export const grant = (subject: string, root: string, roles: readonly string[]): Operation =>
  operation('grant.create', { user: nameOf(subject), scope: root, roles }, (model) =>
    model.grants.push({ subject, root, roles }),
  );

export const regrant = (subject: string, root: string, roles: readonly string[]): Operation =>
  operation('grant.update', { user: nameOf(subject), scope: root, roles }, (model) => {
    for (const each of model.grants) {
      if (each.subject === subject && each.root === root) each.roles = roles;
    }
  });

export const ungrant = (subject: string, root: string): Operation =>
  operation('grant.delete', { user: nameOf(subject), scope: root }, (model) => {
    model.grants = without(model.grants, (each) => each.subject === subject && each.root === root);
  });

export const giveGlobalRole = (subject: string, role: string): Operation =>
  operation('global-role.create', { user: nameOf(subject), role }, (model) =>
    model.globalRoles.push({ subject, role }),
  );

export const takeGlobalRole = (subject: string, role: string): Operation =>
  operation('global-role.delete', { user: nameOf(subject), role }, (model) => {
    model.globalRoles = without(model.globalRoles, (each) => each.subject === subject && each.role === role);
  });

// Declarations of properties.

export const declare = (of: string, name: string, type: string, source: string): Operation =>
  operation('property.create', { of, name, type, source }, (model) =>
    model.declarations.push({ of, name, type, source }),
  );

/** Conditions and values that use it stay, and are those of a property that is not declared. */
export const undeclare = (of: string, name: string): Operation =>
  operation('property.delete', { of, name }, (model) => {
    model.declarations = without(model.declarations, (each) => each.of === of && each.name === name);
  });

// What callers show, and what requests need.

/** Null removes it. */
export const setEmail = (user: string, email: string | null): Operation =>
  operation('user.update', { id: idOf(user), email }, (model) => {
    for (const each of model.subjects) {
      if (each.ref !== user) continue;
      if (email === null) delete each.email;
      else each.email = email;
    }
  });

export const createSession = (id: string, user: string): Operation =>
  operation('session.create', { id, user: idOf(user), status: 'active' }, (model) =>
    model.credentials.push({ ref: `session:${id}`, subject: user, active: true }),
  );

export const changeSession = (id: string, status: 'active' | 'revoked'): Operation =>
  operation('session.update', { id, status }, (model) => {
    for (const each of model.credentials) if (each.ref === `session:${id}`) each.active = status === 'active';
  });

export const createApiToken = (id: string, subject: string): Operation =>
  operation('token.create', { id, user: nameOf(subject), tokenType: 'api' }, (model) =>
    model.credentials.push({ ref: `token:${id}`, subject, active: true }),
  );

export const revokeToken = (id: string): Operation =>
  operation('token.revoke', { id }, (model) => {
    for (const each of model.credentials) if (each.ref === `token:${id}`) each.active = false;
  });

export const deleteCredential = (ref: string): Operation =>
  operation(`${typeOf(ref)}.delete`, { id: idOf(ref) }, (model) => {
    model.credentials = without(model.credentials, (each) => each.ref === ref);
  });

export const createRoute = (id: string, path: string, permission: string, scope: string): Operation =>
  operation('route.create', { id, method: 'GET', path, permission, scope }, (model) =>
    model.routes.push({ id, permission, scope }),
  );

export const changeRoute = (id: string, permission: string): Operation =>
  operation('route.update', { id, permission }, (model) => {
    for (const each of model.routes) if (each.id === id) each.permission = permission;
  });

export const deleteRoute = (id: string): Operation =>
  operation('route.delete', { id }, (model) => {
    model.routes = without(model.routes, (each) => each.id === id);
  });

// What is checked, and what is sold.

export const createModule = (name: string, sold: boolean): Operation =>
  operation('module.create', { name, soldBySubscription: sold }, (model) =>
    model.modules.push({ name, sold }),
  );

export const sellModule = (name: string, sold: boolean): Operation =>
  operation('module.update', { name, soldBySubscription: sold }, (model) => {
    for (const each of model.modules) if (each.name === name) each.sold = sold;
  });

export const register = (name: string, module?: string): Operation =>
  operation(
    name.includes(':') ? 'permission.create' : 'page.create',
    { name, ...(module === undefined ? {} : { module }) },
    (model) => model.permissions.push({ name, module }),
  );

export const setPageModule = (name: string, module: string | null): Operation =>
  operation('page.update', { name, module }, (model) => {
    for (const each of model.permissions) if (each.name === name) each.module = module ?? undefined;
  });

/** A permission goes with the effects of all roles on it; those of patterns stay. */
export const unregister = (name: string): Operation =>
  operation(name.includes(':') ? 'permission.delete' : 'page.delete', { name }, (model) => {
    model.permissions = without(model.permissions, (each) => each.name === name);
    model.effects = without(model.effects, ({ on }) => on === name);
  });

export const subscribe = (
  id: string,
  scope: string,
  module: string,
  status: string,
  validity: Validity,
): Operation =>
  operation(
    'subscription.create',
    { id, scope, module, status, ...dates('startDate', 'endDate', validity) },
    (model) => model.subscriptions.push({ id, scope, module, status, ...closed(validity) }),
  );

export const license = (
  id: string,
  account: string,
  enterprise: string,
  status: string,
  validity: Validity,
): Operation =>
  operation(
    'license.create',
    { id, account, enterprise, status, ...dates('startDate', 'endDate', validity) },
    (model) => model.licences.push({ id, account, enterprise, status, ...closed(validity) }),
  );

export const changeEntitlement = (
  kind: 'subscription' | 'license',
  id: string,
  status: string,
  validity: Validity,
): Operation =>
  operation(`${kind}.update`, { id, status, ...newDates('startDate', 'endDate', validity) }, (model) => {
    for (const each of kind === 'subscription' ? model.subscriptions : model.licences) {
      if (each.id === id) Object.assign(each, { status, ...closed(validity) });
    }
  });

export const endEntitlement = (kind: 'subscription' | 'license', id: string): Operation =>
  operation(`${kind}.delete`, { id }, (model) => {
    if (kind === 'subscription') model.subscriptions = without(model.subscriptions, (each) => each.id === id);
    else model.licences = without(model.licences, (each) => each.id === id);
  });
