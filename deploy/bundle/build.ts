import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { parse } from 'yaml';
import { conditionsChunk } from './conditions-chunk.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The options of deploy/bundle/esbuild.yml. Paths are from the root of the repository. */
export const bundleOptions = (): BuildOptions & { readonly absWorkingDir: string } => ({
  ...parse(readFileSync(new URL('esbuild.yml', import.meta.url), 'utf8')),
  absWorkingDir: ROOT,
  plugins: [conditionsChunk],
});

export interface Bundle {
  readonly text: string;
  readonly bytes: number;
  readonly metafile: Metafile;
}

/**
 * Bundles a module as the stack does. What `handler.js` loads of conditions, `handler.conditions.js`, is the bundle
 * of `engine/conditions/cel.ts`.
 *
 * @param entry a path from the root of the repository, as `authorizer/handler.ts`
 * @param options of esbuild; those of the stack unless given
 * @throws esbuild's BuildFailure
 */
export async function bundle(entry: string, options: BuildOptions = bundleOptions()): Promise<Bundle> {
  const { metafile, outputFiles } = await build({
    ...options,
    absWorkingDir: ROOT,
    entryPoints: [entry],
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  const [output] = outputFiles;
  if (output === undefined) throw new Error(`esbuild made no output for ${entry}`);
  return { text: output.text, bytes: output.contents.byteLength, metafile };
}
