import { type MandateItem, subjectWith } from '../../table/decision/items.ts';
import { defined } from '../../table/defined.ts';
import { parseRef } from '../../table/identifiers.ts';
import type { Item } from '../../table/item.ts';
import { edgePrefix, partitionOf } from '../../table/keys.ts';
import type { Reader } from '../../table/reader.ts';
import type { Actor } from '../actor.ts';
import { faultInOptions, faultInRequest, refuse } from '../arguments.ts';
import { createWork } from '../conditions/work.ts';
import { decide, enterprisesOf } from '../decide.ts';
import type { Both } from '../decided.ts';
import { asking, createDeciding } from '../deciding.ts';
import type { Decision } from '../decision.ts';
import { type DecisionInput, decisionInput, type Question } from '../decision-input.ts';
import type { CheckOptions } from '../engine.ts';
import { type Given, givenAt, givenIn } from '../given.ts';
import { subjectId } from '../items.ts';
import { type Consistency, createLoad, type Loaded, type LoadOptions } from '../load.ts';
import { counts, createShowCondition } from './conditions.ts';
import { type DerivedEffect, derivationsOf } from './derivations.ts';
import { type Elsewhere, readElsewhere } from './elsewhere.ts';
import { createNames, type Names } from './explained-names.ts';
import type { ConditionShown, Derivation, Explanation, MandateShown, Place } from './explanation.ts';
import { roleRef, sourceOf } from './holdings.ts';
import { asksRoles, type Lapsed, pathOf, type StepInput, stepsOf } from './steps.ts';
import { some, suggestionsOf } from './suggestions.ts';
import { validitiesOf } from './validity.ts';

/** The reads that explanations use. */
export type ExplanationReader = Pick<Reader, 'getMany' | 'getSnapshot' | 'list'>;

/** As for the engine; the cache's bounds matter only to explanations that are not `strong`. */
export interface ExplainerOptions extends Omit<LoadOptions, 'reader'> {
  readonly reader: ExplanationReader;
}

/** Without a consistency: `strong`, all items as of one instant. */
export type ExplainOptions = Given & Pick<CheckOptions, 'at' | 'actor' | 'groups' | 'consistency' | 'work'>;

export interface Explainer {
  /**
   * Explains why `subject` may or may not use `permission` at `scope`. The decision is made by the same code
   * as `check`, from the same decision input. Names and suggestions are read afterwards and may be slightly
   * newer.
   *
   * Reads: those of the check (`strong`: one TransactGetItems, two for a nested scope) and one BatchGetItem
   * for names, or two if a role of another tenant must be named. When no grant allows the permission, up to
   * four more BatchGetItem calls look for the subject's other grants, after one Query if its groups stand
   * apart. When a subscription or licence is missing, one Query per scope on the path.
   *
   * @throws GatehouseError as `check` does
   */
  readonly explain: (
    subject: string,
    permission: string,
    scope: string,
    options?: ExplainOptions,
  ) => Promise<Explanation>;
}

