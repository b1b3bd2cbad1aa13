import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { documentsWith, readDocuments, tableOf, withAnswers } from '../../bench/documents.ts';
import { readResults, toFigure } from '../../bench/harness/figures.ts';
import { figuresAsMarkdown } from '../../bench/harness/table.ts';
import { ANSWERS } from '../../bench/questions/index.ts';

test('the documents hold the answers of bench/results/latest.json, each topic has one place', () => {
  const results = readResults();
  for (const [path, text] of documentsWith(results))
    expect(readFileSync(path, 'utf8'), `${path}: npm run bench -- --documents writes it`).toBe(text);
  const all = readDocuments()
    .map(([, text]) => text)
    .join('\n');
  const marked = (kind: string) => [...all.matchAll(new RegExp(`<!-- ${kind} ([\\w-]+) -->`, 'g'))];
  const topics = marked('made: figures').map(([, topic]) => topic ?? '');
  expect(topics.toSorted()).toEqual(Object.keys(results).toSorted());
  expect(marked('answer:').map(([, name]) => name)).toEqual([...Object.keys(ANSWERS), 'asked']);
});

test('a document names the machine and the commit of each figure', () => {
  const figure = toFigure('memory.user', 'a user', 'bytes', [100]);
  const environment = { node: 'v20.0.0', cpu: 'one', cores: 2, date: '2026-01-15T12:00:00.000Z' };
  const shown = tableOf('figures memory', { memory: { environment, figures: [figure] } });
  expect(shown).toContain('Node v20.0.0, one, 2 cores; 2026-01-15, commit unknown.');
  expect(shown).toContain('| `memory.user` | a user | 100 bytes | 100 to 100 |');
  expect(tableOf('figures memory', {})).toBe('Not measured yet: `npm run bench -- memory`.');
  expect(tableOf('figures nothing', {})).toBeUndefined();
});

test('an answer is written into its place, and again when it changes', () => {
  const marked = '<!-- answer: request -->\n<!-- end of answer -->\n';
  const none = withAnswers(marked, {});
  expect(none).toContain('This has not been measured yet.');
  const measured = withAnswers(none, readResults());
  expect(measured).toContain('where everything is cached');
  expect(withAnswers(measured, {})).toBe(none);
});

test('figures without a peer have no table of ratios', () => {
  const figure = ['memory.user', 'a user', 'bytes', [1, 2]] as const;
  expect(figuresAsMarkdown([toFigure(...figure)])).not.toContain('beside');
  expect(figuresAsMarkdown([toFigure(...figure, { other: [1, 1] })])).toContain('beside');
});
