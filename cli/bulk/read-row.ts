import { inPlainWords, toInvalid } from '../../provisioning/index.ts';
import { defined } from '../../table/defined.ts';
import { withoutNames } from '../input-names.ts';
import { RefusedError } from '../provisioning.ts';
import { NameError, type Resolve } from '../references.ts';
import type { RowKind } from './kinds.ts';
import type { Refusal, SourceRow, ValidRow } from './rows.ts';

/** What decoders write for bytes that are not UTF-8. */
const REPLACEMENT = '\ufffd';
/** Of what a name may mean, so many are said. */
const MAX_CANDIDATES = 3;

const invalid = (message: string, field?: string): ValidRow => ({
  problem: { code: 'invalid', message, ...(field ? { field } : {}) },
});

/**
 * A row as its command takes it, with ids in the place of names, or what is wrong with it; values come back normalised.
 * Throws where names cannot be looked up.
 */
export async function readRow(kind: RowKind, resolve: Resolve, row: SourceRow): Promise<ValidRow> {
  const { values, problem } = row;
  if (problem) return { problem };
  if (Object.keys(values).length === 0) return invalid('the row is empty');
  for (const [name, value] of Object.entries(values))
    if (typeof value === 'string' && value.includes(REPLACEMENT))
      return invalid(`${name} holds bytes that are not UTF-8: save the file as UTF-8`, name);
  const command = { name: `${kind.type}.create`, fields: kind.fields };
  let failed: string | undefined;
  const resolving: Resolve = (typed, text) =>
    resolve(typed, text).catch((error: unknown) => {
      failed ??= typed.label;
      throw error;
    });
  try {
    const parsed = kind.schema.safeParse(await withoutNames(resolving, command, values), {
      error: inPlainWords,
    });
    if (!parsed.success) {
      const { message, field } = toInvalid(parsed.error, 'row');
      return invalid(message, field);
    }
    const entries = Object.entries(parsed.data as typeof values).filter(([, value]) => value !== undefined);
    return { values: Object.fromEntries(entries) };
  } catch (error) {
    const refusal = refusalOf(error);
    if (!refusal) throw error;
    return { problem: { ...refusal, ...defined({ field: failed }) } };
  }
}

/** Of a name that means nothing, or several things, and of what may not be looked up. */
function refusalOf(error: unknown): Omit<Refusal, 'line'> | undefined {
  if (error instanceof RefusedError) return { code: error.code, message: error.message };
  if (!(error instanceof NameError)) return undefined;
  const { code, message, candidates } = error;
  if (code === 'name_unknown') return { code, message };
  const shown = candidates.slice(0, MAX_CANDIDATES).map(({ ref, path, name }) => `${path ?? name} (${ref})`);
  const rest = candidates.length > shown.length ? [`and ${candidates.length - shown.length} more`] : [];
  return { code, message: `${message}: ${[...shown, ...rest].join(', ')}` };
}
