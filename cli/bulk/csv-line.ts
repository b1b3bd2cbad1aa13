import { defused } from '../../table/formulas.ts';

const quoted = (cell: string, delimiter: string): string =>
  /["\r\n]/.test(cell) || cell.includes(delimiter) || cell !== cell.trim()
    ? `"${cell.replaceAll('"', '""')}"`
    : cell;

/** A line of CSV (RFC 4180). A spreadsheet runs none of its cells. */
export const csvLine = (cells: readonly string[], delimiter = ','): string =>
  `${cells.map((cell) => quoted(defused(cell), delimiter)).join(delimiter)}\n`;
