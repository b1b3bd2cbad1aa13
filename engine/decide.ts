import type { ConditionalEffect, Interval, ScopeItem } from '../table/decision/items.ts';
import { type ConditionInput, createOutcomes, isGiven, usesOf } from './condition-outcomes.ts';
import type { Work } from './conditions/work.ts';
import { isCredentialGood } from './credential.ts';
import { ALLOWED, DENIED, type Decision } from './decision.ts';
import { assertWhole, type DecisionInput } from './decision-input.ts';
import { type Holding, holdingsOf, inheritance, isInForce, refusalOf } from './effective-roles.ts';
import { effectsOfRole, type PermissionItems, soldModuleOf } from './permission-effects.ts';
import { holdsAt, nextChange } from './validity.ts';

/** The refusal of an invalid credential; undefined if the credential is valid or there is none. */
export const refusedCredential = (
  { question, credential }: Pick<DecisionInput, 'question' | 'credential'>,
  at: number,
): Decision | undefined =>
  question.credential && !isCredentialGood(credential, question.subject, question.credential, at)
    ? DENIED.credential_refused
    : undefined;

/**
 * Decides in nine steps; an explanation lists them in their order. A pure function; `at` is in epoch
 * milliseconds.
 *
 * @throws GatehouseError `damaged_item` if an item that could refuse is missing
 */
export function decide(input: DecisionInput, at: number): Decision {
  assertWhole(input);
  return refusedCredential(input, at) ?? settle(residualOf(input, at), input);
}

/**
 * What is left of a decision when all is evaluated but the credential and the conditions: the decision itself, or the
 * conditions that it depends on. It follows from the items and the instant, not from what the question gives.
 */
export type Residual = Decision | Unsettled;

/** Step 8 with the conditions still open. */
export interface Unsettled {
  /** Whether a role in force allows it without a condition. */
  readonly isAllowed: boolean;
  /** Whether one denies it without a condition. */
  readonly isDenied: boolean;
  readonly isDenyOverriding: boolean;
  /** The conditional effects of the roles in force, each once. */
  readonly conditions: ReadonlySet<ConditionalEffect>;
}

/**
 * Steps 1 to 8, without conditions.
 *
 * @param holdings what is granted to the subject at the scope, in force or not
 */
export function residualOf(
  input: DecisionInput,
  at: number,
  holdings: readonly Holding[] = holdingsOf(input.subject, input),
): Residual {
  const { subject, scopes, permission } = input;
  const refusal = refusalOf(subject, input, at);
  if (refusal) return DENIED[refusal];
  if (!permission?.registered) return DENIED.permission_unknown;
  if (subject?.isAdmin) return ALLOWED.admin;
  if (!isSubscribed(scopes, soldModuleOf(permission, input), at)) return DENIED.not_subscribed;
  if (!isLicensed(scopes, at)) return DENIED.not_licensed;
  return combine(input, holdings, at);
}

/** Steps 6 to 8: combines the effects of the roles in force (ADR 0005). */
function combine(input: DecisionInput, holdings: readonly Holding[], at: number): Residual {
  const items = permissionItemsOf(input);
  const isDenyOverriding = input.scopes.at(-1)?.combination === 'deny-overrides';
  let [isAllowed, isDenied] = [false, false];
  let conditions: Set<ConditionalEffect> | undefined;
  for (const holding of holdings) {
    if (!isInForce(holding, at)) continue;
    for (const role of inheritance(holding.role, input)) {
      for (const { effect, condition } of effectsOfRole(role, items)) {
        if (condition) conditions = (conditions ?? new Set()).add(condition);
        else if (effect === 'ALLOW') isAllowed = true;
        else isDenied = true;
      }
    }
    // One ALLOW is enough, unless one DENY refuses.
    if (isAllowed && !isDenyOverriding) return ALLOWED.role;
    if (isDenied && isDenyOverriding) return DENIED.denied_by_role;
  }
  if (conditions) return { isAllowed, isDenied, isDenyOverriding, conditions };
  if (isAllowed) return ALLOWED.role;
  return isDenied ? DENIED.denied_by_role : DENIED.no_grant;
}

export const isSettled = (residual: Residual): residual is Decision => 'reason' in residual;

/**
 * Evaluates the conditions that a decision depends on, and combines the effects that count only where their condition
 * holds with those that always count (ADR 0020, CEL).
 *
 * @param work the budget of several questions; that of the question, if it brings one, comes first
 */
