import { readDocument } from '../../testing/document.ts';
import { applyManifest } from '../../testing/manifest.ts';
import { provisionedInMemory } from '../../testing/memory.ts';
import { readTestFile } from '../../testing/model-tests/file.ts';
import { askedOf, runTests, type TestResult } from '../../testing/model-tests/run.ts';

/** A model test on a table in memory: its manifest is applied, and its questions can be put. */
export async function openModelTest(file: string, text: string) {
  const { manifest, tests } = await readTestFile(readDocument(file, text));
  if (!manifest) throw new Error(`${file} has no manifest`);
  const { reader, provisioning } = provisionedInMemory(Date.now);
  const problems = await applyManifest(manifest, provisioning);
  if (problems.length > 0) throw new Error(`${file}: ${JSON.stringify(problems)}`);
  const asked = askedOf(manifest.names, reader, Date.now);
  const run = (): Promise<readonly TestResult[]> => runTests(tests, asked);
  return { ...asked, provision: provisioning, run };
}

export type ModelTestInMemory = Awaited<ReturnType<typeof openModelTest>>;
