import type { Interval } from '../../table/decision/items.ts';
import { effectsOn, enterprisesOf, licensesFor, subscriptionsTo } from '../decide.ts';
import type { Decision } from '../decision.ts';
import type { DecisionInput, Question } from '../decision-input.ts';
import { type Holding, holdingsOf } from '../effective-roles.ts';
import { SCOPE, SUBJECT } from '../items.ts';
import { isListed, permissionAt } from './derivations.ts';
import {
  type Finding,
  MAX_SHOWN,
  type Missing,
  type Named,
  type Step,
  type StepName,
  type WhyNot,
} from './explanation.ts';
import { holdingState, periodOf, roleRef, sourceOf, stateOf } from './holdings.ts';
import type { Names } from './names.ts';

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
  readonly effects: { readonly allow: number; readonly deny: number };
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

/** What a step evaluated and what it missed. Without `passed`, it passed if nothing is missing. */
export type StepResult = Pick<Step, 'findings' | 'missing'> & { readonly passed?: boolean | null };

/** The result of each step, by name. */
export const STEP_RESULTS: Readonly<Record<StepName, (given: StepInput, names: Names) => StepResult>> = {
  subject: ({ question, input: { subject }, at }, names) => {
    const about = names.of(question.subject);
    if (!subject) {
      const detail = SUBJECT.keyOf(question.subject)
        ? 'there is no such subject'
        : 'this is not a reference to a user or a technical user (user:ID)';
      return {
        findings: [{ kind: 'subject', about, status: 'unknown' }],
        missing: [{ code: 'subject_unknown', detail }],
      };
    }
    const { status } = names.withStatus(question.subject, subject.active);
    const { end } = periodOf({ start: Number.NEGATIVE_INFINITY, end: subject.endsAt });
    const findings: Finding[] = [{ kind: 'subject', about, status, ...(end === undefined ? {} : { end }) }];
    const missing: Missing[] = [];
    if (!subject.active) missing.push({ code: 'subject_inactive', detail: `its status is ${status}` });
    if (!(at < subject.endsAt)) missing.push({ code: 'subject_ended', detail: `it ended at ${end}` });
    return { findings, missing };
  },

  scope: ({ question, input }, names) => {
    const findings: Finding[] = [];
    const missing: Missing[] = [];
    for (const [position, ref] of pathOf(question, input).entries()) {
      const scope = input.scopes[position];
      const { status, ...about } = names.withStatus(ref, scope?.active);
      findings.push({ kind: 'scope', about, status });
      if (scope?.active) continue;
      const isAncestor = position > 0;
      const known = SCOPE.keyOf(ref) ? status : 'not a reference to a scope (location:ID)';
      missing.push({
        code: scope ? 'scope_inactive' : 'scope_unknown',
        about,
        status: known,
        isAncestor,
      });
    }
    return { findings, missing };
  },

  permission: ({ question: { permission: name }, input: { permission } }) => {
    const registered = permission?.registered ?? false;
    const detail = name.includes('*')
      ? 'a pattern cannot be checked, only permissions that it covers'
      : 'it is not registered';
    return {
      findings: [{ kind: 'permission', name, registered }],
      missing: registered ? [] : [{ code: 'permission_unknown', detail }],
    };
  },

  administrator: ({ input }) => {
    const is = input.subject?.isAdmin ?? false;
    return { passed: is || null, findings: [{ kind: 'administrator', is }], missing: [] };
  },

  entitlement,
  roles,

  effects: ({ effects }) => {
    const findings: Finding[] = [{ kind: 'effects', ...effects }];
    if (effects.allow > 0) return { findings, missing: [] };
    return { findings, missing: [{ code: effects.deny > 0 ? 'no_allow' : 'no_effect' }] };
  },

  combination: ({ input, effects, decision }) => {
    const findings: Finding[] = [{ kind: 'combination', rule: input.scopes.at(-1)?.combination ?? '' }];
    if (effects.allow + effects.deny === 0) return { passed: null, findings, missing: [] };
    return { findings, missing: decision.allowed ? [] : [{ code: 'denied' }] };
  },

  default: () => ({ passed: false, findings: [], missing: [] }),
};

/** The scope and its known ancestors. */
export function pathOf(
  { scope }: Pick<AskedQuestion, 'scope'>,
  { scopes: [own] }: DecisionInput,
): readonly string[] {
  return [scope, ...(own?.ancestors ?? [])];
}

