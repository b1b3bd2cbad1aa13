import { afterAll, describe, expect, test } from 'vitest';
import { ROW_KINDS } from '../../cli/bulk/kinds.ts';
import { SECTIONS } from '../../provisioning/apply/schema.ts';
import { blocksOf, textOf } from '../documents/documents.ts';
import { createLightWorld } from '../support/world.ts';
import { fileOf, gatehouse, removeFiles } from './support.ts';

/** What the documents show of the command line is true. */
afterAll(removeFiles);
const blocks = (document: string, language: string): readonly string[] =>
  blocksOf(document).flatMap((block) => (block.language === language ? [block.text] : []));

describe('docs/testing.md', () => {
  const [example = ''] = blocks('docs/testing.md', 'yaml');
  const [report = '', failure = '', mistakes] = blocks('docs/testing.md', '');

  test('the first example gives the report that is shown', async () => {
    const file = fileOf(example);
    const { code, out } = await gatehouse(['test', file]);
    expect({ code, out: out.replace(file, 'permissions.test.yaml') }).toEqual({ code: 0, out: report });

    const wrong = fileOf(`at: 2026-03-02T09:00:00Z\n${example.replace('expect: deny', 'expect: allow')}`);
    const failed = await gatehouse(['test', wrong]);
    expect(failed.code).toBe(1);
    expect(failed.out).toContain(failure);
  });

  test('the documented mistakes give the documented messages', async () => {
    const file = fileOf(
      example.replace('roles: [teacher]', 'roles: [techer]').replace('subject: ann', 'subject: anne'),
    );
    const { error } = await gatehouse(['test', file]);
    expect(error.replaceAll(file, 'permissions.test.yaml')).toBe(mistakes);
  });
});

describe('docs/manifests.md', () => {
  test('the first example comes to the plan that is shown', async () => {
    const env = { TABLE_NAME: (await createLightWorld()).table };
    const file = fileOf(blocks('docs/manifests.md', 'yaml')[0] ?? '');
    const { out } = await gatehouse(['plan', file], { env });
    const place = 'school.yaml for the table gatehouse at http://127.0.0.1:3001\n';
    expect(out.replace(/^.*\n/, place)).toBe(blocks('docs/manifests.md', '')[0]);
    expect((await gatehouse(['apply', file, '--yes'], { env })).code).toBe(0);
    expect((await gatehouse(['plan', file], { env })).code).toBe(0);
  });

  test.each(SECTIONS)('the section %s is in the table of keys', (section) => {
    expect(textOf('docs/manifests.md')).toMatch(new RegExp(`^\\| \`${section}\``, 'm'));
  });
});

describe('docs/cli.md, of loads', () => {
  const DOCUMENT = textOf('docs/cli.md');

  test('the first example prints what is shown', async () => {
    const file = fileOf(blocks('docs/cli.md', 'csv')[0] ?? '', 'csv');
    const env = { TABLE_NAME: (await createLightWorld()).table };
    const { code, out, error } = await gatehouse(['load', 'users', file], { env });
    const printed = (text: string) =>
      text
        .replaceAll(file, 'users.csv')
        .replaceAll(file.replace('.csv', '.refused.csv'), 'users.refused.csv')
        .replace(/user:\w{26}/, 'user:ID')
        .replace(/\d+ s, \d+ rows\/s/, 'N s, N rows/s');
    const shown = blocks('docs/cli.md', '').find((text) => text.startsWith('users.csv:')) ?? '';
    expect({ code, printed: printed(error + out) }).toEqual({ code: 1, printed: printed(shown) });
  });

  test('every kind and every option is described', async () => {
    for (const { name } of ROW_KINDS) expect(DOCUMENT).toMatch(new RegExp(`^\\| \`${name}\``, 'm'));
    const { out } = await gatehouse(['load', '--help']);
    for (const [, option] of out.matchAll(/^ {2}(--[a-z-]+)/gm))
      if (!['--table', '--endpoint', '--region', '--version'].includes(String(option)))
        expect(DOCUMENT).toContain(`\`${option}`);
  });
});

test('the commands of docs/routes.md, one after the other, print what it shows', async () => {
  const world = await createLightWorld();
  const permissions = ['list', 'read', 'change'].map((verb) => `project:${verb}:project`);
  await world.apply(`modules: [project]\npermissions: ["${permissions.join('", "')}"]`);
  const [example = ''] = blocks('docs/routes.md', 'yaml');
  const file = fileOf(example);
  const shells = blocks('docs/routes.md', 'sh').filter((block) => !block.startsWith('aws'));
  const [matched, missed, dry, mistakes, gaps] = blocks('docs/routes.md', '');
  const shown = [matched, missed, dry, gaps];
  const withoutIds = (text: string): string => text.replace(/\b[0-9A-HJKMNP-TV-Z]{26}\b/g, 'ID');
  expect(shells).toHaveLength(shown.length);
  for (const [position, shell] of shells.entries()) {
    let last = '';
    for (const line of shell.trim().split('\n')) {
      const args = [...line.replace(/^npx gatehouse-authz /, '').matchAll(/'([^']*)'|(\S+)/g)];
      const { out, error } = await gatehouse(
        args.map(([, quoted, plain = '']) => quoted ?? plain.replace('openapi.yaml', file)),
        { env: { TABLE_NAME: world.table } },
      );
      expect(error, line).toBe('');
      last = out.replaceAll(file, 'openapi.yaml');
    }
    expect(withoutIds(last)).toBe(withoutIds(shown[position] ?? ''));
  }

  const wrong = fileOf(
    example
      .replace("permission: 'project:read", "permision: 'project:read")
      .replace('change:project', 'change'),
  );
  const { error } = await gatehouse(['route', 'import', wrong, '--table', world.table]);
  expect(error.replaceAll(wrong, 'openapi.yaml')).toBe(mistakes);
});
