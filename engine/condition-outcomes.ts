import { LRUCache } from 'lru-cache';
import type { ConditionalEffect, ScopeItem } from '../table/decision/items.ts';
import type { Properties } from '../table/properties.ts';
import type { Expression } from './conditions/cel.ts';
import {
  type Allowance,
  type EntityInput,
  newAllowance,
  PASSED_BOUNDS,
  type Variables,
  variablesOf,
} from './conditions/declarations.ts';
import { cel } from './conditions/load.ts';
import {
  createWork,
  MAX_REQUEST_STEPS,
  MAX_STEPS,
  type Outcome,
  OVER_BUDGET,
  type Work,
} from './conditions/work.ts';
import type { DecisionInput, Question } from './decision-input.ts';
import type { Given } from './given.ts';

type Root = keyof Variables;

interface Parsed {
  readonly expression: Expression;
  /** The variables that it looks at. */
  readonly roots: ReadonlySet<Root>;
}

/** Of the effects that have them, for as long as these are there: those of one decision may be more than `byText` holds. */
const parsed = new WeakMap<ConditionalEffect, Parsed | string>();

/** Characters of the expressions that stay parsed without an effect. Parsed they take some 50 to 100 bytes for each. */
const MAX_PARSED = 64 * 1_024;

/**
 * Expressions by their text, parsed once however often their items are read again, and one for all effects that have it;
 * the message where one cannot be parsed: it was edited by hand, or written by a newer release.
 */
const byText = new LRUCache<string, Parsed | string>({
  maxSize: MAX_PARSED,
  sizeCalculation: (_, { length }) => Math.max(1, length),
});

function parsedOf(effect: ConditionalEffect): Parsed | string {
  const known = parsed.get(effect);
  if (known !== undefined) return known;
  const { when } = effect;
  const now = byText.get(when) ?? parsedFrom(when);
  byText.set(when, now);
  parsed.set(effect, now);
  return now;
}

