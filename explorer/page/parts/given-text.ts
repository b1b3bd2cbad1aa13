import type { Inputs } from '../../service/index.ts';
import { isObject, parseJson } from '../json.ts';

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
