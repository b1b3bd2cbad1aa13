import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { recipesIn } from '../../explorer/playground/examples.ts';
import { openModelTest } from '../support/model-test.ts';

/** Each recipe of docs/conditions.md passes as it is printed. */
const TEXT = readFileSync(new URL('../../docs/conditions.md', import.meta.url), 'utf8');
const [, SECTION = ''] = TEXT.split('\n## Recipes\n');
const RECIPES = recipesIn(TEXT);

test('every heading has a recipe', () => {
  expect(RECIPES.map(([title]) => title)).toEqual(
    [...SECTION.matchAll(/^### (.+)$/gm)].map(([, title]) => title),
  );
});

test.each(RECIPES)('%s', async (title, block) => {
  const { run } = await openModelTest(title, block);
  expect((await run()).filter(({ passed }) => !passed)).toEqual([]);
});
