import type { Combination, Effect } from '../../table/decision/items.ts';
import type { Decision, Reason } from '../decision.ts';

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
  /** The nine steps of a decision, in order. */
  readonly steps: readonly Step[];
  /** All derivations by which the permission is allowed, the deciding one first. */
  readonly allowedBy: Some<Derivation>;
  /** All derivations by which it is denied, whether they decide or are overridden. */
  readonly deniedBy: Some<Derivation>;
  /**
   * Effects that do not count: their condition does not hold or, for an ALLOW, could not be evaluated.
   */
  readonly notCounting: Some<Derivation>;
  /**
   * The periods on which the decision rests, also those that the instant is not in: it does not change by time alone
   * but where one of them begins or ends.
   */
  readonly validities: Some<Validity>;
  /** What would have allowed it, where a grant is missing; otherwise null. */
  readonly suggestions: Suggestions | null;
  /** Who acts for the subject: `allowed` and `reason` are then of all three, and the rest is of the subject. */
  readonly acting?: Acting;
}

/** An actor and its mandate, in an explanation. */
export interface Acting {
  /** The subject's own decision. */
  readonly subject: Decision;
  /** Of the actor's own decision. */
  readonly actor: Explanation;
  /** Null where it has none, or one of another subject or actor. */
  readonly mandate: MandateShown | null;
}

export interface MandateShown {
  readonly ref: string;
  readonly status: 'active' | 'ended';
  readonly endsAt: string;
  /** Permissions and patterns. */
  readonly permissions: readonly string[];
  readonly scopes: readonly Named[];
  /** Its condition over the action. */
  readonly when: string | null;
  readonly hasBudget: boolean;
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
  /** Its number, from 1 to 9. */
  readonly step: number;
  readonly name: StepName;
  /** Whether it passed; null when it was not reached or does not apply. */
  readonly passed: boolean | null;
  /** Whether the decision was made here. */
  readonly decides: boolean;
  /** What the step evaluated, in words. */
  readonly findings: readonly string[];
  readonly missing: readonly Missing[];
}

/** What a step required and did not find: a code for programs, and the sentence for people. */
export interface Missing {
  readonly code: Reason | 'role_not_in_force' | 'no_role' | 'no_effect' | 'no_allow' | 'denied';
  readonly text: string;
}

/** Where the instant of the decision is relative to a period. */
export type PeriodState = 'holds' | 'ended' | 'not_begun';

export interface Period {
  readonly start?: string;
  readonly end?: string;
}

/** What holds for a time only: the subject, an assignment, a group of its token, or an entitlement here or above. */
export type Validity = Period &
  (
    | { readonly kind: 'subject' }
    | { readonly kind: 'assignment'; readonly scope: Named; readonly role: Named }
    | { readonly kind: 'token_group'; readonly group: Named; readonly scope: Named }
    | { readonly kind: 'subscription'; readonly scope: Named; readonly module: string }
    | { readonly kind: 'license'; readonly scope: Named; readonly enterprise: Named }
  );

/** The grant through which a subject has a role. */
export type Source =
  | {
      readonly kind: 'group';
      readonly group: Named;
      readonly scope: Named;
      /** The group of everyone: the subject is in it without a membership. */
      readonly everyone?: true;
    }
  | ({ readonly kind: 'assignment'; readonly scope: Named } & Period)
  | { readonly kind: 'grant'; readonly scope: Named }
  /** A group that the subject's token names. */
  | ({ readonly kind: 'token_group'; readonly group: Named; readonly scope: Named } & Period)
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
  /** The condition of the effect as it was evaluated; null if the effect always counts. */
  readonly condition: ConditionShown | null;
}

/** A condition, its outcome, and what it looked at. */
export interface ConditionShown {
  /** The expression. */
  readonly when: string;
  readonly outcome: 'holds' | 'does_not_hold' | 'not_evaluated';
  /** Why it could not be evaluated; otherwise null. */
  readonly message: string | null;
  /** The parts, joined by `&&`, that do not hold or could not be evaluated. */
  readonly fails: readonly string[];
  /** What it looks at, with the values as JSON; secrets are masked. */
  readonly values: readonly {
    readonly name: string;
    readonly value: string;
    /** Whether the caller gives it; otherwise the table has it. */
    readonly isGiven: boolean;
  }[];
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
