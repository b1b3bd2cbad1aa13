import { createReadStream, type ReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { defined } from '../table/defined.ts';
import { ProblemsError, readDocument, type Source } from '../testing/document.ts';
import { readFileAsDocument, unreadable } from '../testing/text-file.ts';
import { type Context, UsageError } from './context.ts';

/** Files that a person names to be read, of which one may be the standard input. */

/** The name of standard input. */
export const STDIN = '-';

export const nameOf = (file: string): string => (file === STDIN ? 'standard input' : file);

/** Bytes of a file; undefined for a pipe. Throws {@link ProblemsError} for a missing file or a folder. */
export async function sizeOf(file: string): Promise<number | undefined> {
  if (file === STDIN) return undefined;
  const found = await stat(file).catch((fault: NodeJS.ErrnoException) => {
    throw unreadable(file, fault);
  });
  if (found.isDirectory()) throw new ProblemsError([{ file, message: 'is a folder' }]);
  return found.isFile() ? found.size : undefined;
}

export const openInput = (file: string): ReadStream =>
  file === STDIN ? createReadStream('', { fd: 0, autoClose: false }) : createReadStream(file);

/** What is wrong with it, and in which line. */
export const problemIn = (file: string, message: string, line: number | undefined): ProblemsError =>
  new ProblemsError([{ file: nameOf(file), ...defined({ line }), message }]);

/** The YAML or JSON in it. Throws {@link UsageError} where there is no standard input, and ProblemsError. */
export async function documentIn(file: string, option: string, { input }: Context): Promise<Source> {
  if (file !== STDIN) return readFileAsDocument(file);
  if (!input) throw new UsageError(`${option} - reads the standard input, and there is none`);
  return readDocument(nameOf(file), await input());
}
