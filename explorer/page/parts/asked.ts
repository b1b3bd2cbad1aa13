import type { Inputs } from '../../service/index.ts';
import { isObject, parseJson } from '../json.ts';
import { type Asked, FIELDS } from './fields.ts';
import { askedInstant } from './instant.ts';

/** The state of an address. */
type State = Readonly<Record<string, string>>;

/** What is asked beside its parts, at whatever instant. */
type Circumstances = Pick<Inputs['check'], 'actor' | 'given'>;

/** A question, at whatever instant. */
export type Question = Omit<Inputs['check'], 'at'>;

const ALL = Object.keys(FIELDS) as readonly Asked[];

/**
 * What the address asks, without its instant; undefined as long as a part is missing or cannot be read.
 *
 * @param of the parts that it is asked with
 */
export function questionIn<A extends Asked>(
  state: State,
  of: readonly A[] = ALL as readonly A[],
): (Pick<Question, A> & Circumstances) | undefined {
  const read = readGiven(state.given);
  if (of.some((name) => !state[name]) || 'problem' in read) return undefined;
  const parts = Object.fromEntries(of.map((name) => [name, state[name]])) as Pick<Question, A>;
  return { ...parts, ...actingIn(state), ...read };
}

/** Who acts, as the address says it. */
export function actingIn({ actor, mandate }: State): Pick<Inputs['check'], 'actor'> {
  if (!actor) return {};
  return { actor: mandate ? { subject: actor, mandate } : { subject: actor } };
}

/** The same at its instant. */
export function askedIn<A extends Asked>(state: State, of?: readonly A[]) {
  const question = questionIn(state, of);
  const { at, problem } = askedInstant(state.at);
  return question && problem === undefined ? { ...question, at } : undefined;
}

type Given = NonNullable<Inputs['check']['given']>;

/** What a text gives, nothing if it is empty, or what is wrong with it. */
export type GivenText = { readonly given?: Given } | { readonly problem: string };

/** Characters: it is a part of the address. */
export const MOST_GIVEN = 4_096;

const PARTS = ['subject', 'resource', 'action', 'context'];

/** Reads what conditions look at beside the table. What is in its parts is for the service to check. */
export function readGiven(text: string | undefined): GivenText {
  if (text === undefined || text.trim() === '') return {};
  if (text.length > MOST_GIVEN) return { problem: `it has more than ${MOST_GIVEN} characters` };
  const parsed = parseJson(text);
  if ('problem' in parsed) return { problem: `it is not JSON: ${parsed.problem}` };
  const { value } = parsed;
  if (!isObject(value)) return { problem: `it must be an object with ${PARTS.join(', ')}` };
  for (const [name, part] of Object.entries(value)) {
    if (!PARTS.includes(name)) return { problem: `${name} is none of ${PARTS.join(', ')}` };
    if (!isObject(part)) return { problem: `${name} must be an object` };
  }
  return { given: value as Given };
}
