import { createRequire } from 'node:module';
import { resolve as resolvePath } from 'node:path';
import { pathToFileURL } from 'node:url';
import { UsageError } from '../context.ts';

/**
 * Loads the package of another product, from the folder where the command runs: it reads its own files, and answers its own
 * questions. Only who imports from it has it installed.
 *
 * @throws UsageError that says how to install it
 */
export async function loadOther<T>(name: string, purpose: string): Promise<T> {
  const { resolve } = createRequire(resolvePath('package.json'));
  let path: string;
  try {
    path = resolve(name);
  } catch {
    throw new UsageError(`${purpose} takes the package ${name}: run npm install --no-save ${name}`);
  }
  const loaded = (await import(pathToFileURL(path).href)) as T & { readonly default?: T };
  return loaded.default ?? loaded;
}
