import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { commandsAsMarkdown, describeCommands } from '../provisioning/command-schemas.ts';

test('docs/commands.md says what the schemas say', () => {
  const written = readFileSync(new URL('../docs/commands.md', import.meta.url), 'utf8');
  expect(written, 'run: npm run -s commands -- --markdown > docs/commands.md').toBe(
    commandsAsMarkdown(describeCommands()),
  );
});
