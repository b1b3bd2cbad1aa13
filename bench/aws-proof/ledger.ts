import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import * as z from 'zod';

const name = z.string().regex(/^[\w.-]{1,255}$/);
const madeSchema = z.object({ kind: z.enum(['bucket', 'stack', 'table']), name });

/** Something in the account that a proof made, or was about to make. */
export type Made = z.infer<typeof madeSchema>;

const recordSchema = z.object({
  account: z.string().regex(/^\d{12}$/),
  region: name,
  /** Begins the name of everything, and is its tag. */
  prefix: z.string().regex(/^gatehouse-proof-[0-9a-f]{8}$/),
  made: z.array(madeSchema).max(100),
});
export type ProofRecord = z.infer<typeof recordSchema>;

/** What is to be removed, on disk before it exists: a crash loses nothing. */
export interface Ledger extends Omit<ProofRecord, 'made'> {
  /** In the order in which it was made. */
  readonly made: () => readonly Made[];
  readonly note: (made: Made) => void;
  readonly forget: (made: Made) => void;
}

export function createLedger(record: ProofRecord, write: (record: ProofRecord) => void): Ledger {
  let { made } = record;
  const same = (one: Made) => (other: Made) => one.kind === other.kind && one.name === other.name;
  const become = (next: Made[]): void => {
    made = next;
    write({ ...record, made });
  };
  return {
    ...record,
    made: () => made,
    note: (one) => {
      if (!made.some(same(one))) become([...made, one]);
    },
    forget: (one) => become(made.filter((other) => !same(one)(other))),
  };
}

export function writeRecord(file: string, record: ProofRecord): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.new`, `${JSON.stringify(record, undefined, 2)}\n`);
  renameSync(`${file}.new`, file);
}

/** @throws Error when it is no record of a proof */
export const readRecord = (file: string): ProofRecord =>
  recordSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
