import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildResult, build } from 'esbuild';
import { bundleOptions } from './build.ts';

/** The functions of template.yaml. The AuthZEN API runs from the package as `gatehouse serve`. */
const FUNCTIONS = ['authorizer', 'provisioning'];
const CONDITIONS = 'engine/conditions/cel.ts';

/**
 * Writes the functions of the package as the stack deploys them: `NAME/handler.js` with `handler.conditions.js`,
 * and the licences of what is bundled into them.
 *
 * @param folder where to, a whole path
 * @throws esbuild's BuildFailure
 */
export async function writeFunctions(folder: string): Promise<void> {
  const bundled = new Set<string>();
  const options = bundleOptions();
  const remember = ({ metafile }: BuildResult): void => {
    for (const input of Object.keys(metafile?.inputs ?? {})) bundled.add(input);
  };
  for (const name of FUNCTIONS) {
    const outdir = join(folder, name);
    remember(await build({ ...options, entryPoints: [`${name}/handler.ts`], outdir, metafile: true }));
  }
  // The plugin has written this beside each function.
  remember(await build({ ...options, entryPoints: [CONDITIONS], write: false, metafile: true }));
  const inputs = [...bundled].map((input) => join(options.absWorkingDir, input));
  writeFileSync(join(folder, 'LICENSES.txt'), licencesOf(inputs));
}

/** Each licence text once, under the packages that have it. */
function licencesOf(inputs: readonly string[]): string {
  const packages = new Set(
    inputs.flatMap((input) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input) ?? []),
  );
  const named = new Map<string, string[]>();
  for (const folder of [...packages].sort()) {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const texts = readdirSync(folder)
      .filter((file) => /^(?:licen[cs]e|notice)/i.test(file) && existsSync(join(folder, file)))
      .map((file) => readFileSync(join(folder, file), 'utf8').trim());
    const text = texts.join('\n\n') || `${license}`;
    named.set(text, [...(named.get(text) ?? []), `${name} ${version}`]);
  }
  return [...named]
    .map(([text, names]) => `${names.join(', ')}\n\n${text}\n`)
    .join(`\n${'-'.repeat(80)}\n\n`);
}
