import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { withMade } from '../../docs/.vitepress/made.ts';

/**
 * The examples of docs/guides and docs/coming-from: each document prints its files whole. They hold:
 * test/explorer/examples.test.ts. The recipes of docs/conditions.md as well.
 */
const DOCS = new URL('../../docs/', import.meta.url);
const textOf = (path: string): string => readFileSync(new URL(path, DOCS), 'utf8');
const namesIn = (folder: string): readonly string[] => readdirSync(new URL(folder, DOCS)).sort();

const blocksOf = (document: string): readonly string[] =>
  [...document.matchAll(/^```[a-z]*\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);

describe.each(['guides', 'coming-from'])('docs/%s', (folder) => {
  const files = namesIn(`examples/${folder}`);
  const stem = (name: string) => name.split('.')[0] as string;

  test('every document has a model test', () => {
    const documents = namesIn(folder).map(stem);
    expect(documents).toEqual([...new Set(files.filter((name) => name.endsWith('.test.yaml')).map(stem))]);
  });

  test.each(files)('%s is printed whole in its document', (name) => {
    expect(blocksOf(withMade(textOf(`${folder}/${stem(name)}.md`)))).toContain(
      textOf(`examples/${folder}/${name}`),
    );
  });
});

test('every recipe is shown, below a heading', () => {
  const [, section = ''] = textOf('conditions.md').split('\n## Recipes\n');
  const shown = [...section.matchAll(/^### .+\n(?:(?!^#)[\s\S])*?<!-- made: example recipes\/(\S+) -->/gm)];
  expect(shown.map(([, file]) => file).sort()).toEqual(namesIn('examples/recipes'));
});
