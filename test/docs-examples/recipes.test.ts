import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openModelTest } from '../support/model-test.ts';

/** The recipes of docs/conditions.md are the files of docs/examples/recipes, and each passes. */
const DOCS = new URL('../../docs/', import.meta.url);
const FILES = readdirSync(new URL('examples/recipes', DOCS)).sort();

test('every recipe is shown, below a heading', () => {
  const [, section = ''] = readFileSync(new URL('conditions.md', DOCS), 'utf8').split('\n## Recipes\n');
  const shown = [...section.matchAll(/^### .+\n(?:(?!^#)[\s\S])*?<!-- made: example recipes\/(\S+) -->/gm)];
  expect(shown.map(([, file]) => file).sort()).toEqual(FILES);
});

test.each(FILES)('%s', async (name) => {
  const text = readFileSync(new URL(`examples/recipes/${name}`, DOCS), 'utf8');
  const { run } = await openModelTest(name, text);
  expect((await run()).filter(({ passed }) => !passed)).toEqual([]);
});
