import type { Interval } from '../../table/decision/items.ts';
import { enterprisesOf, licensesFor, subscriptionsTo } from '../decide.ts';
import type { Decision, Reason } from '../decision.ts';
import type { DecisionInput, Question } from '../decision-input.ts';
import { type Holding, holdingsOf } from '../effective-roles.ts';
import { SCOPE, SUBJECT, subjectId } from '../items.ts';
import { soldModuleOf } from '../permission-effects.ts';
import { isKnown, permissionAt } from './derivations.ts';
import type { Names } from './explained-names.ts';
import { type ConditionShown, MAX_SHOWN, type Missing, type Step, type StepName } from './explanation.ts';
import { holdingState, periodOf, periodText, roleRef, STATES, sourceOf, stateOf } from './holdings.ts';
import { sourceSentence, textOf } from './sentences.ts';

/** A question with permission and scope. */
export interface AskedQuestion extends Question {
  readonly permission: string;
  readonly scope: string;
}

/** The input from which the steps are described. */
export interface StepInput {
  readonly question: AskedQuestion;
  readonly input: DecisionInput;
  readonly at: number;
  readonly decision: Decision;
  /** How many derivations allow and deny; 0 if an earlier step decided. */
  readonly effects: {
    readonly allow: number;
    readonly deny: number;
    /** Of the effects that do not count. */
    readonly conditions: readonly ConditionShown[];
  };
  /** Subscriptions and licences on the path that do not count because of their status. */
  readonly lapsed: readonly Lapsed[];
}

/** A subscription or licence as stored in its own item. */
export interface Lapsed extends Interval {
  readonly kind: 'subscription' | 'license';
  readonly to: string;
  readonly at: string;
  readonly status: string;
}

/** The number of the step that decides, by reason. */
const DECIDING: Readonly<Partial<Record<Reason, number>>> = {
  credential_refused: 1,
  subject_unknown: 1,
  subject_inactive: 1,
  subject_ended: 1,
  scope_unknown: 2,
  scope_inactive: 2,
  permission_unknown: 3,
  admin: 4,
  not_subscribed: 5,
  not_licensed: 5,
  role: 8,
  condition_failed: 7,
  denied_by_role: 8,
  no_grant: 9,
};

/** Whether the decision evaluated roles, that is, no earlier step decided. */
export const asksRoles = ({ reason }: Decision): boolean => (DECIDING[reason] ?? 0) > 5;

/** What a step evaluated and what it missed. Without `passed`, it passed if nothing is missing. */
type StepResult = Pick<Step, 'findings' | 'missing'> & { readonly passed?: boolean | null };

/** The nine steps of a decision, in order. */
const STEPS: Readonly<Record<StepName, (given: StepInput, names: Names) => StepResult>> = {
  subject: ({ question, input: { subject }, at }, names) => {
    const { name, status } = names.withStatus(subjectId(question.subject), subject?.active);
    if (!subject) {
      const detail = SUBJECT.keyOf(question.subject)
        ? 'there is no such subject'
        : 'this is not a reference to a subject (user:ID)';
      return { findings: [`${name} is ${status}`], missing: [refusal('subject_unknown', detail)] };
    }
    const { end } = periodOf({ start: Number.NEGATIVE_INFINITY, end: subject.endsAt });
    const missing: Missing[] = [];
    if (!subject.active) missing.push(refusal('subject_inactive', `its status is ${status}`));
    if (!(at < subject.endsAt)) missing.push(refusal('subject_ended', `it ended at ${end}`));
    return { findings: [`${name} is ${status}${end === undefined ? '' : `, until ${end}`}`], missing };
  },

  scope: ({ question, input }, names) => {
    const findings: string[] = [];
    const missing: Missing[] = [];
    for (const [position, ref] of pathOf(question, input).entries()) {
      const scope = input.scopes[position];
      const { name, status } = names.withStatus(ref, scope?.active);
      findings.push(`${name} is ${status}`);
      if (scope?.active) continue;
      const known = SCOPE.keyOf(ref) ? status : 'not a reference to a scope (location:ID)';
      const closes = position > 0 ? ', and closes all below it' : '';
      missing.push(refusal(scope ? 'scope_inactive' : 'scope_unknown', `${name} is ${known}${closes}`));
    }
    return { findings, missing };
  },

  permission: ({ question: { permission: name }, input: { permission } }) => {
    if (permission?.registered) return { findings: [`${name} is registered`], missing: [] };
    const detail = name.includes('*')
      ? 'a pattern cannot be checked, only permissions that it covers'
      : 'it is not registered';
    return { findings: [`${name} is not registered`], missing: [refusal('permission_unknown', detail)] };
  },

  administrator: ({ input }) =>
    input.subject?.isAdmin
      ? { passed: true, findings: ['an administrator'], missing: [] }
      : { passed: null, findings: ['not an administrator'], missing: [] },

  entitlement,
  roles,

  effects: ({ effects: { allow, deny, conditions }, decision }) => {
    const findings = [`derivations that allow: ${allow}, that deny: ${deny}`];
    if (conditions.length > 0)
      findings.push(`derivations whose condition does not count: ${conditions.length}`);
    if (decision.reason === 'condition_failed') {
      const message = conditions.find((each) => each.message !== null)?.message ?? 'a DENY counts therefore';
      return {
        findings,
        missing: [refusal('condition_failed', `a condition could not be evaluated: ${message}`)],
      };
    }
    if (allow > 0) return { findings, missing: [] };
    const missing: Missing =
      deny > 0
        ? { code: 'no_allow', text: 'no role in force allows it' }
        : { code: 'no_effect', text: 'no role in force has an effect on it' };
    return { findings, missing: [missing] };
  },

  combination: ({ input, effects, decision }, names) => {
    const root = input.scopes.at(-1);
    const combination = root?.combination ?? '';
    if (effects.allow === 0 || effects.deny === 0) {
      const isNothing = effects.allow + effects.deny === 0;
      const missing = decision.allowed || isNothing ? [] : [DENIED];
      return { ...(isNothing ? { passed: null } : {}), findings: [combination], missing };
    }
    const at = names.of(root?.ref ?? '').name;
    const findings =
      combination === 'deny-overrides'
        ? [`${combination}: a DENY wins over any ALLOW, as ${at} has it`]
        : [
            `${combination}: an ALLOW wins over any DENY; combination: deny-overrides of ${at} turns it round`,
          ];
    return { findings, missing: decision.allowed ? [] : [DENIED] };
  },

  default: () => ({ passed: false, findings: [], missing: [] }),
};

