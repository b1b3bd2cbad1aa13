import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle } from '../../deploy/bundle/build.ts';

/** The exports of the entry. */
export type Deployed = typeof import('./deployed-entry.ts');

/**
 * The authorizer's parts, bundled as they are deployed. Run from the sources, tsx would set the name of each
 * function that a request creates, which costs more than many of these functions.
 */
export async function loadDeployed(): Promise<Deployed> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-deployed-'));
  // Conditions are loaded from the folder when the first one is met.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const write = async (name: string, entry: string): Promise<string> => {
    const file = join(folder, name);
    writeFileSync(file, (await bundle(entry)).text);
    return file;
  };
  await write('deployed-entry.conditions.js', 'engine/conditions/cel.ts');
  return createRequire(import.meta.url)(await write('deployed.cjs', 'bench/peers/deployed-entry.ts'));
}
