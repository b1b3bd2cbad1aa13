import { isLongerThan } from '../table/bytes.ts';
import {
  decodeGlobal,
  decodeGroupRoles,
  decodeMemberships,
  decodePermission,
  decodeScope,
  decodeSubject,
} from '../table/decision/decode.ts';
import { decodeCredential, decodeMandate } from '../table/decision/decode-credentials.ts';
import { decodeExternalGroups, type ExternalGroup } from '../table/decision/decode-external-groups.ts';
import type {
  CredentialItem,
  GlobalItem,
  MandateItem,
  PermissionItem,
  ScopeItem,
  SubjectItem,
} from '../table/decision/items.ts';
import { mayBeScopeType } from '../table/entities/scope-types.ts';
import {
  isRef,
  isSafeText,
  MAX_VALUE_BYTES,
  parseRef,
  parseSubjectRef,
  REGISTERED_SUBJECT,
} from '../table/identifiers.ts';
import type { Item } from '../table/item.ts';
import {
  decisionKey,
  externalGroupsKey,
  globalKey,
  type Key,
  membershipsKey,
  permissionRef,
  tenantEffectsKey,
} from '../table/keys.ts';
import { moduleOf, patternsCovering, readPermissionName } from '../table/permission-name.ts';

/**
 * A kind of item in decision inputs: its key and how it is decoded. All kinds share one cache, so their ids
 * have distinct forms: `user:id`, `subject device:id`, `user:id at location:id`, `group:id`, `location:id`, `token:id`, `mandate:id`, `dashboard` or `a:b:c`, `location:id dashboard`,
 * `location:id of ISSUER`, `*`.
 */
export interface Kind<T> {
  /** Undefined for an impossible id: the item counts as absent, without a read. */
  readonly keyOf: (id: string) => Key | undefined;
  /** @throws GatehouseError `damaged_item` */
  readonly decode: (id: string, item: Item, members: readonly Item[]) => T;
  /** Whether items of this kind may lack a stamp, because older releases wrote none. */
  readonly mayLackStamp?: boolean;
  /** The value of an absent item. Default: null. */
  readonly absent?: () => T;
  /**
   * Reads the member items of a kind that consists of several, such as the routes of an API. Every change of
   * a member also rewrites the main item, here the API's revision, so that its stamp covers the members.
   */
  readonly membersOf?: (id: string) => Promise<readonly Item[]>;
}

/** An item by kind and id. */
export interface ItemId<T = unknown> {
  readonly kind: Kind<T>;
  readonly id: string;
}

/** The key of an item with a possible id; impossible ids must be filtered out before. */
export const keyOf = ({ kind, id }: ItemId): Key => kind.keyOf(id) as Key;

/** A permission with the patterns that cover it, computed once. */
export interface CheckedPermission extends PermissionItem {
  readonly patterns: readonly string[];
}

interface CachedPermission extends CheckedPermission {
  /** By root: the ids of tenants' effects on it that were asked for (`effectsIdOf`). */
  readonly effectsIds: Map<string, string>;
}

const typeOf = (ref: string): string => ref.slice(0, ref.indexOf(':'));

const keyOfRef =
  (isOfKind: (type: string) => boolean) =>
  (ref: string): Key | undefined =>
    isRef(ref) && isOfKind(typeOf(ref)) ? decisionKey(parseRef(ref, 'ref')) : undefined;

const CREDENTIAL_TYPES: ReadonlySet<string> = new Set(['token', 'session']);

const REGISTERED = `${REGISTERED_SUBJECT} `;

/** A subject of a registered type has another id than the scope with the same reference. */
export const subjectId = (ref: string): string =>
  ref.startsWith('user:') || ref.startsWith('technical-user:') ? ref : REGISTERED + ref;

/** The reference of a subject, from it or from its id. */
export const subjectOfId = (id: string): string =>
  id.startsWith(REGISTERED) ? id.slice(REGISTERED.length) : id;

export const SUBJECT: Kind<SubjectItem> = {
  keyOf: (id) => {
    const ref = subjectOfId(id);
    return isRef(ref) ? decisionKey(parseSubjectRef(ref, 'subject')) : undefined;
  },
  decode: (_, item) => decodeSubject(item),
};

/** Between the parts of an id: no reference holds a space. */
const AT = ' at ';

/** The groups of a subject at one scope, where they stand apart of its item. Ids are `SUBJECT at SCOPE`. */
export const MEMBERSHIPS: Kind<readonly string[]> = {
  absent: () => NO_GROUPS,
  keyOf: (id) => {
    const [subject = '', scope = ''] = id.split(AT);
    const ref = subjectOfId(subject);
    return isRef(ref) && isRef(scope)
      ? membershipsKey(parseSubjectRef(ref, 'subject'), parseRef(scope, 'scope'))
      : undefined;
  },
  decode: (_, item) => decodeMemberships(item),
};
export const membershipsId = (subject: string, scope: string): string => subjectId(subject) + AT + scope;
const NO_GROUPS: readonly string[] = [];

