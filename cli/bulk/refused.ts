import { closeSync, writeSync } from 'node:fs';
import { continueFile, replaceFile } from '../output-file.ts';
import { REFUSED } from './columns.ts';
import { csvLine } from './csv-line.ts';
import type { Refusal, Source, SourceRow } from './rows.ts';

/**
 * The file of refused rows: like the input, with the reason in further columns (of JSON Lines: in `refused`), which
 * a later load ignores. It is created with the first row. A spreadsheet runs none of its cells.
 *
 * @param keep how many bytes of an existing file to keep: those that the checkpoint counts
 */
export function createRefusedFile(
  path: string,
  { format, header = [], delimiter = ',' }: Source,
  keep: number,
) {
  let file: number | undefined;
  let length = keep;
  const append = (text: string): void => {
    file ??= keep > 0 ? continueFile(path, keep) : replaceFile(path);
    const bytes = new TextEncoder().encode(text);
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, length + at);
    length += bytes.length;
  };
  const line = (cells: readonly string[]): string => csvLine(cells, delimiter);
  return {
    write: ({ original }: SourceRow, refusal: Refusal): void => {
      if (format === 'csv') {
        const { line: at, code, field = '', message } = refusal;
        if (length === 0)
          append(
            line([...header, ...['line', 'code', 'field', 'message'].map((name) => `${REFUSED}.${name}`)]),
          );
        append(line([...(original as readonly string[]), String(at), code, field, message]));
      } else {
        const row =
          typeof original === 'string'
            ? { [REFUSED]: { ...refusal, text: original } }
            : { ...original, [REFUSED]: refusal };
        append(`${JSON.stringify(row)}\n`);
      }
    },
    /** Its length so far. */
    bytes: () => length,
    close: (): void => {
      if (file !== undefined) closeSync(file);
      file = undefined;
    },
  };
}
