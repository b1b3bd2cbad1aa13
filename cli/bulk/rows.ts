import type * as z from 'zod';
import { inPlainWords, toInvalid } from '../../provisioning/issues.ts';
import type { Values } from './kinds.ts';

/** Why a row was refused. */
export interface Refusal {
  readonly line: number;
  readonly code: string;
  readonly field?: string;
  readonly message: string;
}

/** The most bytes of a row. A longer one is a quote that is not closed, or the file is something else. */
export const MAX_ROW_BYTES = 1_048_576;

/** A row of the input. */
export interface SourceRow {
  /** Where it begins, from 1. */
  readonly line: number;
  /** Bytes of the input up to its end. */
  readonly bytes: number;
  /** By field. */
  readonly values: Values;
  /** Why it cannot be read. */
  readonly problem?: Omit<Refusal, 'line'>;
  /** For the file of refused rows: the cells, the object, or the text if it is no object. */
  readonly original: readonly string[] | Readonly<Record<string, unknown>> | string;
}

export interface Source {
  readonly format: 'csv' | 'json-lines';
  /** Of CSV: the header without the `refused` columns. */
  readonly header?: readonly string[];
  readonly delimiter?: string;
  readonly rows: AsyncIterable<SourceRow>;
}

/** The input as a whole cannot be read. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
  /** From 1; undefined for the input as a whole. */
  readonly line: number | undefined;
  constructor(message: string, line?: number) {
    super(message);
    this.line = line;
  }
}

/** What decoders write for bytes that are not UTF-8. */
const REPLACEMENT = '\ufffd';

export type ValidRow = { readonly values: Values } | { readonly problem: Omit<Refusal, 'line'> };

/** Checks a row by the schema of its command before it is sent; values come back normalised. */
export function validateRow(schema: z.ZodType, { values, problem }: SourceRow): ValidRow {
  const invalid = (message: string, field?: string): ValidRow => ({
    problem: { code: 'invalid', message, ...(field ? { field } : {}) },
  });
  if (problem) return { problem };
  if (Object.keys(values).length === 0) return invalid('the row is empty');
  for (const [name, value] of Object.entries(values))
    if (typeof value === 'string' && value.includes(REPLACEMENT))
      return invalid(`${name} holds bytes that are not UTF-8: save the file as UTF-8`, name);
  const parsed = schema.safeParse(values, { error: inPlainWords });
  if (parsed.success) {
    const entries = Object.entries(parsed.data as Values).filter(([, value]) => value !== undefined);
    return { values: Object.fromEntries(entries) };
  }
  const { message, field } = toInvalid(parsed.error, 'row');
  return invalid(message, field);
}

export function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  if (a.length === 0) return b;
  const all = new Uint8Array(a.length + b.length);
  all.set(a);
  all.set(b, a.length);
  return all;
}
