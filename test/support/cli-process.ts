import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What a module of the sources finds beside itself, it finds there. */
const asInSources: Plugin = {
  name: 'as-in-sources',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.ts$/ }, ({ path }) => ({
      loader: 'ts',
      contents: readFileSync(path, 'utf8').replaceAll(
        'import.meta.url',
        JSON.stringify(pathToFileURL(path).href),
      ),
    })),
};

let made: Promise<string> | undefined;

/**
 * The command line for `node`, from the sources of this checkout: bundled once in each worker, as `tsx` takes five times
 * as long at each start.
 */
export const cliMain = (): Promise<string> => (made ??= bundleCli());

async function bundleCli(): Promise<string> {
  const outdir = mkdtempSync(join(tmpdir(), 'gatehouse-cli-main-'));
  process.once('exit', () => rmSync(outdir, { recursive: true, force: true }));
  await build({
    absWorkingDir: ROOT,
    entryPoints: ['cli/main.ts'],
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    mainFields: ['module', 'main'],
    plugins: [asInSources],
    logLevel: 'silent',
    banner: {
      js: `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(${JSON.stringify(join(ROOT, 'package.json'))});`,
    },
  });
  return join(outdir, 'main.mjs');
}
