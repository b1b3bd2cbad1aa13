import { createHash } from 'node:crypto';
import { createReadStream, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import * as z from 'zod';

/** How far a load has come: written beside the input, so that an interrupted one need not begin again. */
const count = z.int().min(0);
const checkpointSchema = z.strictObject({
  version: z.literal(1),
  kind: z.string(),
  table: z.string(),
  /** SHA-256 of the input. */
  hash: z.string(),
  /** All rows up to this one are done with. */
  rows: count,
  bytes: count,
  created: count,
  present: count,
  refused: count,
  /** Length of the file of refused rows at that row, and which file that is. */
  refusedBytes: count,
  refusedFile: z.string(),
});
export type Checkpoint = z.infer<typeof checkpointSchema>;

export const checkpointFileOf = (input: string): string => `${input}.gatehouse-progress`;

export async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 }))
    hash.update(chunk as Uint8Array);
  return hash.digest('hex');
}

/** Undefined when there is none, or none that can be read. */
export function readCheckpoint(file: string): Checkpoint | undefined {
  try {
    return checkpointSchema.safeParse(JSON.parse(readFileSync(file, 'utf8'))).data;
  } catch {
    return undefined;
  }
}

/** In one step: whoever is killed meanwhile leaves the old one or the new one. */
export function writeCheckpoint(file: string, checkpoint: Checkpoint): void {
  const next = `${file}.next`;
  writeFileSync(next, JSON.stringify(checkpoint), { mode: 0o600 });
  renameSync(next, file);
}

export function removeCheckpoint(file: string): void {
  for (const each of [file, `${file}.next`]) rmSync(each, { force: true });
}
