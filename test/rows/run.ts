import { openSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startVitest, type TestModule } from 'vitest/node';
import { countPassed, formatJson, formatTable, type Run, reportOf } from './report.ts';
import type {} from './row.ts';

/** `npm run rows [-- --json FILE]`: which rows of the specification's section 4 work, and with which reads. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What the tests of rows came to, and what went wrong. */
async function runTests(): Promise<{ readonly runs: readonly Run[]; readonly problems: readonly string[] }> {
  const vitest = await startVitest('test', ['test/rows'], {
    root: ROOT,
    project: 'integration',
    watch: false,
    reporters: [{}],
  });
  const modules = vitest.state.getTestModules();
  const problems = [
    ...vitest.state.getUnhandledErrors().map(messageOf),
    ...modules.flatMap((module) => problemsOf(module)),
  ];
  const runs = modules.flatMap((module) => runsOf(module));
  await vitest.close();
  return { runs, problems };
}

/** Errors come from another process, as plain objects. */
const messageOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);

const runsOf = (module: TestModule): readonly Run[] =>
  [...module.children.allTests()].flatMap((test) => {
    const { row } = test.meta();
    return row ? [{ ...row, passed: test.result().state === 'passed' }] : [];
  });

/** Errors of a file and of its tests, rows or not. */
const problemsOf = (module: TestModule): readonly string[] => [
  ...module.errors().map(({ message }) => `${module.relativeModuleId}: ${message}`),
  ...[...module.children.allTests()].flatMap((test) =>
    (test.result().errors ?? []).map(({ message }) => `${test.fullName}: ${message}`),
  ),
];

async function main(): Promise<number> {
  let json: number | undefined;
  try {
    const { values } = parseArgs({ options: { json: { type: 'string' } } });
    // Opened before the tests run: a file that cannot be written is said at once.
    if (values.json !== undefined) json = openSync(values.json, 'w');
  } catch (error) {
    console.error(messageOf(error));
    return 2;
  }
  const { runs, problems } = await runTests();
  const rows = reportOf(runs);
  for (const problem of problems) console.error(problem);
  console.log(formatTable(rows));
  if (json !== undefined) writeFileSync(json, formatJson(rows));
  return countPassed(rows) === rows.length && problems.length === 0 ? 0 : 1;
}

process.exitCode = await main();
