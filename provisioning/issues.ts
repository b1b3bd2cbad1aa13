import type * as z from 'zod';
import { GatehouseError } from '../table/errors.ts';

/** What a schema found wrong, in the words of those who write the data. */

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
  record: 'a map',
};

/** Units of bounds, by what is bounded. */
const UNITS: Readonly<Record<string, string>> = { string: 'characters', array: 'entries', map: 'entries' };

const mustBe = (bound: string, origin: string): string =>
  origin in UNITS ? `must have ${bound} ${UNITS[origin]}` : `must be ${bound}`;

/**
 * The message of an issue whose schema has none of its own, to be given as `error` to each parse: it
 * continues the name of the field.
 */
export const inPlainWords: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? 'is required'
        : `must be ${TYPES[issue.expected] ?? `a value of type ${issue.expected}`}`;
    case 'invalid_value':
      return issue.input === undefined
        ? 'is required'
        : `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`;
    case 'too_big':
      return mustBe(`at most ${issue.maximum}`, issue.origin);
    case 'too_small':
      return issue.minimum === 1 && issue.origin in UNITS
        ? 'is empty'
        : mustBe(`at least ${issue.minimum}`, issue.origin);
    case 'invalid_format':
      return `is not a valid ${issue.format === 'url' ? 'URL' : issue.format}`;
    case 'invalid_key':
      return issue.issues[0]?.message ?? 'is not a name';
    default:
      return issue.input === undefined ? 'is required' : 'is not a value that is accepted';
  }
};

/** Characters that an error shows of a name that the caller made up. */
const MAX_NAME = 60;

/** A name as an error shows it: not longer than 60 characters, and none that would change what is around it. */
function shownName(name: PropertyKey): string {
  if (name === '') return '""';
  const text = String(name).slice(0, MAX_NAME).replace(/\p{C}/gu, '?');
  return text.length < String(name).length ? `${text.slice(0, MAX_NAME - 1)}…` : text;
}

/** A path as errors name a field: `commands.0.input`. */
export const fieldOf = (path: readonly PropertyKey[]): string => path.map(shownName).join('.');

/** The field that was probably meant by a name. */
export type FieldMeant = (name: string) => string | undefined;

/**
 * What is wrong with data, an unknown field or else the first thing, as an error that names the field.
 *
 * @param whole what to name where it is no single field
 * @param meant which field was meant by an unknown one
 */
export function toInvalid(error: z.ZodError, whole: string, meant?: FieldMeant): GatehouseError {
  // An unknown field says more than that another one is missing: it may stand for that one.
  const issue = error.issues.find(({ code }) => code === 'unrecognized_keys') ?? error.issues[0];
  const [unknown] = issue?.code === 'unrecognized_keys' ? issue.keys : [];
  const path = [...(issue?.path ?? []), ...(unknown === undefined ? [] : [unknown])];
  const field = path.length > 0 ? fieldOf(path) : whole;
  const other = unknown === undefined || path.length > 1 ? undefined : meant?.(unknown);
  const message =
    unknown === undefined
      ? `${field}: ${issue?.message ?? 'is not accepted'}`
      : `${field} is not a field of this command${other === undefined ? '' : `: did you mean ${other}?`}`;
  return new GatehouseError('invalid', message, { field });
}
