import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { bundle } from '../../deploy/bundle/build.ts';
import { temporaryFolder } from '../harness/folder.ts';

/** The exports of the entry. */
export type Deployed = typeof import('./deployed-entry.ts');

/**
 * The authorizer's parts, bundled as they are deployed. Run from the sources, tsx would set the name of each
 * function that a request creates, which costs more than many of these functions.
 */
export async function loadDeployed(): Promise<Deployed> {
  // Conditions are loaded from it when the first one is met.
  const folder = temporaryFolder('deployed');
  const write = async (name: string, entry: string): Promise<string> => {
    const file = join(folder, name);
    writeFileSync(file, (await bundle(entry)).text);
    return file;
  };
  await write('deployed-entry.conditions.js', 'engine/conditions/cel.ts');
  return createRequire(import.meta.url)(await write('deployed.cjs', 'bench/peers/deployed-entry.ts'));
}
