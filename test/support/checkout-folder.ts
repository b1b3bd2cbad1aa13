import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { ROOT } from '../documents/documents.ts';

/** A folder within the checkout, so that its packages and settings are found; it goes when the tests of the file have ended. */
export function folderInCheckout(name: string): string {
  mkdirSync(join(ROOT, '.site'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, `.site/${name}-`));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** What the compiler prints of a project: nothing when it compiles. */
export function compile(project: string): string {
  const args = [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', project, '--pretty', 'false'];
  const { stdout, stderr, status } = spawnSync('node', args, { cwd: ROOT, encoding: 'utf8' });
  const printed = `${stdout}${stderr}`;
  return status === 0 || printed !== '' ? printed : `the compiler ended with ${status}`;
}
