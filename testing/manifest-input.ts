import { fileURLToPath } from 'node:url';
import { readDocument, type Source } from './document.ts';
import { readFileAsDocument } from './text-file.ts';

/** An object, a YAML or JSON text, or a file: a URL, or a path in one line that ends in `.yaml`, `.yml` or `.json`. */
export type ManifestInput = object | string | URL;

const PATH = /^[^\n]+\.(?:ya?ml|json)$/i;

/** What problems are reported of where there is no file. */
const NAME = 'manifest';

/** @throws ProblemsError for a file that cannot be read, and for what is no YAML */
export async function readInput(input: ManifestInput): Promise<Source> {
  if (input instanceof URL) return readFileAsDocument(fileURLToPath(input));
  if (typeof input !== 'string') return { file: NAME, data: input, placeOf: () => undefined };
  return PATH.test(input) ? readFileAsDocument(input) : readDocument(NAME, input);
}
