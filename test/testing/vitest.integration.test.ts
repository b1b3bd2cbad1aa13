import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { blocksOf, ROOT } from '../documents/documents.ts';

/** The matchers in a run of Vitest of its own, as a user has it. */
mkdirSync(join(ROOT, '.site'), { recursive: true });
// Within the checkout, so that packages are found.
const folder = mkdtempSync(join(ROOT, '.site/testing-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const BLOCKS = blocksOf('docs/testing.md');
const first = BLOCKS.findIndex(({ language }) => language === 'ts');
const [sample, report] = BLOCKS.slice(first);
/** The first sample of the document, with sources in the place of the package. */
const SAMPLE = (sample?.text ?? '')
  .replace("'gatehouse-authz/testing'", "'../../testing/index.ts'")
  .replace("'gatehouse-authz/testing/vitest'", "'../../testing/vitest.ts'");

/** Runs Vitest on one test file. */
function run(name: string, text: string): { readonly passes: boolean; readonly output: string } {
  writeFileSync(join(folder, `${name}.check.ts`), text);
  writeFileSync(
    join(folder, `${name}.config.mjs`),
    `export default { root: ${JSON.stringify(folder)}, test: { include: ['${name}.check.ts'] } };\n`,
  );
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--config', join(folder, `${name}.config.mjs`)];
  const { status, stdout, stderr } = spawnSync('node', args, {
    ...{ cwd: folder, encoding: 'utf8' },
    env: { PATH: process.env.PATH, NO_COLOR: '1' },
  });
  return { passes: status === 0, output: `${stdout}${stderr}` };
}

test('the first sample of the document passes', () => {
  expect(run('sample', SAMPLE)).toMatchObject({ passes: true, output: expect.stringContaining('1 passed') });
});

test('a refusal that is not expected is explained in the report, as the document says', () => {
  const { passes, output } = run(
    'wrong',
    SAMPLE.replace("toAllow('ann', 'grades', 'north')", "toAllow('ann', 'grades', 'south')"),
  );
  expect(passes).toBe(false);
  const said = (text: string) => text.trim().replace(/\d{4}-\d\d-\d\dT\S+Z/g, 'TIME');
  expect(said(output)).toContain(said(report?.text ?? '?'));
});

test('a forgotten await does not pass in silence', () => {
  const forgotten = SAMPLE.replace(
    "await expect(authz).toAllow('ann', 'grades', 'north')",
    "expect(authz).toAllow('ann', 'grades', 'south')",
  );
  expect(forgotten).not.toBe(SAMPLE);
  const { passes, output } = run('forgotten', forgotten);
  expect(passes).toBe(false);
  expect(output).toContain('asked     ann: grades at south');
});
