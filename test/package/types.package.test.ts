import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { link } from '../support/packed.ts';

/** Programs of users, compiled and run against the tarball as it is installed. */
const INSTALLED = inject('installed');
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COMPILER = join(ROOT, 'node_modules/typescript/bin/tsc');
const MANIFEST = JSON.parse(
  readFileSync(join(INSTALLED, 'node_modules/gatehouse-authz/package.json'), 'utf8'),
);
const ENTRIES = Object.entries<{ types?: string }>(MANIFEST.exports).flatMap(([name, { types }]) =>
  types === undefined ? [] : [`gatehouse-authz${name.slice(1)}`],
);

/** Entries that add matchers to a test runner, which their users have. */
const MATCHERS = ENTRIES.filter((entry) => /testing\/\w+$/.test(entry));

const STRICT = {
  strict: true,
  skipLibCheck: false,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  rewriteRelativeImportExtensions: true,
  target: 'es2023',
};
const RESOLUTIONS = {
  nodenext: { module: 'nodenext', moduleResolution: 'nodenext' },
  bundler: { module: 'preserve', moduleResolution: 'bundler' },
};

/** A project of its own beside the installed package. Answers what the compiler and the program print. */
async function consume(
  name: string,
  files: Readonly<Record<string, string>>,
  options: Readonly<Record<string, unknown>>,
  packages: Readonly<Record<string, string>> = {},
) {
  const folder = join(INSTALLED, name);
  mkdirSync(folder, { recursive: true });
  for (const [as, each] of Object.entries(packages)) link(each, join(folder, 'node_modules'), as);
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  const compilerOptions = { ...STRICT, outDir: 'out', rootDir: '.', ...options };
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: Object.keys(files) }),
  );
  return promisify(execFile)(process.execPath, [COMPILER, '-p', folder], { cwd: folder }).then(
    () => ({ folder, errors: '' }),
    ({ stdout }: { stdout: string }) => ({ folder, errors: stdout }),
  );
}

const program = (name: string): string => readFileSync(new URL(`consumers/${name}`, import.meta.url), 'utf8');

const NODE = { lib: ['es2023'], types: ['node'] };
/** Those of Node 20 contradict themselves under exactOptionalPropertyTypes. */
const NODE_TYPES = { '@types/node': '@types/node-26' };
const same = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, name]));

const SERVICES = ['plain', 'express', 'fastify', 'hono', 'lambda'];
const FRAMEWORKS = ['express', '@types/express', 'fastify', 'hono', '@middy/core', '@types/aws-lambda'];

/** How names are resolved has nothing to do with which globals there are: each is tried once with the other. */
test.each([
  ['the types of Node 20', 'nodenext', { ...NODE, exactOptionalPropertyTypes: false }, same('@types/node')],
  ['the types of Node 26', 'nodenext', NODE, NODE_TYPES],
  ['the types of Node 26', 'bundler', NODE, NODE_TYPES],
  ['the DOM and the types of Node 26', 'nodenext', { ...NODE, lib: ['es2023', 'dom'] }, NODE_TYPES],
] as const)(
  'types of every entry, all declarations checked, with %s under %s',
  async (kind, resolution, globals, packages) => {
    const entries = ENTRIES.filter((entry) => !MATCHERS.includes(entry));
    const text = entries.map((entry, at) => `export type * as entry${at} from '${entry}';`).join('\n');
    const name = `entries ${resolution} ${kind}`;
    const options = { ...RESOLUTIONS[resolution], ...globals };
    const { errors } = await consume(name, { 'index.ts': text }, options, packages);
    expect(errors).toBe('');
  },
);

test.each(['nodenext', 'bundler'] as const)(
  'services compile under %s, and let one user in and refuse another',
  async (resolution) => {
    const { folder, errors } = await consume(
      `services ${resolution}`,
      Object.fromEntries([...SERVICES, 'world'].map((name) => [`${name}.ts`, program(`${name}.ts`)])),
      // The declarations of hono have names of the DOM.
      { ...RESOLUTIONS[resolution], ...NODE, lib: ['es2023', 'dom'] },
      { ...NODE_TYPES, ...same(...FRAMEWORKS) },
    );
    expect(errors).toBe('');
    // The program is the same under both.
    if (resolution === 'bundler') return;
    for (const name of SERVICES) {
      const { stdout } = await promisify(execFile)(process.execPath, [join(folder, `out/${name}.js`)]);
      expect(stdout, name).toBe('ann 200\nben 403\n');
    }
  },
);

test('without types of Node, what is no AWS SDK can be used in a browser', async () => {
  const entries = ENTRIES.filter((entry) => !/dynamodb|authorizer|metrics|testing/.test(entry));
  const text = entries.map((entry, at) => `export type * as entry${at} from '${entry}';`).join('\n');
  const options = { ...RESOLUTIONS.bundler, lib: ['es2023', 'dom'], types: [] };
  expect((await consume('entries in a browser', { 'index.ts': text }, options)).errors).toBe('');
});

test.each([
  ['vitest', ['vitest'], "import { expect } from 'vitest';"],
  ['jest', ['@jest/globals', 'expect'], "import { expect } from '@jest/globals';"],
])('the matchers for %s have types', async (runner, packages, imported) => {
  const text = `${imported}
import { testEngine } from 'gatehouse-authz/testing';
import 'gatehouse-authz/testing/${runner}';
export const check = async (): Promise<void> => {
  const authz = await testEngine({ version: 1 });
  await expect(authz).toAllow('ann', 'grades', 'north');
  // @ts-expect-error no such matcher
  await expect(authz).toPermit('ann', 'grades', 'north');
};
`;
  // They are peers of the package: beside it.
  for (const each of packages) link(each, join(INSTALLED, 'node_modules'));
  const { errors } = await consume(
    `matchers ${runner}`,
    { 'index.ts': text },
    { ...RESOLUTIONS.nodenext, ...NODE },
    NODE_TYPES,
  );
  // The declarations of test runners may have errors of their own under these settings.
  expect(errors.split('\n').filter((line) => /gatehouse-authz|^index\.ts/.test(line))).toEqual([]);
});

test('CommonJS in TypeScript requires it, and runs', async () => {
  const { folder, errors } = await consume(
    'commonjs',
    { 'index.cts': program('commonjs.cts') },
    { ...RESOLUTIONS.nodenext, ...NODE },
    NODE_TYPES,
  );
  expect(errors).toBe('');
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'out/index.cjs')]);
  expect(stdout).toBe('ann 200\nben 403\n');
});
