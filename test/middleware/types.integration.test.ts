import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { ROOT } from '../documents/documents.ts';
import { compile, folderInCheckout } from '../support/checkout-folder.ts';

/**
 * The declarations as they are shipped, used with the frameworks' own types: by applications that check libraries
 * too, and where no framework is installed.
 */
const CONSUMERS = join(ROOT, 'test/middleware/consumers');

const folder = folderInCheckout('types');
beforeAll(() => {
  writeFileSync(
    join(folder, 'build.json'),
    JSON.stringify({
      extends: join(ROOT, 'tsconfig.build.json'),
      // The sources are checked elsewhere.
      compilerOptions: {
        outDir: join(folder, 'dist'),
        rootDir: ROOT,
        emitDeclarationOnly: true,
        noCheck: true,
      },
      include: [join(ROOT, 'middleware')],
    }),
  );
  expect(errorsOf('build.json')).toEqual([]);
});

/** What the compiler says is wrong, but in the packages themselves. */
const errorsOf = (project: string): readonly string[] =>
  compile(join(folder, project))
    .split('\n')
    .filter((line) => /error TS|^the compiler/.test(line) && !/^[^(]*node_modules\//.test(line));

const consume = (name: string, files: readonly string[], options: object) => {
  writeFileSync(
    join(folder, name),
    JSON.stringify({
      compilerOptions: {
        target: 'ES2022',
        strict: true,
        exactOptionalPropertyTypes: true,
        skipLibCheck: false,
        noEmit: true,
        noUncheckedIndexedAccess: true,
        types: ['node'],
        module: 'nodenext',
        moduleResolution: 'nodenext',
        allowImportingTsExtensions: true,
        paths: Object.fromEntries(
          [
            ['middleware', 'middleware'],
            ['client', 'middleware/client'],
          ].map(([entry, path]) => [`gatehouse-authz/${entry}`, [join(folder, `dist/${path}/index.d.ts`)]]),
        ),
        ...options,
      },
      files,
    }),
  );
  return errorsOf(name);
};

// Under `bundler`: test/package/types.package.test.ts.
test('applications of every framework compile', () => {
  const files = readdirSync(CONSUMERS).map((file) => join(CONSUMERS, file));
  expect(files).toHaveLength(5);
  expect(consume('all.json', files, {})).toEqual([]);
});

test('the client compiles with the types of a browser alone', () => {
  const browser = { types: [], lib: ['ES2022', 'DOM'], module: 'esnext', moduleResolution: 'bundler' };
  expect(consume('browser.json', [join(CONSUMERS, 'client.ts')], browser)).toEqual([]);
});

test('no declaration imports a framework', () => {
  const declarations = readdirSync(join(folder, 'dist/middleware'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.d.ts'))
    .map((file) => readFileSync(join(folder, 'dist/middleware', file), 'utf8'));
  expect(declarations.length).toBeGreaterThan(10);
  expect(declarations.join('').match(/'(?:express|fastify|hono|aws-lambda|@middy)[^']*'/g)).toBeNull();
});
