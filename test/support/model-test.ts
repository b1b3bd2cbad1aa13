import { randomBytes } from 'node:crypto';
import { ulid } from 'ulid';
import { readDocument } from '../../cli/document.ts';
import { readTestFile } from '../../cli/model-tests/file.ts';
import { runTests, type TestResult } from '../../cli/model-tests/run.ts';
import { createProvisioning } from '../../provisioning/index.ts';
import { mayBeScopeType } from '../../table/entities/scope-types.ts';
import { REGISTERED_SUBJECT, SUBJECT_NODES } from '../../table/identifiers.ts';
import { createMemoryTable } from '../../table/memory/index.ts';

/** A model test on a table in memory: its manifest is applied, and its questions can be put. */
export async function openModelTest(file: string, text: string) {
  const { fixture, tests } = await readTestFile(readDocument(file, text));
  if (!fixture) throw new Error(`${file} has no manifest`);
  const { reader, writer } = createMemoryTable();
  const provision = createProvisioning({
    ...{ reader, writer, clock: { now: Date.now }, newId: () => ulid() },
    newSecret: () => randomBytes(32).toString('base64url'),
  });
  const applied = await provision({ command: 'tenant.apply', input: { manifest: fixture.data } });
  if (!applied.ok) throw new Error(`${file}: ${applied.error.message}`);

  const refs = (isOfKind: (type: string) => boolean): ReadonlyMap<string, string> =>
    new Map([...fixture.names].filter(([ref]) => isOfKind(ref.split(':')[0] ?? '')).map(([r, n]) => [n, r]));
  const [subjects, scopes] = [refs((type) => SUBJECT_NODES.includes(type)), refs(mayBeScopeType)];
  const subjectOf = (name: string) =>
    (subjects.get(name) ?? 'user:nobody').replace(new RegExp(`^${REGISTERED_SUBJECT}:`), '');
  const scopeOf = (name: string) => scopes.get(name) ?? 'tenant:nowhere';
  const nameOf = (ref: string) => fixture.names.get(ref);

  return {
    ...{ tests, manifest: fixture.manifest, reader, provision, subjectOf, scopeOf },
    run: (): Promise<readonly TestResult[]> =>
      runTests(tests, { reader, now: Date.now, subjectOf, scopeOf, nameOf }),
  };
}

export type ModelTestOnMemory = Awaited<ReturnType<typeof openModelTest>>;
