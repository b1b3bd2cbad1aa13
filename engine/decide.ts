import type { ConditionalEffect, Interval, ScopeItem } from '../table/decision/items.ts';
import { createOutcomes, isGiven, usesOf } from './conditions/outcomes.ts';
import { isCredentialGood } from './credential.ts';
import { ALLOWED, DENIED, type Decision, type Reason } from './decision.ts';
import { assertWhole, type DecisionInput } from './decision-input.ts';
import { holdingsOf, intervalsOf, isInForce, refusalOf } from './effective-roles.ts';
import { type PermissionEffects, permissionEffects } from './permission-effects.ts';
import { holdsAt, nextChange } from './validity.ts';

/** The refusal of an invalid credential; undefined if the credential is valid or there is none. */
export const refusedCredential = (
  { question, credential }: DecisionInput,
  at: number,
): Decision | undefined =>
  question.credential && !isCredentialGood(credential, question.subject, question.credential, at)
    ? DENIED.credential_refused
    : undefined;

/**
 * Decides as SPEC section 2 says, in the order of its steps. A pure function; `at` is in epoch milliseconds.
 *
 * @throws GatehouseError `damaged_item` if an item that could refuse is missing
 */
export function decide(input: DecisionInput, at: number): Decision {
  assertWhole(input);
  const { subject, scopes } = input;
  const refused = refusedCredential(input, at);
  if (refused) return refused;
  const refusal = refusalOf(subject, input, at);
  if (refusal) return DENIED[refusal];
  const effects = effectsOn(input);
  if (!effects.isRegistered) return DENIED.permission_unknown;
  if (subject?.isAdmin) return ALLOWED.admin;
  if (!isSubscribed(scopes, effects.soldModule, at)) return DENIED.not_subscribed;
  if (!isLicensed(scopes, at)) return DENIED.not_licensed;
  return combine(input, effects, at);
}

/** Step 8: one ALLOW is enough, unless one DENY refuses. */
const combined = (isAllowed: boolean, isDenied: boolean, isDenyOverriding: boolean): boolean =>
  isAllowed && !(isDenied && isDenyOverriding);

/** Steps 6 to 9: combines the effects of the effective roles (ADR 0005). */
function combine(input: DecisionInput, effects: PermissionEffects, at: number): Decision {
  const inForce = effectsInForce(input, effects, at);
  const { isDenyOverriding, conditions } = inForce;
  let { isAllowed, isDenied } = inForce;
  if (conditions.length === 0) {
    if (combined(isAllowed, isDenied, isDenyOverriding)) return ALLOWED.role;
    return isDenied ? DENIED.denied_by_role : DENIED.no_grant;
  }
  const outcomeOf = createOutcomes(input);
  // With conditions that cannot be evaluated taken in favour of the subject.
  let [mayBeAllowed, mustBeDenied] = [isAllowed, isDenied];
  for (const condition of conditions) {
    const outcome = outcomeOf(condition);
    const holds = 'holds' in outcome ? outcome.holds : undefined;
    if (condition.effect === 'ALLOW') {
      isAllowed ||= holds === true;
      mayBeAllowed ||= holds !== false;
    } else {
      isDenied ||= holds !== false;
      mustBeDenied ||= holds === true;
    }
  }
  if (combined(isAllowed, isDenied, isDenyOverriding)) return ALLOWED.role;
  if (combined(mayBeAllowed, mustBeDenied, isDenyOverriding)) return DENIED.condition_failed;
  return isDenied ? DENIED.denied_by_role : DENIED.no_grant;
}

/** What the roles in force do to a permission. */
interface EffectsInForce {
  readonly isDenyOverriding: boolean;
  /** Whether one allows, or denies, it without a condition. */
  readonly isAllowed: boolean;
  readonly isDenied: boolean;
  /** Those that count only where their condition holds; empty if the others settle the decision. */
  readonly conditions: readonly ConditionalEffect[];
}

const NO_CONDITIONS: readonly ConditionalEffect[] = [];

function effectsInForce(
  input: DecisionInput,
  { allow, deny, conditional }: PermissionEffects,
  at: number,
): EffectsInForce {
  let [isAllowed, isDenied] = [false, false];
  const conditions: ConditionalEffect[] = [];
  for (const holding of holdingsOf(input.subject, input)) {
    if (!isInForce(holding, at)) continue;
    if (allow.has(holding.role)) isAllowed = true;
    if (deny.has(holding.role)) isDenied = true;
    if (conditional.size > 0) conditions.push(...(conditional.get(holding.role) ?? NO_CONDITIONS));
  }
  const isDenyOverriding = input.scopes.at(-1)?.combination === 'deny-overrides';
  const isSettled = isDenyOverriding ? isDenied : isAllowed;
  return { isDenyOverriding, isAllowed, isDenied, conditions: isSettled ? NO_CONDITIONS : conditions };
}

/** The reasons of step 8, the only one that looks at conditions. */
const COMBINED: ReadonlySet<Reason> = new Set(['role', 'condition_failed', 'denied_by_role', 'no_grant']);

/**
 * What the conditions behind a decision for the instant `at` look at, beside what the table keeps: `context.ip`,
 * `action.properties.soft`. Empty where the decision rests on the table alone.
 */
export function usesOfGiven(input: DecisionInput, at: number, { reason }: Decision): readonly string[] {
  if (!COMBINED.has(reason)) return NOTHING_USED;
  const effects = effectsOn(input);
  if (effects.conditional.size === 0) return NOTHING_USED;
  const uses = effectsInForce(input, effects, at).conditions.flatMap(usesOf);
  return [...new Set(uses)].filter((use) => isGiven(use, input));
}

const NOTHING_USED: readonly string[] = [];

/** The effects of roles on the permission asked about. */
export const effectsOn = (input: DecisionInput): PermissionEffects =>
  permissionEffects(
    {
      name: input.question.permission ?? '',
      permission: input.permission,
      tenantEffects: input.tenantEffects,
    },
    input,
  );

/**
 * The next instant after `at`, in epoch milliseconds, at which a grant, subscription, licence, credential or
 * the subject begins or ends by time alone, so that the decision may change (SPEC section 10).
 */
export function validUntil(input: DecisionInput, at: number): number {
  const { subject, scopes, credential } = input;
  const { soldModule } = effectsOn(input);
  return nextChange(at, [
    ...intervalsOf(subject, input),
    ...(credential ? [{ start: Number.NEGATIVE_INFINITY, end: credential.endsAt }] : []),
    ...(soldModule === undefined ? [] : subscriptionsTo(scopes, soldModule)),
    ...enterprisesOf(scopes).flatMap((enterprise) => licensesFor(scopes, enterprise)),
  ]);
}

/** A scope, then its ancestors up to the root. */
type Scopes = readonly (ScopeItem | null)[];

/** The subscriptions to a module at a scope and its ancestors. */
export const subscriptionsTo = (scopes: Scopes, module: string): readonly Interval[] =>
  scopes.flatMap((scope) => scope?.subscriptions.get(module) ?? []);

/** Step 5 of SPEC section 2: a module sold by subscription needs one at the scope or an ancestor. */
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

/** Step 5 of SPEC section 2: whether each required licence exists at the scope or an ancestor. */
const isLicensed = (scopes: Scopes, at: number): boolean =>
  enterprisesOf(scopes).every((enterprise) =>
    licensesFor(scopes, enterprise).some((license) => holdsAt(license, at)),
  );
