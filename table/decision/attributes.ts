import { FORM } from '../form.ts';
import type { Key } from '../keys.ts';

/**
 * Names of the attributes of decision items, built and read here only (ADR 0003).
 *
 * Every entry is a top-level attribute or a member of a top-level set, so that a write is one
 * `SET #a = :v`, `ADD #set :v` or `DELETE #set :v`: it creates the item when there is none and never
 * reads before it writes.
 */
const SEPARATOR = '|';
/** Stands for a separator within a part: no part can hold a `#`, and most hold no `|` (ADR 0004). */
const ESCAPED = '#';

/** What a node or an edge says in a decision item: a member of a set, or else a value. */
export interface Entry {
  readonly at: Key;
  readonly attribute: string;
  readonly member?: string;
  /** Undefined says that there is none. A set is written as a whole. */
  readonly value?: unknown;
}

export const Attribute = {
  /** Epoch milliseconds of the last write, by the writer's clock. */
  writtenAt: 'writtenAt',
  /** Names the transaction that wrote the item last (stamp.ts). */
  writeId: 'writeId',
  /** Of its form (form.ts). */
  version: FORM,
  status: 'status',
  endsAt: 'endsAt',
  isAdmin: 'isAdmin',
  /** On a subject: true for an agent that may act without a mandate. */
  mandateOptional: 'mandateOptional',
  groups: 'groups',
  /** On a subject: `scope` where its groups stand apart, by scope. */
  groupsIn: 'groupsIn',
  globalRoles: 'roles',
  /** On a scope: `apart` where the roles of its groups stand apart, by group. */
  groupRoles: 'groupRoles',
  /** On what stands apart of a group: its roles. */
  rolesOfGroup: 'roles',
  /** On what stands apart of a group: its scope. */
  scopeOfGroup: 'scope',
  ancestors: 'ancestors',
  /** On a scope: the id of its group of all subjects. */
  everyone: 'everyone',
  combination: 'combination',
  registered: 'registered',
  allow: 'allow',
  deny: 'deny',
  /** On a root: the permissions that a role of its own denies, or once did. */
  denials: 'denials',
  /** On a root: `folded` where its roles are written by what they say, not one by one (ADR 0003). */
  roleTable: 'roleTable',
  /** On a root whose roles are folded: those in deletion, which have no effect any more. */
  closing: 'closing',
  /** On the invariants of what holds everywhere: the roots that have some, or once had. */
  rootsWithInvariants: 'rootsWithInvariants',
  /** On a subject or a scope: its stored properties, a map. */
  properties: 'properties',
  module: 'module',
  enterprise: 'enterprise',
  subject: 'subject',
  hash: 'hash',
  /** On a mandate: who acts by it. */
  actor: 'actor',
  /** On a mandate: names and patterns of permissions, a list. */
  permissions: 'permissions',
  /** On a mandate: the scopes at and below which it counts, a list of references. */
  scopes: 'scopes',
  /** On a mandate: its condition, in CEL. */
  when: 'when',
  /** On a mandate: true where it has a budget. */
  budget: 'budget',
  /** DynamoDB's time-to-live, in epoch seconds: a decision item goes when its node goes by itself. */
  timeToLive: 'ttl',
} as const;

const join = (...parts: readonly string[]): string =>
  parts.map((part) => part.replaceAll(SEPARATOR, ESCAPED)).join(SEPARATOR);

/** On a subject: the roles of its grant in a root, as a set. */
export const grantAttribute = (root: string): string => join('grant', root);
/** On a subject: one role assignment, as an ISO 8601 interval `start/end` with either side empty. */
export const assignmentAttribute = (scope: string, role: string): string => join('assign', scope, role);
/**
 * Of a subject, in plans only: one of its groups, at the scope of that group. Where it stands is known when it is sent
 * (apart.ts).
 */
export const memberAttribute = (scope: string, group: string): string => join('in', scope, group);
/** On a subject: its groups at a scope whose groups stand apart, as a set. */
export const groupsAtAttribute = (scope: string): string => join('at', scope);
/** Of a scope, in plans only: the roles of one of its groups. Where they stand is known when it is sent (apart.ts). */
export const groupRolesAttribute = (group: string): string => join('of', group);
/** On a scope: the roles of one of its groups, as a set. */
export const groupAttribute = (group: string): string => join('group', group);
/** On a root or on the global roles: a live role; the value is its parent's id or empty. */
export const roleAttribute = (role: string): string => join('role', role);
/** On a root or on the global roles: what a role holds by wildcard; the value is the effect, with a condition a map. */
export const patternAttribute = (role: string, pattern: string): string => join('wild', role, pattern);

