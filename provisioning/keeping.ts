import { type Command, fieldsOf, isInput } from './command.ts';

/**
 * The input of one of several commands, with the `ifExists` of the whole where it takes one and says nothing itself.
 * What is no object stays as it is: its own schema refuses it.
 */
export const keeping = <I>(
  ifExists: 'keep' | undefined,
  commands: ReadonlyMap<string, Command>,
  { command, input }: { readonly command: string; readonly input: I },
): I =>
  ifExists !== undefined && isInput(input) && 'ifExists' in fieldsOf(commands.get(command))
    ? { ifExists, ...input }
    : input;
