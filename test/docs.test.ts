import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { commandsAsMarkdown, documentCommands } from '../provisioning/documents/commands-page.ts';
import { tableAsMarkdown } from '../provisioning/documents/table.ts';

test('docs/commands.md says what the schemas say', () => {
  const written = readFileSync(new URL('../docs/commands.md', import.meta.url), 'utf8');
  expect(written, 'run: npm run -s commands -- --markdown > docs/commands.md').toBe(
    commandsAsMarkdown(documentCommands()),
  );
});

test('docs/table.md says what the registry, the edges and the patterns say', () => {
  const written = readFileSync(new URL('../docs/table.md', import.meta.url), 'utf8');
  expect(written, 'run: npm run -s table > docs/table.md').toBe(tableAsMarkdown());
});