/** Separate from the engine, so that a bundle that only makes decisions does not include it. */
export function createExplainer(options: ExplainerOptions): Explainer {
  const { reader } = options;
  const loading = createLoad(options);
  const { load } = loading;
  const { planOf, decide: decideWhole } = createDeciding(undefined, loading);

  /** What the decision looks at, and with an actor what its own looks at, of one instant. */
  async function lookAt(question: StepInput['question'], consistency: Consistency): Promise<Looked> {
    if (question.actor === undefined) {
      const [loaded] = await load([(look) => decisionInput(question, look)], consistency, (all) => all);
      const { value, instant } = loaded as Loaded<DecisionInput>;
      return { input: value, instant };
    }
    const deciding = { ...ALONE, work: question.work };
    const [loaded] = await load([planOf(asking(question), deciding)], consistency, (all) => all);
    const { value, instant } = loaded as Loaded<Both<Question>>;
    const { subject, acting } = value;
    const { decision } = decideWhole(value, instant, false, deciding);
    const whole = {
      question: { ...acting.half.question, permission: question.permission, scope: question.scope },
      actor: acting.half.input as DecisionInput,
      mandate: acting.mandate,
      decision: decision as Decision,
    };
    return { input: subject.input as DecisionInput, instant, acting: whole };
  }

  /** What is explained of one subject's decision. */
  async function decidedOf(question: StepInput['question'], input: DecisionInput, at: number) {
    const decision = decide(input, at);
    const lapsed = await readLapsed(input, decision, reader);
    const elsewhere = wantsGrant(input, decision) ? await readElsewhere(input, reader) : undefined;
    const decided = { question, input, at, decision, lapsed };
    return (names: Names): Explanation => explanationOf(decided, elsewhere, names);
  }

  return {
    explain: async (subject, permission, scope, given = {}) => {
      refuse(faultInOptions(given) ?? faultInRequest({ subject, permission, scope }));
      const { at: asked, consistency = 'strong', groups, actor } = given;
      // One budget, and what the decision evaluated is shown as it came out.
      const work = given.work ?? createWork();
      const at = defined({ at: asked });
      const circumstances = { permission, scope, given: givenAt(givenIn(given), asked), work, ...at };
      const question = { subject, actor, groups, ...circumstances };
      const { input, instant, acting } = await lookAt(question, consistency);
      const own = await decidedOf(question, input, asked ?? instant);
      const actors = acting && (await decidedOf(acting.question, acting.actor, asked ?? instant));
      const explanationIn = (names: Names): Explanation => {
        const explanation = own(names);
        if (!actor || !acting || !actors) return explanation;
        const { allowed, reason } = acting.decision;
        const mandate = mandateIn(actor, subject, acting.mandate, names);
        const subjects = { allowed: explanation.allowed, reason: explanation.reason };
        return {
          ...explanation,
          allowed,
          reason,
          acting: { subject: subjects, actor: actors(names), mandate },
        };
      };
      const names = createNames();
      // The first pass collects the references to name; the second adds owners of other tenants' roles, found
      // by name only.
      explanationIn(names);
      if (await names.read(reader)) explanationIn(names);
      await names.read(reader);
      return explanationIn(names);
    },
  };
}

const ALONE = { givesAgain: false, keeps: false, withRoles: false, log: undefined };

/** What decisions look at. */
interface Looked {
  readonly input: DecisionInput;
  readonly instant: number;
  /** With an actor: what its own decision looks at, the mandate, and the decision of all. */
  readonly acting?: {
    readonly question: StepInput['question'];
    readonly actor: DecisionInput;
    readonly mandate: MandateItem | null | undefined;
    readonly decision: Decision;
  };
}

/** The mandate of an actor for a subject; null where it is not theirs. */
function mandateIn(
  { subject: actor, mandate: ref = '' }: Actor,
  subject: string,
  item: MandateItem | null | undefined,
  names: Names,
): MandateShown | null {
  if (!item || item.subject !== subject || item.actor !== actor) return null;
  return {
    ref,
    status: item.active ? 'active' : 'ended',
    endsAt: new Date(item.endsAt).toISOString(),
    permissions: [...item.permissions],
    scopes: [...item.scopes].map((scope) => names.of(scope)),
    when: item.condition?.when ?? null,
    hasBudget: item.isCounted,
  };
}

/** Whether one more grant could have changed the answer: not where one DENY refuses in any case. */
const wantsGrant = ({ scopes }: DecisionInput, { reason }: Decision): boolean =>
  reason === 'no_grant' ||
  ((reason === 'denied_by_role' || reason === 'condition_failed') &&
    scopes.at(-1)?.combination === 'allow-overrides');

