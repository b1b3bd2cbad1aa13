import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { commandsAsMarkdown, documentCommands } from '../provisioning/documents/commands-page.ts';
import { tableAsMarkdown } from '../provisioning/documents/table.ts';

test('docs/commands.md says what the schemas say', () => {
  const written = readFileSync(new URL('../docs/commands.md', import.meta.url), 'utf8');
  expect(written, 'run: npm run -s print -- commands --markdown > docs/commands.md').toBe(
    commandsAsMarkdown(documentCommands()),
  );
});

test('docs/table.md says what the registry, the edges and the patterns say', () => {
  const written = readFileSync(new URL('../docs/table.md', import.meta.url), 'utf8');
  expect(written, 'run: npm run -s print -- table > docs/table.md').toBe(tableAsMarkdown());
});

test('docs/beside-others.md has the figures of docs/performance/check.md', () => {
  const [figures = '', comparison = ''] = ['performance/check', 'beside-others'].map((name) =>
    readFileSync(new URL(`../docs/${name}.md`, import.meta.url), 'utf8'),
  );
  const median = (id: string): string => {
    const [, text = ''] =
      new RegExp(`^\\| \`check\\.${id}\` \\| [^|]+\\| ([\\d,]+) ns`, 'm').exec(figures) ?? [];
    const microseconds = Number(text.replaceAll(',', '')) / 1_000;
    return microseconds < 100 ? microseconds.toFixed(1) : Math.round(microseconds).toLocaleString('en-US');
  };
  const ratio = (peer: string): string => {
    const [, text = ''] = new RegExp(`^\\| \`check\\.warm\` \\| ${peer} \\| (\\S+)`, 'm').exec(figures) ?? [];
    if (text.startsWith('1/')) return `${text} as long`;
    return `${Number(Number(text).toFixed(1))} times as long`;
  };
  const rows = [
    ['casl-by-place', 'CASL, ability per user, place'],
    ['casbin-cached', 'casbin, cached answer'],
    ['casl', 'CASL, ability per user'],
    ['cedar', 'Cedar wasm, stateful'],
    ['casbin', 'casbin, matcher of its guide'],
  ] as const;
  for (const [id, peer] of rows) expect(comparison).toContain(`| ${median(id)} µs | ${ratio(peer)} |`);
  expect(comparison).toContain(`| ${median('warm')} µs | |`);
});
