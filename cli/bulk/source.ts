import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { binaryProblem } from '../../testing/text-file.ts';
import { beginningOf, openInput } from '../input-file.ts';
import type { Columns } from './columns.ts';
import { delimiterOf, readCsv } from './csv.ts';
import { readJsonLines } from './json-lines.ts';
import { preambleOf } from './preamble.ts';
import { MAX_ROW_BYTES, type Source, SourceError } from './rows.ts';

/** Enough to tell the formats apart. */
const HEAD_BYTES = 65_536;
const TEXT = new TextDecoder();
/** One character for each byte. */
const LATIN = new TextDecoder('latin1');

/** Rows of CSV or JSON Lines, whichever the bytes are. Throws {@link SourceError}. */
export async function readSource(bytes: AsyncIterable<Uint8Array>, columns: Columns): Promise<Source> {
  let unread = '';
  // Each piece is looked at once: a pipe may give a first line in a hundred of them.
  const { head, from } = await beginningOf(bytes, (length, last) => {
    const text = LATIN.decode(last);
    unread += text;
    if (!text.includes('\n')) return length >= HEAD_BYTES;
    unread = unread.slice(preambleOf(unread).bytes);
    return length >= HEAD_BYTES || unread.includes('\n');
  });
  const problem = binaryProblem(head);
  if (problem !== undefined) throw new SourceError(problem);
  const preamble = preambleOf(LATIN.decode(head));
  const input = Readable.from(withoutEndOfFile(from(preamble.bytes)), { objectMode: false });
  const text = TEXT.decode(head.subarray(preamble.bytes)).trimStart();
  if (text.startsWith('['))
    throw new SourceError("is one JSON list: put each object on a line (jq -c '.[]')");
  if (text.startsWith('{')) return readJsonLines(input, columns, preamble);
  const { delimiter = delimiterOf(text.split('\n', 1)[0] ?? '') } = preamble;
  return readCsv(input, columns, { ...preamble, delimiter });
}

const END_OF_FILE = 0x1a;

/** Bytes without the characters with which DOS ends a text and fills its last block. Throws {@link SourceError}. */
async function* withoutEndOfFile(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let trailing = 0;
  for await (const chunk of bytes) {
    let end = chunk.length;
    while (end > 0 && chunk[end - 1] === END_OF_FILE) end--;
    if (end > 0) {
      if (trailing > 0) yield new Uint8Array(trailing).fill(END_OF_FILE);
      trailing = 0;
      yield chunk.subarray(0, end);
    }
    trailing += chunk.length - end;
    if (trailing > MAX_ROW_BYTES)
      throw new SourceError(`holds more than ${MAX_ROW_BYTES} bytes 0x1A in a row`);
  }
}

/**
 * Reads a file to its end, so that what is wrong with it as a whole is found before any row is sent. Throws
 * {@link SourceError}.
 *
 * @returns its SHA-256
 */
export async function readThrough(file: string, columns: Columns): Promise<string> {
  const hash = createHash('sha256');
  async function* hashed(): AsyncGenerator<Uint8Array> {
    for await (const chunk of openInput(file) as AsyncIterable<Uint8Array>) {
      hash.update(chunk);
      yield chunk;
    }
  }
  const { rows } = await readSource(hashed(), columns);
  for await (const _ of rows);
  return hash.digest('hex');
}
