import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { keepReachableDeclarations } from './declarations.ts';
import { buildExplorer } from './explorer.ts';
import { writeFunctions } from './functions.ts';
import { writeSamTemplate } from './sam-template.ts';

/** `npm run build`: what the package holds beside files of the repository, `dist/`, `functions/` and `template.yaml`. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const [DIST, FUNCTIONS] = [join(ROOT, 'dist'), join(ROOT, 'functions')];
/** What `gatehouse dev` reads. */
const SAMPLE = 'docs/examples/sample.manifest.yaml';

function compile(...options: readonly string[]): void {
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [compiler, '-p', join(ROOT, 'tsconfig.build.json'), ...options], {
    stdio: 'inherit',
  });
}

/** The declarations of the entries in package.json, as paths in `dist/`. */
function entries(): readonly string[] {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    exports: Readonly<Record<string, string | { readonly types?: string }>>;
  };
  return Object.values(exports).flatMap((entry) =>
    typeof entry !== 'string' && entry.types ? [entry.types.slice('./dist/'.length)] : [],
  );
}

for (const folder of [DIST, FUNCTIONS]) rmSync(folder, { recursive: true, force: true });
// Comments are in the declarations: in both they would be a fifth of the package.
compile('--declaration', 'false', '--removeComments');
// The same sources, which have just been checked.
compile('--emitDeclarationOnly', '--noCheck');
keepReachableDeclarations(DIST, entries());
cpSync(join(ROOT, SAMPLE), join(DIST, SAMPLE));
await writeFunctions(FUNCTIONS);
writeSamTemplate(join(ROOT, 'template.yaml'));
await buildExplorer(join(DIST, 'explorer/built'));
