import {
  decodeCredential,
  decodeGlobal,
  decodePermission,
  decodeScope,
  decodeSubject,
} from '../table/decision/decode.ts';
import type {
  CredentialItem,
  GlobalItem,
  PermissionItem,
  ScopeItem,
  SubjectItem,
} from '../table/decision/items.ts';
import { mayBeScopeType } from '../table/entities/scope-types.ts';
import { isRef, parseRef } from '../table/identifiers.ts';
import type { Item } from '../table/item.ts';
import { decisionKey, globalKey, type Key, permissionRef, tenantEffectsKey } from '../table/keys.ts';
import { moduleOf, patternsCovering, readPermissionName } from '../table/permission-name.ts';

/**
 * A kind of item that decisions rest on: where it stands in the table and how it is decoded. All kinds share one cache,
 * so the ids of each have a form of their own: `user:id`, `location:id`, `token:id`, `dashboard` or `a:b:c`,
 * `location:id dashboard`, `*`.
 */
export interface Kind<T> {
  /** Undefined when nothing can have this id: then it is absent, and nothing is read. */
  readonly keyOf: (id: string) => Key | undefined;
  /** @throws GatehouseError `damaged_item` */
  readonly decode: (id: string, item: Item, members: readonly Item[]) => T;
  /** Whether items of this kind were once written without a stamp. */
  readonly mayLackStamp?: boolean;
  /** What stands for an absent item; null when left out. */
  readonly absent?: () => T;
  /** Estimated bytes of the memos that may be kept beside an item of this kind. */
  readonly memoBytes?: number;
  /**
   * The other items of a kind that stands in several, under one item that every change of them rewrites: the routes of an
   * API under its revision.
   */
  readonly membersOf?: (id: string) => Promise<readonly Item[]>;
}

/** An item by kind and id. */
export interface ItemId<T = unknown> {
  readonly kind: Kind<T>;
  readonly id: string;
}

/** The key of an item that can exist: of any other nothing is read. */
export const keyOf = ({ kind, id }: ItemId): Key => kind.keyOf(id) as Key;

/** A permission with the patterns that cover it, worked out once. */
export interface CheckedPermission extends PermissionItem {
  readonly patterns: readonly string[];
}

const typeOf = (ref: string): string => ref.slice(0, ref.indexOf(':'));

const keyOfRef =
  (isOfKind: (type: string) => boolean) =>
  (ref: string): Key | undefined =>
    isRef(ref) && isOfKind(typeOf(ref)) ? decisionKey(parseRef(ref, 'ref')) : undefined;

/** The types of subjects, and of credentials that have a record. */
const SUBJECT_TYPES: ReadonlySet<string> = new Set(['user', 'technical-user']);
const CREDENTIAL_TYPES: ReadonlySet<string> = new Set(['token', 'session']);

export const SUBJECT: Kind<SubjectItem> = {
  keyOf: keyOfRef((type) => SUBJECT_TYPES.has(type)),
  decode: (_, item) => decodeSubject(item),
};

export const SCOPE: Kind<ScopeItem> = { keyOf: keyOfRef(mayBeScopeType), decode: decodeScope };

export const CREDENTIAL: Kind<CredentialItem> = {
  mayLackStamp: true,
  keyOf: keyOfRef((type) => CREDENTIAL_TYPES.has(type)),
  decode: (_, item) => decodeCredential(item),
};

export const PERMISSION: Kind<CheckedPermission> = {
  keyOf: (text) => {
    const name = readPermissionName(text);
    return name && decisionKey(permissionRef(name));
  },
  decode: (text, item) => {
    const permission = decodePermission(item);
    const name = readPermissionName(text);
    return {
      ...permission,
      module: permission.module ?? (name && moduleOf(name)),
      patterns: patternsCovering(text),
    };
  },
};

/** What holds everywhere: the global roles, the modules that are sold. It has one id. */
export const GLOBAL: Kind<GlobalItem> = { keyOf: globalKey, decode: (_, item) => decodeGlobal(item) };
export const GLOBAL_ID = '*';

/** What the roles of one root do to one permission. */
export interface TenantEffects extends Pick<PermissionItem, 'allow' | 'deny'> {
  /** Whether the table has an item for it. */
  readonly isStored: boolean;
}

const EMPTY: ReadonlySet<string> = new Set();

/** Roles that a memo of permission effects holds at the most, and its estimated bytes. */
export const ROLES_PER_MEMO = 64;
const MEMO_BYTES = 1_600;

/** The effects of the roles of one root on one permission. No reference to a scope has a space. */
export const TENANT_EFFECTS: Kind<TenantEffects> = {
  memoBytes: MEMO_BYTES,
  absent: () => ({ allow: EMPTY, deny: EMPTY, isStored: false }),
  keyOf: (id) => {
    const space = id.indexOf(' ');
    const root = id.slice(0, space);
    const name = readPermissionName(id.slice(space + 1));
    return name && isRef(root) ? tenantEffectsKey(parseRef(root, 'scope'), name) : undefined;
  },
  decode: (_, item) => ({ ...decodePermission(item), isStored: true }),
};
export const tenantEffectsId = (root: string, permission: string): string => `${root} ${permission}`;
