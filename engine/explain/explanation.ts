import type { Combination, Effect } from '../../table/decision/items.ts';
import type { Reason } from '../decision.ts';

/** A decision with everything that led to it: plain data, fit for JSON. Instants are ISO 8601. */
export interface Explanation {
  readonly allowed: boolean;
  readonly reason: Reason;
  /** The instant that was decided for. */
  readonly at: string;
  readonly subject: Named;
  readonly permission: string;
  /** The scope itself, then its ancestors up to the root. */
  readonly path: readonly Place[];
  /** How ALLOW and DENY are combined in this tree; null when its root was not reached. */
  readonly combination: Combination | null;
  /** The nine steps of SPEC section 2, in their order. */
  readonly steps: readonly Step[];
  /** All derivations by which the permission is allowed, the deciding one first. */
  readonly allowedBy: Some<Derivation>;
  /** All by which it is denied, whether they decide or are overridden. */
  readonly deniedBy: Some<Derivation>;
  /** What would have helped, where nothing was granted; otherwise null. */
  readonly suggestions: Suggestions | null;
}

/** A thing by its reference (`role:01J…`). Its name is its reference where it has none or is not there. */
export interface Named {
  readonly ref: string;
  readonly name: string;
}

export interface Place extends Named {
  /** As the scope's own item says; `unknown` when there is none, `not looked at` when it did not matter. */
  readonly status: string;
}

/** The first few of a list (at most {@link MAX_SHOWN}), and how many there are besides. */
export interface Some<T> {
  readonly items: readonly T[];
  readonly more: number;
}

/** How many of each kind of thing are shown. */
export const MAX_SHOWN = 20;

export type StepName =
  | 'subject'
  | 'scope'
  | 'permission'
  | 'administrator'
  | 'entitlement'
  | 'roles'
  | 'effects'
  | 'combination'
  | 'default';

export interface Step {
  /** Its number in SPEC section 2. */
  readonly step: number;
  readonly name: StepName;
  /** Whether it was passed; null when it was not reached, or had nothing to say. */
  readonly passed: boolean | null;
  /** Whether the decision was made here. */
  readonly decides: boolean;
  /** What was looked at. */
  readonly facts: readonly Fact[];
  readonly missing: readonly Missing[];
}

/** How a period stands to the instant of the decision. */
export type PeriodState = 'holds' | 'ended' | 'not_begun';

export interface Period {
  readonly start?: string;
  readonly end?: string;
}

/** A fact that a step looked at. */
export type Fact =
  | { readonly kind: 'subject'; readonly about: Named; readonly status: string; readonly end?: string }
  | { readonly kind: 'scope'; readonly about: Named; readonly status: string }
  | { readonly kind: 'permission'; readonly name: string; readonly registered: boolean }
  | { readonly kind: 'administrator'; readonly is: boolean }
  | { readonly kind: 'module'; readonly name: string | null; readonly sold: boolean }
  | ({ readonly kind: 'subscription' | 'license' } & Entitlement)
  | { readonly kind: 'role'; readonly role: Named; readonly from: Source }
  | { readonly kind: 'effects'; readonly allow: number; readonly deny: number }
  | { readonly kind: 'combination'; readonly rule: string };

export interface Entitlement extends Period {
  /** The module, or the enterprise. */
  readonly to: Named;
  readonly at: Named;
  /** `inactive` when its status keeps it from counting, whatever its dates. */
  readonly state: PeriodState | 'inactive';
  /** Its status, where that is why it does not count. */
  readonly status?: string;
}

/** What a step would have needed. */
export type Missing =
  | { readonly code: 'subject_unknown' | 'subject_inactive' | 'subject_ended'; readonly detail: string }
  | {
      readonly code: 'scope_unknown' | 'scope_inactive';
      readonly about: Named;
      readonly status: string;
      /** Whether it is the scope that was asked for, or one above it. */
      readonly isAncestor: boolean;
    }
  | { readonly code: 'permission_unknown'; readonly detail: string }
  | { readonly code: 'not_subscribed' | 'not_licensed'; readonly to: Named }
  | { readonly code: 'role_not_in_force'; readonly role: Named; readonly from: Source; readonly why: WhyNot }
  | { readonly code: 'no_role' | 'no_effect' | 'no_allow' | 'denied' };

/** Why a role that somebody holds does not count. */
export type WhyNot =
  | { readonly code: 'ended' | 'not_begun' }
  /** It belongs to another tenant, or is there no more. */
  | { readonly code: 'of_another_tenant'; readonly owner: Named }
  | { readonly code: 'deleted' };

/** What ties a subject to a role. */
export type Source =
  | { readonly kind: 'group'; readonly group: Named; readonly scope: Named }
  | ({ readonly kind: 'assignment'; readonly scope: Named } & Period)
  | { readonly kind: 'grant'; readonly scope: Named }
  | { readonly kind: 'global_role' }
  | { readonly kind: 'administrator' };

/** How a subject comes to a permission: user, group, role, inherited from …, permission or pattern. */
export interface Derivation {
  readonly effect: Effect;
  readonly from: Source;
  /** The role that is held, then those that it inherits from, down to the one that has the effect. */
  readonly roles: readonly Named[];
  /** The permission itself, or the pattern that covers it; null for an administrator. */
  readonly by: { readonly kind: 'exact' | 'pattern'; readonly name: string } | null;
}

/** How another scope stands to the one that was asked for. */
export type Relation = 'here' | 'above' | 'below' | 'beside' | 'other_tenant';

/** What would have helped, the closest first. */
export interface Suggestions {
  /** Roles that allow the permission and that the subject holds elsewhere, or held, or will hold. */
  readonly held: Some<{
    readonly from: Source;
    readonly roles: readonly Named[];
    readonly relation: Relation;
    readonly period: PeriodState;
  }>;
  /** Groups here or above that carry such a role; the subject is in none of them. */
  readonly groups: Some<{ readonly group: Named; readonly scope: Named; readonly role: Named }>;
  /** Roles that can be granted here and allow the permission: by name before by pattern, their own before inherited. */
  readonly roles: Some<{ readonly role: Named; readonly by: string }>;
  /** How much of what the subject holds elsewhere was looked at, and how much there is. */
  readonly lookedAt: Readonly<
    Record<'groups' | 'assignments' | 'grants', { readonly of: number; readonly read: number }>
  >;
}
