import { readFileSync } from 'node:fs';
import { documentCommands } from '../../provisioning/documents/commands-page.ts';
import { withMade } from './made.ts';

/**
 * `npm run print -- docs/internals/table.md` prints a document as the site shows it; `npm run print -- commands` prints every command
 * of provisioning with the JSON Schemas of its input and its result and with an example.
 */
const [what = 'commands'] = process.argv.slice(2);
process.stdout.write(
  what === 'commands'
    ? `${JSON.stringify(documentCommands(), null, 2)}\n`
    : withMade(readFileSync(what, 'utf8')),
);
