import { dirname, isAbsolute, join } from 'node:path';
import { overriddenDeny } from '../../provisioning/index.ts';
import type { ClientOptions } from '../../table/dynamodb/client.ts';
import type { Reader } from '../../table/reader.ts';
import { type PlacedProblem, ProblemsError } from '../../testing/document.ts';
import { applyManifest } from '../../testing/manifest.ts';
import { type Question, readTestFile, type TestFile } from '../../testing/model-tests/file.ts';
import { type Asked, askedOf, runTests } from '../../testing/model-tests/run.ts';
import { readFileAsDocument } from '../../testing/text-file.ts';
import type { Context } from '../context.ts';
import { namesIn, referenceOf } from '../references.ts';
import type { FileResult } from './report.ts';
import { type ThrowAwayTables, throwAwayTables } from './throw-away.ts';

export interface RunOptions {
  /** Where the tables of manifests are; an engine of their own when no endpoint is named. */
  readonly endpoint: ClientOptions;
  /** The table that files without a manifest ask. */
  readonly live: () => Promise<Reader>;
  readonly now: () => number;
  readonly onInterrupt: Context['onInterrupt'] | undefined;
}

/** Reads all files. Throws ProblemsError with everything that is wrong with any of them. */
export const readTestFiles = (files: readonly string[]): Promise<readonly TestFile[]> =>
  gathered(files, async (file) =>
    readTestFile(await readFileAsDocument(file), (path) => readFileAsDocument(resolveFrom(file, path))),
  );

/** A path as another file says it. */
const resolveFrom = (file: string, path: string): string =>
  isAbsolute(path) ? path : join(dirname(file), path);

/**
 * Runs the tests of all files: first every manifest is applied to a table of its own, then questions are asked. Tables are
 * removed again, whatever happens. Throws ProblemsError for manifests that provisioning refuses.
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
    done.push({
      file: file.source.file,
      results: await runTests(file.tests, asked),
      warning: file.manifest?.manifest && overriddenDeny(file.manifest.manifest),
    });
  return done;
}

/** A table and what the names in a file mean there. Throws NameError. */
async function asLive({ source, tests }: TestFile, reader: Reader, now: Asked['now']): Promise<Asked> {
  const questions = tests.flatMap((test) => test.questions);
  const names = namesIn(reader);
  const typed: Record<string, string> = {};
  const meant = async (kind: 'subject' | 'scope', textsOf: (question: Question) => readonly string[]) => {
    const refs = new Map<string, string>();
    for (const text of new Set(questions.flatMap(textsOf))) {
      const ref = await referenceOf(names, { label: `${source.file}: ${kind}`, kind }, text);
      refs.set(text, ref);
      typed[ref] = text;
    }
    return (text: string) => refs.get(text) ?? text;
  };
  const subjectOf = await meant('subject', ({ subject, actor }) => [
    subject,
    ...(actor ? [actor.subject] : []),
  ]);
  const scopeOf = await meant('scope', ({ scope }) => [scope]);
  return { reader, now, subjectOf, scopeOf, nameOf: (ref) => typed[ref] };
}

async function prepare(file: TestFile, tables: ThrowAwayTables, { live, now }: RunOptions): Promise<Asked> {
  const { manifest, assertManifest } = file;
  if (!manifest) return asLive(file, await live(), now);
  const { reader, provisioning } = await tables.create();
  assertManifest(await applyManifest(manifest, provisioning));
  return askedOf(manifest.names, reader, now);
}

/** One after the other; what is wrong with one does not hide what is wrong with the next. */
async function gathered<T, R>(all: readonly T[], work: (each: T) => Promise<R>): Promise<readonly R[]> {
  const problems: PlacedProblem[] = [];
  const done: R[] = [];
  for (const each of all) {
    try {
      done.push(await work(each));
    } catch (error) {
      if (!(error instanceof ProblemsError)) throw error;
      problems.push(...error.problems);
    }
  }
  if (problems.length > 0) throw new ProblemsError(problems);
  return done;
}
