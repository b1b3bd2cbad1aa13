import * as z from 'zod';
import type { Checkpoint, VerifyOptions } from '../provisioning/index.ts';
import { defined } from '../table/defined.ts';
import { parseJson } from '../table/json.ts';
import { UsageError } from './context.ts';
import { assertWritable, readIfThere, removeSwapped, swapFile } from './output-file.ts';

/** How far a verification is, in a file: an interrupted one goes on from there. */
const EVERY_MS = 1_000;

const saved = z.object({
  version: z.literal(1),
  identity: z.string(),
  checkpoint: z.object({ place: z.object({ list: z.string() }), round: z.int() }).loose(),
});

export interface Checkpoints {
  /** Where to go on, and how to say how far it is. */
  readonly options: (now: () => number) => Pick<VerifyOptions, 'from' | 'onCheckpoint'>;
  readonly remove: () => void;
}

/**
 * @param identity of the table and the options: a checkpoint of others is refused
 * @throws UsageError for a file that is no checkpoint, that is of another run, or that cannot be written
 */
export function keepCheckpoints(file: string, identity: string): Checkpoints {
  assertWritable(file);
  const text = readIfThere(file);
  const found = text === undefined || text === '' ? undefined : saved.safeParse(parseJson(text));
  if (found && !found.success)
    throw new UsageError(`${file} is no checkpoint of gatehouse verify: give another name`);
  if (found && found.data.identity !== identity)
    throw new UsageError(
      `${file} is of a run with another table or other options: give another name, or delete it to start anew`,
    );
  const from = found?.data.checkpoint as Checkpoint | undefined;
  return {
    options: (now) => {
      let savedAt = Number.NEGATIVE_INFINITY;
      return {
        ...defined({ from }),
        onCheckpoint: (checkpoint) => {
          if (now() - savedAt < EVERY_MS) return;
          savedAt = now();
          swapFile(file, JSON.stringify({ version: 1, identity, checkpoint }));
        },
      };
    },
    remove: () => removeSwapped(file),
  };
}
