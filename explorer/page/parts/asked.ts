import type { Inputs } from '../../service/index.ts';
import { readGiven } from './given-text.ts';
import { askedInstant } from './instant.ts';

/** The state of an address. */
type State = Readonly<Record<string, string>>;

/** A question, at whatever instant. */
export type Question = Omit<Inputs['check'], 'at'>;

/** What the address asks, without its instant; undefined as long as a part is missing or cannot be read. */
export function questionIn(state: State): Question | undefined {
  const { subject, permission, scope, given } = state;
  const read = readGiven(given);
  if (!subject || !permission || !scope || 'problem' in read) return undefined;
  return { subject, permission, scope, ...actingIn(state), ...read };
}

/** Who acts, as the address says it. */
export function actingIn({ actor, mandate }: State): Pick<Inputs['check'], 'actor'> {
  if (!actor) return {};
  return { actor: mandate ? { subject: actor, mandate } : { subject: actor } };
}

/** The same at its instant. */
export function askedIn(state: State): Inputs['check'] | undefined {
  const question = questionIn(state);
  const { at, problem } = askedInstant(state.at);
  return question && problem === undefined ? { ...question, at } : undefined;
}
