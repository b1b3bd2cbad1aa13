import { conflict, GatehouseError, notFound } from '../errors.ts';
import { FORM, inForm, SPLIT_FORM } from '../form.ts';
import { formatRef, type Ref } from '../identifiers.ts';
import {
  apiRevisionKey,
  decisionKey,
  globalKey,
  type Key,
  membershipsKey,
  parseKey,
  resourceTypeRef,
  tenantEffectsKey,
} from '../keys.ts';
import type { PermissionName } from '../permission-name.ts';
import type { Declaration, Properties } from '../properties.ts';
import { MAX_TTL_MS } from '../timing.ts';
import { type Action, create, keyOf, type Put, type Update, type Value } from '../write/action.ts';
import { inPlace } from './apart.ts';
import {
  Attribute,
  FOLDED,
  formatInterval,
  groupRolesAttribute,
  heirsAttribute,
  licenseAttribute,
  moduleAttribute,
  propertyAttribute,
  roleAttribute,
  subscriptionAttribute,
} from './attributes.ts';
import type { Stamp } from './decode.ts';
import { type Change, changeAt, MARKS, update } from './entries.ts';
import { createKnownSplits, type KnownSplits } from './split.ts';

/** What carries a stamp: decision items, and the guards that decisions look up. */
const isStamped = (key: Key): boolean =>
  ['decision', 'memberships', 'tenant-effects', 'guard'].includes(String(parseKey(key)?.form));

/**
 * The actions as they are sent: what they write says its form (form.ts), and each that writes an item with a stamp
 * writes this one. The margin for
 * coherence counts from the stamp to the arrival (ADR 0014), so it is of the sending: what was read
 * before, to plan the actions, may have taken long. A sending that is planned anew has another `writeId`;
 * attempts of the same sending have the same.
 *
 * @param splits which items are known to have parts that stand apart; none when left out
 */
export const stamped = (
  actions: readonly Action[],
  { writtenAt, writeId }: Stamp,
  splits: KnownSplits = createKnownSplits(),
): readonly Action[] =>
  inPlace(actions, splits).map((given) => {
    const action = inForm(given);
    if (!isStamped(keyOf(action))) return action;
    const stamp = { [Attribute.writtenAt]: writtenAt, [Attribute.writeId]: writeId };
    if (action.kind === 'put') return { ...action, item: { ...action.item, ...stamp } };
    if (action.kind === 'update') return { ...action, set: { ...action.set, ...stamp } };
    return action;
  });

const updateExisting = (ref: Ref, change: Change): Update => changeAt(decisionKey(ref), change);

/** Changes nothing but the stamp. */
export const touchDecision = (ref: Ref): Update => updateExisting(ref, {});

/** Longer than any reader keeps what it has read: a week. */
const EXPIRY_MS = 7 * MAX_TTL_MS;

/**
 * What lets an item that stood apart go by itself.
 *
 * @param now epoch milliseconds
 */
export const expiry = (now: number): Readonly<Record<string, number>> => ({
  [Attribute.timeToLive]: Math.ceil((now + EXPIRY_MS) / 1_000),
});

const set = (member: string) => new Set([member]);

const start = (ref: Ref, attributes: Readonly<Record<string, unknown>>): Put =>
  create({ ...decisionKey(ref), ...MARKS, ...attributes }, () =>
    conflict('id', `${formatRef(ref)} exists already`),
  );

/** The decision item of a new user. */
export const newSubject = (
  ref: Ref,
  attributes: { status: string; endsAt?: string; properties?: Properties },
): Put => start(ref, attributes);

/** The decision item of a new scope. */
export const newScope = (
  ref: Ref,
  attributes: {
    status: string;
    combination?: string;
    ancestors: readonly string[];
    enterprise?: string;
    properties?: Properties;
  },
): Put => start(ref, attributes);

/** What a check looks at of a token or a session; `ttl` in epoch seconds. */
export interface CredentialRecord {
  readonly subject: string;
  /** Of an API token: the SHA-256 of its text. */
  readonly hash?: string;
  readonly status: string;
  readonly endsAt: string;
  readonly ttl: number;
}

/** The decision item of a new token or login session. */
export const newCredential = (ref: Ref, record: CredentialRecord): Put => start(ref, { ...record });

/** Changes of it: `revoked` ends a token, at once. */
export const changeCredential = (
  ref: Ref,
  set: Partial<Pick<CredentialRecord, 'status' | 'endsAt'>>,
): Update => updateExisting(ref, { set });

