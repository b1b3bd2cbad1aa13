import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { EXIT_CODES, exitCodesOf, FAULT } from '../../cli/exit-codes.ts';
import { report } from '../../cli/revocation/subcommand.ts';
import { REVOCATION_DEFAULTS, revocationBound } from '../../provisioning/revocation-bound.ts';
import { allSubcommands, gatehouse, subcommandsIn } from './support.ts';

/** What docs/cli.md shows is true. */
const DOCUMENT = readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8');

test('it names every subcommand', async () => {
  const names = subcommandsIn((await gatehouse(['--help'])).out);
  expect(names.length).toBeGreaterThan(12);
  for (const name of names) expect(DOCUMENT).toMatch(new RegExp(`^\\|.*\`${name}[ \`]`, 'm'));
});

test('the answer of a revocation is the documented one', () => {
  const user = 'user:01M7YAMYCAWSND2TZ7F47P6DYF';
  const done = { revoked: user, before: false, text: `${user} is disabled`, token: 'gh1.mwqs017b' };
  const { text } = report(
    done,
    revocationBound({ ...REVOCATION_DEFAULTS, resultTtl: 300 }),
    Date.parse('2026-03-01T00:00:00Z'),
  );
  expect(DOCUMENT).toContain(`\`\`\`\n${text}\`\`\`\n`);
});

describe('exit codes', () => {
  test('the document says what 2 means where its table says nothing', () => {
    expect(DOCUMENT).toContain(`\n2 is ${FAULT};`);
    expect(DOCUMENT).toContain('<!-- made: exit codes -->');
  });

  test('each subcommand is in it once, and its help shows its row, and examples', async () => {
    const names = [...(await allSubcommands())];
    expect(EXIT_CODES.flatMap(({ of }) => of).sort()).toEqual(names.sort());
    for (const name of names) {
      const { out } = await gatehouse([...name.split(' '), '--help']);
      expect(out).toMatch(new RegExp(`\nExamples:\n[^]*gatehouse ${name}`));
      const shown = /\nExit codes:\n([\s\S]*)$/.exec(out)?.[1] ?? '';
      expect(shown.replaceAll(/\s+/g, ' ').trim()).toBe(exitCodesOf(name).flat().join(' '));
      const prose = out.replace(/\nExamples:\n(?: .*\n)+/, '').replace(/^Usage: .*/, '');
      expect(
        prose.split('\n').filter((line) => line.length > 80 && !/^ {2,}(?:aws|--result-cache) /.test(line)),
      ).toEqual([]);
    }
  });
});
