import type { ConditionalEffect } from '../../table/decision/items.ts';
import type { DecisionInput } from '../decision-input.ts';
import type { Expression, Outcome } from './cel.ts';
import { type Root, type Variables, variablesOf } from './declarations.ts';
import { cel } from './load.ts';

/**
 * Parsed expressions, kept beside the effects that carry them and freed with them; the message where one
 * cannot be parsed: it was edited by hand, or written by a newer release.
 */
const parsed = new WeakMap<ConditionalEffect, Parsed | string>();

interface Parsed {
  readonly expression: Expression;
  /** The variables that it looks at. */
  readonly roots: ReadonlySet<Root>;
}

function parsedOf(effect: ConditionalEffect): Parsed | string {
  const known = parsed.get(effect);
  if (known !== undefined) return known;
  let now: Parsed | string;
  try {
    const expression = cel().parse(effect.when);
    now = { expression, roots: new Set(expression.uses.map((use) => use.split('.')[0] as Root)) };
  } catch (error) {
    now = error instanceof Error ? error.message : String(error);
  }
  parsed.set(effect, now);
  return now;
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

/** What never differs between two questions of one subject about one scope. */
const CONSTANT: ReadonlySet<string> = new Set(['subject.type', 'subject.id', 'resource.type', 'resource.id']);

/**
 * Whether what a condition looks at comes from the caller and not from the table: two questions of one subject
 * about one permission and scope may then have different answers.
 */
export function isGiven(use: string, { question, global }: DecisionInput): boolean {
  if (CONSTANT.has(use) && question.given?.resource === undefined) return false;
  const [kind = '', properties, name] = use.split('.');
  const ref = kind === 'subject' ? question.subject : kind === 'resource' ? question.scope : undefined;
  if (ref === undefined || properties !== 'properties' || name === undefined) return true;
  const { type } = partsOf(ref);
  const isOther = kind === 'resource' && question.given?.resource !== undefined;
  return isOther || global.declarations.get(`${kind}:${type}`)?.get(name)?.source === 'passed';
}

export type OutcomeOf = (effect: ConditionalEffect) => Outcome;

/** Evaluates the conditions of one decision, each at most once. */
export function createOutcomes(input: DecisionInput): OutcomeOf {
  const outcomes = new Map<string, Outcome>();
  return (effect) => {
    const known = outcomes.get(effect.when);
    if (known) return known;
    const found = parsedOf(effect);
    const outcome =
      typeof found === 'string'
        ? { unknown: found }
        : found.expression.evaluate(variablesIn(input, found.roots));
    outcomes.set(effect.when, outcome);
    return outcome;
  };
}

/**
 * What the conditions of a decision look at: what is stored, and what the question brings with it.
 *
 * @param roots those to make; all when left out
 */
export function variablesIn(
  { question, subject, scopes, global }: DecisionInput,
  roots?: ReadonlySet<Root>,
): Variables {
  const { given = {}, scope: ref = '', permission = '' } = question;
  const [who, scope] = [partsOf(question.subject), partsOf(ref)];
  const { type = scope.type, id = scope.id, properties: passed } = given.resource ?? {};
  const isScope = type === scope.type && id === scope.id;
  // No spread: it takes longer than to evaluate most expressions.
  return variablesOf(
    {
      subject: {
        type: who.type,
        id: who.id,
        stored: subject?.properties,
        passed: given.subject?.properties,
      },
      resource: { type, id, passed, stored: isScope ? scopes[0]?.properties : undefined },
      action: { name: given.action?.name ?? actionOf(permission), passed: given.action?.properties },
      context: given.context,
    },
    global.declarations,
    roots,
  );
}

const partsOf = (ref: string): { readonly type: string; readonly id: string } => {
  const colon = ref.indexOf(':');
  return { type: ref.slice(0, colon), id: ref.slice(colon + 1) };
};

/** `write` of `records:write:record`; a page is its own action. */
const actionOf = (permission: string): string => permission.split(':')[1] ?? permission;
