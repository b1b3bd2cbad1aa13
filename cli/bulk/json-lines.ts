import type { Readable } from 'node:stream';
import { defined } from '../../table/defined.ts';
import { isObject, parseJson } from '../../table/json.ts';
import { inChoices } from '../input.ts';
import { type Columns, headerProblems, isOfRefusal } from './columns.ts';
import type { Preamble } from './preamble.ts';
import { joined, MAX_ROW_BYTES, type Source, SourceError, type SourceRow } from './rows.ts';

const LINE_FEED = 10;
const TEXT = new TextDecoder();

interface Line {
  readonly number: number;
  readonly bytes: number;
  readonly text: string;
}

/**
 * The lines of a stream. node:readline also ends a line at U+2028, which JSON allows within a text, and it buffers
 * a line of any length.
 */
export async function* linesOf(
  input: AsyncIterable<Uint8Array>,
  maxBytes = MAX_ROW_BYTES,
  before: Pick<Preamble, 'lines' | 'bytes'> = { lines: 0, bytes: 0 },
): AsyncGenerator<Line> {
  let rest: Uint8Array = new Uint8Array();
  let { lines: number, bytes } = before;
  for await (const chunk of input) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      const line = joined(rest, chunk.subarray(start, end));
      rest = new Uint8Array();
      start = end + 1;
      bytes += line.length + 1;
      yield { number: ++number, bytes, text: TEXT.decode(line) };
    }
    rest = joined(rest, chunk.subarray(start));
    if (rest.length > maxBytes) throw new SourceError(`is longer than ${maxBytes} bytes`, number + 1);
  }
  if (rest.length > 0) yield { number: number + 1, bytes: bytes + rest.length, text: TEXT.decode(rest) };
}

/** Rows of JSON Lines: an object on each line. */
export async function readJsonLines(input: Readable, columns: Columns, before: Preamble): Promise<Source> {
  const lines = linesOf(input as AsyncIterable<Uint8Array>, MAX_ROW_BYTES, before);
  let first: SourceRow | undefined;
  for (;;) {
    const { value, done } = await lines.next();
    if (done) break;
    first = toRow(value, columns);
    if (first) break;
  }
  // A misspelt name is probably on every line, so it is an error of the file, like an unknown column.
  if (first && typeof first.original === 'object' && first.problem?.code === 'unknown') {
    const problems = headerProblems({ ...columns, required: [] }, Object.keys(first.original));
    throw new SourceError(problems.join('; '));
  }
  async function* rows(): AsyncGenerator<SourceRow> {
    try {
      if (first) yield first;
      for await (const line of lines) {
        const row = toRow(line, columns);
        if (row) yield row;
      }
    } finally {
      input.destroy();
    }
  }
  return { format: 'json-lines', rows: rows() };
}

function toRow({ number: line, bytes, text }: Line, columns: Columns): SourceRow | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  const values: Record<string, unknown> = {};
  const data = parseJson(trimmed);
  const refused = (code: string, message: string, field?: string): SourceRow => ({
    line,
    bytes,
    values: {},
    original: isObject(data) ? data : trimmed,
    problem: { code, message, ...defined({ field }) },
  });
  if (!isObject(data)) return refused('invalid', 'is not a JSON object on one line');
  for (const [key, value] of Object.entries(data)) {
    if (isOfRefusal(key)) continue;
    const known = columns.fieldOf(key);
    const field = known?.name;
    if (known === undefined || field === undefined) return refused('unknown', columns.unknown(key), key);
    if (Object.hasOwn(values, field)) return refused('invalid', `${field} is given twice`, field);
    if (value !== null) values[field] = inChoices(value, known.property);
  }
  return { line, bytes, values, original: data };
}
