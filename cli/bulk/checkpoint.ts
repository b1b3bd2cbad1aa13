import { readFileSync, statSync } from 'node:fs';
import * as z from 'zod';
import { type Context, UsageError } from '../context.ts';

const count = z.int().min(0);
/** What became of all rows up to this one. */
const progressSchema = z.object({
  rows: count,
  bytes: count,
  created: count,
  present: count,
  refused: count,
});
export type Progress = Readonly<z.infer<typeof progressSchema>>;

/** The progress of a load, written beside the input so that an interrupted load can resume. */
const checkpointSchema = z.strictObject({
  ...progressSchema.shape,
  version: z.literal(1),
  kind: z.string(),
  table: z.string(),
  /** SHA-256 of the input. */
  hash: z.string(),
  /** The file of refused rows, and its length at that row. */
  refusedBytes: count,
  refusedFile: z.string(),
});
export type Checkpoint = z.infer<typeof checkpointSchema>;

export const checkpointFileOf = (input: string): string => `${input}.gatehouse-progress`;

/** Undefined when there is no readable one. */
function readCheckpoint(file: string): Checkpoint | undefined {
  try {
    return checkpointSchema.safeParse(JSON.parse(readFileSync(file, 'utf8'))).data;
  } catch {
    return undefined;
  }
}

/** The progress that a checkpoint holds. */
export const progressOf = (checkpoint: Checkpoint): Progress => progressSchema.parse(checkpoint);

const AGAIN = 'Without --resume all rows are sent again, which changes nothing that is loaded';

/** The checkpoint of an interrupted load; throws {@link UsageError} when that was a different load. */
export function resumed(
  checkpointFile: string,
  identity: Pick<Checkpoint, 'kind' | 'table' | 'hash' | 'refusedFile'>,
  context: Context,
): Checkpoint | undefined {
  const found = readCheckpoint(checkpointFile);
  if (!found) {
    context.error(`no interrupted load is known (${checkpointFile}): starting at the first row\n`);
    return undefined;
  }
  const differs = (
    [
      ['kind', 'it loaded another kind'],
      ['table', 'it used another table, function, endpoint, region or profile'],
      ['hash', 'the file has changed since'],
      ['refusedFile', 'it used another file of refused rows'],
    ] as const
  ).find(([name]) => found[name] !== identity[name]);
  if (differs) throw new UsageError(`--resume is not possible: ${differs[1]}. ${AGAIN}`);
  if (found.refusedBytes > (statSync(found.refusedFile, { throwIfNoEntry: false })?.size ?? 0))
    throw new UsageError(`--resume is not possible: ${found.refusedFile} is shorter than it was. ${AGAIN}`);
  return found;
}