/** The mapping of a resource type (resource-type.ts), whole: what is left out is removed. */
export function resourceTypeChange(
  name: string,
  mapping: Readonly<Partial<Record<'permission' | 'actions' | 'scope', Value>>>,
): Update {
  const { permission, actions, scope } = mapping;
  const entries: readonly [string, Value | undefined][] = Object.entries({ permission, actions, scope });
  return update(decisionKey(resourceTypeRef(name)), {
    set: Object.fromEntries(entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
    remove: entries.flatMap(([attribute, value]) => (value === undefined ? [attribute] : [])),
  });
}

export function subjectChanges(subject: Ref) {
  const change = (how: Change) => updateExisting(subject, how);
  return {
    /**
     * Lets its groups at a scope, which stand apart, go by themselves when no reader can have the subject in its cache any
     * more: were they gone at once, whoever has it would take it for one without the groups that refuse.
     *
     * @param now epoch milliseconds
     */
    expire: (scope: Ref, now: number) =>
      update(membershipsKey(subject, scope), { set: { ...expiry(now), [FORM]: SPLIT_FORM } }),
    set: (values: Record<string, string>, remove: readonly string[]) => change({ set: values, remove }),
    setProperties: (properties: Properties) => change(replaceProperties(properties)),
  };
}

export function scopeChanges(scope: Ref) {
  const change = (how: Change) => updateExisting(scope, how);
  return {
    removeGroup: (group: string) => change({ remove: [groupRolesAttribute(group)] }),
    /** Makes a group that of all subjects: a scope has one such group. */
    addEveryone: (group: string): Update => ({
      ...change({ set: { [Attribute.everyone]: group } }),
      when: { exists: true, equals: { [Attribute.everyone]: undefined } },
      failure: (found) =>
        found
          ? conflict('everyone', `${formatRef(scope)} has a group of everyone already`)
          : notFound(scope.type, formatRef(scope)),
    }),
    /** Only when the group itself goes: until then no other can take its place. */
    removeEveryone: () => change({ remove: [Attribute.everyone] }),
    /** A subscription that counts, from a start until an end; one that does not is not listed. */
    subscribe: (module: string, id: string, interval: Validity | undefined) =>
      change(entitle(subscriptionAttribute(module, id), interval)),
    license: (enterprise: string, id: string, interval: Validity | undefined) =>
      change(entitle(licenseAttribute(enterprise, id), interval)),
    set: (values: Record<string, string | readonly string[]>) => change({ set: values }),
    setProperties: (properties: Properties) => change(replaceProperties(properties)),
  };
}

/**
 * Lets what stands apart of a group go by itself, without its roles: as with the groups of a subject, its absence would
 * count since ever, and a role may refuse.
 *
 * @param roles those that it may still hold
 * @param now epoch milliseconds
 */
export const expireGroupRoles = (group: string, roles: ReadonlySet<string>, now: number): Update =>
  update(decisionKey({ type: 'group', id: group }), {
    set: { ...expiry(now), [FORM]: SPLIT_FORM },
    takeOut: roles.size > 0 ? { [Attribute.rolesOfGroup]: new Set(roles) } : {},
  });

const replaceProperties = (properties: Properties): Change =>
  Object.keys(properties).length > 0
    ? { set: { [Attribute.properties]: properties } }
    : { remove: [Attribute.properties] };

/** ISO 8601, either side open. */
export interface Validity {
  readonly start: string | undefined;
  readonly end: string | undefined;
}

const entitle = (attribute: string, validity: Validity | undefined): Change =>
  validity ? { set: { [attribute]: formatInterval(validity.start, validity.end) } } : { remove: [attribute] };

/** Marks a module as sold by subscription, or as free. */
export const moduleChange = (module: string, isSold: boolean): Update =>
  update(
    globalKey(),
    isSold ? { set: { [moduleAttribute(module)]: true } } : { remove: [moduleAttribute(module)] },
  );

/** Declares a property, or takes its declaration back: conditions find it missing from then on. */
export const declarationChange = (of: string, name: string, declared: Declaration | undefined): Update =>
  update(
    globalKey(),
    declared
      ? { set: { [propertyAttribute(of, name)]: `${declared.type} ${declared.source}` } }
      : { remove: [propertyAttribute(of, name)] },
  );

/**
 * The item of what holds everywhere, while there is none. It is there before any permission is: where it is
 * missing beside one, nobody can say what is sold, and what global roles refuse.
 */
export const newGlobal = (): Put =>
  create(
    { ...globalKey(), ...MARKS },
    () => new GatehouseError('stale', 'the first permission was registered by someone else meanwhile'),
  );

/**
 * Notes that a route of the API has come, changed or gone: rules count only with the revision that they were
 * read with, and of a route that is gone nothing else is left. The stamp is all there is to it.
 */
export const changeApiRevision = (api: string): Update => update(apiRevisionKey(api), {});

/**
 * Changes of the role table: of one root, or of the global roles when there is no owner. The second change is the one
 * where the root's roles are folded (ADR 0003).
 */
export function roleChanges(owner: Ref | undefined) {
  const change = (how: Change, folded: Change): Update =>
    owner
      ? {
          ...updateExisting(owner, how),
          otherForm: {
            attribute: Attribute.roleTable,
            value: FOLDED,
            update: updateExisting(owner, folded),
          },
        }
      : update(globalKey(), how);
  const heir = (role: string, parent: string | undefined): Record<string, Set<string>> =>
    parent === undefined ? {} : { [heirsAttribute(parent)]: set(role) };
  return {
    /** @param before the parent that it had */
    list: (role: string, parent: string | undefined, before?: string) =>
      change(
        { set: { [roleAttribute(role)]: parent ?? '' } },
        { add: heir(role, parent), takeOut: before === parent ? {} : heir(role, before) },
      ),
    /** It has no effect from now on, whatever names it. */
    close: (role: string, parent: string | undefined) =>
      change(
        { remove: [roleAttribute(role)] },
        { add: { [Attribute.closing]: set(role) }, takeOut: heir(role, parent) },
      ),
    /** Nothing names it any more. */
    unlist: (role: string, parent: string | undefined) =>
      change(
        { remove: [roleAttribute(role)] },
        { takeOut: { [Attribute.closing]: set(role), ...heir(role, parent) } },
      ),
  };
}

/** Changes of the effects of roles on one permission. */
export function permissionChanges(permission: PermissionName, owner: Ref | undefined) {
  const ref = { type: permission.kind, id: permission.text };
  const key = owner ? tenantEffectsKey(owner, permission) : decisionKey(ref);
  const change = (how: Change) => update(key, how);
  return {
    register: () => change({ set: { [Attribute.registered]: true } }),
    /** From now on nobody may use it. */
    unregister: () => change({ set: { [Attribute.registered]: false } }),
    setModule: (module: string | undefined) =>
      change(module === undefined ? { remove: [Attribute.module] } : { set: { [Attribute.module]: module } }),
  };
}