export function settle(residual: Residual, input: ConditionInput, work?: Work): Decision {
  if (isSettled(residual)) return residual;
  const { isAllowed, isDenied, isDenyOverriding, conditions } = residual;
  const outcomeOf = createOutcomes(input, work, conditions.size);
  const allows = { surely: isAllowed, perhaps: isAllowed };
  const denies = { surely: isDenied, perhaps: isDenied };
  for (const condition of conditions) {
    const outcome = outcomeOf(condition);
    const isKnown = 'holds' in outcome;
    if (isKnown && !outcome.holds) continue;
    const effect = condition.effect === 'ALLOW' ? allows : denies;
    effect.perhaps = true;
    if (isKnown) effect.surely = true;
  }
  // What cannot be evaluated does not allow, and denies.
  if (allows.surely && !(denies.perhaps && isDenyOverriding)) return ALLOWED.role;
  // Had it been evaluated, the subject might have been allowed.
  if (allows.perhaps && !(denies.surely && isDenyOverriding)) return DENIED.condition_failed;
  return denies.perhaps ? DENIED.denied_by_role : DENIED.no_grant;
}

/**
 * What the conditions behind a decision look at, beside what the table keeps: `context.ip`,
 * `action.properties.soft`. Empty where the decision rests on the table alone.
 */
export function usesOfGiven(residual: Residual, input: ConditionInput): readonly string[] {
  if (isSettled(residual)) return NOTHING_USED;
  const uses = [...residual.conditions].flatMap(usesOf);
  return [...new Set(uses)].filter((use) => isGiven(use, input));
}

const NOTHING_USED: readonly string[] = [];

/** The items of the permission asked about. */
export const permissionItemsOf = ({
  question,
  permission,
  tenantEffects,
}: DecisionInput): PermissionItems => ({
  name: question.permission ?? '',
  permission,
  tenantEffects,
});

/**
 * The next instant after `at`, in epoch milliseconds, at which a grant, subscription, licence, token or the subject begins or
 * ends by time alone, so that the residual of a decision may change (ADR 0017).
 */
export function validUntil(
  input: DecisionInput,
  at: number,
  holdings: readonly Holding[] = holdingsOf(input.subject, input),
): number {
  const { question, subject, scopes, permission } = input;
  let next = subject ? endAfter(at, subject.endsAt) : FOREVER;
  // Also where its groups give nothing: whoever keeps the answer keeps it for the token.
  if (question.groups !== undefined) next = Math.min(next, endAfter(at, question.groups.until));
  for (const holding of holdings)
    if (holding.kind === 'assignment') next = Math.min(next, nextChange(at, [holding]));
  const soldModule = soldModuleOf(permission, input);
  if (soldModule !== undefined) next = Math.min(next, nextChange(at, subscriptionsTo(scopes, soldModule)));
  for (const enterprise of enterprisesOf(scopes))
    next = Math.min(next, nextChange(at, licensesFor(scopes, enterprise)));
  return next;
}

/** The instant after `at` at which a credential or a mandate ends; Infinity if there is none, or if it has ended. */
export const credentialUntil = (credential: DecisionInput['credential'], at: number): number =>
  credential ? endAfter(at, credential.endsAt) : FOREVER;

/** The end of what has no start; Infinity if it has ended. */
const endAfter = (at: number, end: number): number => (end <= at ? FOREVER : end);

const FOREVER = Number.POSITIVE_INFINITY;

/** A scope, then its ancestors up to the root. */
type Scopes = readonly (ScopeItem | null)[];

/** The subscriptions to a module at a scope and its ancestors. */
export const subscriptionsTo = (scopes: Scopes, module: string): readonly Interval[] =>
  scopes.flatMap((scope) => scope?.subscriptions.get(module) ?? []);

/** Step 5 of a decision: a module sold by subscription needs one at the scope or an ancestor. */
const isSubscribed = (scopes: Scopes, module: string | undefined, at: number): boolean =>
  module === undefined || subscriptionsTo(scopes, module).some((interval) => holdsAt(interval, at));

/**
 * The enterprises for which a scope needs a licence: those linked to it or to an ancestor. Workstreams have
 * such links, so every scope below a workstream needs the licence too.
 */
export function enterprisesOf(scopes: Scopes): readonly string[] {
  const found: string[] = [];
  for (const scope of scopes)
    if (scope?.enterprise !== undefined && !found.includes(scope.enterprise)) found.push(scope.enterprise);
  return found;
}

/** The licences for an enterprise at a scope and its ancestors. */
export const licensesFor = (scopes: Scopes, enterprise: string): readonly Interval[] =>
  scopes.flatMap((scope) => scope?.licenses.get(enterprise) ?? []);

/** Step 5 of a decision: whether each required licence exists at the scope or an ancestor. */
const isLicensed = (scopes: Scopes, at: number): boolean =>
  enterprisesOf(scopes).every((enterprise) =>
    licensesFor(scopes, enterprise).some((license) => holdsAt(license, at)),
  );
