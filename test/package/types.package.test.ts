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
/** Applications that use all that the middleware declares; they are compiled, and do not run. */
const application = (name: string) =>
  [`application-${name}.ts`, program(`../../middleware/consumers/${name}.ts`)] as const;

const NODE = { lib: ['es2023'], types: ['node'] };
/** Those of Node 20 contradict themselves under exactOptionalPropertyTypes. */
const NODE_TYPES = { '@types/node': '@types/node-26' };
const same = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, name]));

/** A program that names all that these entries declare. */
const naming = (entries: readonly string[]): string =>
  entries.map((entry, at) => `export type * as entry${at} from '${entry}';`).join('\n');
const EVERY = { 'index.ts': naming(ENTRIES.filter((entry) => !MATCHERS.includes(entry))) };

const SERVICES = ['plain', 'express', 'fastify', 'hono', 'lambda'];
const APPLICATIONS = ['client', 'express', 'fastify', 'hono', 'lambda', 'mcp'];
const FRAMEWORKS = [
  ...['express', '@types/express', 'fastify', 'hono', '@middy/core', '@types/aws-lambda'],
  ...['@modelcontextprotocol/sdk', '@modelcontextprotocol/server'],
];

/** What a program of the folder prints. */
const printedBy = async (folder: string, name: string): Promise<string> =>
  (await promisify(execFile)(process.execPath, [join(folder, 'out', name)])).stdout;

test.each([
  ['the types of Node 20', { exactOptionalPropertyTypes: false }, same('@types/node')],
  ['the types of Node 26', {}, NODE_TYPES],
] as const)(
  'types of every entry, all declarations checked, with %s; CommonJS requires it, and runs',
  async (kind, options, packages) => {
    const files = { ...EVERY, 'commonjs.cts': program('commonjs.cts') };
    const { folder, errors } = await consume(
      kind,
      files,
      { ...RESOLUTIONS.nodenext, ...NODE, ...options },
      packages,
    );
    expect(errors).toBe('');
    expect(await printedBy(folder, 'commonjs.cjs')).toBe('ann 200\nben 403\n');
  },
);

test.each(['nodenext', 'bundler'] as const)(
  'beside the DOM, under %s: types of every entry, and services that let one user in and refuse another',
  async (resolution) => {
    const services = [...SERVICES, 'world'].map((name) => [`${name}.ts`, program(`${name}.ts`)] as const);
    const programs = Object.fromEntries([...services, ...APPLICATIONS.map(application)]);
    const { folder, errors } = await consume(
      `services ${resolution}`,
      { ...EVERY, ...programs },
      // The declarations of hono have names of the DOM.
      { ...RESOLUTIONS[resolution], ...NODE, lib: ['es2023', 'dom'] },
      { ...NODE_TYPES, ...same(...FRAMEWORKS) },
    );
    expect(errors).toBe('');
    // The program is the same under both.
    if (resolution === 'bundler') return;
    for (const name of SERVICES)
      expect(await printedBy(folder, `${name}.js`), name).toBe('ann 200\nben 403\n');
  },
);

test('without types of Node, what is no AWS SDK can be used in a browser', async () => {
  const entries = ENTRIES.filter((entry) => !/dynamodb|authorizer|metrics|testing/.test(entry));
  const options = { ...RESOLUTIONS.bundler, lib: ['es2023', 'dom'], types: [] };
  const files = { 'index.ts': naming(entries), ...Object.fromEntries([application('client')]) };
  const { errors } = await consume('entries in a browser', files, options);
  expect(errors).toBe('');
});

test('the matchers for Vitest and Jest have types', async () => {
  const runners = { vitest: ['vitest'], jest: ['@jest/globals', 'expect'] };
  const files = Object.entries(runners).map(([runner, [expecting, ...others]]) => {
    // They are peers of the package: beside it.
    for (const each of [String(expecting), ...others]) link(each, join(INSTALLED, 'node_modules'));
    const text = `import { expect } from '${expecting}';
import { testEngine } from 'gatehouse-authz/testing';
import 'gatehouse-authz/testing/${runner}';
export const check = async (): Promise<void> => {
  const authz = await testEngine({ version: 1 });
  await expect(authz).toAllow('ann', 'grades', 'north');
  // @ts-expect-error no such matcher
  await expect(authz).toPermit('ann', 'grades', 'north');
};
`;
    return [`${runner}.ts`, text];
  });
  const options = { ...RESOLUTIONS.nodenext, ...NODE };
  const { errors } = await consume('matchers', Object.fromEntries(files), options, NODE_TYPES);
  // The declarations of test runners may have errors of their own under these settings.
  expect(errors.split('\n').filter((line) => /gatehouse-authz|^(?:vitest|jest)\.ts/.test(line))).toEqual([]);
});
