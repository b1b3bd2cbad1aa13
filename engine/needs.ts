import { decodeBearer } from '../table/decision/decode/bearer.ts';
import { decodePermission } from '../table/decision/decode/permission.ts';
import { decodeGlobal, decodeScope } from '../table/decision/decode/scope.ts';
import { decodeSubject } from '../table/decision/decode/subject.ts';
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
  readonly kind: Kind<T>;
  readonly id: string;
  readonly key: Key;
  readonly decode: (item: Item) => T;
}

/** Each need once, whatever asks for it. */
export const distinct = (needs: readonly Need<unknown>[]): readonly Need<unknown>[] => [
  ...new Map(needs.map((need) => [need.id, need])).values(),
];

/**
 * What a need is a need of. Once something is cached it is found by its kind and name alone: where its item stands, and
 * whether there can be one of that name at all, is worked out for what is not.
 */
export interface Kind<T> {
  /** Undefined when the name is one that nothing can have: nothing is read for it. */
  readonly needOf: (id: string) => Need<T> | undefined;
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
    ? { kind: SUBJECT, id: ref, key: decisionKey(parseRef(ref, 'subject')), decode: decodeSubject }
    : undefined;

export const needScope = (ref: string): Need<ScopeFacts> | undefined =>
  isRef(ref) && mayBeScopeType(typeOf(ref))
    ? {
        kind: SCOPE,
        id: ref,
        key: decisionKey(parseRef(ref, 'scope')),
        decode: (item) => decodeScope(ref, item),
      }
    : undefined;

export function needPermission(text: string): Need<CheckedPermission> | undefined {
  const name = readPermissionName(text);
  return (
    name && {
      kind: PERMISSION,
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
      kind: OWNED_EFFECTS,
      id: ownedId(root, text),
      key: ownedEffectsKey(parseRef(root, 'scope'), name),
      decode: decodePermission,
    }
  );
}

/** What holds everywhere: the global roles, the modules that are sold. */
export const GLOBAL_FACTS: Need<GlobalFacts> = {
  kind: { needOf: () => GLOBAL_FACTS },
  id: '',
  key: globalKey(),
  decode: decodeGlobal,
};

/** What somebody can come with. */
const BEARER_TYPES: ReadonlySet<string> = new Set(['token', 'session']);

/** Undefined when the text names no token or session that could exist. */
export const needBearer = (ref: string): Need<BearerFacts> | undefined =>
  isRef(ref) && BEARER_TYPES.has(typeOf(ref))
    ? { kind: BEARER, id: ref, key: decisionKey(parseRef(ref, 'bearer')), decode: decodeBearer }
    : undefined;

/** The name under which the effects of a root's own roles are cached. No reference to a scope has a space. */
export const ownedId = (root: string, permission: string): string => `${root} ${permission}`;

export const SUBJECT: Kind<SubjectFacts> = { needOf: needSubject };
export const SCOPE: Kind<ScopeFacts> = { needOf: needScope };
export const PERMISSION: Kind<CheckedPermission> = { needOf: needPermission };
export const BEARER: Kind<BearerFacts> = { needOf: needBearer };
export const EVERYWHERE: Kind<GlobalFacts> = GLOBAL_FACTS.kind;
export const OWNED_EFFECTS: Kind<PermissionFacts> = {
  needOf: (id) => {
    const end = id.indexOf(' ');
    return needOwnedEffects(id.slice(0, end), id.slice(end + 1));
  },
};
