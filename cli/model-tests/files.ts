import { ulid } from 'ulid';
import type { ClientOptions } from '../../table/dynamodb/client.ts';
import type { Reader } from '../../table/reader.ts';
import type { Context } from '../context.ts';
import { assertNone, type Problem, ProblemsError, readDocument, readText } from '../document.ts';
import { type Translation, translateWorld } from '../world/commands.ts';
import { inputProblems, sendSteps } from '../world/provision.ts';
import { readTestFile, type TestFile } from './file.ts';
import type { FileResult } from './report.ts';
import { type Asked, runTests } from './run.ts';
import { type ThrowAwayTables, throwAwayTables } from './throw-away.ts';

/** A file that is ready to run: nothing is wrong with it as far as can be seen without a table. */
export interface ReadyFile extends TestFile {
  readonly translation: Translation | undefined;
}

export interface RunOptions {
  /** Where worlds are put; the embedded engine when no endpoint is named. */
  readonly endpoint: ClientOptions;
  /** The table that files without a world are about. */
  readonly live: () => Reader;
  readonly now: () => number;
  readonly onInterrupt: Context['onInterrupt'] | undefined;
}

/** Reads all files. Throws ProblemsError with everything that is wrong with any of them. */
export const readTestFiles = (files: readonly string[]): Promise<readonly ReadyFile[]> =>
  gathered(files, async (file) => {
    const text = await readText(file);
    const read = readTestFile(readDocument(file, text));
    const translation = read.world && translateWorld(read.world, () => ulid());
    if (translation) assertNone(read.source, inWorld(inputProblems(translation.steps)));
    return { ...read, translation };
  });

const inWorld = (problems: readonly Problem[]): readonly Problem[] =>
  problems.map((problem) => ({ ...problem, path: ['world', ...problem.path] }));

/**
 * Runs the tests of all files: first every world is put into a table, and only when all of them stand, questions are
 * asked. Tables are removed again, whatever happens. Throws ProblemsError for worlds that provisioning refuses.
 */
export async function runFiles(
  files: readonly ReadyFile[],
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
  files: readonly ReadyFile[],
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
  { source, translation }: ReadyFile,
  tables: ThrowAwayTables,
  { live, now }: RunOptions,
): Promise<Asked> {
  if (!translation)
    return {
      reader: live(),
      now,
      subjectOf: itself,
      scopeOf: itself,
      nameOf: () => undefined,
    };
  const { reader, provisioning } = await tables.create();
  assertNone(source, inWorld(await sendSteps(translation, provisioning)));
  const { subjects, scopes, names } = translation;
  // What the file names nowhere is asked for by an id that nothing has.
  const nobody = ulid();
  return {
    ...{ reader, now },
    subjectOf: (name) => subjects.get(name) ?? `user:${nobody}`,
    scopeOf: (name) => scopes.get(name) ?? `tenant:${nobody}`,
    nameOf: (ref) => names.get(ref),
  };
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
