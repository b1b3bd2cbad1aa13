import { type Line, readLine } from '../provisioning/index.ts';
import { parseJson } from '../table/json.ts';
import { unreadable } from '../testing/text-file.ts';
import { linesOf } from './bulk/json-lines.ts';
import { SourceError } from './bulk/rows.ts';
import { filesOf, type LogFile } from './evidence/log-files.ts';
import { isOfGzip, unpacked } from './gzip.ts';
import { openInput, problemIn, STDIN } from './input-file.ts';

/** An audit record is an item of at most 400 KB, and an image of it is not much longer. */
const MAX_LINE_BYTES = 4_194_304;

/**
 * The lines of a file of audit records, also packed by gzip; `-` is the standard input.
 *
 * @throws ProblemsError for a line that is neither a record of a change nor a count
 */
export async function* auditLines(
  file: string,
  open: LogFile['open'] = async () => openInput(file) as AsyncIterable<Uint8Array>,
): AsyncGenerator<Line> {
  try {
    for await (const { number, text } of linesOf(await unpacked(await open()), MAX_LINE_BYTES)) {
      if (text.trim() === '') continue;
      const line = readLine(parseJson(text));
      if (!line) throw problemIn(file, 'is neither a record of the stream nor an audit record', number);
      yield line;
    }
  } catch (error) {
    if (error instanceof SourceError) throw problemIn(file, error.message, error.line);
    if (file !== STDIN && (error as NodeJS.ErrnoException).code === 'ENOENT')
      throw unreadable(file, error as NodeJS.ErrnoException);
    if (isOfGzip(error)) throw problemIn(file, 'is no whole gzip file', undefined);
    throw error;
  }
}

/** Those of files, folders and prefixes of S3, one after the other; undefined where none is named. */
export const auditLinesOf = (names: readonly string[], region: string | undefined) =>
  names.length === 0
    ? undefined
    : async function* (): AsyncGenerator<Line> {
        for (const each of names)
          for (const { name, open } of await filesOf(each, { region, from: 0 }))
            yield* auditLines(name, open);
      };