/** The roles of a group, where those of its scope stand apart. Ids are references, `group:id`. */
export const GROUP_ROLES: Kind<readonly string[]> = {
  absent: () => NO_ROLES,
  keyOf: keyOfRef((type) => type === 'group'),
  decode: (_, item) => decodeGroupRoles(item),
};
export const groupRolesId = (group: string): string => `group:${group}`;
const NO_ROLES: readonly string[] = [];

export const SCOPE: Kind<ScopeItem> = {
  keyOf: keyOfRef(mayBeScopeType),
  decode: decodeScope,
};

export const CREDENTIAL: Kind<CredentialItem> = {
  mayLackStamp: true,
  keyOf: keyOfRef((type) => CREDENTIAL_TYPES.has(type)),
  decode: (_, item) => decodeCredential(item),
};

export const MANDATE: Kind<MandateItem> = {
  keyOf: keyOfRef((type) => type === 'mandate'),
  decode: (_, item) => decodeMandate(item),
};

export const PERMISSION: Kind<CachedPermission> = {
  keyOf: (text) => {
    const name = readPermissionName(text);
    return name && decisionKey(permissionRef(name));
  },
  decode: (text, item) => {
    const name = readPermissionName(text);
    const { registered, module = name && moduleOf(name), allow, deny, conditional } = decodePermission(item);
    // Not by a spread: V8 would give each permission a form of its own, and look its attributes up by name.
    const patterns = patternsCovering(text);
    return { registered, module, allow, deny, conditional, patterns, effectsIds: new Map() };
  },
};

/** The global item, one per table: the global roles and the sold modules. */
export const GLOBAL: Kind<GlobalItem> = {
  keyOf: globalKey,
  decode: (_, item) => decodeGlobal(item),
};
export const GLOBAL_ID = '*';

/** The effects of the roles that one root owns on one permission. */
export interface TenantEffects extends Pick<PermissionItem, 'allow' | 'deny' | 'conditional'> {
  /** Whether the table has an item for it. */
  readonly isStored: boolean;
}

/** What stands in the tokens of one issuer, at one root. Ids are `ROOT of ISSUER`; a root holds no space. */
export const EXTERNAL_GROUPS: Kind<ReadonlyMap<string, ExternalGroup>> = {
  absent: () => NO_EXTERNAL_GROUPS,
  keyOf: (id) => {
    const at = id.indexOf(OF);
    const [root, issuer] = [id.slice(0, at), id.slice(at + OF.length)];
    const isPossible = isRef(root) && isSafeText(issuer) && !isLongerThan(issuer, MAX_VALUE_BYTES);
    return isPossible ? externalGroupsKey(parseRef(root, 'scope'), issuer) : undefined;
  },
  decode: (_, item) => decodeExternalGroups(item),
};
const OF = ' of ';
export const externalGroupsId = (root: string, issuer: string): string => root + OF + issuer;
const NO_EXTERNAL_GROUPS: ReadonlyMap<string, ExternalGroup> = new Map();

/** Ids are `ROOT PERMISSION`; neither part contains a space. */
export const TENANT_EFFECTS: Kind<TenantEffects> = {
  absent: () => NONE,
  keyOf: (id) => {
    const space = id.indexOf(' ');
    const root = id.slice(0, space);
    const name = readPermissionName(id.slice(space + 1));
    return name && isRef(root) ? tenantEffectsKey(parseRef(root, 'scope'), name) : undefined;
  },
  decode: (_, item) => {
    const { allow, deny, conditional } = decodePermission(item);
    return { allow, deny, conditional, isStored: true };
  },
};
const NONE: TenantEffects = { allow: new Set(), deny: new Set(), conditional: new Map(), isStored: false };
export const tenantEffectsId = (root: string, permission: string): string => `${root} ${permission}`;

/** So many ids are kept with one permission: they are not counted in the memory of the cache. */
const MOST_IDS = 8;

/** As `tenantEffectsId`, but made once: V8 copies and hashes a text that is put together for each look-up. */
export function effectsIdOf(root: string, name: string, permission: CachedPermission | null | undefined) {
  const known = permission?.effectsIds.get(root);
  if (known !== undefined) return known;
  const id = tenantEffectsId(root, name);
  if (permission && permission.effectsIds.size < MOST_IDS) permission.effectsIds.set(root, id);
  return id;
}
