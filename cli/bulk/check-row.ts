import type * as z from 'zod';
import type { Values } from './kinds.ts';
import type { Refusal, SourceRow } from './rows.ts';

export type Checked = { readonly values: Values } | { readonly problem: Omit<Refusal, 'line'> };

/** What the command's own schema says of a row, before anything is sent; values come back as it would keep them. */
export function checkRow(schema: z.ZodType, { values, problem }: SourceRow): Checked {
  if (problem) return { problem };
  if (Object.keys(values).length === 0)
    return { problem: { code: 'invalid', message: 'the row says nothing' } };
  const parsed = schema.safeParse(values);
  if (parsed.success) return { values: withoutUndefined(parsed.data as Values) };
  const [issue] = parsed.error.issues;
  const field = issue?.path.map(String).join('.') ?? '';
  const isMissing = issue?.path.length === 1 && values[field] === undefined;
  return {
    problem: {
      code: 'invalid',
      ...(field === '' ? {} : { field }),
      message: isMissing
        ? `${field} is missing`
        : `${field} ${sentence(issue?.message ?? 'is invalid')}`.trim(),
    },
  };
}

/** Messages of ours go on from the field; those of the library begin anew. */
const sentence = (message: string): string => (/^[A-Z]/.test(message) ? `is not good: ${message}` : message);

const withoutUndefined = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
