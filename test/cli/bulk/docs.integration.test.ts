import { readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { ROW_KINDS } from '../../../cli/bulk/kinds.ts';
import { createLightWorld } from '../../support/world.ts';
import { fileOf, gatehouse, removeFiles } from '../support.ts';

/** docs/cli.md shows what happens. */
afterAll(removeFiles);
const DOCUMENT = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8');
const block = (language: string): string =>
  new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(DOCUMENT)?.[1] ?? '';

test('the first example prints what is shown', async () => {
  const world = await createLightWorld();
  const file = fileOf(block('csv'), 'csv');
  const { code, out, error } = await gatehouse(['load', 'users', file], { env: { TABLE_NAME: world.table } });
  const printed = (text: string) =>
    text
      .replaceAll(file, 'users.csv')
      .replaceAll(file.replace('.csv', '.refused.csv'), 'users.refused.csv')
      .replace(/user:\w{26}/, 'user:ID')
      .replace(/\d+ s, \d+ rows\/s/, 'N s, N rows/s');
  const shown = /```\n(users\.csv:[\s\S]*?)```/.exec(DOCUMENT)?.[1] ?? '';
  expect({ code, printed: printed(error + out) }).toEqual({ code: 1, printed: printed(shown) });
});

test('every kind and every option is described', async () => {
  for (const { name } of ROW_KINDS) expect(DOCUMENT).toMatch(new RegExp(`^\\| \`${name}\``, 'm'));
  const { out } = await gatehouse(['load', '--help']);
  for (const [, option] of out.matchAll(/^ {2}(--[a-z-]+)/gm))
    if (!['--table', '--endpoint', '--region', '--version'].includes(String(option)))
      expect(DOCUMENT).toContain(`\`${option}`);
});
