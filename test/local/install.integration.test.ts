import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

/** A checkout with one package, of its own, and a module that needs it. */
function checkout(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-install-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'local/checkout'), { recursive: true });
  const RUN = new URL('../../local/checkout/run.mjs', import.meta.url);
  cpSync(fileURLToPath(RUN), join(folder, 'local/checkout/run.mjs'));
  const needed = { name: 'needed', version: '1.0.0', exports: './index.mjs' };
  const files = {
    'package.json': { name: 'clone', workspaces: ['needed'] },
    'package-lock.json': {
      name: 'clone',
      lockfileVersion: 3,
      packages: {
        '': { name: 'clone', workspaces: ['needed'] },
        'node_modules/needed': { resolved: 'needed', link: true },
        needed: { version: '1.0.0' },
      },
    },
    'needed/package.json': needed,
  };
  mkdirSync(join(folder, 'needed'));
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(folder, name), JSON.stringify(content));
  writeFileSync(join(folder, 'needed/index.mjs'), "export const word = 'needed';");
  const module = "import { word } from 'needed'; console.log(word, ...process.argv.slice(2));";
  writeFileSync(join(folder, 'module.mjs'), module);
  return folder;
}

test('a module of a fresh clone runs: its packages are installed first, and once more when the lock file is newer', () => {
  const folder = checkout();
  const run = () =>
    execFileSync('sh', ['-c', 'node local/checkout/run.mjs module.mjs a b 2>&1'], {
      cwd: folder,
      encoding: 'utf8',
    });
  const installing = /^installing the packages of package-lock\.json[\s\S]*\nneeded a b\n$/;
  expect(run()).toMatch(installing);
  expect(run()).toBe('needed a b\n');
  const later = Date.now() / 1_000 + 60;
  utimesSync(join(folder, 'package-lock.json'), later, later);
  expect(run()).toMatch(installing);
});
