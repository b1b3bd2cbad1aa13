import type { Inputs } from '../../service/index.ts';
import type { Address } from '../address.ts';
import { readGiven } from './given-text.ts';
import { askedInstant } from './instant.ts';

/** A question, at whatever instant. */
export type Question = Omit<Inputs['check'], 'at'>;

/** What the address asks, without its instant; undefined as long as a part is missing or cannot be read. */
export function questionIn(state: Address['state']): Question | undefined {
  const { subject, permission, scope, given, actor, mandate } = state;
  const read = readGiven(given);
  if (!subject || !permission || !scope || 'problem' in read) return undefined;
  const question = { subject, permission, scope, ...read };
  if (!actor) return question;
  return { ...question, actor: mandate ? { subject: actor, mandate } : { subject: actor } };
}

/** The same at its instant. */
export function askedIn(state: Address['state']): Inputs['check'] | undefined {
  const question = questionIn(state);
  const { at, problem } = askedInstant(state.at);
  return question && problem === undefined ? { ...question, at } : undefined;
}
