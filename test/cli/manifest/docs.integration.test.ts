import { readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { SECTIONS } from '../../../provisioning/apply/schema.ts';
import { createLightWorld } from '../../support/world.ts';
import { fileOf, gatehouse, removeFiles } from '../support.ts';

/** What docs/manifests.md shows is true. */
afterAll(removeFiles);
const read = (name: string) => readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8');
const DOCUMENT = read('docs/manifests.md');
const blocks = (language: string): readonly string[] =>
  [...DOCUMENT.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].flatMap(([, of, block = '']) =>
    of === language ? [block] : [],
  );

test('the first example comes to the plan that is shown', async () => {
  const world = await createLightWorld();
  const file = fileOf(blocks('yaml')[0] ?? '');
  const env = { TABLE_NAME: world.table };
  const planned = await gatehouse(['plan', file], { env });
  const shown = planned.out.replace(
    /^.*\n/,
    'school.yaml for the table gatehouse at http://127.0.0.1:3001\n',
  );
  expect(shown).toBe(blocks('')[0]);
  expect((await gatehouse(['apply', file, '--yes'], { env })).code).toBe(0);
  expect((await gatehouse(['plan', file], { env })).code).toBe(0);
});

test('every section is in the table of keys', () => {
  for (const section of SECTIONS) expect(DOCUMENT, section).toMatch(new RegExp(`^\\| \`${section}\``, 'm'));
});
