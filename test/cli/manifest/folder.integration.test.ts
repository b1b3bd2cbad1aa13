import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { afterAll, expect, test } from 'vitest';
import { createProvisioning } from '../../../provisioning/index.ts';
import { createLightWorld } from '../../support/world.ts';
import { gatehouse } from '../support.ts';

/** A folder of manifests that an export is divided into. What plan and apply make of one: transcripts/folder.txt. */
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-folder-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('what is too large for one file is exported as a folder, which is planned', async () => {
  const world = await createLightWorld();
  const run = (...args: readonly string[]) => gatehouse(args, { env: { TABLE_NAME: world.table } });
  const roles = Array.from({ length: 1_000 }, (_, n) => ({
    command: 'role.create',
    input: { name: `role-${n}`, scope: 'tenant', description: 'x'.repeat(1_000) },
  }));
  const provision = createProvisioning({ ...world, newId: () => ulid(), budgetMs: Number.POSITIVE_INFINITY });
  expect(await provision({ batch: roles })).toMatchObject({ ok: true });
  const output = join(folder, 'large');
  const exported = await run('export', '--output', output);
  expect(exported).toMatchObject({ code: 0, out: '' });
  expect(exported.error).toContain(`too large for one file: ${output} is a folder of 2 files`);
  expect(readdirSync(output)).toEqual(['1.yaml', '2.yaml']);
  const { code, out } = await run('plan', output);
  expect(code).toBe(0);
  expect(out).toMatch(
    /\n\n\/.*large: 2 files, 0 to create, 0 to change, 0 to remove; 0 dangerous; 1000 unchanged\n$/,
  );
  expect((await run('export')).error).toContain('give --output, which makes a folder of it');
});
