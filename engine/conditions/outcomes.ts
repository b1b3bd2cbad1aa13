import type { ConditionalEffect } from '../../table/decision/items.ts';
import type { DecisionInput } from '../decision-input.ts';
import type { Expression, Outcome } from './cel.ts';
import { type Variables, variablesOf } from './declarations.ts';
import { cel } from './load.ts';

/**
 * Parsed expressions, kept beside the effects that carry them and freed with them; the message where one
 * cannot be parsed: it was edited by hand, or written by a newer release.
 */
const parsed = new WeakMap<ConditionalEffect, Expression | string>();

function expressionOf(effect: ConditionalEffect): Expression | string {
  const known = parsed.get(effect);
  if (known !== undefined) return known;
  let expression: Expression | string;
  try {
    expression = cel().parse(effect.when);
  } catch (error) {
    expression = error instanceof Error ? error.message : String(error);
  }
  parsed.set(effect, expression);
  return expression;
}

/**
 * What a condition looks at, such as `context.ip`.
 *
 * @returns nothing for one that cannot be parsed: its outcome is the same whatever is given
 */
export function usesOf(effect: ConditionalEffect): readonly string[] {
  const expression = expressionOf(effect);
  return typeof expression === 'string' ? [] : expression.uses;
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
  let variables: Variables | undefined;
  return (effect) => {
    const known = outcomes.get(effect.when);
    if (known) return known;
    const expression = expressionOf(effect);
    variables ??= variablesIn(input);
    const outcome = typeof expression === 'string' ? { unknown: expression } : expression.evaluate(variables);
    outcomes.set(effect.when, outcome);
    return outcome;
  };
}

/** What the conditions of a decision look at: what is stored, and what the question brings with it. */
export function variablesIn({ question, subject, scopes, global }: DecisionInput): Variables {
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
  );
}

const partsOf = (ref: string): { readonly type: string; readonly id: string } => {
  const colon = ref.indexOf(':');
  return { type: ref.slice(0, colon), id: ref.slice(colon + 1) };
};

/** `write` of `records:write:record`; a page is its own action. */
const actionOf = (permission: string): string => permission.split(':')[1] ?? permission;
