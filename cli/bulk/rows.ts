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

export type ValidRow = { readonly values: Values } | { readonly problem: Omit<Refusal, 'line'> };

export function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  if (a.length === 0) return b;
  const all = new Uint8Array(a.length + b.length);
  all.set(a);
  all.set(b, a.length);
  return all;
}
