import type { Declarations, Properties } from '../properties.ts';

/**
 * What a check reads, decoded (ADR 0003). Plain data: the engine decides over these and knows no item.
 * Scopes are named by reference (`location:01J…`), roles and groups by id, times in epoch milliseconds.
 */
export type Effect = 'ALLOW' | 'DENY';

/** An effect that counts only where its condition holds. */
export interface ConditionalEffect {
  readonly effect: Effect;
  /** An expression in CEL. */
  readonly when: string;
}

export type Combination = 'allow-overrides' | 'deny-overrides';

/** From `start` (inclusive) until `end` (exclusive). */
export interface Interval {
  readonly start: number;
  readonly end: number;
}

/** A role tied to a subject at a scope for a time. */
export interface Assignment extends Interval {
  readonly role: string;
}

/** Entitlements by name, and when each is valid. */
type Entitlements = ReadonlyMap<string, readonly Interval[]>;

/** To be read by name, not spread: attributes that most subjects share may be in its prototype. */
export interface SubjectItem {
  readonly active: boolean;
  /** The subject is gone from this instant on; Infinity when it has no end date. */
  readonly endsAt: number;
  readonly isAdmin: boolean;
  /** Whether it may act for somebody without a mandate, though it is an agent. */
  readonly mandateOptional: boolean;
  /** Its groups, but for those that are listed by scope. */
  readonly groups: readonly string[];
  /** Whether all its groups stand in items of their own, one for each scope (ADR 0003). */
  readonly groupsApart: boolean;
  /** Scope → its groups there: at the scopes whose groups stand apart, and of a subject whose groups do, as read. */
  readonly groupsAt: ReadonlyMap<string, readonly string[]>;
  /** Group → its roles, of the groups at scopes whose groups stand apart, as read. */
  readonly groupRoles: ReadonlyMap<string, readonly string[]>;
  readonly globalRoles: readonly string[];
  /** Root scope → roles that the subject's grant there holds. */
  readonly grants: ReadonlyMap<string, readonly string[]>;
  /** Scope → role assignments made there. */
  readonly assignments: ReadonlyMap<string, readonly Assignment[]>;
  /** Stored properties. */
  readonly properties: Properties;
}

/**
 * The subject with a part that stands apart of it, or another value: it may take attributes from its prototype, so it
 * becomes one.
 */
export const subjectWith = (
  subject: SubjectItem,
  changes: Partial<Pick<SubjectItem, 'groupsAt' | 'groupRoles' | 'isAdmin'>>,
): SubjectItem => ({ __proto__: subject, ...changes }) as unknown as SubjectItem;

/** All groups of a subject that were read. */
export const groupsOf = ({ groups, groupsAt }: SubjectItem): readonly string[] =>
  groupsAt.size === 0 ? groups : [...groups, ...[...groupsAt.values()].flat()];

/** A role as its owner's decision item lists it; a role that is not listed is not in force. */
export interface RoleItem {
  readonly parent: string | undefined;
  /** Effects held by wildcard pattern. */
  readonly patterns: ReadonlyMap<string, Effect | ConditionalEffect>;
}

export type RoleTable = ReadonlyMap<string, RoleItem>;

export interface ScopeItem {
  readonly ref: string;
  readonly active: boolean;
  /** From the parent up to the root; empty for a root. */
  readonly ancestors: readonly string[];
  readonly combination: Combination;
  /** Group at this scope → roles it carries. */
  readonly groups: ReadonlyMap<string, readonly string[]>;
  /** Whether the roles of its groups stand apart, but for the group of everyone; then only groups by scope count. */
  readonly groupsApart: boolean;
  /** The one of these groups whose members are all active subjects. */
  readonly everyone: string | undefined;
  /** Roles owned by this scope (roots only): all of them, or, with `closing`, those that say something. */
  readonly roles: RoleTable;
  /**
   * Of a root whose roles are folded (ADR 0003): its roles in deletion. `roles` then lists those that inherit or hold
   * a pattern, and every other role of the root is in force too. Undefined: a role that is not listed is not in force.
   */
  readonly closing: ReadonlySet<string> | undefined;
  /** Permissions that a role of its own denies, or once did (roots only). */
  readonly denials: ReadonlySet<string>;
  /** Module → subscriptions to it at this scope, active ones and trials. */
  readonly subscriptions: Entitlements;
  /** Enterprise → active licences for it (accounts only). */
  readonly licenses: Entitlements;
  /** The enterprise that it is linked to, and for which its root needs a licence. */
  readonly enterprise: string | undefined;
  /** Stored properties. */
  readonly properties: Properties;
}

/** What holds everywhere. */
export interface GlobalItem {
  /** The global roles and those for any tenant. */
  readonly roles: RoleTable;
  /** Modules that need a subscription. */
  readonly soldModules: ReadonlySet<string>;
  /** Which properties conditions can look at. */
  readonly declarations: Declarations;
}

/** What a decision reads of a token or a login session. */
export interface CredentialItem {
  readonly subject: string;
  /** SHA-256 of an API token's text, base64url; nothing else has one. */
  readonly hash: string | undefined;
  readonly active: boolean;
  readonly endsAt: number;
}

/** What a decision reads of a mandate: what `actor` may do for `subject`, and until when. */
export interface MandateItem extends CredentialItem {
  readonly actor: string;
  /** Names and patterns. */
  readonly permissions: ReadonlySet<string>;
  /** References; it counts at them and below. */
  readonly scopes: ReadonlySet<string>;
  /** Must hold where there is one. */
  readonly condition: ConditionalEffect | undefined;
  /** Whether it has a budget: then only the operation that counts may allow by it. */
  readonly isCounted: boolean;
}

/** Exact effects on one permission: of the global roles, or of the roles that one root owns. */
export interface PermissionItem {
  readonly registered: boolean;
  /** The module of a page; that of a permission is the first word of its name. */
  readonly module: string | undefined;
  readonly allow: ReadonlySet<string>;
  readonly deny: ReadonlySet<string>;
  /** Role → its effect with a condition. Such a role is in neither set. */
  readonly conditional: ReadonlyMap<string, ConditionalEffect>;
}
