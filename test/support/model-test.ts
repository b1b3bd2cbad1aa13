import { readTestFile } from '../../cli/model-tests/file.ts';
import { runTests, type TestResult } from '../../cli/model-tests/run.ts';
import { readDocument } from '../../testing/document.ts';
import { applyManifest } from '../../testing/manifest.ts';
import { provisionedInMemory } from '../../testing/memory.ts';

/** A model test on a table in memory: its manifest is applied, and its questions can be put. */
export async function openModelTest(file: string, text: string) {
  const { manifest: prepared, tests } = await readTestFile(readDocument(file, text));
  if (!prepared?.manifest) throw new Error(`${file} has no manifest`);
  const { manifest, names } = prepared;
  const { reader, provisioning: provision } = provisionedInMemory(Date.now);
  const [problem] = await applyManifest(prepared, provision);
  if (problem) throw new Error(`${file}: ${problem.message}`);

  const subjectOf = (name: string) => names.of('subject').get(name) ?? 'user:nobody';
  const scopeOf = (name: string) => names.of('scope').get(name) ?? 'tenant:nowhere';
  return {
    ...{ tests, manifest, reader, provision, subjectOf, scopeOf },
    run: (): Promise<readonly TestResult[]> =>
      runTests(tests, { reader, now: Date.now, subjectOf, scopeOf, nameOf: names.nameOf }),
  };
}

export type ModelTestOnMemory = Awaited<ReturnType<typeof openModelTest>>;