function parsedFrom(when: string): Parsed | string {
  const { parse } = cel();
  try {
    const expression = parse(when);
    return { expression, roots: new Set(expression.uses.map((use) => use.split('.')[0] as Root)) };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * What a condition looks at, such as `context.ip`.
 *
 * @returns nothing for one that cannot be parsed: its outcome is the same whatever is given
 */
export function usesOf(effect: ConditionalEffect): readonly string[] {
  const known = parsedOf(effect);
  return typeof known === 'string' ? [] : known.expression.uses;
}

/** What conditions look at: the question, and the items of its subject, its scope and the declarations. */
export type ConditionInput = Pick<DecisionInput, 'question' | 'subject' | 'scopes' | 'global'>;

/** What never differs between two questions of one subject about one scope. */
const CONSTANT: ReadonlySet<string> = new Set(['subject.type', 'subject.id', 'resource.type', 'resource.id']);

/**
 * Whether what a condition looks at comes from the caller and not from the table: two questions of one subject
 * about one permission and scope may then have different answers.
 */
export function isGiven(
  use: string,
  { question, global }: Pick<ConditionInput, 'question' | 'global'>,
): boolean {
  if (CONSTANT.has(use) && question.given?.resource === undefined) return false;
  const [kind = '', properties, name] = use.split('.');
  const ref = kind === 'subject' ? question.subject : kind === 'resource' ? question.scope : undefined;
  if (ref === undefined || properties !== 'properties' || name === undefined) return true;
  const { type } = partsOf(ref);
  const isOther = kind === 'resource' && question.given?.resource !== undefined;
  return isOther || global.declarations.get(`${kind}:${type}`)?.get(name)?.source === 'passed';
}

export type OutcomeOf = (effect: ConditionalEffect) => Outcome;

/**
 * Evaluates the conditions of a decision, each at most once, within the budget of its request.
 *
 * @param count of the conditions. So few that they cannot use up a budget of their own are not counted: to count takes
 *   longer than to evaluate most expressions.
 */
export function createOutcomes(
  input: ConditionInput,
  together?: Work,
  count = Number.POSITIVE_INFINITY,
): OutcomeOf {
  const shared = input.question.work ?? together;
  if (!shared && count <= UNCOUNTED) return (effect) => outcomeUncounted(effect, input);
  const work = shared ?? createWork();
  return (effect) => {
    const found = parsedOf(effect);
    if (typeof found === 'string') return { unknown: found };
    const key = shared ? keyOf(effect.when, found.roots, input, shared) : effect.when;
    const known = work.outcomes.get(key);
    if (known) return known;
    if (work.isSpent()) return { unknown: OVER_BUDGET };
    const allowance = newAllowance();
    const variables = variablesIn(input, found.roots, allowance);
    const isAffordable = work.take(Math.ceil(allowance.converted / BYTES_PER_STEP));
    const outcome = isAffordable ? found.expression.evaluate(variables, work.take) : { unknown: OVER_BUDGET };
    work.outcomes.set(key, outcome);
    return outcome;
  };
}

function outcomeUncounted(effect: ConditionalEffect, input: ConditionInput): Outcome {
  const found = parsedOf(effect);
  if (typeof found === 'string') return { unknown: found };
  return found.expression.evaluate(variablesIn(input, found.roots));
}

/** What it takes to convert what a caller passes: 8 bytes are one value. */
const BYTES_PER_STEP = 16;

/** Conditions that take less than a budget together, whatever they are. */
const UNCOUNTED = Math.floor(MAX_REQUEST_STEPS / (MAX_STEPS + PASSED_BOUNDS.bytes / BYTES_PER_STEP));

/**
 * What the outcome of a condition rests on. Texts are those of the question; of what is stored and what is passed it
 * is the very objects, so that two values which only look equal are two.
 */
function keyOf(
  when: string,
  roots: ReadonlySet<Root>,
  { question, subject, scopes, global }: ConditionInput,
  { idOf }: Work,
): string {
  const { given = NOTHING_GIVEN } = question;
  let key = `${idOf(when)} ${idOf(global.declarations)}`;
  if (roots.has('subject'))
    key += ` ${idOf(question.subject)} ${idOf(subject?.properties)} ${idOf(given.subject?.properties)}`;
  if (roots.has('resource'))
    key += ` ${idOf(question.scope)} ${idOf(scopes[0]?.properties)} ${idOf(given.resource)}`;
  if (roots.has('action')) key += ` ${idOf(question.permission)} ${idOf(given.action)}`;
  if (roots.has('context')) key += ` ${idOf(given.context)}`;
  return key;
}

/**
 * What the conditions of a decision look at: what is stored, and what the question brings with it.
 *
 * @param roots those to make; all when left out
 * @param allowance bytes of what is passed, which are taken off it
 */
export function variablesIn(
  { question, subject, scopes, global }: ConditionInput,
  roots: ReadonlySet<Root> = ALL_ROOTS,
  allowance?: Allowance,
): Variables {
  const { given = NOTHING_GIVEN, permission = '' } = question;
  return variablesOf(
    {
      subject: roots.has('subject')
        ? entityOf(question.subject, subject?.properties, given.subject?.properties)
        : undefined,
      resource: roots.has('resource') ? resourceIn(question, scopes[0]) : undefined,
      action: roots.has('action')
        ? { name: given.action?.name ?? actionOf(permission), passed: given.action?.properties }
        : undefined,
      context: roots.has('context') ? given.context : undefined,
    },
    global.declarations,
    allowance,
  );
}

/** Whether a question is about its scope itself: it gives no other resource. */
export function isOfScope({ given, scope = '' }: Question): boolean {
  if (given?.resource === undefined) return true;
  const parts = partsOf(scope);
  const { type = parts.type, id = parts.id } = given.resource;
  return type === parts.type && id === parts.id;
}

const partsOf = (ref: string): { readonly type: string; readonly id: string } => {
  const colon = ref.indexOf(':');
  return { type: ref.slice(0, colon), id: ref.slice(colon + 1) };
};

function entityOf(ref: string, stored: Properties | undefined, passed: Properties | undefined): EntityInput {
  const { type, id } = partsOf(ref);
  return { type, id, stored, passed };
}

function resourceIn(question: Question, scope: ScopeItem | null | undefined) {
  const parts = partsOf(question.scope ?? '');
  const { type = parts.type, id = parts.id, properties: passed } = question.given?.resource ?? NO_RESOURCE;
  return { type, id, passed, stored: isOfScope(question) ? scope?.properties : undefined };
}

const ALL_ROOTS: ReadonlySet<Root> = new Set(['subject', 'resource', 'action', 'context']);

const NO_RESOURCE: NonNullable<Given['resource']> = {};
const NOTHING_GIVEN: Given = {};

/** `write` of `records:write:record`; a page is its own action. */
const actionOf = (permission: string): string => permission.split(':')[1] ?? permission;
