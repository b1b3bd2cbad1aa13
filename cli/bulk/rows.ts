/** Why a row is not in. */
export interface Refusal {
  readonly line: number;
  readonly code: string;
  readonly field?: string;
  readonly message: string;
}

/** Bytes of a single row. A longer one is a quote that is not closed, or no such file at all. */
export const MAX_ROW_BYTES = 1_048_576;

/** A row as it stands in the input. */
export interface SourceRow {
  /** Where it begins, from 1. */
  readonly line: number;
  /** Bytes of the input up to its end. */
  readonly bytes: number;
  /** What it says, field by field. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Why it cannot be read. */
  readonly problem?: Omit<Refusal, 'line'>;
  /** To be written into the file of refused rows: the cells, the object, or the text that is neither. */
  readonly original: readonly string[] | Readonly<Record<string, unknown>> | string;
}

export interface Source {
  readonly format: 'csv' | 'json-lines';
  /** Of CSV: the header as it stands there, without the columns that tell of refusals. */
  readonly header?: readonly string[];
  readonly delimiter?: string;
  readonly rows: AsyncIterable<SourceRow>;
}

/** The input as a whole cannot be read; nothing has been sent. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
}

/** The character that stands for bytes that are no UTF-8. */
const REPLACED = '\ufffd';

/** The fields of which a text is not UTF-8. */
export const damagedField = (values: Readonly<Record<string, unknown>>): string | undefined =>
  Object.entries(values).find(([, value]) => typeof value === 'string' && value.includes(REPLACED))?.[0];

export const DAMAGED = 'holds bytes that are not UTF-8: save the file as UTF-8';

/** Both, one after the other. */
export function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  if (a.length === 0) return b;
  const all = new Uint8Array(a.length + b.length);
  all.set(a);
  all.set(b, a.length);
  return all;
}
