import type { ConditionalEffect, Interval, ScopeItem } from '../table/decision/items.ts';
import { createOutcomes, isGiven, usesOf } from './conditions/outcomes.ts';
import { isCredentialGood } from './credential.ts';
import { ALLOWED, DENIED, type Decision, type Reason } from './decision.ts';
import { assertWhole, type DecisionInput } from './decision-input.ts';
import { holdingsOf, intervalsOf, isInForce, refusalOf } from './effective-roles.ts';
import { type EffectsOfRoles, effectsOfRoles } from './permission-effects.ts';
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
 * Decides in nine steps; an explanation lists them in their order. A pure function; `at` is in epoch
 * milliseconds.
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

/** Steps 6 to 9: combines the effects of the effective roles (ADR 0005). */
function combine(input: DecisionInput, effects: EffectsOfRoles, at: number): Decision {
  const { allow, deny, conditional } = effects;
  let [isAllowed, isDenied] = [false, false];
  for (const holding of holdingsOf(input.subject, input)) {
    if (!isInForce(holding, at)) continue;
    if (allow.has(holding.role)) isAllowed = true;
    if (deny.has(holding.role)) isDenied = true;
  }
  const isDenyOverriding = isDenyOverridingIn(input);
  const isSettled = isDenyOverriding ? isDenied : isAllowed;
  if (conditional.size > 0 && !isSettled)
    return combineConditions(input, conditional, at, isAllowed, isDenied);
  if (isAllowed && !(isDenied && isDenyOverriding)) return ALLOWED.role;
  return isDenied ? DENIED.denied_by_role : DENIED.no_grant;
}

/** Step 8: one ALLOW is enough, unless one DENY refuses. */
const isDenyOverridingIn = ({ scopes }: DecisionInput): boolean =>
  scopes.at(-1)?.combination === 'deny-overrides';

/**
 * Combines the effects that count only where their condition holds with those that always count
 * (ADR 0030, CEL).
 *
 * @param isAllowed whether a role in force allows it without a condition
 * @param isDenied whether one denies it without a condition
 */
function combineConditions(
  input: DecisionInput,
  conditional: EffectsOfRoles['conditional'],
  at: number,
  isAllowed: boolean,
  isDenied: boolean,
): Decision {
  const outcomeOf = createOutcomes(input);
  const allows = { surely: isAllowed, perhaps: isAllowed };
  const denies = { surely: isDenied, perhaps: isDenied };
  for (const condition of conditionsInForce(input, conditional, at)) {
    const outcome = outcomeOf(condition);
    const isKnown = 'holds' in outcome;
    if (isKnown && !outcome.holds) continue;
    const effect = condition.effect === 'ALLOW' ? allows : denies;
    effect.perhaps = true;
    if (isKnown) effect.surely = true;
  }
  // What cannot be evaluated does not allow, and denies.
  const isDenyOverriding = isDenyOverridingIn(input);
  if (allows.surely && !(denies.perhaps && isDenyOverriding)) return ALLOWED.role;
  // Had it been evaluated, the subject might have been allowed.
  if (allows.perhaps && !(denies.surely && isDenyOverriding)) return DENIED.condition_failed;
  return denies.perhaps ? DENIED.denied_by_role : DENIED.no_grant;
}

/** The conditional effects of the roles in force, each once. */
function conditionsInForce(
  input: DecisionInput,
  conditional: EffectsOfRoles['conditional'],
  at: number,
): ReadonlySet<ConditionalEffect> {
  const conditions = new Set<ConditionalEffect>();
  for (const holding of holdingsOf(input.subject, input))
    if (isInForce(holding, at))
      for (const condition of conditional.get(holding.role) ?? []) conditions.add(condition);
  return conditions;
}

const NO_CONDITIONS: EffectsOfRoles['conditional'] = new Map();

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
  const without = combine(input, { ...effects, conditional: NO_CONDITIONS }, at);
  const isSettled = isDenyOverridingIn(input) ? without.reason === 'denied_by_role' : without.allowed;
  if (isSettled) return NOTHING_USED;
  const uses = [...conditionsInForce(input, effects.conditional, at)].flatMap(usesOf);
  return [...new Set(uses)].filter((use) => isGiven(use, input));
}

const NOTHING_USED: readonly string[] = [];

/** The effects of roles on the permission asked about. */
export const effectsOn = (input: DecisionInput): EffectsOfRoles =>
  effectsOfRoles(
    {
      name: input.question.permission ?? '',
      permission: input.permission,
      tenantEffects: input.tenantEffects,
    },
    input,
  );

/**
 * The next instant after `at`, in epoch milliseconds, at which a grant, subscription, licence, credential or
 * the subject begins or ends by time alone, so that the decision may change (ADR 0023).
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
