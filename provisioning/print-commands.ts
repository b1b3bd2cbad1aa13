import { commandsAsMarkdown, describeCommands } from './command-schemas.ts';

/** `npm run commands` prints the JSON Schema of every command, with `--markdown` the page of the docs. */
const commands = describeCommands();
const markdown = process.argv.includes('--markdown');
process.stdout.write(markdown ? commandsAsMarkdown(commands) : `${JSON.stringify(commands, null, 2)}\n`);
