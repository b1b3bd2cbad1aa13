import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Metafile } from 'esbuild';

/**
 * `npm run explorer [folder]`: bundles the explorer's page. `index.html` is the playground, which is static files;
 * `explorer.html` is what a server shows over its table.
 */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The playground's policy; a server sends its own. Scripts and styles are files of the page; nothing is sent anywhere. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "worker-src 'self' blob:",
  "connect-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

export async function buildExplorer(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const usual: BuildOptions = {
    absWorkingDir: ROOT,
    outdir: folder,
    bundle: true,
    minify: true,
    target: ['chrome120', 'firefox121', 'safari17'],
    logLevel: 'warning',
  };
  const { metafile } = await build({
    ...usual,
    entryPoints: { main: 'explorer/page/main.tsx', worker: 'explorer/playground/worker.ts' },
    splitting: true,
    format: 'esm',
    platform: 'browser',
    legalComments: 'linked',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    loader: { '.yaml': 'text' },
    // Zod would try whether it may compile code, which the content security policy forbids: before any schema is made.
    banner: { js: 'globalThis.__zod_globalConfig ??= { jitless: true };' },
    chunkNames: 'chunk-[hash]',
    metafile: true,
  });
  await build({ ...usual, entryPoints: { main: 'explorer/page/styles/index.css' } });
  const icon = readFileSync(join(ROOT, 'explorer/page/icon.svg')).toString('base64');
  const page = readFileSync(join(ROOT, 'explorer/page/index.html'), 'utf8')
    // Chromium asks for the icon again whenever the address changes.
    .replace('href="icon.svg"', `href="data:image/svg+xml;base64,${icon}"`);
  const withMode = (mode: string, policy: string, chunks: readonly string[]) =>
    page
      .replace('MODE', mode)
      .replace('    POLICY\n', policy && `    ${policy}\n`)
      .replace('  </head>', [...chunks.map((each) => `    ${each}\n`), '  </head>'].join(''));
  const meta = `<meta http-equiv="content-security-policy" content="${POLICY}">`;
  // The playground works offline once it is loaded: what it loads on demand is there by then.
  const chunks = chunksOf(metafile, 'main.js').map((name) => `<link rel="modulepreload" href="${name}">`);
  writeFileSync(join(folder, 'index.html'), withMode('playground', meta, chunks));
  writeFileSync(join(folder, 'explorer.html'), withMode('explorer', '', []));
  copyFileSync(join(ROOT, 'explorer/page/icon.svg'), join(folder, 'icon.svg'));
}

/** The files that a file imports, and those that they import, at once or on demand, the nearest first. */
function chunksOf({ outputs }: Metafile, entry: string): readonly string[] {
  const imports = new Map(
    Object.entries(outputs).map(([path, output]) => [
      basename(path),
      output.imports.map((each) => basename(each.path)),
    ]),
  );
  const found = new Set([entry]);
  for (const name of found) for (const each of imports.get(name) ?? []) found.add(each);
  found.delete(entry);
  return [...found];
}

if (argv[1] === fileURLToPath(import.meta.url)) await buildExplorer(argv[2] ?? join(ROOT, 'explorer/built'));
