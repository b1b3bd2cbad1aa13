import type { Readable } from 'node:stream';
import { CsvError, type Options, parse } from 'csv-parse';
import { restored } from '../../table/formulas.ts';
import { type Columns, excessOfColumns, headerProblems, isOfRefusal, readCell } from './columns.ts';
import type { Preamble } from './preamble.ts';
import { MAX_ROW_BYTES, type Source, SourceError, type SourceRow } from './rows.ts';

interface Parsed {
  readonly cells: readonly string[];
  /** Where it begins, from 1. */
  readonly line: number;
  /** Bytes of the input up to its end. */
  readonly bytes: number;
}

const DELIMITERS = [',', ';', '\t'];

/** Spreadsheets write semicolons where the comma is the decimal separator. */
export const delimiterOf = (firstLine: string): string =>
  DELIMITERS.map((each) => ({ each, found: firstLine.split(each).length })).reduce((best, next) =>
    next.found > best.found ? next : best,
  ).each;

/** The line breaks within a row. */
const breaksIn = (cells: readonly string[]): number => cells.join('').split(/\r\n|\n|\r/).length - 1;

const isBlank = (cell: string): boolean => cell.trim() === '';

interface Dialect extends Preamble {
  readonly delimiter: string;
}

/**
 * Rows of CSV (RFC 4180) with a header. A quote that is not closed or not doubled, and another number of columns than
 * the header has, are errors of the file: where a row ends is not known then. Columns without a name and cells beyond
 * the header are what spreadsheets add: they hold nothing. Throws {@link SourceError}.
 */
export async function readCsv(
  input: Readable,
  columns: Columns,
  { delimiter, ...before }: Dialect,
): Promise<Source> {
  // The lines of the rows so far, with their ends; the parser counts empty lines.
  let lines = before.lines;
  let header: readonly string[] | undefined;
  const options: Options<Parsed, readonly string[]> = {
    delimiter,
    skip_empty_lines: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    max_record_size: MAX_ROW_BYTES,
    relax_column_count: true,
    on_record: (cells, { bytes, empty_lines }) => {
      const line = lines + empty_lines + 1;
      lines += breaksIn(cells) + 1;
      if (cells.every(isBlank)) return undefined;
      if (header) {
        const problem = problemOfWidth(cells, header);
        if (problem) throw new SourceError(problem, line);
      }
      header ??= withoutPadding(cells.map((each) => each.trim()));
      return { cells, line, bytes: before.bytes + bytes };
    },
  };
  // Its types know no record that is not made of columns.
  const parser = parse(options as unknown as Options);
  const toSourceError = (error: unknown): unknown => {
    if (!(error instanceof CsvError)) return error;
    const { empty_lines } = error as unknown as { readonly empty_lines: number };
    return new SourceError(problemOf(error.code), lines + empty_lines + 1);
  };
  input.once('error', (error) => parser.destroy(error));
  input.pipe(parser);
  const records = (parser as AsyncIterable<Parsed>)[Symbol.asyncIterator]();
  const first = await records.next().catch((error: unknown) => {
    throw toSourceError(error);
  });
  if (first.done || !header)
    throw new SourceError('is empty: it needs a header with the names of the columns');
  const names = header;
  const excess = excessOfColumns(names);
  if (excess) throw new SourceError(excess, first.value.line);
  const named = names.filter((column) => column !== '');
  if (!columns.isHeader(named)) throw new SourceError(columns.noHeader, first.value.line);
  const problems = headerProblems(columns, named);
  if (problems.length > 0) throw new SourceError(problems.join('; '), first.value.line);
  const fields = names.map((column) => (isOfRefusal(column) ? undefined : columns.fieldOf(column)));
  const own = names.flatMap((column, position) => (column === '' || isOfRefusal(column) ? [] : [position]));
  const isOfRefused = own.length < named.length;

  async function* rows(): AsyncGenerator<SourceRow> {
    try {
      for await (const { cells: written, line, bytes } of { [Symbol.asyncIterator]: () => records }) {
        const cells = isOfRefused ? written.map(restored) : written;
        const values: Record<string, unknown> = {};
        for (const [position, cell] of cells.entries()) {
          const field = fields[position];
          if (field && cell !== '') values[field.name] = readCell(cell, field);
        }
        yield { line, bytes, values, original: own.map((position) => cells[position] ?? '') };
      }
    } catch (error) {
      throw toSourceError(error);
    } finally {
      input.destroy();
      parser.destroy();
    }
  }
  return { format: 'csv', delimiter, header: own.map((position) => names[position] ?? ''), rows: rows() };
}

function problemOf(code: string): string {
  switch (code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return 'a quote is not closed in the row that begins here';
    case 'CSV_MAX_RECORD_SIZE':
      return `a row begins that does not end within ${MAX_ROW_BYTES} bytes: is a quote not closed?`;
    default:
      return 'in the row that begins here a quote is not closed, or one within a field is not doubled';
  }
}

/** A header without the columns after the last that has a name. */
const withoutPadding = (header: readonly string[]): readonly string[] =>
  header.slice(0, header.findLastIndex((column) => column !== '') + 1);

/** Why the cells of a row do not fit a header. */
function problemOfWidth(cells: readonly string[], header: readonly string[]): string | undefined {
  const last = cells.findLastIndex((cell) => !isBlank(cell)) + 1;
  const width = Math.max(last, Math.min(cells.length, header.length));
  if (width !== header.length && cells[0]?.trimStart().startsWith('#'))
    return 'is a comment: comments stand before the header only';
  if (width !== header.length) return `has ${width} columns, the header ${header.length}`;
  const unnamed = header.findIndex((column, position) => column === '' && !isBlank(cells[position] ?? ''));
  return unnamed < 0 ? undefined : `has a value in column ${unnamed + 1}, which has no name in the header`;
}
