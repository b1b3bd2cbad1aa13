import { derivedId } from '../../provisioning/apply/entry.ts';
import { parseManifest } from '../../provisioning/apply/parse.ts';
import { planManifest } from '../../provisioning/apply/plan.ts';
import { pathOf } from '../../provisioning/apply/problem.ts';
import { queriesOn } from '../../provisioning/apply/queries.ts';
import type { Manifest } from '../../provisioning/apply/schema.ts';
import { COMMANDS } from '../../provisioning/index.ts';
import { GatehouseError } from '../../table/errors.ts';
import { assertNone, readDocument } from '../../testing/document.ts';
import { prepareManifest } from '../../testing/manifest.ts';
import { type ManifestNames, namesBy } from '../../testing/manifest-names.ts';
import type { LocalTable } from '../table.ts';

/** A manifest that the table has. */
export interface AppliedManifest {
  readonly manifest: Manifest;
  /** References by the names in it. */
  readonly names: ManifestNames;
  readonly counts: Readonly<Record<'create' | 'change' | 'remove' | 'kept', number>>;
}

/**
 * Makes the table have what a manifest says, and nothing else: what the file leaves out is removed. In a table that was
 * there before, what belongs to no tenant stays, because others may rely on it.
 *
 * @param file its name, for messages
 * @throws ProblemsError with everything that is wrong with it, and where; the table is as it was, unless provisioning
 *   itself has refused a part of it
 */
export async function applyText(file: string, text: string, table: LocalTable): Promise<AppliedManifest> {
  const source = readDocument(file, text);
  const { manifest, data, problems } = await prepareManifest(source.data);
  assertNone(source, problems);
  const input = { manifest: data, prune: true, ...(table.isNew ? { pruneShared: true } : {}) };
  const answer = await applyData(input, table);
  if (answer.ok) {
    const counts = answer.result as unknown as AppliedManifest['counts'];
    return { manifest: manifest as Manifest, names: await namesIn(data, table), counts };
  }
  const { code, message, field = '', retryable } = answer.error;
  if (!retryable && field.startsWith('manifest')) assertNone(source, [{ path: pathOf(field), message }]);
  throw new GatehouseError(code, message, { field });
}

/** Has provisioning apply a manifest, however long it takes. */
export async function applyData(
  input: Readonly<Record<string, unknown>>,
  { provisioning }: Pick<LocalTable, 'provisioning'>,
) {
  for (;;) {
    const answer = await provisioning({ command: 'tenant.apply', input, actor: 'gatehouse dev' });
    // Its time was up: sent again, it goes on.
    if (answer.ok || answer.error.code !== 'unfinished') return answer;
  }
}

/** The names of a manifest by the references in the table, which may have had some of its nodes under other ids. */
async function namesIn(data: unknown, { reader }: LocalTable): Promise<ManifestNames> {
  const { parsed } = parseManifest(data);
  if (!parsed) return namesBy(new Map());
  const options = { queries: queriesOn(reader, COMMANDS), commands: COMMANDS, idFor: derivedId };
  const { state } = await planManifest(parsed, { prune: false, shared: false }, options);
  return namesBy(state?.names ?? new Map());
}
