import * as z from 'zod';
import * as field from '../table/entities/fields.ts';
import { invalid } from '../table/errors.ts';
import { isSafeText } from '../table/identifiers.ts';
import type { Misfit } from '../table/value.ts';
import { isVisibleText } from '../table/visible-text.ts';
import { fieldsOf } from './command.ts';
import { fieldMeant } from './field-meant.ts';
import { type FieldMeant, fieldOf, inPlainWords, toInvalid } from './issues.ts';
import { isPseudonym, PSEUDONYM } from './pseudonyms.ts';

const SEALED = `begins with ${PSEUDONYM}TYPE:ID:, as only what stands for personal values in the audit log`;

/** What names a request: an id of an operation, an actor. */
export const label = z
  .string()
  .min(1)
  .max(128)
  .refine(isSafeText, 'holds # or control characters')
  .refine(isVisibleText, field.UNSEEN)
  .refine((text): boolean => !isPseudonym(text), SEALED);

/** Levels of lists and maps in one field of an input: a manifest is what goes deepest. */
export const MAX_LEVELS = 20;

/**
 * Reads data by its schema. Throws `invalid` naming the field.
 *
 * @param whole what to name where no single field is wrong
 * @param meant which field was meant by an unknown one
 */
export function readBySchema<S extends z.ZodType>(
  schema: S,
  given: unknown,
  whole: string,
  meant?: FieldMeant,
): z.output<S> {
  const parsed = schema.safeParse(given, { error: inPlainWords });
  if (parsed.success) return parsed.data;
  throw toInvalid(parsed.error, whole, meant);
}

/** Names of a path that say enough of where something is: `commands.0.input.geoJson`. */
const NAMED = 4;

/** Reads the input of a command. Throws `invalid` naming the field. */
export function readInput<S extends z.ZodType>(
  { name, input }: { readonly name: string; readonly input: S },
  given: unknown,
): z.output<S> {
  const known = Object.keys(fieldsOf({ input }));
  const meant = (unknown: string) => fieldMeant(name, unknown, known);
  const problem = misshapen(given, MAX_LEVELS + 1);
  if (!problem) return readBySchema(input, given, 'input', meant);
  const at = fieldOf(problem.path.slice(0, NAMED));
  throw invalid(at, `${at}: ${problem.message}`);
}

/**
 * What a schema cannot report, because it would run out of stack or not see it: data nested too deep, and
 * `__proto__`, which zod leaves out of maps. And a pseudonym, wherever it stands: whoever lists the audit log would read
 * the value of anybody. Looks no deeper than it must.
 */
export function misshapen(value: unknown, levels: number): Misfit | undefined {
  if (isPseudonym(value)) return { path: [], message: SEALED };
  if (typeof value !== 'object' || value === null) return undefined;
  if (levels === 0) return { path: [], message: `is nested more than ${MAX_LEVELS} levels deep` };
  for (const [key, each] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    const problem =
      key === '__proto__'
        ? { path: [], message: 'is a name that cannot be kept' }
        : misshapen(each, levels - 1);
    if (problem) return { ...problem, path: [key, ...problem.path] };
  }
  return undefined;
}
