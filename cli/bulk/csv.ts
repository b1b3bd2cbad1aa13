import type { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { parse as parseNow } from 'csv-parse/sync';
import { type Columns, headerProblems, isOfRefusal, readCell } from './columns.ts';
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
    // The parser counts a line break of two characters within quotes as two lines.
    let counted = 0;
    try {
      for await (const { record, raw, info } of { [Symbol.asyncIterator]: () => records }) {
        const cells = record.join('\0');
        if (cells.length === record.length - 1) continue;
        counted += cells.split('\r\n').length - 1;
        const breaks = cells.split('\n').length - 1;
        const values: Record<string, unknown> = {};
        for (const [position, cell] of record.entries()) {
          const field = fields[position];
          if (field && cell !== '') values[field.name] = readCell(cell, field);
        }
        const isRegular = record.length === header.length;
        const message =
          cells.includes('"') && !isStrict(raw, delimiter)
            ? 'a quote within a field must be doubled, and the field quoted'
            : isRegular
              ? undefined
              : `has ${record.length} columns, the header ${header.length}`;
        yield {
          ...{ line: info.lines - counted - breaks, bytes: info.bytes, values },
          // With another number of cells, cells cannot be assigned to columns.
          original: isRegular ? own.map((position) => record[position] ?? '') : record,
          ...(message === undefined ? {} : { problem: { code: 'invalid', message } }),
        };
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
