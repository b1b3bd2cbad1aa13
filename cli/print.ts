import { plain } from '../table/visible-text.ts';

export { plain };

/** Lines of columns, each as wide as its widest text, the last one as it is. */
export function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((text, column) => (column === row.length - 1 ? text : text.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}

/** Lines under a heading; nothing at all where there are none. */
export const section = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : ['', title, ...lines.map((line) => `  ${line}`)];

export const asJson = (data: unknown): string => `${JSON.stringify(data, null, 2)}\n`;

export const count = (number: number, one: string, many = `${one}s`): string =>
  `${number} ${number === 1 ? one : many}`;

/** `GET /projects`. */
export const nameOf = ({ method, path }: { readonly method: string; readonly path: string }): string =>
  `${method} ${plain(path)}`;

/** Returns to the beginning of the line of a terminal and clears it. */
export const CLEAR_LINE = '\r\u001b[K';
