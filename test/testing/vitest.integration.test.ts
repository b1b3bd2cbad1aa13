import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { blocksOf, ROOT } from '../documents/documents.ts';
import { folderInCheckout } from '../support/checkout-folder.ts';

/** The matchers in a run of Vitest of its own, as a user has it. */
const folder = folderInCheckout('testing');

const BLOCKS = blocksOf('docs/testing.md');
const sample = BLOCKS.find(({ language }) => language === 'ts');
/** The first sample of the document, with sources in the place of the package. */
const SAMPLE = (sample?.text ?? '')
  .replace("'gatehouse-authz/testing'", "'../../testing/index.ts'")
  .replace("'gatehouse-authz/testing/vitest'", "'../../testing/vitest.ts'");

const WRONG = SAMPLE.replace("toAllow('ann', 'grades', 'north')", "toAllow('ann', 'grades', 'south')");
const FORGOTTEN = SAMPLE.replace(
  "await expect(authz).toAllow('ann', 'grades', 'north')",
  "expect(authz).toAllow('ann', 'grades', 'south')",
);

/** Runs Vitest on test files. */
function run(files: Readonly<Record<string, string>>): { readonly status: number | null; output: string } {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, `${name}.check.ts`), text);
  const config = join(folder, 'config.mjs');
  const test = `{ include: ['{${Object.keys(files)},}.check.ts'], isolate: false }`;
  writeFileSync(config, `export default { root: ${JSON.stringify(folder)}, test: ${test} };\n`);
  const args = [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--config', config];
  const { status, stdout, stderr } = spawnSync('node', args, {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, NO_COLOR: '1' },
  });
  return { status, output: `${stdout}${stderr}` };
}

test('the sample of the document passes; a refusal is explained, and no forgotten await passes', () => {
  expect([WRONG, FORGOTTEN]).not.toContain(SAMPLE);
  const { status, output } = run({ sample: SAMPLE, wrong: WRONG, forgotten: FORGOTTEN });
  expect(status).toBe(1);
  expect(output).toMatch(/✓ sample\.check\.ts/);
  expect(output).toMatch(/FAIL {2}wrong\.check\.ts/);
  for (const part of ['got       REFUSED (no_grant)', 'what would have helped'])
    expect(output).toContain(part);
  expect(output).toContain('This error originated in "forgotten.check.ts"');
  expect(output.split('asked     ann: grades at south')).toHaveLength(3);
});
