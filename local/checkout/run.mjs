// Runs a module of the checkout with its arguments: `node local/checkout/run.mjs MODULE …`. It installs the packages
// first where they are missing or older than the lock file, so that one command does on a fresh clone. Plain Node, and no
// script before `start` or `test`: npm runs none of these where install scripts are off.
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const changedAt = (name) => statSync(join(ROOT, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;

if (changedAt('node_modules/.package-lock.json') < changedAt('package-lock.json')) {
  console.error('installing the packages of package-lock.json (npm ci)');
  // npm says where it is itself; `npm` alone is no program on Windows.
  const npm = process.env.npm_execpath;
  const [command, first] = npm ? [process.execPath, [npm]] : ['npm', []];
  const args = [...first, 'ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { status } = spawnSync(command, args, { cwd: ROOT, stdio: ['ignore', 2, 2] });
  if (status !== 0) {
    console.error('npm ci failed: nothing was started');
    process.exit(status ?? 1);
  }
}

const [module, ...args] = process.argv.slice(2);
process.argv = [process.execPath, join(ROOT, module), ...args];
if (module.endsWith('.ts')) (await import('tsx/esm/api')).register();
await import(pathToFileURL(process.argv[1]));
