import type { Combination, Effect } from '../../table/decision/items.ts';
import type { Reason } from '../decision.ts';

/**
 * A decision with everything that led to it: plain data that can be serialized as JSON. Instants are ISO
 * 8601.
 */
export interface Explanation {
  readonly allowed: boolean;
  readonly reason: Reason;
  /** The instant for which the decision was made. */
  readonly at: string;
  readonly subject: Named;
  readonly permission: string;
  /** The scope itself, then its ancestors up to the root. */
  readonly path: readonly Place[];
  /** How ALLOW and DENY are combined in this tree; null when its root is unknown. */
  readonly combination: Combination | null;
  /** The nine steps of SPEC section 2, in order. */
  readonly steps: readonly Step[];
  /** All derivations by which the permission is allowed, the deciding one first. */
  readonly allowedBy: Some<Derivation>;
  /** All derivations by which it is denied, whether they decide or are overridden. */
  readonly deniedBy: Some<Derivation>;
  /** What would have allowed it, where a grant is missing; otherwise null. */
  readonly suggestions: Suggestions | null;
}

/** An entity by reference (`role:01J…`). Its name is the reference if it has no name or does not exist. */
export interface Named {
  readonly ref: string;
  readonly name: string;
}

export interface Place extends Named {
  /**
   * The status in the scope's item; `unknown` when there is no item, `not looked at` when the decision did
   * not read it.
   */
  readonly status: string;
}

/** The first members of a list (at most {@link MAX_SHOWN}), and how many more there are. */
export interface Some<T> {
  readonly items: readonly T[];
  readonly more: number;
}

/** Limit on each list in an explanation. */
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
  /** Whether it passed; null when it was not reached or does not apply. */
  readonly passed: boolean | null;
  /** Whether the decision was made here. */
  readonly decides: boolean;
  /** What the step evaluated. */
  readonly findings: readonly Finding[];
  readonly missing: readonly Missing[];
}

/** Where the instant of the decision is relative to a period. */
export type PeriodState = 'holds' | 'ended' | 'not_begun';

export interface Period {
  readonly start?: string;
  readonly end?: string;
}

/** Something that a step evaluated. */
export type Finding =
  | { readonly kind: 'subject'; readonly about: Named; readonly status: string; readonly end?: string }
  | { readonly kind: 'scope'; readonly about: Named; readonly status: string }
  | { readonly kind: 'permission'; readonly name: string; readonly registered: boolean }
  | { readonly kind: 'administrator'; readonly is: boolean }
  | { readonly kind: 'module'; readonly name: string | null; readonly sold: boolean }
  | ({ readonly kind: 'subscription' | 'license' } & Entitlement)
  | { readonly kind: 'role'; readonly role: Named; readonly from: Source }
  | { readonly kind: 'effects'; readonly allow: number; readonly deny: number }
  | { readonly kind: 'combination'; readonly rule: string };

interface Entitlement extends Period {
  /** The module, or the enterprise. */
  readonly to: Named;
  readonly at: Named;
  /** `inactive` when it does not count because of its status, whatever its dates. */
  readonly state: PeriodState | 'inactive';
  /** Its status, if that is why it does not count. */
  readonly status?: string;
}

/** What a step required and did not find. */
export type Missing =
  | { readonly code: 'subject_unknown' | 'subject_inactive' | 'subject_ended'; readonly detail: string }
  | {
      readonly code: 'scope_unknown' | 'scope_inactive';
      readonly about: Named;
      readonly status: string;
      /** True for a scope above the one asked about. */
      readonly isAncestor: boolean;
    }
  | { readonly code: 'permission_unknown'; readonly detail: string }
  | { readonly code: 'not_subscribed' | 'not_licensed'; readonly to: Named }
  | { readonly code: 'role_not_in_force'; readonly role: Named; readonly from: Source; readonly why: WhyNot }
  | { readonly code: 'no_role' | 'no_effect' | 'no_allow' | 'denied' };

/** Why a granted role does not count. */
export type WhyNot =
  | { readonly code: 'ended' | 'not_begun' }
  /** It belongs to another tenant. */
  | { readonly code: 'of_another_tenant'; readonly owner: Named }
  | { readonly code: 'deleted' };

/** The grant through which a subject has a role. */
export type Source =
  | { readonly kind: 'group'; readonly group: Named; readonly scope: Named }
  | ({ readonly kind: 'assignment'; readonly scope: Named } & Period)
  | { readonly kind: 'grant'; readonly scope: Named }
  | { readonly kind: 'global_role' }
  | { readonly kind: 'administrator' };

/** How a subject comes to an effect on a permission: grant, role, inherited roles, permission or pattern. */
export interface Derivation {
  readonly effect: Effect;
  readonly from: Source;
  /** The granted role, then the roles it inherits from, up to the one that has the effect. */
  readonly roles: readonly Named[];
  /** The permission itself, or the pattern that covers it; null for an administrator. */
  readonly by: { readonly kind: 'exact' | 'pattern'; readonly name: string } | null;
}

/** The position of another scope relative to the one asked about. */
export type Relation = 'here' | 'above' | 'below' | 'beside' | 'other_tenant';

/** What would have allowed the request, the closest first. */
export interface Suggestions {
  /** Grants of the subject that allow the permission, but at another scope or at another time. */
  readonly granted: Some<{
    readonly from: Source;
    readonly roles: readonly Named[];
    readonly relation: Relation;
    readonly period: PeriodState;
  }>;
  /** Groups here or above that carry a role which allows it; the subject is in none of them. */
  readonly groups: Some<{ readonly group: Named; readonly scope: Named; readonly role: Named }>;
  /**
   * Roles that can be granted here and allow it: by name before by pattern, own effects before inherited
   * ones.
   */
  readonly roles: Some<{ readonly role: Named; readonly by: string }>;
  /** How many of the subject's grants elsewhere were read (`read`), and how many there are (`of`). */
  readonly lookedAt: Readonly<
    Record<'groups' | 'assignments' | 'grants', { readonly of: number; readonly read: number }>
  >;
}
