/**
 * Spreadsheets run a cell that begins with one of these (OWASP, "CSV Injection"). An apostrophe before it makes it
 * text. Cells that have apostrophes before such a character get one more, so that nothing is lost.
 */
const FORMULA = /^'*[=+\-@\t\r\n]/;
const DEFUSED = /^'+[=+\-@\t\r\n]/;

/** A cell as it is written to a CSV file. */
export const defused = (cell: string): string => (FORMULA.test(cell) ? `'${cell}` : cell);

/** The cell that was written: the inverse of {@link defused}. */
export const restored = (cell: string): string => (DEFUSED.test(cell) ? cell.slice(1) : cell);
