import { GatehouseError } from '../../table/errors.ts';
import type { Reader } from '../../table/reader.ts';
import { mergeActions } from '../../table/write/merge.ts';
import { planCommand } from '../assembly.ts';
import type { Command } from '../command.ts';
import { inPart } from '../commands/transaction.ts';
import { inTurns } from '../in-turns.ts';
import type { Planning, Sent } from '../plan.ts';
import type { Copy } from './copy.ts';

/** One command of a change. */
export interface Change extends Sent {
  /** It removes something; what is gone already is no error. */
  readonly verb?: 'create' | 'change' | 'remove' | undefined;
  /** Its place among the commands, and among those of its transaction, from 0; an error names it. */
  readonly position?: readonly number[];
  /** What its error says of it besides. */
  readonly explain?: (error: GatehouseError) => GatehouseError;
}

const asItIs = (error: GatehouseError): GatehouseError => error;
const REMOVAL = /\.delete(?:-tree)?$/;

/** What a command plans with: the time is given, and ids are as commands make them, UUIDs of version 8. */
function planningOn(reader: Reader, at: number): Planning {
  let made = 0;
  const newText = () => `00000000-0000-8000-8000-${String(++made).padStart(12, '0')}`;
  return { reader, now: new Date(at).toISOString(), newId: newText, newSecret: newText };
}

/** Plans each command upon the table as it is, several at once: what they read is copied by then. */
async function prefetch(
  changes: readonly Change[],
  { before }: Copy,
  commands: ReadonlyMap<string, Command>,
  at: number,
): Promise<void> {
  if (changes.length === 1) return;
  const planning = planningOn(before, at);
  await inTurns(changes, ({ command, input }) =>
    planCommand(commands, planning, command, input).catch((error: unknown) => {
      // It may rest on one before it. What is wrong is found when it is carried out.
      if (!(error instanceof GatehouseError) || error.retryable) throw error;
    }),
  );
}

/**
 * Writes what the commands plan to the copy, one transaction after the other. Its writes are stamped with the instant.
 *
 * @param at epoch milliseconds
 * @param isWhole whether removals are carried out to their end, which frees what is unique
 * @throws GatehouseError what a command is refused with; `TooLarge` where the copy does
 */
export async function carryOut(
  changes: readonly Change[],
  copy: Copy,
  commands: ReadonlyMap<string, Command>,
  at: number,
  isWhole = false,
): Promise<void> {
  await prefetch(changes, copy, commands, at);
  const planning = { ...planningOn(copy.after, at), splits: copy.splits };
  for (const { command, input, verb, position = [], explain = asItIs } of changes) {
    try {
      let plan = await planCommand(commands, planning, command, input);
      // A step that is cut to size has to know of them.
      if (await copy.findSplits(mergeActions(plan.actions)))
        plan = await planCommand(commands, planning, command, input);
      for (;;) {
        if (plan.actions.length > 0)
          await copy.write(plan.actions, { writtenAt: at, writeId: planning.newId() });
        // The first step of a removal takes all access; the others remove what has no effect any more (ADR 0007).
        if (!plan.next || (!isWhole && REMOVAL.test(command))) break;
        plan = await plan.next(planning);
      }
    } catch (error) {
      const isGone = verb === 'remove' && error instanceof GatehouseError && error.code === 'not_found';
      if (isGone) continue;
      if (!(error instanceof GatehouseError)) throw error;
      throw position.reduceRight((wrong, each) => inPart(each, wrong), explain(error));
    }
  }
}
