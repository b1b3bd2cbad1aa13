import { ulid } from 'ulid';
import { pathOf } from '../../provisioning/apply/problem.ts';
import { typeOf } from '../../provisioning/apply/scope-commands.ts';
import type { Provisioning } from '../../provisioning/index.ts';
import type { ClientOptions } from '../../table/dynamodb/client.ts';
import { mayBeScopeType } from '../../table/entities/scope-types.ts';
import { REGISTERED_SUBJECT, SUBJECT_NODES } from '../../table/identifiers.ts';
import type { Reader } from '../../table/reader.ts';
import type { Context } from '../context.ts';
import { assertNone, ProblemsError, readDocument, type Source } from '../document.ts';
import { readText } from '../files.ts';
import { type Fixture, inManifest, readTestFile, type TestFile } from './file.ts';
import type { FileResult } from './report.ts';
import { type Asked, runTests } from './run.ts';
import { type ThrowAwayTables, throwAwayTables } from './throw-away.ts';

export interface RunOptions {
  /** Where the tables of fixtures are; the embedded engine when no endpoint is named. */
  readonly endpoint: ClientOptions;
  /** The table that files without a fixture ask. */
  readonly live: () => Promise<Reader>;
  readonly now: () => number;
  readonly onInterrupt: Context['onInterrupt'] | undefined;
}

/** Reads all files. Throws ProblemsError with everything that is wrong with any of them. */
export const readTestFiles = (files: readonly string[]): Promise<readonly TestFile[]> =>
  gathered(files, async (file) => readTestFile(readDocument(file, await readText(file))));

/**
 * Runs the tests of all files: first every fixture is applied to a table of its own, then questions are asked. Tables are
 * removed again, whatever happens. Throws ProblemsError for fixtures that provisioning refuses.
 */
export async function runFiles(
  files: readonly TestFile[],
  options: RunOptions,
): Promise<readonly FileResult[]> {
  const tables = throwAwayTables(options.endpoint, options.now);
  let ignore = (): void => {};
  const interruption = new Promise<never>((_, reject) => {
    ignore = options.onInterrupt?.(() => reject(new Error('interrupted'))) ?? ignore;
  });
  try {
    return await Promise.race([interruption, prepareAndRun(files, tables, options)]);
  } finally {
    ignore();
    await tables.close();
  }
}

async function prepareAndRun(
  files: readonly TestFile[],
  tables: ThrowAwayTables,
  options: RunOptions,
): Promise<readonly FileResult[]> {
  const prepared = await gathered(files, async (file) => ({
    file,
    asked: await prepare(file, tables, options),
  }));
  const done: FileResult[] = [];
  for (const { file, asked } of prepared)
    done.push({ file: file.source.file, results: await runTests(file.tests, asked) });
  return done;
}

const itself = (name: string): string => name;

async function prepare(
  { source, fixture }: TestFile,
  tables: ThrowAwayTables,
  { live, now }: RunOptions,
): Promise<Asked> {
  if (!fixture)
    return { reader: await live(), now, subjectOf: itself, scopeOf: itself, nameOf: () => undefined };
  const { reader, provisioning } = await tables.create();
  await applyFixture(source, fixture, provisioning);
  const { names } = fixture;
  const refs = (isOfKind: (type: string) => boolean): ReadonlyMap<string, string> =>
    new Map([...names].flatMap(([ref, name]) => (isOfKind(typeOf(ref)) ? [[name, ref]] : [])));
  const added = `${REGISTERED_SUBJECT}:`;
  const subjects = refs((type) => SUBJECT_NODES.includes(type));
  const scopes = refs(mayBeScopeType);
  // What the manifest does not name is asked for by an id that nothing has.
  const nobody = ulid();
  return {
    ...{ reader, now },
    subjectOf: (name) => {
      const ref = subjects.get(name) ?? `user:${nobody}`;
      return ref.startsWith(added) ? ref.slice(added.length) : ref;
    },
    scopeOf: (name) => scopes.get(name) ?? `tenant:${nobody}`,
    nameOf: (ref) => names.get(ref) ?? names.get(`${added}${ref}`),
  };
}

/** Applies a manifest to an empty table. Throws ProblemsError for what provisioning refuses of it. */
async function applyFixture(source: Source, { data }: Fixture, provisioning: Provisioning): Promise<void> {
  const answer = await provisioning({ command: 'tenant.apply', input: { manifest: data } });
  if (answer.ok) return;
  const { message, field = '', retryable } = answer.error;
  // A fault of the table is not one of the file.
  if (!retryable && field.startsWith('manifest'))
    assertNone(source, inManifest([{ path: pathOf(field), message }]));
  throw new Error(message);
}

/** One after the other; what is wrong with one does not hide what is wrong with the next. */
async function gathered<T, R>(all: readonly T[], work: (each: T) => Promise<R>): Promise<readonly R[]> {
  const lines: string[] = [];
  const done: R[] = [];
  for (const each of all) {
    try {
      done.push(await work(each));
    } catch (error) {
      if (!(error instanceof ProblemsError)) throw error;
      lines.push(...error.lines);
    }
  }
  if (lines.length > 0) throw new ProblemsError(lines);
  return done;
}
