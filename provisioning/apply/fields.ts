import * as z from 'zod';
import * as field from '../../table/entities/fields.ts';
import { choiceOf } from '../../table/similar-words.ts';
import { inPlainWords } from '../issues.ts';

/** Parts of schemas for what people write. Messages say what to write instead. */

/** `ann:` with nothing behind it is a resource without details. */
const orEmpty = <T extends z.ZodType>(schema: T) => z.preprocess((value) => value ?? {}, schema);

/**
 * A mapping of which every key is known; nothing at all is an empty one. The message of an unknown key lists the known
 * keys: problemsOf makes sentences of it.
 */
export const object = <S extends z.ZodRawShape>(shape: S) =>
  orEmpty(
    z.strictObject(shape, {
      error: (issue) =>
        issue.code === 'unrecognized_keys' ? Object.keys(shape).join(' ') : 'must be a mapping',
    }),
  );

/** The name of a resource, by which the manifest refers to it. */
export const name = z.string('must be a name (in quotes if it looks like a number)').pipe(field.name);

/** Resources by their names. */
export const named = <T extends z.ZodType>(schema: T, key: z.ZodType<string, string> = name) =>
  orEmpty(
    z.record(key, schema, {
      error: (issue) =>
        issue.code === 'invalid_key'
          ? (issue.issues[0]?.message ?? 'is no name')
          : 'must be a mapping of names',
    }),
  );

/** Adds an issue for each text of a list that is in it before. */
function refuseTwice(all: readonly string[], context: z.RefinementCtx): void {
  const seen = new Set<string>();
  for (const [position, each] of all.entries()) {
    if (seen.has(each))
      context.addIssue({ code: 'custom', path: [position], message: `${each} is here twice` });
    seen.add(each);
  }
}

/** Resources by their names, or only the names, as a list. */
export const listed = <T extends z.ZodType>(schema: T, key: z.ZodType<string, string>) =>
  z.preprocess(
    (value, context) => {
      if (!Array.isArray(value) || !value.every((each) => typeof each === 'string')) return value;
      refuseTwice(value, context);
      return Object.fromEntries(value.map((each) => [each, {}]));
    },
    named(schema, key),
  );

/** A list without repetitions. */
export const names = <T extends z.ZodType<string, string>>(schema: T) =>
  list(schema).superRefine(refuseTwice);

/** A list; nothing at all is an empty one. */
export const list = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => value ?? [], z.array(schema, 'must be a list'));

const conditional = object({ permission: field.permissionOrPattern, when: field.condition.optional() });

export interface Effect {
  readonly permission: string;
  readonly when?: string | undefined;
}

/** What a role allows or denies: a name, or with a condition a mapping. */
const effect = z
  .unknown()
  .meta({
    anyOf: [
      { type: 'string' },
      {
        type: 'object',
        properties: { permission: { type: 'string' }, when: { type: 'string' } },
        required: ['permission'],
        additionalProperties: false,
      },
    ],
  })
  .transform((value, context): Effect => {
    const options = { error: inPlainWords };
    const parsed =
      typeof value === 'string'
        ? field.permissionOrPattern.transform((permission) => ({ permission })).safeParse(value, options)
        : conditional.safeParse(value, options);
    if (parsed.success) return parsed.data;
    for (const issue of parsed.error.issues)
      context.issues.push({ ...issue, input: value } as z.core.$ZodRawIssue);
    return z.NEVER;
  });

/** Effects, each on another permission. */
export const effects = list(effect).superRefine((all, context) =>
  refuseTwice(
    all.map(({ permission }) => permission),
    context,
  ),
);

/** An instant or a day, in ISO 8601 as the table keeps it; of an end, a day is meant with all of it. */
export { end, instant } from '../../table/entities/fields.ts';

/** One of these texts, in any case. */
export const choice = <const T extends readonly string[]>(choices: T, message?: string) =>
  z.preprocess(
    (value) => (typeof value === 'string' ? (choiceOf(value, choices) ?? value) : value),
    z.enum(choices, message),
  );

export const flag = z.boolean('must be true or false');

export { pageName, permissionName } from '../../table/entities/fields.ts';
