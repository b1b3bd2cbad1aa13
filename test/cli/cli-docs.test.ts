import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DEFAULTS, longestYes } from '../../cli/revocation/layers.ts';
import { report } from '../../cli/revocation/subcommand.ts';
import { gatehouse } from './support.ts';

/** What docs/cli.md shows is true. */
const DOCUMENT = readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8');

test('it names every subcommand', async () => {
  const { out } = await gatehouse(['--help']);
  const [, commands = ''] = out.split('\nCommands:\n');
  const names = [...(commands.split('\n\n')[0] ?? '').matchAll(/^ {2}([a-z-]+)/gm)].map(([, name]) =>
    String(name),
  );
  expect(names.length).toBeGreaterThan(12);
  for (const name of names.filter((each) => each !== 'help'))
    expect(DOCUMENT).toMatch(new RegExp(`^\\| \`${name}[ \`]`, 'm'));
});

test('the answer of a revocation is the documented one', () => {
  const user = 'user:01M7YAMYCAWSND2TZ7F47P6DYF';
  const done = { revoked: user, before: false, text: `${user} is disabled`, token: 'gh1.mwqs017b' };
  const shown = report(
    done,
    longestYes({ ...DEFAULTS, resultTtl: 300 }),
    Date.parse('2026-03-01T00:00:00Z'),
    false,
  );
  expect(DOCUMENT).toContain(`\`\`\`\n${shown}\`\`\`\n`);
});
