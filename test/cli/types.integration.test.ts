import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { permissionType } from '../../cli/permission-type.ts';
import { ROOT } from '../documents/documents.ts';
import { createWorld } from '../support/world.ts';
import { gatehouse } from './support.ts';

/** `gatehouse types`, of a table, and what the compiler says of the result. */
mkdirSync(join(ROOT, '.site'), { recursive: true });
// Within the checkout, so that the compiler's settings are found.
const folder = mkdtempSync(join(ROOT, '.site/types-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('without a manifest the names come from the table', async () => {
  const world = await createWorld();
  await world.run('page.create', { name: 'grades' });
  await world.run('permission.create', { name: 'doors:open:door' });
  const { code, out } = await gatehouse(['--table', world.table, 'types']);
  expect(code).toBe(0);
  expect(out).toBe(permissionType(['grades', 'doors:open:door']));
});

test('the type takes its names and nothing else', () => {
  const names = ["it's", '"', '\\', 'a\nb', '\u2028', 'grades'];
  writeFileSync(join(folder, 'permission.ts'), permissionType(names));
  writeFileSync(
    join(folder, 'use.ts'),
    `import type { Permission } from './permission.ts';
export const all: readonly Permission[] = ${JSON.stringify(names)};
// @ts-expect-error: a name that is misspelt
export const one: Permission = 'grade';
`,
  );
  const config = { extends: join(ROOT, 'tsconfig.json'), include: ['*.ts'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { stdout, status } = spawnSync('node', [tsc, '-p', folder], { encoding: 'utf8' });
  expect({ stdout, status }).toEqual({ stdout: '', status: 0 });
});