/** The value of {@link Attribute.roleTable}. */
export const FOLDED = 'folded';
/** On a root whose roles are folded: the roles that inherit from one, its own or a global one, as a set. */
export const heirsAttribute = (parent: string): string => join('heirs', parent);
/** On a root whose roles are folded: the roles that hold a pattern with this effect and no condition, as a set. */
export const foldedPatternAttribute = (effect: 'ALLOW' | 'DENY', pattern: string): string =>
  join(effect === 'ALLOW' ? 'allow' : 'deny', pattern);

/** On a permission: the effect of a role with a condition, as a map `{ effect, when }`. */
export const conditionAttribute = (role: string): string => join('when', role);
/** On what holds everywhere: the declaration of a property, as `type source`. */
export const propertyAttribute = (of: string, name: string): string => join('property', of, name);

/** On a scope: one subscription to a module there, as an interval. */
export const subscriptionAttribute = (module: string, id: string): string => join('sub', module, id);
/** On an account: one licence for an enterprise, as an interval. */
export const licenseAttribute = (enterprise: string, id: string): string => join('license', enterprise, id);
/** On what an issuer's groups are: one of them, by the id of its node; the value is a group of ours with its scope. */
export const externalAttribute = (externalId: string, id: string): string => join('external', externalId, id);
/** On the invariants of a root: one of them, by the id of its node, as a map. */
export const invariantAttribute = (id: string): string => join('invariant', id);
/** On what holds everywhere: a module that is sold by subscription. */
export const moduleAttribute = (module: string): string => join('module', module);

/** What a name says that one of the functions above makes, by its first part: the others in their order. */
const SAID = {
  grant: (scope: string) => ({ kind: 'grant', scope }) as const,
  assign: (scope: string, role: string) => ({ kind: 'assign', scope, role }) as const,
  in: (scope: string, group: string) => ({ kind: 'in', scope, group }) as const,
  at: (scope: string) => ({ kind: 'at', scope }) as const,
  of: (group: string) => ({ kind: 'of', group }) as const,
  group: (group: string) => ({ kind: 'group', group }) as const,
  role: (role: string) => ({ kind: 'role', role }) as const,
  wild: (role: string, pattern: string) => ({ kind: 'wild', role, pattern }) as const,
  heirs: (parent: string) => ({ kind: 'heirs', parent }) as const,
  allow: (pattern: string) => ({ kind: 'folded', effect: 'ALLOW', pattern }) as const,
  deny: (pattern: string) => ({ kind: 'folded', effect: 'DENY', pattern }) as const,
  when: (role: string) => ({ kind: 'when', role }) as const,
  property: (of: string, name: string) => ({ kind: 'property', of, name }) as const,
  sub: (module: string, id: string) => ({ kind: 'sub', module, id }) as const,
  license: (enterprise: string, id: string) => ({ kind: 'license', enterprise, id }) as const,
  external: (externalId: string, id: string) => ({ kind: 'external', externalId, id }) as const,
  module: (module: string) => ({ kind: 'module', module }) as const,
  invariant: (id: string) => ({ kind: 'invariant', id }) as const,
};
export type ParsedAttribute = ReturnType<(typeof SAID)[keyof typeof SAID]>;

const READERS = new Map<string, (first: string, second: string) => ParsedAttribute>(Object.entries(SAID));

const unescaped = (part: string): string =>
  part.includes(ESCAPED) ? part.replaceAll(ESCAPED, SEPARATOR) : part;

/**
 * What a name says: the other way of the functions above. Undefined for every name that none of them makes, of parts that
 * are not empty; so also for those in {@link Attribute}. Items are decoded on each read, so it makes no list of the parts.
 */
export function parseAttribute(name: string): ParsedAttribute | undefined {
  const first = name.indexOf(SEPARATOR) + 1;
  if (first === 0) return undefined;
  const second = name.indexOf(SEPARATOR, first) + 1;
  const read = READERS.get(name.slice(0, first - 1));
  if (read?.length !== (second === 0 ? 1 : 2)) return undefined;
  const a = name.slice(first, second === 0 ? undefined : second - 1);
  const b = second === 0 ? undefined : name.slice(second);
  if (a === '' || b === '' || b?.includes(SEPARATOR)) return undefined;
  return read(unescaped(a), unescaped(b ?? ''));
}

/** A group of ours, and the scope at which it is. Neither holds a space. */
export const formatExternalGroup = ({ group, scope }: { group: string; scope: string }): string =>
  `${group} ${scope}`;

export const formatInterval = (start: string | undefined, end: string | undefined): string =>
  `${start ?? ''}/${end ?? ''}`;
