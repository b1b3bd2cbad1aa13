import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { createProvisioning } from '../../../provisioning/index.ts';
import { createLightWorld, type World } from '../../support/world.ts';
import { gatehouse } from '../support.ts';

/** A folder of manifests: what an export is divided into, and what plan and apply make of it. */
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-folder-'));
afterAll(() => rmSync(folder, { recursive: true }));

let world: World;
beforeEach(async () => {
  world = await createLightWorld();
});
const run = (args: readonly string[], on = world) => gatehouse(args, { env: { TABLE_NAME: on.table } });

test('what is too large for one file is exported as a folder, which is planned and applied', async () => {
  const roles = Array.from({ length: 1_000 }, (_, n) => ({
    command: 'role.create',
    input: { name: `role-${n}`, scope: 'tenant', description: 'x'.repeat(1_000) },
  }));
  const provision = createProvisioning({ ...world, newId: () => ulid(), budgetMs: Number.POSITIVE_INFINITY });
  expect(await provision({ batch: roles })).toMatchObject({ ok: true });
  const output = join(folder, 'large');
  const exported = await run(['export', '--output', output]);
  expect(exported).toMatchObject({ code: 0, out: '' });
  expect(exported.error).toContain(`too large for one file: ${output} is a folder of 2 files`);
  expect(readdirSync(output)).toEqual(['1.yaml', '2.yaml']);
  const { code, out } = await run(['plan', output]);
  expect(code).toBe(0);
  expect(out).toMatch(
    /\n\n\/.*large: 2 files, 0 to create, 0 to change, 0 to remove; 0 dangerous; 1000 unchanged\n$/,
  );
  expect((await run(['export'])).error).toContain('give --output, which makes a folder of it');
});

test('of an empty table, plan and apply take the export', async () => {
  const output = join(folder, 'nothing.yaml');
  expect((await run(['export', '--output', output])).code).toBe(0);
  for (const subcommand of ['plan', 'apply'])
    expect(await run([subcommand, output, '--prune'])).toMatchObject({ code: 0, error: '' });
});

const FILES = {
  '1.yaml': 'scopes: { school: { type: tenant } }\ngroups: { all: { scope: school } }',
  '2.yaml':
    'part: true\nscopes: { school: { type: tenant } }\ngroups: { all: { scope: school } }\nusers: { ann: { groups: [all] } }',
  'notes.txt': 'no manifest',
};

test('its files are read one after the other, and what is for one file is refused', async () => {
  const path = mkdtempSync(join(folder, 'small-'));
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(path, name), text);
  expect((await run(['plan', path])).code).toBe(1);
  const refused = await run(['apply', path]);
  expect(refused.code).toBe(1);
  expect(refused.error).toContain('nothing was done: there is no terminal to ask on');
  const applied = await run(['apply', path, '--yes', '--json']);
  expect(applied.code).toBe(0);
  expect(JSON.parse(applied.out)).toMatchObject({
    create: 4,
    files: [
      { file: join(path, '1.yaml'), applied: true, create: 2 },
      { file: join(path, '2.yaml'), applied: true, create: 2, unchanged: 2 },
    ],
  });
  expect((await run(['plan', path])).code).toBe(0);
  for (const option of ['--prune', '--prune-shared']) {
    const { code, error } = await run(['apply', path, '--yes', option]);
    expect(code).toBe(2);
    expect(error).toContain(
      `is a folder of 2 files, each planned by itself, and ${option} is for one file: leave it out`,
    );
    expect(error).toContain('gatehouse export, and remove by commands what no file has');
  }
  writeFileSync(join(path, '2.yaml'), 'users: { ann: { groups: [all] } }');
  for (const command of [['plan'], ['apply', '--yes']]) {
    const { code, error } = await run([...command, path]);
    expect(code).toBe(2);
    expect(error.split('\n')).toEqual([
      `${path}: each file of a folder is a manifest by itself: give it what its entries name too, and part: true`,
      `${join(path, '2.yaml')}:1:26: users.ann.groups[0]: there is no group all: there is none`,
      '',
    ]);
  }
  const empty = mkdtempSync(join(folder, 'empty-'));
  expect((await run(['plan', empty])).error).toContain('is a folder without a manifest');
});

test('its plan is saved as a folder of plans, and nothing else is applied', async () => {
  const path = mkdtempSync(join(folder, 'planned-'));
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(path, name), text);
  const plans = join(folder, 'plans');
  expect((await run(['plan', path, '--out', plans])).code).toBe(1);
  expect(readdirSync(plans)).toEqual(['1.json', '2.json']);
  expect(await run(['apply', plans, '--yes'])).toMatchObject({ code: 0, error: '' });
  expect((await run(['plan', path])).code).toBe(0);
  // Done already.
  expect((await run(['apply', plans, '--yes'])).code).toBe(0);
  const [tenant] = (await world.run('tenant.list', {})).items as { id: string }[];
  await world.run('tenant.update', { id: tenant?.id, name: 'renamed since' });
  const other = await run(['apply', plans, '--yes']);
  expect(other.code).toBe(1);
  expect(other.error).toContain('1.json is out of date');
}, 20_000);

test('a file that is wrong ends it, and what was applied before stays', async () => {
  const path = mkdtempSync(join(folder, 'wrong-'));
  writeFileSync(join(path, '1.yaml'), FILES['1.yaml']);
  writeFileSync(join(path, '2.yaml'), 'groups: { all: { scope: nowhere } }');
  const { code, error } = await run(['apply', path, '--yes']);
  expect(code).toBe(2);
  expect(error).toContain(join(path, '2.yaml'));
  expect((await world.run('tenant.list', {})).items).toHaveLength(1);
});
