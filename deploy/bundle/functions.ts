import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildResult, build } from 'esbuild';
import { bundleOptions } from './build.ts';
import { CONDITIONS } from './conditions-chunk.ts';
import { billOf, type Package } from './sbom.ts';

/** The functions of template.yaml. The AuthZEN API runs from the package as `gatehouse serve`. */
const FUNCTIONS = ['authorizer', 'provisioning'];

/**
 * Writes the functions of the package as the stack deploys them: `NAME/handler.js` with `handler.conditions.js`,
 * and, of what is bundled into them, the licences and the bill of materials.
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
  const folders = foldersOf(inputs);
  writeFileSync(join(folder, 'LICENSES.txt'), licencesOf(folders));
  const bill = billOf(packageIn(options.absWorkingDir), folders.map(packageIn));
  writeFileSync(join(folder, 'sbom.cdx.json'), `${JSON.stringify(bill)}\n`);
}

/** The folders of the packages that files are of. */
const foldersOf = (inputs: readonly string[]): readonly string[] =>
  [
    ...new Set(inputs.flatMap((input) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input) ?? [])),
  ].sort();

const packageIn = (folder: string): Package => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** Each licence text once, under the packages that have it. */
function licencesOf(folders: readonly string[]): string {
  const named = new Map<string, string[]>();
  for (const folder of folders) {
    const { name, version, license } = packageIn(folder);
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
