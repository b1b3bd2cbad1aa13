import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The path of the command line as npm would have it. */
export function builtCli(): string {
  const path = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
  if (!existsSync(path)) throw new Error('there is no dist/cli/main.js: run `npm run build` first');
  return path;
}
