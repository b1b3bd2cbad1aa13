import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle } from '../../bundle/build.ts';

/** The exports of the entry. */
type Deployed = typeof import('./deployed-entry.ts');

/**
 * The authorizer's parts, bundled as they are deployed. Run from the sources, tsx would set the name of each
 * function that a request creates, which costs more than many of these functions.
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
