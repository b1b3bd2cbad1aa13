import { commandsAsMarkdown, describeCommands } from './commands.ts';
import { tableAsMarkdown } from './table.ts';

/**
 * `npm run commands` prints the JSON Schema of every command, with `--markdown` docs/commands.md; `npm run
 * table` prints docs/table.md.
 */
const [what, form] = process.argv.slice(2);
const commands = describeCommands();
const pages = {
  commands: form === '--markdown' ? commandsAsMarkdown(commands) : `${JSON.stringify(commands, null, 2)}\n`,
  table: tableAsMarkdown(),
};
process.stdout.write(pages[what === 'table' ? 'table' : 'commands']);