const DENIED: Missing = { code: 'denied', text: 'a role denies it' };
const NOTHING: StepResult = { passed: null, findings: [], missing: [] };

/** The steps as the decision went through them. Steps after the deciding one are empty. */
export function stepsOf(input: StepInput, names: Names): readonly Step[] {
  const last = DECIDING[input.decision.reason] ?? 9;
  return Object.entries(STEPS).map(([name, describe], position): Step => {
    const step = position + 1;
    const { passed, findings, missing } = step > last ? NOTHING : describe(input, names);
    const outcome = passed === undefined ? missing.length === 0 : passed;
    return { step, name: name as StepName, passed: outcome, decides: step === last, findings, missing };
  });
}

/** Something missing that is the reason of a refusal. */
const refusal = (code: Reason, detail: string): Missing => ({ code, text: `${code}: ${detail}` });

/** The scope and its known ancestors. */
export function pathOf({ scope }: AskedQuestion, { scopes: [own] }: DecisionInput): readonly string[] {
  return [scope, ...(own?.ancestors ?? [])];
}

/** Step 5: a sold module needs a subscription, an enterprise a licence, here or above. */
function entitlement({ input, at, lapsed }: StepInput, names: Names): StepResult {
  const soldModule = soldModuleOf(input.permission, input);
  const findings: { readonly text: string; readonly holds: boolean }[] = [
    { text: moduleText(input.permission?.module, soldModule !== undefined), holds: false },
  ];
  const missing: Missing[] = [];

  function require(kind: Lapsed['kind'], to: string, about: string, lack: Missing): void {
    const entitled = kind === 'subscription' ? subscriptionsTo : licensesFor;
    const add = (scope: string, period: Interval, state: string, holds: boolean): void => {
      const where = `${kind} for ${about} at ${names.of(scope).name}`;
      findings.push({ text: `${where}${periodText(periodOf(period))}: ${state}`, holds });
    };
    let isEntitled = false;
    for (const scope of input.scopes) {
      // Only those with a status that counts, whatever their dates.
      for (const period of scope ? entitled([scope], to) : []) {
        const state = stateOf(period, at);
        isEntitled ||= state === 'holds';
        add(scope?.ref ?? '', period, STATES[state], state === 'holds');
      }
    }
    if (isEntitled) return;
    for (const each of lapsed)
      if (each.kind === kind && each.to === to) add(each.at, each, `its status is ${each.status}`, false);
    missing.push(lack);
  }

  if (soldModule !== undefined) {
    const detail = `no subscription to ${soldModule} holds here or above`;
    require('subscription', soldModule, soldModule, refusal('not_subscribed', detail));
  }
  for (const to of enterprisesOf(input.scopes)) {
    const { name } = names.of(to);
    require('license', to, name, refusal('not_licensed', `no licence for ${name} holds here or above`));
  }
  // Always show one that holds: it is why the step passed.
  const holding = findings.slice(MAX_SHOWN).filter(({ holds }) => holds);
  const shown = [...findings.slice(0, MAX_SHOWN), ...holding.slice(0, 1)];
  return { findings: shown.map(({ text }) => text), missing };
}

function moduleText(name: string | undefined, isSold: boolean): string {
  if (name === undefined) return 'of no module: no subscription needed';
  return isSold ? `module ${name} is sold: a subscription is needed` : `module ${name} is not sold`;
}

/** Step 6: the roles granted on the path, those in force and those not. */
function roles({ input, at }: StepInput, names: Names): StepResult {
  const permission = permissionAt(input);
  const findings: string[] = [];
  const missing: Missing[] = [];
  let inForce = 0;
  for (const holding of holdingsOf(input.subject, input)) {
    const state = holdingState(holding, at);
    const counts = isKnown(holding.role, permission);
    const isInForce = counts && state === 'holds';
    if (isInForce) inForce += 1;
    if ((isInForce ? findings : missing).length >= MAX_SHOWN) continue;
    const { name } = names.of(roleRef(holding.role));
    const text = `role ${name} ${textOf(sourceSentence(sourceOf(holding, names)))}`;
    if (isInForce) findings.push(text);
    else {
      const why = counts ? `it ${STATES[state]}` : whyUnknown(holding, input, names);
      missing.push({ code: 'role_not_in_force', text: `${text} does not count: ${why}` });
    }
  }
  if (inForce === 0) missing.push({ code: 'no_role', text: 'no role is in force here' });
  return { passed: inForce > 0, findings, missing };
}

/** Why a role that the root of the path does not list does not count. */
function whyUnknown({ role }: Holding, { scopes }: DecisionInput, names: Names): string {
  const owner = names.node(roleRef(role))?.scope;
  // A role of this tenant that its root does not list is being deleted.
  return typeof owner === 'string' && owner.includes(':') && owner !== scopes.at(-1)?.ref
    ? `it belongs to ${names.of(owner).name}`
    : 'it no longer exists';
}
