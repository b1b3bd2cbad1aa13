import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const RELATIVE_IMPORT = /(from '|import\(["'])(\.[^'"]+)\.ts(?=["'])/g;

/**
 * Keeps the declarations that an entry of the package leads to: nobody can import the others. Their imports name
 * the `.js` file that is beside them; TypeScript itself leaves the `.ts` of the source.
 *
 * @param folder with compiled modules and their declarations
 * @param entries paths of declarations in it
 */
export function keepReachableDeclarations(folder: string, entries: readonly string[]): void {
  const reachable = new Set<string>();
  const waiting = [...entries];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (reachable.has(name)) continue;
    reachable.add(name);
    const file = join(folder, name);
    const text = readFileSync(file, 'utf8');
    for (const [, , path = ''] of text.matchAll(RELATIVE_IMPORT))
      waiting.push(join(dirname(name), `${path}.d.ts`));
    writeFileSync(file, text.replace(RELATIVE_IMPORT, '$1$2.js'));
  }
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    if (name.endsWith('.d.ts') && !reachable.has(name)) rmSync(join(folder, name));
}
