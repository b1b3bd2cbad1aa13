import type { ModelState, TestOutcome } from '../../playground/model.ts';
import type { Inputs } from '../../service/index.ts';
import type { Address, Patch } from '../address.ts';
import { readGiven } from '../parts/given-text.ts';
import { askedInstant, formatInstant } from '../parts/instant.ts';

/** The question of an address; undefined where a part of it is missing or cannot be read. */
export function askedIn(state: Address['state']): Inputs['check'] | undefined {
  const { subject, permission, scope } = state;
  const instant = askedInstant(state.at);
  const read = readGiven(state.given);
  if (!subject || !permission || !scope || instant.problem !== undefined || 'problem' in read)
    return undefined;
  const { at } = instant;
  return { subject, permission, scope, ...read, ...(at === undefined ? {} : { at }) };
}

/** A question of a model test with what became of it. */
export type Answer = TestOutcome['answers'][number];

/** The state of an address that asks the same. */
export function stateOf(answer: Answer, { names }: ModelState): Patch {
  const { subject, permission, scope, at, given } = answer;
  const isGiven = Object.values(given).some((part) => part !== undefined);
  return {
    subject: names.subject[subject] ?? subject,
    permission,
    scope: names.scope[scope] ?? scope,
    at: formatInstant(Date.parse(at)),
    given: isGiven ? JSON.stringify(given) : undefined,
  };
}
