/** What stands before the header or the first object of a file. */
export interface Preamble {
  readonly bytes: number;
  readonly lines: number;
  /** That of the line `sep=;`, by which Excel reads a file. */
  readonly delimiter: string | undefined;
}

/** A byte order mark, and lines that are blank, a comment or `sep=;`; of a text with one character for each byte. */
const PREAMBLE =
  /^(?:\u00ef\u00bb\u00bf)?(?:[^\S\r\n]*(?:#[^\r\n]*|"?sep=[^\w\r\n"]"?[^\S\r\n]*)?(?:\r\n|\n|\r))*/i;
const SEPARATOR = /^[^\S\r\n]*"?sep=([^\w\r\n"])/im;
const LINE_END = /\r\n|\n|\r/g;

/** The preamble of a text with one character for each byte: the lines that have ended. */
export function preambleOf(text: string): Preamble {
  const [found = ''] = PREAMBLE.exec(text) ?? [];
  const [, delimiter] = SEPARATOR.exec(found.replace(/^\u00ef\u00bb\u00bf/, '')) ?? [];
  return { bytes: found.length, lines: found.match(LINE_END)?.length ?? 0, delimiter };
}
