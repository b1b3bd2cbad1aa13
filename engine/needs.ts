import { decodeGlobalRoles, decodePermission, decodeScope, decodeSubject } from '../table/decision/decode.ts';
import type { PermissionFacts, RoleTable, ScopeFacts, SubjectFacts } from '../table/decision/facts.ts';
import { isRef, parseRef } from '../table/identifiers.ts';
import type { Item } from '../table/item.ts';
import { decisionKey, globalRolesKey, type Key, ownedEffectsKey, permissionRef } from '../table/keys.ts';
import { patternsCovering, readPermissionName } from '../table/permission-name.ts';

/**
 * A need is one item that a decision asks for: under which name it is cached, where it stands in the
 * table, and how it is read. All names share one cache, so each kind has a form of its own:
 * `user:id`, `location:id`, `dashboard` or `a:b:c`, `location:id dashboard`, and one for the global roles.
 */
export interface Need<T> {
  readonly id: string;
  readonly key: Key;
  readonly decode: (item: Item) => T;
}

/** Exact effects on a permission, with the patterns that cover it worked out once. */
export interface CheckedPermission extends PermissionFacts {
  readonly covering: readonly string[];
}

/** Kinds of things that have a decision item and are no place. */
const NO_SCOPES: ReadonlySet<string> = new Set(['user', 'page', 'permission']);
const mayBeScope = (ref: string): boolean => !NO_SCOPES.has(ref.slice(0, ref.indexOf(':')));

/** The kinds of things that act. */
const SUBJECT_TYPES: ReadonlySet<string> = new Set(['user']);
const isSubject = (ref: string): boolean => SUBJECT_TYPES.has(ref.slice(0, ref.indexOf(':')));

/** Undefined when the text names no subject that could exist: nothing is read for it. */
export const needSubject = (ref: string): Need<SubjectFacts> | undefined =>
  isRef(ref) && isSubject(ref)
    ? { id: ref, key: decisionKey(parseRef(ref, 'subject')), decode: decodeSubject }
    : undefined;

export const needScope = (ref: string): Need<ScopeFacts> | undefined =>
  isRef(ref) && mayBeScope(ref)
    ? { id: ref, key: decisionKey(parseRef(ref, 'scope')), decode: (item) => decodeScope(ref, item) }
    : undefined;

export function needPermission(text: string): Need<CheckedPermission> | undefined {
  const name = readPermissionName(text);
  return (
    name && {
      id: text,
      key: decisionKey(permissionRef(name)),
      decode: (item) => ({ ...decodePermission(item), covering: patternsCovering(text) }),
    }
  );
}

/** Effects on a permission of the roles that the root itself owns. */
export function needOwnedEffects(root: string, text: string): Need<PermissionFacts> | undefined {
  const name = readPermissionName(text);
  return (
    name && {
      id: `${root} ${text}`,
      key: ownedEffectsKey(parseRef(root, 'scope'), name),
      decode: decodePermission,
    }
  );
}

export const GLOBAL_ROLES: Need<RoleTable> = { id: '', key: globalRolesKey(), decode: decodeGlobalRoles };
