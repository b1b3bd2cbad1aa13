import { open } from 'node:fs/promises';
import { ProblemsError, readDocument, type Source } from './document.ts';

/** The most bytes of a file that is read as a whole: API Gateway takes no larger OpenAPI document. */
const MAX_FILE_BYTES = 6_291_456;

const TOO_LARGE = `is larger than ${MAX_FILE_BYTES} bytes: divide it`;

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'is a folder',
  EACCES: 'you may not read it',
};

/** The error of a file that cannot be read. */
export const unreadable = (file: string, { code = '', message }: NodeJS.ErrnoException): ProblemsError =>
  new ProblemsError([{ file, message: REASONS[code] ?? message }]);

/** The text of a file that a person named. Throws {@link ProblemsError}; it never reads more than the limit. */
export async function readText(file: string): Promise<string> {
  const handle = await open(file).catch((fault: NodeJS.ErrnoException) => {
    throw unreadable(file, fault);
  });
  try {
    // Of a regular file the size is known before it is read.
    if ((await handle.stat()).size > MAX_FILE_BYTES) throw new ProblemsError([{ file, message: TOO_LARGE }]);
    return await textOf(file, handle.createReadStream({ autoClose: false }));
  } catch (error) {
    throw error instanceof ProblemsError ? error : unreadable(file, error as NodeJS.ErrnoException);
  } finally {
    await handle.close();
  }
}

/** The YAML or JSON of a file that a person named. Throws {@link ProblemsError}. */
export const readFileAsDocument = async (file: string): Promise<Source> =>
  readDocument(file, await readText(file));

/** The text of a stream. Throws {@link ProblemsError} for what is no UTF-8 text, or too large. */
export async function textOf(file: string, stream: AsyncIterable<Uint8Array | string>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    const part = typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk;
    bytes += part.length;
    if (bytes > MAX_FILE_BYTES) throw new ProblemsError([{ file, message: TOO_LARGE }]);
    chunks.push(part);
  }
  const problem = binaryProblem(chunks[0] ?? new Uint8Array());
  if (problem !== undefined) throw new ProblemsError([{ file, message: problem }]);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array(Buffer.concat(chunks)));
  } catch {
    throw new ProblemsError([{ file, message: NOT_UTF8 }]);
  }
}

const NOT_UTF8 = 'is not UTF-8: save it as UTF-8';

/** Why bytes at the beginning of a file are no UTF-8 text; undefined where they may be. */
export function binaryProblem(head: Uint8Array): string | undefined {
  const [first, second] = head;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return NOT_UTF8;
  return head.includes(0) ? 'is no text, but a binary file: save it as text in UTF-8' : undefined;
}
