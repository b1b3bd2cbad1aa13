import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createLightWorld } from '../../support/world.ts';
import { fileOf, gatehouse, removeFiles } from '../support.ts';
import { serveFunction } from './function.ts';

/** A plan in a file beside what transcripts/plan-file.txt shows. */
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-plans-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
  removeFiles();
});

test('only its owner can read it, it is of one table, and makes no folder', async () => {
  const [world, other] = [await createLightWorld(), await createLightWorld()];
  const run = (...args: readonly string[]) => gatehouse(args, { env: { TABLE_NAME: world.table } });
  const file = fileOf('users: { cyd: {} }');
  const path = join(folder, 'approved.plan');
  expect((await run('plan', file, '--out', path)).code).toBe(1);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(await run('apply', path, '--yes', '--table', other.table)).toMatchObject({
    code: 2,
    error: expect.stringMatching(/is a plan for the table .* and this is the table .*: nothing was done/),
  });
  expect((await run('plan', file, '--out', join(folder, 'no', 'such.plan'))).code).toBe(2);
  expect(() => statSync(join(folder, 'no'))).toThrow('ENOENT');
  expect((await run('apply', path, '--yes')).code).toBe(0);
  expect((await world.run('user.list', {})).items).toHaveLength(1);
});

test('through a function it is of the function at its endpoint', async () => {
  const file = fileOf('users: { cyd: {} }');
  const path = join(folder, 'function.plan');
  const [stage, live] = [await createLightWorld(), await createLightWorld()];
  const run = async ({ provision }: typeof stage, ...args: readonly string[]) => {
    const at = await serveFunction(provision);
    return { at, ...(await gatehouse([...args, '--function', 'provisioning', '--lambda-endpoint', at])) };
  };
  const { at } = await run(stage, 'plan', file, '--out', path);
  const { at: other, ...answer } = await run(live, 'apply', path, '--yes');
  expect(answer).toMatchObject({
    code: 2,
    error: expect.stringContaining(
      `is a plan for the function provisioning at ${at}, and this is the function provisioning at ${other}`,
    ),
  });
});
