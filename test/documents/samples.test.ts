import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { parseManifest } from '../../provisioning/apply/parse.ts';
import { readDocument } from '../../testing/document.ts';
import { readTestFile } from '../../testing/model-tests/file.ts';
import { readText } from '../../testing/text-file.ts';
import { blocksOf, DOCUMENTS, ROOT } from './documents.ts';

/** Blocks of a language in all documents, each with its place. */
const samplesIn = (language: string) =>
  DOCUMENTS.flatMap((document) =>
    blocksOf(document)
      .filter((block) => block.language === language)
      .map(({ text, line }) => ({ document, place: `${document}:${line}`, text })),
  );

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Sections by which a manifest is known: documents of other kinds have `properties`, `users`, … too. */
const isManifest = (data: object): boolean =>
  ['scopes', 'roles', 'pages', 'permissions', 'groups'].some((section) => section in data) &&
  !('swagger' in data || 'openapi' in data);

/**
 * What is wrong with one YAML document: as YAML, and as the model test or the manifest that it is.
 *
 * @param manifest what the document shows as a manifest before it, for model tests that name a file that is not here
 */
async function problemsIn(place: string, text: string, manifest: unknown): Promise<readonly string[]> {
  const source = readDocument(place, text);
  const data: unknown = source.data;
  if (typeof data !== 'object' || data === null) return [];
  if ('tests' in data) {
    await readTestFile(source, async (path) => {
      const file = join(ROOT, dirname(place), path);
      return existsSync(file) ? readDocument(file, await readText(file)) : { ...source, data: manifest };
    });
    return [];
  }
  if (!isManifest(data)) return [];
  return parseManifest(data).problems.map(({ path, message }) => `${place}: ${path.join('.')}: ${message}`);
}

test('JSON is JSON', () => {
  const samples = samplesIn('json');
  expect(samples.length).toBeGreaterThan(20);
  const wrong = samples.flatMap(({ place, text }) => {
    try {
      JSON.parse(text);
      return [];
    } catch (error) {
      return [`${place}: ${messageOf(error)}`];
    }
  });
  expect(wrong).toEqual([]);
});

test('YAML is YAML; manifests and model tests are what the command line takes', async () => {
  const samples = samplesIn('yaml');
  expect(samples.length).toBeGreaterThan(10);
  const wrong: string[] = [];
  /** The last manifest of each document. */
  const manifests = new Map<string, unknown>();
  for (const { document, place, text } of samples) {
    // Tags of CloudFormation are unknown to us, and no mistake.
    const errors = parseAllDocuments(text, { logLevel: 'silent' }).flatMap((each) => each.errors);
    wrong.push(...errors.map(({ message }) => `${place}: ${message}`));
    if (/^\s*-? ?[\w]+: *!/m.test(text)) continue;
    const found = problemsIn(place, text, manifests.get(document));
    wrong.push(...(await found.catch((error) => [`${place}: ${messageOf(error)}`])));
    if (/^scopes:/m.test(text)) manifests.set(document, readDocument(place, text).data);
  }
  expect(wrong).toEqual([]);
});
