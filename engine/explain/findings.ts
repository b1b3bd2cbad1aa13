import type { Interval } from '../../table/decision/items.ts';
import { effectsOn, enterprisesOf, licensesFor, subscriptionsTo } from '../decide.ts';
import type { Decision } from '../decision.ts';
import type { DecisionInput, Question } from '../decision-input.ts';
import { type Holding, holdingsOf } from '../effective-roles.ts';
import { SCOPE, SUBJECT } from '../items.ts';
import { isListed, permissionAt } from './derivations.ts';
import {
  type Fact,
  MAX_SHOWN,
  type Missing,
  type Named,
  type Step,
  type StepName,
  type WhyNot,
} from './explanation.ts';
import { holdingState, periodOf, roleRef, sourceOf, stateOf } from './holdings.ts';
import type { Names } from './names.ts';

/** A question that was decided. */
export interface AskedQuestion extends Question {
  readonly permission: string;
  readonly scope: string;
}

/** What the steps are made of. */
export interface StepInput {
  readonly question: AskedQuestion;
  readonly input: DecisionInput;
  readonly at: number;
  readonly decision: Decision;
  /** How many derivations allow and deny, once roles are looked at. */
  readonly effects: { readonly allow: number; readonly deny: number };
  /** Subscriptions and licences on the path that do not count, for want of a status that does. */
  readonly lapsed: readonly Lapsed[];
}

/** A subscription or a licence as its own item says. */
export interface Lapsed extends Interval {
  readonly kind: 'subscription' | 'license';
  readonly to: string;
  readonly at: string;
  readonly status: string;
}

/** The facts that a step looked at, and what it would have needed. It was passed when nothing is missing, unless it says so itself. */
export type Findings = Pick<Step, 'facts' | 'missing'> & { readonly passed?: boolean | null };

/** What each step finds, by its name. */
export const FINDINGS: Readonly<Record<StepName, (given: StepInput, names: Names) => Findings>> = {
  subject: ({ question, input: { subject }, at }, names) => {
    const about = names.of(question.subject);
    if (!subject) {
      const detail = SUBJECT.keyOf(question.subject)
        ? 'there is no such subject'
        : 'this is no reference to a user or a technical user (user:ID)';
      return {
        facts: [{ kind: 'subject', about, status: 'unknown' }],
        missing: [{ code: 'subject_unknown', detail }],
      };
    }
    const { status } = names.withStatus(question.subject, subject.active);
    const { end } = periodOf({ start: Number.NEGATIVE_INFINITY, end: subject.endsAt });
    const facts: Fact[] = [{ kind: 'subject', about, status, ...(end === undefined ? {} : { end }) }];
    const missing: Missing[] = [];
    if (!subject.active) missing.push({ code: 'subject_inactive', detail: `its status is ${status}` });
    if (!(at < subject.endsAt)) missing.push({ code: 'subject_ended', detail: `it ended at ${end}` });
    return { facts, missing };
  },

  scope: ({ question, input }, names) => {
    const facts: Fact[] = [];
    const missing: Missing[] = [];
    for (const [position, ref] of pathOf(question, input).entries()) {
      const scope = input.scopes[position];
      const { status, ...about } = names.withStatus(ref, scope?.active);
      facts.push({ kind: 'scope', about, status });
      if (scope?.active) continue;
      const isAncestor = position > 0;
      const known = SCOPE.keyOf(ref) ? status : 'no reference to a scope (location:ID)';
      missing.push({
        code: scope ? 'scope_inactive' : 'scope_unknown',
        about,
        status: known,
        isAncestor,
      });
    }
    return { facts, missing };
  },

  permission: ({ question: { permission: name }, input: { permission } }) => {
    const registered = permission?.registered ?? false;
    const detail = name.includes('*')
      ? 'a pattern cannot be checked, only what it covers'
      : 'it is not registered';
    return {
      facts: [{ kind: 'permission', name, registered }],
      missing: registered ? [] : [{ code: 'permission_unknown', detail }],
    };
  },

  administrator: ({ input }) => {
    const is = input.subject?.isAdmin ?? false;
    return { passed: is || null, facts: [{ kind: 'administrator', is }], missing: [] };
  },

  entitlement,
  roles,

  effects: ({ effects }) => {
    const facts: Fact[] = [{ kind: 'effects', ...effects }];
    if (effects.allow > 0) return { facts, missing: [] };
    return { facts, missing: [{ code: effects.deny > 0 ? 'no_allow' : 'no_effect' }] };
  },

  combination: ({ input, effects, decision }) => {
    const facts: Fact[] = [{ kind: 'combination', rule: input.scopes.at(-1)?.combination ?? '' }];
    if (effects.allow + effects.deny === 0) return { passed: null, facts, missing: [] };
    return { facts, missing: decision.allowed ? [] : [{ code: 'denied' }] };
  },

  default: () => ({ passed: false, facts: [], missing: [] }),
};

