import { readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { fileOf, gatehouse, removeFiles } from '../cli/support.ts';
import { createLightWorld, type World } from '../support/world.ts';

/** The commands of the example workflows, run in their order over two tables in place of two functions. */
const FOLDER = new URL('../../docs/examples/', import.meta.url);

interface Workflow {
  readonly jobs: Readonly<Record<string, { readonly steps: readonly { readonly run?: string }[] }>>;
}

const commandsOf = (name: string): readonly string[] => {
  const { jobs } = parse(readFileSync(new URL(`workflows/${name}`, FOLDER), 'utf8')) as Workflow;
  return Object.values(jobs)
    .flatMap(({ steps }) => steps.flatMap(({ run = '' }) => run.replaceAll('\\\n', ' ').split('\n')))
    .filter((line) => line.includes('npx gatehouse-authz'))
    .map((line) => line.replace(/^npx gatehouse-authz /, '').replace(/\s*\|.*$/, ''));
};

let stage: World;
let live: World;
let files: Readonly<Record<string, string>>;
beforeEach(async () => {
  [stage, live] = [await createLightWorld(), await createLightWorld()];
  files = Object.fromEntries(['stage.yaml', 'live.plan', 'live.yaml'].map((name) => [name, fileOf('')]));
  for (const file of Object.values(files)) rmSync(file);
});
afterAll(removeFiles);

/** A line of a workflow with this test's files and tables. */
const run = (line: string) => {
  const texts: Readonly<Record<string, string>> = {
    ...files,
    '--function': '--table',
    'tests/*.test.yaml': fileURLToPath(new URL('school.test.yaml', FOLDER)),
  };
  const args = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(
    ([, quoted, bare = '']) => quoted ?? texts[bare] ?? bare,
  );
  const filled = args.map((arg) =>
    arg.replace(/\$\{\{ (\S+) \}\}/g, (_, name) => {
      if (name === 'vars.STAGE_FUNCTION') return stage.table;
      return name === 'vars.LIVE_FUNCTION' ? live.table : 'somebody';
    }),
  );
  return gatehouse(filled, { env: {} });
};
const school = readFileSync(new URL('school.manifest.yaml', FOLDER), 'utf8');

test('promote.yml: production is as stage, once the plan is applied', async () => {
  const manifest = fileOf(school);
  expect(await gatehouse(['apply', manifest, '--yes', '--table', stage.table])).toMatchObject({ code: 0 });
  const [exporting, testing, planning, applying, exportingLive, ...more] = commandsOf('promote.yml');
  expect(more).toEqual([]);
  expect(await run(exporting ?? '')).toMatchObject({ code: 0 });
  expect(await run(testing ?? '')).toMatchObject({ code: 0, error: '' });
  // 1: there is something to do, which the workflow lets pass.
  expect(await run(planning ?? '')).toMatchObject({ code: 1 });
  expect(await run(applying ?? '')).toMatchObject({ code: 0 });
  expect(await run(exportingLive ?? '')).toMatchObject({ code: 0 });
  const [before, after] = ['stage.yaml', 'live.yaml'].map((name) => readFileSync(files[name] ?? '', 'utf8'));
  expect(after).toBe(before);
});

test('watch.yml: doctor, and an export to compare', async () => {
  const [doctor = '', exporting = ''] = commandsOf('watch.yml');
  expect(doctor).toMatch(/^doctor --authorizer "\$\{\{ vars\.LIVE_AUTHORIZER \}\}"$/);
  expect(await run(exporting)).toMatchObject({ code: 0 });
});
