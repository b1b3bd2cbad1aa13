import { readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { fileOf, gatehouse, removeFiles } from './support.ts';

/** Each recipe of docs/recipes.md passes as it is printed. */
afterAll(removeFiles);

const TEXT = readFileSync(new URL('../../docs/recipes.md', import.meta.url), 'utf8');
const RECIPES = [...TEXT.matchAll(/^## (.+)\n[\s\S]*?^```yaml\n([\s\S]*?)^```$/gm)].map(
  ([, title = '', block = '']) => [title, block] as const,
);

test('every heading has a recipe', () => {
  expect(RECIPES.map(([title]) => title)).toEqual(
    [...TEXT.matchAll(/^## (.+)$/gm)].map(([, title]) => title),
  );
});

test.each(RECIPES)('%s', async (_title, block) => {
  const { code, out, error } = await gatehouse(['test', fileOf(block)]);
  expect({ code, error }, out).toEqual({ code: 0, error: '' });
});