/** The scope and all above it, as far as it is known. */
export function pathOf(
  { scope }: Pick<AskedQuestion, 'scope'>,
  { scopes: [own] }: DecisionInput,
): readonly string[] {
  return [scope, ...(own?.ancestors ?? [])];
}

/** A subscription or a licence that is needed on the path. */
interface Needed {
  readonly kind: 'subscription' | 'license';
  readonly to: string;
  readonly about: Named;
}

function* neededBy(input: DecisionInput, soldModule: string | undefined, names: Names): Generator<Needed> {
  if (soldModule !== undefined)
    yield {
      kind: 'subscription',
      to: soldModule,
      about: { ref: `module:${soldModule}`, name: soldModule },
    };
  for (const to of enterprisesOf(input.scopes)) yield { kind: 'license', to, about: names.of(to) };
}

/** Step 5: what is sold is subscribed to, and enterprises have their licences, here or above. */
function entitlement(given: StepInput, names: Names): Findings {
  const { soldModule } = effectsOn(given.input);
  const facts: Fact[] = [
    { kind: 'module', name: given.input.permission?.module ?? null, sold: soldModule !== undefined },
  ];
  const missing: Missing[] = [];
  for (const needed of neededBy(given.input, soldModule, names)) {
    const held = heldOnPath(needed, given, names);
    facts.push(...held);
    if (held.some(({ state }) => state === 'holds')) continue;
    facts.push(...lapsedOnPath(needed, given, names));
    missing.push({
      code: needed.kind === 'subscription' ? 'not_subscribed' : 'not_licensed',
      to: needed.about,
    });
  }
  const [shown, rest] = [facts.slice(0, MAX_SHOWN), facts.slice(MAX_SHOWN)];
  // One that holds is never cut off: it is why the step was passed.
  const holding = rest.filter((fact) => 'state' in fact && fact.state === 'holds').slice(0, 1);
  return { facts: [...shown, ...holding], missing };
}

type EntitlementFact = Extract<Fact, { kind: 'subscription' | 'license' }>;

/** Those whose status counts, whether their time has come or not. */
function heldOnPath({ kind, to, about }: Needed, { input, at }: StepInput, names: Names): EntitlementFact[] {
  return input.scopes.flatMap((scope) => {
    if (!scope) return [];
    const held = kind === 'subscription' ? subscriptionsTo([scope], to) : licensesFor([scope], to);
    return held.map((each): EntitlementFact => {
      const state = stateOf(each, at);
      return { kind, to: about, at: names.of(scope.ref), ...periodOf(each), state };
    });
  });
}

/** Those whose status does not. */
function lapsedOnPath({ kind, to, about }: Needed, { lapsed }: StepInput, names: Names): EntitlementFact[] {
  const own = lapsed.filter((each) => each.kind === kind && each.to === to);
  return own.map((each): EntitlementFact => {
    const { status } = each;
    return { kind, to: about, at: names.of(each.at), ...periodOf(each), state: 'inactive', status };
  });
}

/** Step 6: what is held on the path and counts, and what is held there and does not. */
function roles({ input, at }: StepInput, names: Names): Findings {
  const permission = permissionAt(input);
  const facts: Fact[] = [];
  const missing: Missing[] = [];
  let inForce = 0;
  for (const holding of holdingsOf(input.subject, input)) {
    const state = holdingState(holding, at);
    const isKnown = isListed(holding.role, permission);
    const isInForce = isKnown && state === 'holds';
    if (isInForce) inForce += 1;
    if ((isInForce ? facts : missing).length >= MAX_SHOWN) continue;
    const role = names.of(roleRef(holding.role));
    const from = sourceOf(holding, names);
    if (isInForce) facts.push({ kind: 'role', role, from });
    else
      missing.push({
        code: 'role_not_in_force',
        role,
        from,
        why: whyNot(holding, state, isKnown, input, names),
      });
  }
  if (inForce === 0) missing.push({ code: 'no_role' });
  return { passed: inForce > 0, facts, missing };
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
  // One of this tenant that is not listed is being deleted.
  return typeof owner === 'string' && owner.includes(':') && owner !== scopes.at(-1)?.ref
    ? { code: 'of_another_tenant', owner: names.of(owner) }
    : { code: 'deleted' };
}
