import type { Inputs } from '../../service/index.ts';
import type { Address } from '../address.ts';
import { readGiven } from '../parts/given-text.ts';
import { askedInstant } from '../parts/instant.ts';

/** The question of an address; undefined where a part of it is missing or cannot be read. */
export function askedIn(state: Address['state']): Inputs['check'] | undefined {
  const { subject, permission, scope } = state;
  const instant = askedInstant(state.at);
  const read = readGiven(state.given);
  if (!subject || !permission || !scope || instant.problem !== undefined || 'problem' in read)
    return undefined;
  return { subject, permission, scope, ...read, at: instant.at };
}
