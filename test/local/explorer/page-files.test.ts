import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { pageIn } from '../../../local/explorer/page-files.ts';

const root = mkdtempSync(join(tmpdir(), 'gatehouse-page-'));
afterAll(() => rmSync(root, { recursive: true }));
mkdirSync(join(root, 'built/more'), { recursive: true });
for (const name of [
  'secret.js',
  'built/main.js',
  'built/.hidden.js',
  'built/more/a-b_c.1.css',
  'built/x.exe',
])
  writeFileSync(join(root, name), name);
const read = pageIn(pathToFileURL(`${root}/built/`));

test.each([
  ['main.js', 'text/javascript; charset=utf-8'],
  ['more/a-b_c.1.css', 'text/css; charset=utf-8'],
])('%s is served as %s', async (name, type) => {
  const file = await read(name);
  expect([file?.type, String(file?.bytes)]).toEqual([type, `built/${name}`]);
});

test.each([
  ...['../secret.js', 'more/../../secret.js', '..%2fsecret.js', '%2e%2e/secret.js', '..\\secret.js'],
  ...['/main.js', '//main.js', './main.js', 'more//a-b_c.1.css', '.hidden.js', 'file:///etc/passwd.js'],
  ...['main.js\u0000', 'main.js?x', 'main.js#x', 'main.js/', 'main.js/x.js', 'nothing.js', 'more.js'],
  ...['x.exe', 'main', 'more', 'more/', '', 'constructor', '__proto__.js', `${'a'.repeat(300)}.js`],
])('%j is not', async (name) => {
  expect(await read(name)).toBeUndefined();
});
