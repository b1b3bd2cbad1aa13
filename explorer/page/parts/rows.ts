import { defused } from '../../../table/index.ts';
import { counted } from './counted.ts';

/** Rows as texts: filtered, counted and exported. */
export interface TextColumn<T> {
  readonly title: string;
  /** What the filter looks at and the CSV file gets. */
  readonly text: (row: T) => string;
}

/** The rows that have a text in one of their columns, in whatever case. */
export function filtered<T>(
  rows: readonly T[],
  columns: readonly TextColumn<T>[],
  filter: string,
): readonly T[] {
  return rows.filter((row) => columns.some(({ text }) => holds(text(row), filter)));
}

/** Whether a text has another one in it, in whatever case. */
export const holds = (text: string, wanted = ''): boolean =>
  text.toLowerCase().includes(wanted.trim().toLowerCase());

/** How many rows there are, as far as they are loaded. An export has those that the filter leaves. */
export function countOf(shown: number, loaded: number, hasMore: boolean, isLoading: boolean): string {
  if (isLoading && loaded === 0) return 'Loading…';
  const rows = counted(loaded, 'row');
  const text = shown === loaded ? rows : `${shown.toLocaleString('en')} of ${rows}`;
  return hasMore ? `${text}; there are more` : text;
}

const SPECIAL = /[",\r\n]/;

function cellOf(text: string): string {
  const cell = defused(text);
  return SPECIAL.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** A table as CSV (RFC 4180), the header first. No cell of it is a formula to a spreadsheet. */
export const csvOf = <T>(rows: readonly T[], columns: readonly TextColumn<T>[]): string =>
  [columns.map(({ title }) => title), ...rows.map((row) => columns.map(({ text }) => text(row)))]
    .map((cells) => `${cells.map(cellOf).join(',')}\r\n`)
    .join('');

/** The first of those that are drawn of a total: the start of the page that holds the wanted one, if there are as many. */
export function startOf(wanted: number | string | undefined, size: number, total: number): number {
  const page = Math.floor(Number(wanted ?? 0) / size);
  const last = Math.max(0, Math.floor((total - 1) / size));
  return page > 0 ? Math.min(page, last) * size : 0;
}
