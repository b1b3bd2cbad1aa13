import type { Interval } from '../../table/decision/facts.ts';
import type { Decision, Reason } from '../decision.ts';
import { needScope, needSubject } from '../needs.ts';
import type { Question, View } from '../view.ts';
import {
  type Entitlement,
  type Fact,
  MAX_SHOWN,
  type Missing,
  type Named,
  type Step,
  type StepName,
  type WhyNot,
} from './explanation.ts';
import type { Names } from './names.ts';
import {
  factsOf,
  type Hold,
  holdState,
  holdsOf,
  periodOf,
  roleRef,
  sourceOf,
  stateOf,
  tablesOf,
} from './ways.ts';

/** What the steps are told from. */
export interface Told {
  readonly question: Question & { readonly permission: string };
  readonly view: View;
  readonly at: number;
  readonly decision: Decision;
  /** How many ways allow and deny, once roles are looked at. */
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

const NAMES: readonly StepName[] = [
  ...(['subject', 'scope', 'permission', 'administrator', 'entitlement'] as const),
  ...(['roles', 'effects', 'combination', 'default'] as const),
];

/** The step that makes the decision, by its reason. */
const DECIDING: Readonly<Record<Reason, number>> = {
  bearer_refused: 1,
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
  denied_by_role: 8,
  no_grant: 9,
};

type Findings = Pick<Step, 'looked' | 'missing'> & { readonly passed?: boolean | null };
const NOTHING: Findings = { passed: null, looked: [], missing: [] };

/** The nine steps of SPEC section 2 as the decision went through them: nothing is looked at after it was made. */
export function stepsOf(told: Told, names: Names): readonly Step[] {
  const last = DECIDING[told.decision.reason];
  return NAMES.map((name, position): Step => {
    const step = position + 1;
    const { passed, looked, missing } = step > last ? NOTHING : TELL[name](told, names);
    const outcome = passed === undefined ? missing.length === 0 : passed;
    return { step, name, passed: outcome, decides: step === last, looked, missing };
  });
}

/** Whether roles were looked at: not when an earlier step had decided. */
export const asksRoles = ({ reason }: Decision): boolean => DECIDING[reason] > 5;

const TELL: Readonly<Record<StepName, (told: Told, names: Names) => Findings>> = {
  subject: ({ question, view: { subject }, at }, names) => {
    const about = names.of(question.subject);
    if (!subject) {
      const detail = needSubject(question.subject)
        ? 'there is no such subject'
        : 'this is no reference to a user or a technical user (user:ID)';
      return {
        looked: [{ kind: 'subject', about, status: 'unknown' }],
        missing: [{ code: 'subject_unknown', detail }],
      };
    }
    const { status } = names.withStatus(question.subject, subject.active);
    const { end } = periodOf({ start: Number.NEGATIVE_INFINITY, end: subject.endsAt });
    const looked: Fact[] = [{ kind: 'subject', about, status, ...(end === undefined ? {} : { end }) }];
    const missing: Missing[] = [];
    if (!subject.active) missing.push({ code: 'subject_inactive', detail: `its status is ${status}` });
    if (!(at < subject.endsAt)) missing.push({ code: 'subject_ended', detail: `it ended at ${end}` });
    return { looked, missing };
  },

  scope: ({ question, view }, names) => {
    const looked: Fact[] = [];
    const missing: Missing[] = [];
    for (const [position, ref] of pathOf(question, view).entries()) {
      const scope = view.scopes[position];
      const { status, ...about } = names.withStatus(ref, scope?.active);
      looked.push({ kind: 'scope', about, status });
      if (scope?.active) continue;
      const isAncestor = position > 0;
      const known = needScope(ref) ? status : 'no reference to a scope (location:ID)';
      missing.push({
        code: scope ? 'scope_inactive' : 'scope_unknown',
        about,
        status: known,
        isAncestor,
      });
    }
    return { looked, missing };
  },

  permission: ({ question: { permission: name }, view: { permission } }) => {
    const registered = permission?.registered ?? false;
    const detail = name.includes('*')
      ? 'a pattern cannot be checked, only what it covers'
      : 'it is not registered';
    return {
      looked: [{ kind: 'permission', name, registered }],
      missing: registered ? [] : [{ code: 'permission_unknown', detail }],
    };
  },

  administrator: ({ view }) => {
    const is = view.subject?.isAdmin ?? false;
    return { passed: is || null, looked: [{ kind: 'administrator', is }], missing: [] };
  },

  entitlement,
  roles,

  effects: ({ effects }) => {
    const looked: Fact[] = [{ kind: 'effects', ...effects }];
    if (effects.allow > 0) return { looked, missing: [] };
    return { looked, missing: [{ code: effects.deny > 0 ? 'no_allow' : 'no_effect' }] };
  },

  combination: ({ view, effects, decision }) => {
    const looked: Fact[] = [{ kind: 'combination', rule: view.scopes.at(-1)?.combination ?? '' }];
    if (effects.allow + effects.deny === 0) return { passed: null, looked, missing: [] };
    return { looked, missing: decision.allowed ? [] : [{ code: 'denied' }] };
  },

  default: () => ({ passed: false, looked: [], missing: [] }),
};

/** The scope and all above it, as far as it is known. */
export function pathOf({ scope }: Pick<Question, 'scope'>, { scopes: [own] }: View): readonly string[] {
  return [scope, ...(own?.ancestors ?? [])];
}

function entitlement({ view, at, lapsed }: Told, names: Names): Findings {
  const { permission, global, scopes } = view;
  const module = permission?.module;
  const sold = module !== undefined && global.soldModules.has(module);
  const looked: Fact[] = [{ kind: 'module', name: module ?? null, sold }];
  const missing: Missing[] = [];

  const ask = (
    kind: 'subscription' | 'license',
    to: string,
    about: Named,
    heldAt: (scope: NonNullable<View['scopes'][number]>) => readonly Interval[],
  ) => {
    let holds = false;
    for (const scope of scopes) {
      for (const each of scope ? heldAt(scope) : []) {
        const state = stateOf(each, at);
        if (state === 'holds') holds = true;
        looked.push({ kind, to: about, at: names.of(scope?.ref ?? ''), ...periodOf(each), state });
      }
    }
    if (holds) return;
    for (const each of lapsed) {
      if (each.kind !== kind || each.to !== to) continue;
      const { status } = each;
      const fact: Entitlement = {
        to: about,
        at: names.of(each.at),
        ...periodOf(each),
        state: 'inactive',
        status,
      };
      looked.push({ kind, ...fact });
    }
    missing.push({ code: kind === 'subscription' ? 'not_subscribed' : 'not_licensed', to: about });
  };

  if (module !== undefined && sold)
    ask(
      'subscription',
      module,
      { ref: `module:${module}`, name: module },
      (scope) => scope.subscriptions.get(module) ?? [],
    );
  for (const enterprise of enterprisesOf(view))
    ask('license', enterprise, names.of(enterprise), (scope) => scope.licenses.get(enterprise) ?? []);
  const [facts, rest] = [looked.slice(0, MAX_SHOWN), looked.slice(MAX_SHOWN)];
  // One that holds is never cut off: it is why the step was passed.
  const holding = rest.filter((fact) => 'state' in fact && fact.state === 'holds').slice(0, 1);
  return { looked: [...facts, ...holding], missing };
}

/** The enterprises for which the scopes on the path need a licence. */
export const enterprisesOf = ({ scopes }: View): readonly string[] => [
  ...new Set(scopes.flatMap((scope) => (scope?.enterprise === undefined ? [] : [scope.enterprise]))),
];

/** Step 6: what is held on the path and counts, and what is held there and does not. */
function roles({ view, at }: Told, names: Names): Findings {
  const tables = tablesOf(view);
  const looked: Fact[] = [];
  const missing: Missing[] = [];
  let inForce = 0;
  for (const hold of holdsOf(view)) {
    const state = holdState(hold, at);
    const isListed = factsOf(hold.role, tables) !== undefined;
    const isInForce = isListed && state === 'holds';
    if (isInForce) inForce += 1;
    if ((isInForce ? looked : missing).length >= MAX_SHOWN) continue;
    const role = names.of(roleRef(hold.role));
    const from = sourceOf(hold, names);
    if (isInForce) looked.push({ kind: 'role', role, from });
    else
      missing.push({
        code: 'role_not_in_force',
        role,
        from,
        why: whyNot(hold, state, isListed, view, names),
      });
  }
  if (inForce === 0) missing.push({ code: 'no_role' });
  return { passed: inForce > 0, looked, missing };
}

function whyNot(hold: Hold, state: string, isListed: boolean, { scopes }: View, names: Names): WhyNot {
  if (isListed && (state === 'ended' || state === 'not_begun')) return { code: state };
  const owner = names.node(roleRef(hold.role))?.scope;
  // One of this tenant that is not listed is being deleted.
  return typeof owner === 'string' && owner.includes(':') && owner !== scopes.at(-1)?.ref
    ? { code: 'of_another_tenant', owner: names.of(owner) }
    : { code: 'deleted' };
}
