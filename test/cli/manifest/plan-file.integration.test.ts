import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createLightWorld } from '../../support/world.ts';
import { fileOf, gatehouse, removeFiles } from '../support.ts';

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
