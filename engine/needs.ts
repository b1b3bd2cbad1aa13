import {
  decodeBearer,
  decodeGlobal,
  decodePermission,
  decodeScope,
  decodeSubject,
} from '../table/decision/decode.ts';
import type {
  BearerFacts,
  GlobalFacts,
  PermissionFacts,
  ScopeFacts,
  SubjectFacts,
} from '../table/decision/facts.ts';
import { mayBeScopeType } from '../table/entities/scope-types.ts';
import { isRef, parseRef } from '../table/identifiers.ts';
import type { Item } from '../table/item.ts';
import { decisionKey, globalKey, type Key, ownedEffectsKey, permissionRef } from '../table/keys.ts';
import { moduleOf, patternsCovering, readPermissionName } from '../table/permission-name.ts';

/**
 * A need is one item that a decision asks for: under which name it is cached, where it stands in the
 * table, and how it is read. All names share one cache, so each kind has a form of its own:
 * `user:id`, `location:id`, `token:id`, `session:id`, `dashboard` or `a:b:c`, `location:id dashboard`, and one for what
 * holds everywhere.
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

const typeOf = (ref: string): string => ref.slice(0, ref.indexOf(':'));

/** The kinds of things that act. */
const SUBJECT_TYPES: ReadonlySet<string> = new Set(['user', 'technical-user']);

/** Undefined when the text names no subject that could exist: nothing is read for it. */
export const needSubject = (ref: string): Need<SubjectFacts> | undefined =>
  isRef(ref) && SUBJECT_TYPES.has(typeOf(ref))
    ? { id: ref, key: decisionKey(parseRef(ref, 'subject')), decode: decodeSubject }
    : undefined;

export const needScope = (ref: string): Need<ScopeFacts> | undefined =>
  isRef(ref) && mayBeScopeType(typeOf(ref))
    ? { id: ref, key: decisionKey(parseRef(ref, 'scope')), decode: (item) => decodeScope(ref, item) }
    : undefined;

export function needPermission(text: string): Need<CheckedPermission> | undefined {
  const name = readPermissionName(text);
  return (
    name && {
      id: text,
      key: decisionKey(permissionRef(name)),
      decode: (item) => {
        const facts = decodePermission(item);
        return { ...facts, module: facts.module ?? moduleOf(name), covering: patternsCovering(text) };
      },
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

/** What holds everywhere: the global roles, the modules that are sold. */
export const GLOBAL_FACTS: Need<GlobalFacts> = { id: '', key: globalKey(), decode: decodeGlobal };

/** What somebody can come with. */
const BEARER_TYPES: ReadonlySet<string> = new Set(['token', 'session']);

/** Undefined when the text names no token or session that could exist. */
export const needBearer = (ref: string): Need<BearerFacts> | undefined =>
  isRef(ref) && BEARER_TYPES.has(typeOf(ref))
    ? { id: ref, key: decisionKey(parseRef(ref, 'bearer')), decode: decodeBearer }
    : undefined;