/** A subscription or licence that the path requires. */
interface Required {
  readonly kind: 'subscription' | 'license';
  readonly to: string;
  readonly about: Named;
}

function* requiredBy(
  input: DecisionInput,
  soldModule: string | undefined,
  names: Names,
): Generator<Required> {
  if (soldModule !== undefined)
    yield {
      kind: 'subscription',
      to: soldModule,
      about: { ref: `module:${soldModule}`, name: soldModule },
    };
  for (const to of enterprisesOf(input.scopes)) yield { kind: 'license', to, about: names.of(to) };
}

/** Step 5: a sold module needs a subscription, an enterprise a licence, here or above. */
function entitlement(given: StepInput, names: Names): StepResult {
  const { soldModule } = effectsOn(given.input);
  const findings: Finding[] = [
    { kind: 'module', name: given.input.permission?.module ?? null, sold: soldModule !== undefined },
  ];
  const missing: Missing[] = [];
  for (const required of requiredBy(given.input, soldModule, names)) {
    const found = entitlementsOnPath(required, given, names);
    findings.push(...found);
    if (found.some(({ state }) => state === 'holds')) continue;
    findings.push(...lapsedOnPath(required, given, names));
    missing.push({
      code: required.kind === 'subscription' ? 'not_subscribed' : 'not_licensed',
      to: required.about,
    });
  }
  const [shown, rest] = [findings.slice(0, MAX_SHOWN), findings.slice(MAX_SHOWN)];
  // Always show one that holds: it is why the step passed.
  const holding = rest.filter((finding) => 'state' in finding && finding.state === 'holds').slice(0, 1);
  return { findings: [...shown, ...holding], missing };
}

type EntitlementFinding = Extract<Finding, { kind: 'subscription' | 'license' }>;

/** Those with a status that counts, whatever their dates. */
function entitlementsOnPath(
  { kind, to, about }: Required,
  { input, at }: StepInput,
  names: Names,
): EntitlementFinding[] {
  return input.scopes.flatMap((scope) => {
    if (!scope) return [];
    const found = kind === 'subscription' ? subscriptionsTo([scope], to) : licensesFor([scope], to);
    return found.map((each): EntitlementFinding => {
      const state = stateOf(each, at);
      return { kind, to: about, at: names.of(scope.ref), ...periodOf(each), state };
    });
  });
}

/** Those with a status that does not count. */
function lapsedOnPath(
  { kind, to, about }: Required,
  { lapsed }: StepInput,
  names: Names,
): EntitlementFinding[] {
  const own = lapsed.filter((each) => each.kind === kind && each.to === to);
  return own.map((each): EntitlementFinding => {
    const { status } = each;
    return { kind, to: about, at: names.of(each.at), ...periodOf(each), state: 'inactive', status };
  });
}

/** Step 6: the roles granted on the path, those in force and those not. */
function roles({ input, at }: StepInput, names: Names): StepResult {
  const permission = permissionAt(input);
  const findings: Finding[] = [];
  const missing: Missing[] = [];
  let inForce = 0;
  for (const holding of holdingsOf(input.subject, input)) {
    const state = holdingState(holding, at);
    const isKnown = isListed(holding.role, permission);
    const isInForce = isKnown && state === 'holds';
    if (isInForce) inForce += 1;
    if ((isInForce ? findings : missing).length >= MAX_SHOWN) continue;
    const role = names.of(roleRef(holding.role));
    const from = sourceOf(holding, names);
    if (isInForce) findings.push({ kind: 'role', role, from });
    else
      missing.push({
        code: 'role_not_in_force',
        role,
        from,
        why: whyNot(holding, state, isKnown, input, names),
      });
  }
  if (inForce === 0) missing.push({ code: 'no_role' });
  return { passed: inForce > 0, findings, missing };
}

function whyNot(
  holding: Holding,
  state: string,
  isKnown: boolean,
  { scopes }: DecisionInput,
  names: Names,
): WhyNot {
  if (isKnown && (state === 'ended' || state === 'not_begun')) return { code: state };
  const owner = names.node(roleRef(holding.role))?.scope;
  // A role of this tenant that its root does not list is being deleted.
  return typeof owner === 'string' && owner.includes(':') && owner !== scopes.at(-1)?.ref
    ? { code: 'of_another_tenant', owner: names.of(owner) }
    : { code: 'deleted' };
}
