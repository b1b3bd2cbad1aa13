import type { Interval } from '../../table/decision/facts.ts';
import type { Decision } from '../decision.ts';
import { needScope, needSubject } from '../needs.ts';
import type { Question, View } from '../view.ts';
import {
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

/** What a step looked at, and what it would have needed. It was passed when nothing is missing, unless it says so itself. */
export type Findings = Pick<Step, 'looked' | 'missing'> & { readonly passed?: boolean | null };

/** What each step finds, by its name. */
export const FINDINGS: Readonly<Record<StepName, (told: Told, names: Names) => Findings>> = {
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

/** A subscription or a licence that is needed on the path. */
interface Needed {
  readonly kind: 'subscription' | 'license';
  readonly to: string;
  readonly about: Named;
}

function* neededBy(view: View, soldModule: string | undefined, names: Names): Generator<Needed> {
  if (soldModule !== undefined)
    yield {
      kind: 'subscription',
      to: soldModule,
      about: { ref: `module:${soldModule}`, name: soldModule },
    };
  for (const to of enterprisesOf(view)) yield { kind: 'license', to, about: names.of(to) };
}

/** Step 5: what is sold is subscribed to, and enterprises have their licences, here or above. */
function entitlement(told: Told, names: Names): Findings {
  const { permission, global } = told.view;
  const module = permission?.module;
  const sold = module !== undefined && global.soldModules.has(module);
  const looked: Fact[] = [{ kind: 'module', name: module ?? null, sold }];
  const missing: Missing[] = [];
  for (const needed of neededBy(told.view, sold ? module : undefined, names)) {
    const held = heldOnPath(needed, told, names);
    looked.push(...held);
    if (held.some(({ state }) => state === 'holds')) continue;
    looked.push(...lapsedOnPath(needed, told, names));
    missing.push({
      code: needed.kind === 'subscription' ? 'not_subscribed' : 'not_licensed',
      to: needed.about,
    });
  }
  const [facts, rest] = [looked.slice(0, MAX_SHOWN), looked.slice(MAX_SHOWN)];
  // One that holds is never cut off: it is why the step was passed.
  const holding = rest.filter((fact) => 'state' in fact && fact.state === 'holds').slice(0, 1);
  return { looked: [...facts, ...holding], missing };
}

type EntitlementFact = Extract<Fact, { kind: 'subscription' | 'license' }>;

/** Those whose status counts, whether their time has come or not. */
function heldOnPath({ kind, to, about }: Needed, { view, at }: Told, names: Names): EntitlementFact[] {
  return view.scopes.flatMap((scope) => {
    if (!scope) return [];
    const held = (kind === 'subscription' ? scope.subscriptions : scope.licenses).get(to) ?? [];
    return held.map((each): EntitlementFact => {
      const state = stateOf(each, at);
      return { kind, to: about, at: names.of(scope.ref), ...periodOf(each), state };
    });
  });
}

/** Those whose status does not. */
function lapsedOnPath({ kind, to, about }: Needed, { lapsed }: Told, names: Names): EntitlementFact[] {
  const own = lapsed.filter((each) => each.kind === kind && each.to === to);
  return own.map((each): EntitlementFact => {
    const { status } = each;
    return { kind, to: about, at: names.of(each.at), ...periodOf(each), state: 'inactive', status };
  });
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
