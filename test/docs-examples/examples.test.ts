import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { withMade } from '../../docs/.vitepress/made.ts';
import { openModelTest } from '../support/model-test.ts';

/** The examples of docs/guides and docs/coming-from: each document prints its files whole, and they hold. */
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

  test.each(files.filter((name) => name.endsWith('.test.yaml')))('%s passes', async (name) => {
    const { run } = await openModelTest(name, textOf(`examples/${folder}/${name}`));
    const results = await run();
    expect(results.filter(({ passed }) => !passed)).toEqual([]);
    const decisions = results.flatMap(({ answers }) => answers.map(({ decision }) => decision.allowed));
    expect(new Set(decisions), 'it shows an allow and a refusal').toEqual(new Set([true, false]));
  });
});
