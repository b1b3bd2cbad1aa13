import type { Command } from 'commander';
import { hint } from '../../table/similar-words.ts';
import { UsageError } from '../context.ts';
import { argument } from '../options.ts';
import { subcommand } from '../subcommand.ts';

/** `gatehouse help`: the help of the program, or of a subcommand. */
export const addHelp = subcommand({
  name: 'help',
  summary: 'show the help of a subcommand',
  description: 'Shows the help of a subcommand, or what subcommands there are.',
  arguments: [argument('[subcommand...]', 'such as check, or route add')],
  examples: '  gatehouse help\n  gatehouse help check\n  gatehouse help route add',
  run: ([names], _options, _context, { parent }) => {
    if (parent) names.reduce(childOf, parent).outputHelp();
  },
});

/** The subcommand of this name. Throws {@link UsageError} where there is none. */
function childOf(parent: Command, name: string): Command {
  const found = parent.commands.find((each) => each.name() === name);
  if (found) return found;
  const names = parent.commands.map((each) => each.name());
  throw new UsageError(
    names.length === 0
      ? `${parent.name()} has no subcommands`
      : `there is no subcommand ${name}: ${hint(name, names)}`,
  );
}
