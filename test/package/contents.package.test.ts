import { execFile, execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type BuildFailure, build } from 'esbuild';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { expect, inject, test } from 'vitest';

/** The tarball, as `npm publish` would send it. */
const TARBALL = inject('tarball');
const PACKAGE = join(inject('installed'), 'node_modules/gatehouse-authz');
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MANIFEST = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'));
const FILES = readdirSync(PACKAGE, { recursive: true, encoding: 'utf8', withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(PACKAGE.length + 1));
const MODULES = Object.entries<string | { readonly default: string }>(MANIFEST.exports).flatMap(
  ([name, entry]) => (typeof entry === 'string' ? [] : [[`gatehouse-authz${name.slice(1)}`, entry.default]]),
) as readonly (readonly [string, string])[];

test('it holds the product and nothing else, in less than two megabytes', () => {
  const tops = new Set(
    FILES.map((file) =>
      file
        .split('/')
        .slice(0, file.startsWith('dist/') ? 2 : 1)
        .join('/'),
    ),
  );
  const modules = [
    ...['authorizer', 'authzen', 'cli', 'docs', 'engine', 'explorer', 'local', 'middleware'],
    ...['provisioning', 'scim', 'table', 'testing'],
  ].map((folder) => `dist/${folder}`);
  const documents = ['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'docs'];
  expect([...tops].sort()).toEqual(
    [...documents, ...modules, 'functions', 'package.json', 'template.yaml'].sort(),
  );
  expect(
    FILES.filter((file) =>
      /\btest\b.*\.(?:test|spec)\.|(?:^|\/)bench(?:\/|$)|\.ts$/.test(file.replace(/\.d\.ts$/, '')),
    ),
  ).toEqual([]);
  expect(statSync(TARBALL).size).toBeLessThan(2_000_000);
});

test('no text in it refers to a document that its readers do not have', () => {
  const findings = FILES.filter((file) =>
    /\bSPEC\b|\b[Ss]eeds? 0\d\d|\bthe seeds?\b/.test(readFileSync(join(PACKAGE, file), 'utf8')),
  );
  expect(findings.filter((file) => !file.startsWith('functions/'))).toEqual([]);
});

test('no declaration reads JSON, names a source file, or takes a type of what users do not get', () => {
  const declarations = FILES.filter((file) => file.endsWith('.d.ts'));
  expect(declarations.length).toBeGreaterThan(50);
  const dependencies = Object.keys({ ...MANIFEST.dependencies, ...MANIFEST.peerDependencies });
  const isOurs = (name: string) =>
    name.startsWith('.') || dependencies.some((each) => name === each || name.startsWith(`${each}/`));
  for (const file of declarations) {
    const text = readFileSync(join(PACKAGE, file), 'utf8');
    const imports = [...text.matchAll(/(?:from |import\(|import )["']([^"']+)["']/g)].map(
      ([, name = '']) => name,
    );
    expect(
      imports.filter((name) => !isOurs(name) || /\.json$|\.ts$/.test(name)),
      file,
    ).toEqual([]);
    expect(text, file).not.toMatch(/reference types/);
  }
});

test('publint finds nothing to say', async () => {
  const { messages } = await publint({ pkgDir: PACKAGE, pack: false, level: 'suggestion', strict: true });
  expect(messages.map((message) => formatMessage(message, MANIFEST))).toEqual([]);
});

/*
 * Resolution as of Node 10 knows no `exports` and is left out. A `require` that leads to an ES module is no problem
 * since Node 20.19, which package.json asks for; all else that CommonJS could meet is checked.
 */
test('are the types wrong? They are not', async () => {
  const attw = join(ROOT, 'node_modules/@arethetypeswrong/cli/dist/index.js');
  const options = ['--profile', 'node16', '--ignore-rules', 'cjs-resolves-to-esm', '--no-definitely-typed'];
  const { stdout } = await promisify(execFile)(process.execPath, [
    attw,
    TARBALL,
    ...options,
    '--format',
    'json',
  ]);
  const { analysis } = JSON.parse(stdout);
  expect(Object.keys(analysis.entrypoints).length).toBeGreaterThanOrEqual(MODULES.length);
});

test('every entry is required by CommonJS and imported by ES modules, without a warning', () => {
  const names = MODULES.map(([name]) => name).filter((name) => !/testing\/(?:vitest|jest)$/.test(name));
  const run = (...options: string[]) =>
    execFileSync(process.execPath, options, {
      cwd: inject('installed'),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  const required = run(
    '--eval',
    names.map((name) => `console.log(Object.keys(require('${name}')).length > 0)`).join(';'),
  );
  expect(required.trim().split('\n')).toEqual(names.map(() => 'true'));
  const imported = run(
    '--input-type=module',
    '--eval',
    names.map((name) => `console.log(Object.keys(await import('${name}')).length > 0)`).join(';'),
  );
  expect(imported.trim().split('\n')).toEqual(names.map(() => 'true'));
});

/** The command line is a program, and the page of the explorer is for browsers: nobody requires them. */
test('no module but the command line awaits while it loads', async () => {
  const modules = FILES.filter((file) => /^dist\/(?!explorer\/built\/).*\.js$/.test(file));
  // CommonJS has no await at the top level, so esbuild refuses to make it of a module that does.
  const { errors } = await build({
    entryPoints: modules.map((file) => join(PACKAGE, file)),
    bundle: false,
    format: 'cjs',
    write: false,
    outdir: PACKAGE,
    logLevel: 'silent',
    logLimit: 0,
  }).catch((failure: BuildFailure) => failure);
  const awaiting = errors.map(
    ({ location }) => join('/', String(location?.file)).split('/gatehouse-authz/')[1],
  );
  expect([...new Set(awaiting)]).toEqual(['dist/cli/main.js']);
});

test('importing a module does nothing where package.json says so: a bundler leaves out what is not used', async () => {
  for (const [name, file] of MODULES) {
    const hasEffects = MANIFEST.sideEffects.includes(file);
    const { outputFiles } = await build({
      bundle: true,
      format: 'esm',
      platform: 'node',
      packages: 'external',
      write: false,
      logLevel: 'silent',
      stdin: { contents: `import '${join(PACKAGE, file)}'`, resolveDir: PACKAGE },
    });
    const text = outputFiles[0]?.text ?? '';
    expect([name, text.trim() === ''], text).toEqual([name, !hasEffects]);
  }
});

test('the bill of materials names the packages whose licences the functions hold', () => {
  const bill = JSON.parse(readFileSync(join(PACKAGE, 'functions/sbom.cdx.json'), 'utf8'));
  expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6' });
  expect(bill.metadata.component).toMatchObject({ name: 'gatehouse-authz', version: MANIFEST.version });
  const licences = readFileSync(join(PACKAGE, 'functions/LICENSES.txt'), 'utf8');
  const components: { name: string; version: string; purl: string }[] = bill.components;
  expect(components.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['jose', 'zod', '@aws-sdk/lib-dynamodb']),
  );
  for (const { name, version, purl } of components) {
    expect(licences).toContain(`${name} ${version}`);
    expect(purl).toBe(`pkg:npm/${name.replace('@', '%40')}@${version}`);
  }
});
