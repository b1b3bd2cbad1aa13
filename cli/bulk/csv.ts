import type { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { parse as parseNow } from 'csv-parse/sync';
import { type Columns, headerProblems, isOfRefusal, readCell } from './columns.ts';
import type { Field } from './kinds.ts';
import { MAX_ROW_BYTES, type Source, SourceError, type SourceRow } from './rows.ts';

interface Parsed {
  readonly record: readonly string[];
  readonly raw: string;
  readonly info: { readonly lines: number; readonly bytes: number };
}

const DELIMITERS = [',', ';', '\t'];

/** Spreadsheets write semicolons where the comma is the decimal separator. */
export const delimiterOf = (firstLine: string): string =>
  DELIMITERS.map((each) => ({ each, found: firstLine.split(each).length })).reduce((best, next) =>
    next.found > best.found ? next : best,
  ).each;

const LAYOUT = { relax_column_count: true, skip_empty_lines: true, record_delimiter: ['\r\n', '\n'] };

/** Rows of CSV (RFC 4180) with a header. */
export async function readCsv(input: Readable, columns: Columns, delimiter: string): Promise<Source> {
  const parser = parse({
    ...LAYOUT,
    ...{ delimiter, bom: true, info: true, raw: true, max_record_size: MAX_ROW_BYTES },
    // A stray quote invalidates only its own row, which `isStrict` finds.
    relax_quotes: true,
  });
  input.once('error', (error) => parser.destroy(error));
  input.pipe(parser);
  const records = (parser as AsyncIterable<Parsed>)[Symbol.asyncIterator]();
  const first = await records.next().catch((error: unknown) => {
    throw toSourceError(error);
  });
  if (first.done) throw new SourceError('is empty: it needs a header with the names of the columns');
  const header = first.value.record.map((each) => each.trim());
  const problems = headerProblems(columns, header);
  if (problems.length > 0) throw new SourceError(problems.join('; '));
  const fields = header.map((column) => (isOfRefusal(column) ? undefined : columns.fieldOf(column)));
  const own = header.flatMap((column, position) => (isOfRefusal(column) ? [] : [position]));

  async function* rows(): AsyncGenerator<SourceRow> {
    try {
      // The parser counts a line break of two characters within quotes as two lines.
      let over = 0;
      for (;;) {
        const next = await records.next();
        if (next.done) return;
        for (const cell of next.value.record)
          if (cell.includes('\r\n')) over += cell.split('\r\n').length - 1;
        const row = toRow(next.value, next.value.info.lines - over, fields, own, header.length, delimiter);
        if (row) yield row;
      }
    } catch (error) {
      throw toSourceError(error);
    } finally {
      input.destroy();
      parser.destroy();
    }
  }
  return { format: 'csv', delimiter, header: own.map((position) => header[position] ?? ''), rows: rows() };
}

function toRow(
  { record, raw, info }: Parsed,
  end: number,
  fields: readonly (Field | undefined)[],
  own: readonly number[],
  width: number,
  delimiter: string,
): SourceRow | undefined {
  if (record.every((cell) => cell === '')) return undefined;
  const values: Record<string, unknown> = {};
  let breaks = 0;
  let hasQuote = false;
  for (const [position, cell] of record.entries()) {
    if (cell.includes('\n')) breaks += cell.split('\n').length - 1;
    if (cell.includes('"')) hasQuote = true;
    const field = fields[position];
    if (field && cell !== '') values[field.name] = readCell(cell, field);
  }
  const row = {
    ...{ line: end - breaks, bytes: info.bytes, values },
    // Of the wrong width it stays as it is: nobody knows which cell is which.
    original: record.length === width ? own.map((position) => record[position] ?? '') : record,
  };
  const message =
    hasQuote && !isStrict(raw, delimiter)
      ? 'a quote within a field must be doubled, and the field quoted'
      : record.length !== width
        ? `has ${record.length} columns, the header ${width}`
        : undefined;
  return message ? { ...row, problem: { code: 'invalid', message } } : row;
}

function isStrict(raw: string, delimiter: string): boolean {
  try {
    parseNow(raw, { ...LAYOUT, delimiter });
    return true;
  } catch {
    return false;
  }
}

function toSourceError(error: unknown): unknown {
  if (!(error instanceof CsvError)) return error;
  const { lines } = error as unknown as { lines?: number };
  const what =
    error.code === 'CSV_MAX_RECORD_SIZE' || error.code === 'CSV_QUOTE_NOT_CLOSED'
      ? `a row begins that does not end within ${MAX_ROW_BYTES} bytes: is a quote not closed?`
      : error.message;
  return new SourceError(`${lines === undefined ? '' : `line ${lines}: `}${what}`);
}
