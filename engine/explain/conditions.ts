import { createOutcomes, isGiven, usesOf, variablesIn } from '../condition-outcomes.ts';
import type { Value } from '../conditions/declarations.ts';
import { cel } from '../conditions/load.ts';
import type { DecisionInput } from '../decision-input.ts';
import type { DerivedEffect } from './derivations.ts';
import { type ConditionShown, MAX_SHOWN } from './explanation.ts';

/** The condition of an effect, evaluated as the decision did. */
export type ShowCondition = (derived: DerivedEffect) => ConditionShown | null;

/** Whether an effect counts: a DENY also where its condition cannot be evaluated. */
export const counts = ({ effect }: DerivedEffect, condition: ConditionShown | null): boolean =>
  condition === null ||
  condition.outcome === 'holds' ||
  (effect === 'DENY' && condition.outcome === 'not_evaluated');

export function createShowCondition(input: DecisionInput): ShowCondition {
  const outcomeOf = createOutcomes(input);
  return ({ condition }) => {
    if (condition === undefined) return null;
    const { when } = condition;
    const outcome = outcomeOf(condition);
    const variables = variablesIn(input);
    const values = usesOf(condition)
      .slice(0, MAX_SHOWN)
      .map((name) => ({ name, value: shown(name, valueAt(variables, name)), isGiven: isGiven(name, input) }));
    const parts = 'holds' in outcome && outcome.holds ? [] : partsThatFail(when, input);
    return {
      when,
      outcome: 'holds' in outcome ? (outcome.holds ? 'holds' : 'does_not_hold') : 'not_evaluated',
      message: 'unknown' in outcome ? outcome.unknown : null,
      fails: parts,
      values,
    };
  };
}

/** The parts of an expression between its outermost `&&` that do not hold or cannot be evaluated. */
function partsThatFail(when: string, input: DecisionInput): readonly string[] {
  const outcomeOf = createOutcomes(input);
  const failing = partsOf(when).filter((part) => {
    const outcome = outcomeOf({ effect: 'ALLOW', when: part });
    return !('holds' in outcome && outcome.holds);
  });
  return failing.slice(0, MAX_SHOWN);
}

/** The expression itself if it cannot be parsed. */
function partsOf(when: string): readonly string[] {
  try {
    return cel().conjunctsOf(when);
  } catch {
    return [when];
  }
}

function valueAt(variables: object, name: string): Value | undefined {
  let value: unknown = variables;
  for (const part of name.split('.'))
    value =
      value instanceof Map
        ? value.get(part)
        : Object.hasOwn(Object(value), part)
          ? (value as Readonly<Record<string, unknown>>)[part]
          : undefined;
  return value as Value | undefined;
}

/** Names whose values an explanation does not show. */
const SECRET = /secret|password|passwd|token|hash|credential|apikey|api_key|private/i;
const MAX_LENGTH = 120;

/** A value in words; what is a secret by its name, or may hold one, is masked. */
function shown(name: string, value: Value | undefined): string {
  if (value === undefined) return 'missing';
  if (SECRET.test(name)) return '(masked)';
  const text = JSON.stringify(value, (key, each: unknown) =>
    SECRET.test(key)
      ? '(masked)'
      : typeof each === 'bigint'
        ? Number(each)
        : each instanceof Map
          ? Object.fromEntries(each)
          : each,
  );
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}
