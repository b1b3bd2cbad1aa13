import { readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { createLightWorld } from '../support/world.ts';
import { fileOf, gatehouse, removeFiles } from './support.ts';

/** What docs/routes.md shows is true. */
afterAll(removeFiles);
const world = await createLightWorld();
await world.run('module.create', { name: 'project' });
for (const verb of ['list', 'read', 'change'])
  await world.run('permission.create', { name: `project:${verb}:project` });

const DOCUMENT = readFileSync(new URL('../../docs/routes.md', import.meta.url), 'utf8');
const blocks = (language: string): readonly string[] =>
  [...DOCUMENT.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].flatMap(([, of, block = '']) =>
    of === language ? [block] : [],
  );
const withoutIds = (text: string): string => text.replace(/\b[0-9A-HJKMNP-TV-Z]{26}\b/g, 'ID');

test('its commands, one after the other, print what it shows', async () => {
  const [example = ''] = blocks('yaml');
  const file = fileOf(example);
  const shells = blocks('sh').filter((block) => !block.startsWith('aws'));
  const [matched, missed, dry, mistakes, gaps] = blocks('');
  const shown = [matched, missed, dry, gaps];
  expect(shells).toHaveLength(shown.length);
  for (const [position, shell] of shells.entries()) {
    let last = '';
    for (const line of shell.trim().split('\n')) {
      const args = [...line.replace(/^npx gatehouse-authz /, '').matchAll(/'([^']*)'|(\S+)/g)];
      const { out, error } = await gatehouse(
        args.map(([, quoted, plain = '']) => quoted ?? plain.replace('openapi.yaml', file)),
        { env: { TABLE_NAME: world.table } },
      );
      expect(error, line).toBe('');
      last = out.replaceAll(file, 'openapi.yaml');
    }
    expect(withoutIds(last)).toBe(withoutIds(shown[position] ?? ''));
  }

  const wrong = fileOf(
    example
      .replace("permission: 'project:read", "permision: 'project:read")
      .replace('change:project', 'change'),
  );
  const { error } = await gatehouse(['route', 'import', wrong, '--table', world.table]);
  expect(error.replaceAll(wrong, 'openapi.yaml')).toBe(mistakes);
});