function explanationOf(
  decided: Omit<StepInput, 'effects'>,
  elsewhere: Elsewhere | undefined,
  names: Names,
): Explanation {
  const { question, input, at, decision } = decided;
  const subject = names.of(subjectId(question.subject));
  const path = pathOf(question, input).map(
    (ref, position): Place =>
      position < input.scopes.length
        ? names.withStatus(ref, input.scopes[position]?.active)
        : { ...names.of(ref), status: 'not looked at' },
  );
  const derived = asksRoles(decision) ? [...derivationsOf(input, at)] : [];
  const showCondition = createShowCondition(input);
  const shown = derived.map((each) => ({ ...each, shown: showCondition(each) }));
  const counting = shown.filter((each) => counts(each, each.shown));
  const allows = counting.filter(({ effect }) => effect === 'ALLOW');
  const denies = counting.filter(({ effect }) => effect === 'DENY');
  const others = shown.filter((each) => !counts(each, each.shown));
  const conditions = others.map((each) => each.shown as ConditionShown);
  const effects = { allow: allows.length, deny: denies.length, conditions };
  const isWhole = path.length === input.scopes.length;
  return {
    allowed: decision.allowed,
    reason: decision.reason,
    at: new Date(at).toISOString(),
    subject,
    permission: question.permission,
    path,
    combination: (isWhole && input.scopes.at(-1)?.combination) || null,
    steps: stepsOf({ ...decided, effects }, names),
    allowedBy:
      decision.reason === 'admin'
        ? derivationsOfAdmin(input, at, names)
        : some(allows, (each) => toDerivation(each, names)),
    deniedBy: some(denies, (each) => toDerivation(each, names)),
    notCounting: some(others, (each) => toDerivation(each, names)),
    validities: validitiesOf(input, names),
    suggestions: elsewhere ? suggestionsOf(input, elsewhere, at, names) : null,
  };
}

type Shown = DerivedEffect & { readonly shown: ConditionShown | null };

const toDerivation = ({ effect, holding, roles, by, shown }: Shown, names: Names): Derivation => ({
  effect,
  from: sourceOf(holding, names),
  roles: roles.map((id) => names.of(roleRef(id))),
  by,
  condition: shown,
});

const BY_FLAG: Derivation = {
  effect: 'ALLOW',
  from: { kind: 'administrator' },
  roles: [],
  by: null,
  condition: null,
};

/** The administrator flag first, then the derivations by roles if they would be sufficient without it. */
function derivationsOfAdmin(input: DecisionInput, at: number, names: Names): Explanation['allowedBy'] {
  const without = { ...input, subject: input.subject && subjectWith(input.subject, { isAdmin: false }) };
  const showCondition = createShowCondition(input);
  const others = decide(without, at).allowed
    ? [...derivationsOf(input, at)]
        .map((each) => ({ ...each, shown: showCondition(each) }))
        .filter((each) => each.effect === 'ALLOW' && counts(each, each.shown))
    : [];
  return some([undefined, ...others], (each) => (each ? toDerivation(each, names) : BY_FLAG));
}

/** Limit on the subscriptions and licences that are read. */
const MAX_ROWS = 100;

/**
 * Reads the subscriptions and licences on the path that do not count because of their status: decision items
 * omit them.
 */
async function readLapsed(
  input: DecisionInput,
  { reason }: Decision,
  reader: Pick<ExplanationReader, 'list'>,
): Promise<readonly Lapsed[]> {
  if (reason !== 'not_subscribed' && reason !== 'not_licensed') return [];
  const kind = reason === 'not_subscribed' ? 'subscription' : 'license';
  const to = kind === 'subscription' ? [input.permission?.module] : enterprisesOf(input.scopes);
  const ranges = input.scopes.flatMap((scope) =>
    scope ? [{ partition: partitionOf(parseRef(scope.ref, 'scope')), prefix: edgePrefix(kind) }] : [],
  );
  const { items } = await reader.list({ ranges, limit: MAX_ROWS });
  return items.flatMap((item) => lapsedFrom(kind, item)).filter((each) => to.includes(each.to));
}

const COUNTS: ReadonlySet<unknown> = new Set(['active', 'trial']);

function lapsedFrom(kind: Lapsed['kind'], item: Item): readonly Lapsed[] {
  const [to, at] = kind === 'subscription' ? [item.module, item.scope] : [item.enterprise, item.account];
  const { status, startDate, endDate } = item;
  if (typeof to !== 'string' || typeof at !== 'string' || typeof status !== 'string') return [];
  const start = typeof startDate === 'string' ? Date.parse(startDate) : Number.NEGATIVE_INFINITY;
  const end = typeof endDate === 'string' ? Date.parse(endDate) : Number.POSITIVE_INFINITY;
  return COUNTS.has(status) ? [] : [{ kind, to, at, status, start, end }];
}
