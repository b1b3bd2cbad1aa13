import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle } from '../../bundle/build.ts';

/** What the entry holds. */
type Deployed = typeof import('./deployed-entry.ts');

/**
 * The authorizer's parts as they are deployed: through the stack's bundler. Run from the sources, each function that
 * is made while a request is answered would be given its name anew, which costs more than many of them do.
 */
export async function loadDeployed(): Promise<Deployed> {
  const { text } = await bundle('bench/peers/deployed-entry.ts');
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-deployed-'));
  try {
    const file = join(folder, 'deployed.cjs');
    writeFileSync(file, text);
    return createRequire(import.meta.url)(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
