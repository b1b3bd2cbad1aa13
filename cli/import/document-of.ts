import type * as z from 'zod';
import { inPlainWords, problemsOf } from '../../provisioning/index.ts';
import { assertNone } from '../../testing/document.ts';
import { readFileAsDocument } from '../../testing/text-file.ts';

/**
 * A file of another product, YAML or JSON, in the form that it writes.
 *
 * @throws ProblemsError with the places where it has another form
 */
export async function documentOf<T>(file: string, schema: z.ZodType<T>): Promise<T> {
  const source = await readFileAsDocument(file);
  const read = schema.safeParse(source.data, { error: inPlainWords });
  if (!read.success) assertNone(source, problemsOf(read.error));
  return read.data as T;
}
