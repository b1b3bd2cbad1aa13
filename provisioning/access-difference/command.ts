import * as z from 'zod';
import { MAX_ACTIONS } from '../../table/write/transaction.ts';
import { type Command, readCommand } from '../command.ts';
import { type AccessDifference, accessDifference, type Change } from './access-difference.ts';

const input = z.strictObject({
  commands: z
    .array(z.strictObject({ command: z.string().max(64), input: z.record(z.string(), z.unknown()) }))
    .min(1)
    .max(MAX_ACTIONS)
    .meta({ description: 'list of `{ command, input }`: write commands, in their order' }),
});

/** The command that says what others would do; `parts` are those that it knows. */
export const compareCommand = (parts: ReadonlyMap<string, Command>): Command =>
  readCommand({
    name: 'access.compare',
    summary:
      'Says who would lose and who would gain which access by write commands that are not sent: how many people, at which scopes, which permissions. Where that is too much to look at, `incomplete` says why, and the numbers are the least.',
    input,
    run: async ({ reader, now }, { commands }): Promise<AccessDifference & Record<string, unknown>> => {
      const changes = commands.flatMap((each): readonly Change[] =>
        // Its own schema finds what is wrong with it when it is sent.
        each.command === 'transaction.write' ? ((each.input.commands ?? []) as readonly Change[]) : [each],
      );
      return { ...(await accessDifference(changes, { reader, commands: parts, at: Date.parse(now) })) };
    },
  });
