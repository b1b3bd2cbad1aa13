import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import * as z from 'zod';

/** The rows of rows.yaml, which says what they mean. */
const input = z.record(z.string(), z.unknown());
const read = z.union([
  z.tuple([z.string(), input, z.union([z.null(), input])]),
  z.tuple([z.string(), input, z.array(z.string()), z.string().default('id')]),
]);
const check = z.tuple([z.string(), z.string(), z.string(), z.string(), z.string().optional()]);
const tableRow = z.strictObject({
  title: z.string(),
  /** Each whole list is one Query, and nothing is read after it. */
  inOneQuery: z.literal(true).optional(),
  reads: z.array(read).default([]),
  checks: z.array(check).default([]),
  refuses: z.array(z.tuple([z.string(), input, input])).default([]),
});

export type Read = z.output<typeof read>;
export type Check = z.output<typeof check>;

const text = readFileSync(new URL('rows.yaml', import.meta.url), 'utf8');
/** By their ids, in their order. */
export const ROWS = new Map(Object.entries(z.record(z.string(), tableRow).parse(parse(text))));
