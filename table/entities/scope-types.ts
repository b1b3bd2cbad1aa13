import { invalid } from '../errors.ts';
import { isBuiltInSubject, isType, parseRef, type Ref } from '../identifiers.ts';

/**
 * The scope types and which may stand under which: data, not code (ADR 0002). A type with `root: true`
 * may stand alone; a root is a tenant, the isolation boundary. These come with the table; operators add
 * others as items (`scope-type.create`), which say as well what may stand under them.
 */
export interface ScopeType {
  readonly root: boolean;
  readonly parents: readonly string[];
  /** Types that may stand under this one though they do not say so themselves. */
  readonly children?: readonly string[];
}

export const SCOPE_TYPES: Readonly<Record<string, ScopeType>> = {
  tenant: { root: true, parents: [] },
  location: { root: true, parents: ['tenant'] },
  client: { root: true, parents: [] },
  project: { root: false, parents: ['client'] },
  building: { root: false, parents: ['project'] },
  zone: { root: false, parents: ['building', 'zone'] },
  device: { root: false, parents: ['building', 'zone'] },
  account: { root: true, parents: [] },
  enterprise: { root: true, parents: [] },
  workstream: { root: false, parents: ['account'] },
};

/** Longest path from a scope up to its root: a check reads every scope on it. */
export const MAX_ANCESTORS = 16;

export const isBuiltIn = (type: string): boolean => Object.hasOwn(SCOPE_TYPES, type);

const typeOf = (ref: string): string => ref.slice(0, ref.indexOf(':'));

/** A scope that is in no other's tree. Types that operators added may stand under others. */
export function isSurelyRoot(ref: string): boolean {
  const type = typeOf(ref);
  return isBuiltIn(type) && SCOPE_TYPES[type]?.parents.length === 0;
}

/** A scope that may stand alone. Types that operators added may. */
export const mayBeRoot = (ref: string): boolean => SCOPE_TYPES[typeOf(ref)]?.root ?? true;

/**
 * Types that may be directly below a type. The definition of an added type may have changed after scopes were created, so
 * that its scopes may have any children, and any scope may have children of it.
 *
 * @param added the types that were added
 */
export const typesBelow = (type: string, added: readonly string[]): readonly string[] => [
  ...Object.keys(SCOPE_TYPES).filter((each) => !isBuiltIn(type) || SCOPE_TYPES[each]?.parents.includes(type)),
  ...added,
];

/**
 * First words of keys that are no scopes. Kinds that decide nothing need not stand here: their decision items are never there,
 * and the registry refuses their types (`isScopeType`).
 */
const TAKEN: ReadonlySet<string> = new Set([
  'user',
  'technical-user',
  'subject',
  'subject-type',
  'group',
  'external-group',
  'invariant',
  'domain',
  'scim-connection',
  'scim-credential',
  'scim-user',
  'scim-group',
  'role',
  'role-template',
  'page',
  'permission',
  'module',
  'route',
  'scope',
  'scope-type',
  'resource-type',
  'property',
  'subscription',
  'license',
  'product',
  'service',
  'address',
  'tool',
  'setting',
  'policy',
  'token',
  'mandate',
  'session',
  'notification',
  'grant',
  'assignment',
  'audit',
  'audit-count',
  'operation',
  'approval',
  'secret',
  'global',
  'api',
  'decision',
  'meta',
  'list',
  'guard',
  'names',
  'status',
]);
/** The kinds of guards are first words of keys too. */
const GUARD_KIND = /^(?:email|phone|username|identity)$|-(?:name|code|route)$/;

/** Whether nodes of this type can be scopes: it comes with the table, or an operator may add it. */
export const mayBeScopeType = (type: string): boolean =>
  isType(type) && !TAKEN.has(type) && !GUARD_KIND.test(type);

/**
 * Whether an operator may add subjects of this type. It may be a scope type as well, or the kind of a guard:
 * the keys of such subjects begin with SUBJECT.
 */
export const mayBeSubjectType = (type: string): boolean => isType(type) && !TAKEN.has(type);

/** What the command `scope.VERB` or `subject.VERB` says of a type that no operator added. */
export function notAdded(type: string, verb: string): string {
  if (!isType(type)) return 'is no type that was added';
  const hasOwn = isBuiltIn(type) || isBuiltInSubject(type);
  return hasOwn
    ? `${type} has commands of its own: use ${type}.${verb}`
    : `${type} is no type that was added`;
}

/** Reads a reference to a scope. Throws `invalid` naming `field` when nodes of this type are no scopes. */
export function parseScopeRef(text: string, field: string): Ref {
  const ref = parseRef(text, field);
  if (!mayBeScopeType(ref.type)) throw notAScope(field);
  return ref;
}

export const notAScope = (field: string) =>
  invalid(
    field,
    `${field} has an unknown scope type; known are ${Object.keys(SCOPE_TYPES).join(', ')} and those that were added`,
  );
