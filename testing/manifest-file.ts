import { type Parsed, parseManifest } from '../provisioning/apply/parse.ts';
import { assertNone, type Source } from './document.ts';

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
