import { hint } from '../suggest.ts';
import type { Field } from './kinds.ts';

/** Columns that a file of refused rows has and that say nothing about the row itself. */
export const REFUSED = 'refused';
export const isOfRefusal = (column: string): boolean =>
  column === REFUSED || column.startsWith(`${REFUSED}.`);

/** `Display Name`, `display_name` and `displayName` are one. */
const folded = (name: string): string => name.toLowerCase().replace(/[\s_-]/g, '');

const letters = (name: string): string => [...folded(name)].sort().join('');

export interface Columns {
  /** The field that a column means; undefined for an unknown one. */
  readonly fieldOf: (column: string) => Field | undefined;
  readonly unknown: (column: string) => string;
  readonly required: readonly string[];
}

export function createColumns(fields: readonly Field[]): Columns {
  const byName = new Map(fields.map((field) => [folded(field.name), field]));
  const names = fields.map(({ name }) => name);
  return {
    fieldOf: (column) => byName.get(folded(column)),
    unknown: (column) => {
      // Two letters in each other's place are the commonest slip.
      const swapped = fields.find(({ name }) => letters(name) === letters(column));
      const advice = swapped ? `did you mean ${swapped.name}?` : hint(column, names);
      return `column ${JSON.stringify(column.slice(0, 64))} is unknown: ${advice}`;
    },
    required: fields.filter(({ isRequired }) => isRequired).map(({ name }) => name),
  };
}

/** What is wrong with a header; each of it in a sentence. */
export function headerProblems(columns: Columns, header: readonly string[]): readonly string[] {
  const problems: string[] = [];
  const seen = new Map<string, string>();
  for (const column of header.filter((each) => !isOfRefusal(each))) {
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

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/** A cell as the field's type wants it; what does not fit stays text, for the schema to refuse. */
export function readCell(text: string, { type }: Field): unknown {
  if (type === 'boolean') return /^(?:true|false)$/i.test(text) ? text.toLowerCase() === 'true' : text;
  if (type === 'number' || type === 'integer')
    return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text);
  if (type === 'array')
    return text.trimStart().startsWith('[') ? parsed(text) : text.split(';').map((each) => each.trim());
  if (type === 'object') return parsed(text);
  return text;
}
