import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { readDocument } from '../../testing/document.ts';
import { gatehouse } from './support.ts';

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-init-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}
const read = (folder: string, name: string): string => readFileSync(join(folder, name), 'utf8');
const FLAGS = ['--root', 'Company', '--protect', 'orders:read:order', '--email', 'Ann@Example.com'];

/** Runs it at a terminal: each line is typed as an answer. */
async function atTerminal(folder: string, typed: readonly string[]) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  let asked = '';
  output.on('data', (chunk) => (asked += chunk));
  for (const line of typed) input.write(line);
  const ran = await gatehouse(['init', folder], { isTerminal: true, terminal: { input, output } });
  return { ...ran, asked };
}

test('writes a manifest, its tests and scripts, and says what to type next; the tests pass', async () => {
  const folder = emptyFolder();
  const { code, out, error } = await gatehouse(['init', folder, ...FLAGS]);
  expect({ code, error }).toEqual({ code: 0, error: '' });
  // From the sources of a clone: the package is not in the registry.
  expect(out).toMatch(
    /Next:\n {2}npm pack \/\S+\/\n {2}npm install \.\/gatehouse-authz-\S+\.tgz\n {2}npx gatehouse-authz test authz\/model\.test\.yaml\n {2}npm run authz:dev\n/,
  );
  expect(read(folder, 'authz/manifest.yaml')).toContain('path: "/companies/{company}/orders"');
  expect(JSON.parse(read(folder, 'package.json')).scripts).toEqual({
    'authz:dev': 'gatehouse dev authz/manifest.yaml',
    'authz:test': 'gatehouse test authz/model.test.yaml',
  });
  const tested = await gatehouse(['test', join(folder, 'authz/model.test.yaml')]);
  expect(tested).toMatchObject({ code: 0, error: '' });
  expect(tested.out).toContain('2 passed, 0 failed');
});

test('a second time, nothing is written and it says what is there', async () => {
  const folder = emptyFolder();
  await gatehouse(['init', folder, '--yes']);
  writeFileSync(join(folder, 'authz/manifest.yaml'), 'mine');
  rmSync(join(folder, 'authz/model.test.yaml'));
  const { code, out, error } = await gatehouse(['init', folder, '--yes']);
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(error).toMatch(
    /^gatehouse init: \S+authz\/manifest\.yaml exists already; nothing was written\. Next: /,
  );
  expect(read(folder, 'authz/manifest.yaml')).toBe('mine');
  expect(existsSync(join(folder, 'authz/model.test.yaml'))).toBe(false);
});

test('without a terminal it names the options that are missing', async () => {
  const folder = emptyFolder();
  const { code, error } = await gatehouse(['init', folder, '--protect', 'reports']);
  expect(code).toBe(2);
  expect(error).toBe(
    'gatehouse init: nobody can be asked here: give --root, --email, or --yes for tenant, ann@example.com\n',
  );
  expect(existsSync(join(folder, 'authz'))).toBe(false);
});

test('at a terminal it asks what is not given; Enter takes the answer in brackets', async () => {
  const folder = emptyFolder();
  const { code, asked } = await atTerminal(folder, ['company\n', '\n', 'bea@example.com\n']);
  expect(code).toBe(0);
  expect(asked).toMatch(/\[tenant\].*\[reports\].*\[ann@example\.com\]/s);
  const { data } = readDocument('m', read(folder, 'authz/manifest.yaml')) as { data: Record<string, object> };
  expect([data.pages, Object.keys(data.users ?? {})]).toEqual([['reports'], ['bea@example.com']]);
});

test('a wrong answer is said, and asked for again', async () => {
  const { code, asked } = await atTerminal(emptyFolder(), ['building\n', 'school\n', 'a b\n', '\n', '\n']);
  expect(code).toBe(0);
  expect(asked).toContain('a building is always below project: give another word');
  expect(asked).toContain('a b is neither a page nor module:action:resource');
});

test('Ctrl-C at a question: nothing is written', async () => {
  const folder = emptyFolder();
  const { code, error } = await atTerminal(folder, ['company\n', '\u0003']);
  expect({ code, error }).toEqual({ code: 1, error: 'gatehouse init: nothing was written: no answer\n' });
  expect(existsSync(join(folder, 'authz'))).toBe(false);
});

test.each<[string, readonly string[], RegExp]>([
  ['a folder that is not there', ['/no/such/folder', '--yes'], /\/no\/such\/folder: there is no such folder/],
  [
    'an answer that cannot be',
    ['.', '--yes', '--root', 'building'],
    /--root: a building is always below project/,
  ],
  ['a permission that is none', ['.', '--yes', '--protect', 'a:b'], /--protect: a:b is neither a page nor/],
])('wrong usage: %s', async (_, args, problem) => {
  const { code, error } = await gatehouse(['init', ...args]);
  expect([code, error]).toEqual([2, expect.stringMatching(problem)]);
});

test('a package.json that is no JSON stays as it is, and nothing is written', async () => {
  const folder = emptyFolder();
  writeFileSync(join(folder, 'package.json'), '{');
  const { code, error } = await gatehouse(['init', folder, '--yes']);
  expect([code, error]).toEqual([
    2,
    expect.stringMatching(/package\.json cannot be changed: it is not JSON; nothing was/),
  ]);
  expect(existsSync(join(folder, 'authz'))).toBe(false);
});

test('--json says what was written and what is next', async () => {
  const folder = emptyFolder();
  writeFileSync(join(folder, 'package.json'), '{ "devDependencies": { "gatehouse-authz": "*" } }');
  const { out } = await gatehouse(['init', folder, '--yes', '--json']);
  expect(JSON.parse(out)).toEqual({
    written: ['authz/manifest.yaml', 'authz/model.test.yaml', 'package.json'],
    next: ['npx gatehouse-authz test authz/model.test.yaml', 'npm run authz:dev'],
    root: 'tenant',
    protect: 'reports',
    email: 'ann@example.com',
  });
});

test('a model test names the file of its manifest; what is wrong with that is said where it is', async () => {
  const folder = emptyFolder();
  await gatehouse(['init', folder, '--yes']);
  const tests = join(folder, 'authz/model.test.yaml');
  const manifest = join(folder, 'authz/manifest.yaml');
  writeFileSync(manifest, read(folder, 'authz/manifest.yaml').replace('acme: [manager]', 'acme: [manger]'));
  const wrong = await gatehouse(['test', tests]);
  expect(wrong.code).toBe(2);
  expect(wrong.error).toMatch(
    /^\S+authz\/manifest\.yaml:\d+:\d+: users.*there is no role manger: did you mean manager\?/,
  );
  rmSync(manifest);
  expect((await gatehouse(['test', tests])).error).toBe(`${manifest}: there is no such file\n`);
});
