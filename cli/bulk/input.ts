import { createReadStream, type ReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { ProblemsError } from '../document.ts';
import type { Source } from './rows.ts';

/** The name of standard input among files. */
export const STDIN = '-';

export const nameOf = (file: string): string => (file === STDIN ? 'standard input' : file);

/** Bytes of a file; undefined for what has no such length, as a pipe. */
export async function sizeOf(file: string): Promise<number | undefined> {
  if (file === STDIN) return undefined;
  const found = await stat(file).catch((fault: NodeJS.ErrnoException) => {
    throw new ProblemsError([
      `${file}: ${fault.code === 'ENOENT' ? 'there is no such file' : fault.message}`,
    ]);
  });
  if (found.isDirectory()) throw new ProblemsError([`${file}: is a folder`]);
  return found.isFile() ? found.size : undefined;
}

export const openInput = (file: string): ReadStream =>
  file === STDIN ? createReadStream('', { fd: 0, autoClose: false }) : createReadStream(file);

/** Where refused rows go unless somebody says otherwise: beside the file. */
export function defaultRefused(file: string, { format }: Source): string | undefined {
  if (file === STDIN) return undefined;
  const extension = extname(file);
  return `${extension === '' ? file : file.slice(0, -extension.length)}.refused${format === 'csv' ? '.csv' : '.jsonl'}`;
}
