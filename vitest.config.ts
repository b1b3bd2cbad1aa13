import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { bundle } from './deploy/bundle/build.ts';

/** Puts the authorizer as the stack bundles it in the place of its source. */
function bundled() {
  let built: Promise<string> | undefined;
  async function write(): Promise<string> {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bundled-'));
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'authorizer.cjs');
    writeFileSync(file, (await bundle('test/support/bundled-authorizer.ts')).text);
    const conditions = await bundle('engine/conditions/cel.ts');
    writeFileSync(join(folder, 'bundled-authorizer.conditions.js'), conditions.text);
    return file;
  }
  return {
    name: 'bundled',
    enforce: 'pre' as const,
    resolveId(source: string, importer = '') {
      const isOfBundle = /^jose$|\/authorizer\/(?:index|errors)\.ts$|\/table\/errors\.ts$/.test(source);
      if (!isOfBundle || !importer.includes('/test/authorizer/')) return undefined;
      built ??= write();
      return built.then((id) => ({ id, external: true }));
    },
  };
}

/** Manifests are imported as their text, as bundle/explorer.ts has them bundled. */
const texts = {
  name: 'texts',
  enforce: 'pre' as const,
  load: (id: string) =>
    /\.yaml$/.test(id) ? `export default ${JSON.stringify(readFileSync(id, 'utf8'))}` : undefined,
};

/*
 * The name of a file says when it runs (test/tiers.test.ts holds it):
 *
 *   *.test.ts              unit (`npm run test:unit`, on the memory table)
 *   *.integration.test.ts  it starts a process, needs the DynamoDB engine or takes seconds
 *   *.soak.test.ts         `npm run proof -- soak` alone, which runs unit and integration tests too, on the engine and larger
 *   *.package.test.ts      `npm run test:package` alone: it builds the package and installs its tarball
 *   *.browser.test.ts      `npm run test:browser` alone: it drives Chromium
 *
 * `npm test` runs unit tests, integration tests, and on the DynamoDB engine the unit tests of what the memory table only
 * imitates: forms of items, transactions, conflicts and races. `npm run test:engine` has all of them on the engine.
 */
const ALL = 'test/**/*.test.ts';
const INTEGRATION = 'test/**/*.integration.test.ts';
const SOAK = 'test/**/*.soak.test.ts';
const PACKAGE = 'test/**/*.package.test.ts';
const BROWSER = 'test/**/*.browser.test.ts';
const ENGINE = ['test/support/engine.ts'];
/** Those that open a table: what opens none, or one in memory in every tier, is the same there. */
const OF_ENGINE = [
  'test/table/{decision-round-trip,form,writer}.test.ts',
  'test/provisioning/{interleaving,transaction,uniqueness,uniqueness-races}.test.ts',
];

export default defineConfig({
  plugins: [texts],
  test: {
    // The SDK's notice about Node 20, once per worker, would bury the report.
    env: { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' },
    // Much of a test's time is that of databases and processes: two more than Vitest takes on two cores.
    maxWorkers: 3,
    // Loading modules anew for each file would take a third of the time.
    isolate: false,
    // Only what hangs shall fail of this: not what shares its machine with others.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    coverage: { include: ['{table,engine,authorizer,authzen,provisioning,scim,testing,cli}/**/*.ts'] },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: [ALL],
          exclude: [INTEGRATION, SOAK, PACKAGE, BROWSER],
          globalSetup: ['test/support/no-engine.ts'],
          setupFiles: ['test/support/quick-digest.ts', 'test/support/no-process.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: [INTEGRATION, ...OF_ENGINE],
          exclude: [SOAK, PACKAGE, BROWSER],
          globalSetup: ENGINE,
          setupFiles: ['test/support/quick-digest.ts'],
        },
      },
      {
        extends: true,
        test: { name: 'engine', include: [ALL], exclude: [SOAK, PACKAGE, BROWSER], globalSetup: ENGINE },
      },
      // What a request meets, with what is deployed, on the Node of Lambda: bench/node24.sh. handler.ts itself:
      // test/stack/handler.integration.test.ts.
      {
        extends: true,
        plugins: [texts, bundled()],
        test: {
          name: 'bundled',
          include: ['test/authorizer/{attacks,authorizer,compose,conditions,issuers}.test.ts'],
          globalSetup: ENGINE,
        },
      },
      {
        extends: true,
        test: {
          name: 'soak',
          include: [ALL],
          exclude: [PACKAGE, BROWSER],
          globalSetup: ENGINE,
          // Twenty times the runs of a property on the engine take longer than others do.
          testTimeout: 3_600_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'package',
          include: [PACKAGE],
          globalSetup: [...ENGINE, 'test/support/packed.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: [BROWSER],
          globalSetup: [...ENGINE, 'test/support/chromium.ts'],
          // As long as a page may take on the slowest machine (test/support/browser.ts).
          expect: { poll: { timeout: 60_000 } },
        },
      },
    ],
  },
});
