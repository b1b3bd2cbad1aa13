import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { permissionType } from '../../cli/permission-type.ts';
import { ROOT } from '../documents/documents.ts';
import { compile, folderInCheckout } from '../support/checkout-folder.ts';
import { createWorld } from '../support/world.ts';
import { gatehouse } from './support.ts';

/** `gatehouse types`, of a table, and what the compiler says of the result. */
const folder = folderInCheckout('types');

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
  expect(compile(folder)).toBe('');
});
