import { type Parsed, parseManifest } from '../../provisioning/apply/parse.ts';
import { UsageError } from '../context.ts';
import { assertNone, type Source } from '../document.ts';

/** A manifest that a person wrote, as it is sent, and the places of what is in it. */
export interface ManifestFile extends Parsed {
  readonly source: Source;
}

/** Reads a manifest. Throws ProblemsError with everything that can be seen without a table, but for references. */
export function readManifest(source: Source): ManifestFile {
  const { parsed, problems } = parseManifest(source.data);
  assertNone(source, problems);
  return { source, ...(parsed as Parsed) };
}

/** A manifest that names its table is for no other one. Throws {@link UsageError}. */
export function assertTable({ manifest, source }: ManifestFile, table: string | undefined): void {
  if (manifest.table !== undefined && manifest.table !== table)
    throw new UsageError(
      table === undefined
        ? `${source.file} is for the table ${manifest.table}, and a function does not say which table it is of: give --table ${manifest.table} instead of --function; nothing was done`
        : `${source.file} is for the table ${manifest.table}, and this is ${table}: nothing was done`,
    );
}
