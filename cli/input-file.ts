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

/**
 * Takes the first bytes of a stream, until they are enough or all.
 *
 * @param isEnough is given how many there are, and those that came last
 * @returns them, and what gives all bytes from a position among them on, once
 */
export async function beginningOf(
  bytes: AsyncIterable<Uint8Array>,
  isEnough: (length: number, last: Uint8Array) => boolean,
) {
  const chunks = bytes[Symbol.asyncIterator]();
  const taken: Uint8Array[] = [];
  let length = 0;
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
    taken.push(next.value);
    length += next.value.length;
    if (isEnough(length, next.value)) break;
  }
  const head = Buffer.concat(taken);
  async function* from(position: number): AsyncGenerator<Uint8Array> {
    try {
      if (head.length > position) yield head.subarray(position);
      for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
    } finally {
      await chunks.return?.();
    }
  }
  return { head, from };
}

/** What is wrong with it, and in which line. */
export const problemIn = (file: string, message: string, line: number | undefined): ProblemsError =>
  new ProblemsError([{ file: nameOf(file), ...defined({ line }), message }]);

/** The YAML or JSON in it. Throws {@link UsageError} where there is no standard input, and ProblemsError. */
export async function documentIn(file: string, option: string, { input }: Context): Promise<Source> {
  if (file !== STDIN) return readFileAsDocument(file);
  if (!input) throw new UsageError(`${option} - reads the standard input, and there is none`);
  return readDocument(nameOf(file), await input());
}
