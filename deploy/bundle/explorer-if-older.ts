import { readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pid } from 'node:process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BUILT = join(ROOT, 'explorer/built');

/** What the page is made of: files, and folders with all that is in them. */
const SOURCES = [
  'explorer',
  'table',
  'engine',
  'authorizer',
  'provisioning',
  'testing',
  'docs/examples',
  'deploy/bundle/explorer.ts',
  'package-lock.json',
];

/** When something was last changed, in epoch milliseconds; 0 where there is nothing. */
const changedAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** When a file, or the newest file of a folder, was changed last. What the build makes does not count. */
function newestIn(path: string): number {
  if (!statSync(path).isDirectory()) return changedAt(path);
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return Math.max(
    ...names.filter((name) => !/^\.?built\b/.test(name)).map((name) => changedAt(join(path, name))),
  );
}

/**
 * Builds the page of the explorer for a checkout if it is missing or older than its sources. The new one takes the
 * place of the old one at once: somebody may be looking at it.
 */
export async function buildExplorerIfOlder(): Promise<void> {
  const builtAt = changedAt(join(BUILT, 'explorer.html'));
  if (SOURCES.every((source) => newestIn(join(ROOT, source)) <= builtAt)) return;
  const { buildExplorer } = await import('./explorer.ts');
  const made = join(ROOT, `explorer/.built-${pid}`);
  await buildExplorer(made);
  rmSync(BUILT, { recursive: true, force: true });
  try {
    renameSync(made, BUILT);
  } catch {
    // Another process has just put the same there.
    rmSync(made, { recursive: true, force: true });
  }
}
