import type { Field } from '../../provisioning/index.ts';
import { parseJson } from '../../table/json.ts';
import { closest, hint } from '../../table/similar-words.ts';
import { choiceIn } from '../input.ts';

/** The columns that give the reason in a file of refused rows; a load ignores them. */
export const REFUSED = 'refused';
export const isOfRefusal = (column: string): boolean =>
  column === REFUSED || column.startsWith(`${REFUSED}.`);

/** `Display Name`, `display_name` and `displayName` are the same. */
const folded = (name: string): string => name.toLowerCase().replace(/[\s_-]/g, '');

export interface Columns {
  /** The field of a column; undefined for an unknown column. */
  readonly fieldOf: (column: string) => Field | undefined;
  /** The message about an unknown column. */
  readonly unknown: (column: string) => string;
  readonly required: readonly string[];
  /** Whether a row of texts may be a header: one of them is a column, or nearly one. */
  readonly isHeader: (texts: readonly string[]) => boolean;
  /** The message about a file without a header. */
  readonly noHeader: string;
}

const MAX_LISTED = 5;

export function createColumns(fields: readonly Field[]): Columns {
  const byName = new Map(fields.map((field) => [folded(field.name), field]));
  const names = fields.map(({ name }) => name);
  return {
    fieldOf: (column) => byName.get(folded(column)),
    unknown: (column) => `column ${JSON.stringify(column.slice(0, 64))} is unknown: ${hint(column, names)}`,
    isHeader: (texts) =>
      texts.some((text) => byName.has(folded(text)) || closest(folded(text), byName.keys()) !== undefined),
    noHeader: `there is no header: this line names none of the columns ${names.slice(0, MAX_LISTED).join(', ')}${names.length > MAX_LISTED ? ', …' : ''}`,
    required: fields.filter(({ isRequired }) => isRequired).map(({ name }) => name),
  };
}

/** More than any command has fields; the most problems of a header that are listed, and the longest name that is one. */
const [MAX_COLUMNS, MAX_PROBLEMS, MAX_NAME] = [500, 20, 128];

/** Whether a row has more columns than any header; asked before they are looked at. */
export const excessOfColumns = ({ length }: readonly string[]): string | undefined =>
  length > MAX_COLUMNS ? `has ${length} columns, and a header has at most ${MAX_COLUMNS}` : undefined;

/** The problems of a header. */
export function headerProblems(columns: Columns, header: readonly string[]): readonly string[] {
  const problems: string[] = [];
  const seen = new Map<string, string>();
  for (const column of header.filter((each) => !isOfRefusal(each))) {
    if (problems.length >= MAX_PROBLEMS) return [...problems, '…'];
    if (column.length > MAX_NAME) {
      problems.push(`there is no column ${JSON.stringify(`${column.slice(0, MAX_NAME)}…`)}`);
      continue;
    }
    const field = columns.fieldOf(column);
    if (!field) problems.push(columns.unknown(column));
    else if (seen.has(field.name))
      problems.push(
        `columns ${JSON.stringify(seen.get(field.name))} and ${JSON.stringify(column)} are the same`,
      );
    else seen.set(field.name, column);
  }
  for (const name of columns.required) if (!seen.has(name)) problems.push(`column "${name}" is missing`);
  return problems;
}

/** A cell as a value of the field's type; text that does not fit stays text, and the schema refuses it. */
export function readCell(text: string, { property }: Field): unknown {
  const { type } = property;
  if (type === 'boolean') return /^(?:true|false)$/i.test(text) ? text.toLowerCase() === 'true' : text;
  if (type === 'number' || type === 'integer')
    return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text);
  if (type === 'array')
    return text.trimStart().startsWith('[')
      ? (parseJson(text) ?? text)
      : text.split(';').map((each) => each.trim());
  if (type === 'object') return parseJson(text) ?? text;
  return choiceIn(text, property) ?? text;
}
