import { commandsAsMarkdown, documentCommands } from './commands-page.ts';
import { tableAsMarkdown } from './table.ts';

/**
 * `npm run print -- commands` prints every command with the JSON Schemas of its input and its result and with an example, with
 * `--markdown` docs/commands.md; `npm run print -- table` prints docs/table.md.
 */
const [what, form] = process.argv.slice(2);
const commands = documentCommands();
const pages = {
  commands: form === '--markdown' ? commandsAsMarkdown(commands) : `${JSON.stringify(commands, null, 2)}\n`,
  table: tableAsMarkdown(),
};
process.stdout.write(pages[what === 'table' ? 'table' : 'commands']);
