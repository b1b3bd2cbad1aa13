import * as z from 'zod';
import { GatehouseError } from '../../table/errors.ts';
import { MAX_ACTIONS } from '../../table/write/transaction.ts';
import { type Command, readCommand } from '../command.ts';
import { inPart, transactionInput } from '../commands/transaction.ts';
import { readInput } from '../input.ts';
import { leftBy } from '../routes/written-scopes.ts';
import { type AccessDifference, accessDifference } from './access-difference.ts';
import type { Change } from './carry-out.ts';

const input = z.strictObject({
  commands: z
    .array(z.strictObject({ command: z.string().max(64), input: z.record(z.string(), z.unknown()) }))
    .min(1)
    .max(MAX_ACTIONS)
    .meta({ description: 'list of `{ command, input }`: write commands, in their order' }),
});

/** Commands as they are carried out: the parts of a transaction, one after the other. */
export const changesOf = (commands: readonly Change[]): readonly Change[] =>
  commands.flatMap((each, position) =>
    each.command === 'transaction.write'
      ? partsOf(each, position)
      : [{ ...each, ...(commands.length > 1 ? { position: [position] } : {}) }],
  );

/** The parts of a transaction. Throws `invalid` naming the field as `commands.N.field`. */
function partsOf({ input: given }: Change, position: number): readonly Change[] {
  try {
    const { commands } = readInput({ name: 'transaction.write', input: transactionInput }, given);
    return commands.map((each, part) => ({ ...(each as Change), position: [position, part] }));
  } catch (error) {
    throw error instanceof GatehouseError ? inPart(position, error) : error;
  }
}

/** The command that says what others would do; `parts` are those that it knows. */
export const compareCommand = (parts: ReadonlyMap<string, Command>): Command =>
  readCommand({
    name: 'access.compare',
    summary:
      'Says who would lose and who would gain access by write commands, without running them: how many people, at which scopes, which permissions. If that is too much to compare, `incomplete` says why, and the numbers are lower bounds. `leaves` names routes and resource types that stay and write out a scope that is deleted. Of several commands, an error names its field as commands.N.field.',
    input,
    run: async ({ reader, now }, { commands }): Promise<AccessDifference & Record<string, unknown>> => {
      const changes = changesOf(commands);
      const access = await accessDifference(changes, { reader, commands: parts, at: Date.parse(now) });
      const leaves = await leftBy(changes, reader);
      return { ...access, ...(leaves ? { leaves } : {}) };
    },
  });
