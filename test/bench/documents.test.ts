import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { documentsWith, readDocuments, withFigures } from '../../bench/documents.ts';
import { readResults, toFigure } from '../../bench/harness/figures.ts';
import { figuresAsMarkdown } from '../../bench/harness/table.ts';
import { QUESTIONS } from '../../bench/questions/index.ts';
import { TOPICS } from '../../bench/topics/index.ts';

test('the documents and pictures hold the figures of bench/results/latest.json, each topic in one place', () => {
  const results = readResults();
  for (const [path, text] of documentsWith(results))
    expect(readFileSync(path, 'utf8'), `${path}: npm run bench -- --documents writes it`).toBe(text);
  const all = readDocuments()
    .map(([, text]) => text)
    .join('\n');
  const marked = (kind: string) => [...all.matchAll(new RegExp(`<!-- ${kind} ([\\w-]+) -->`, 'g'))];
  const topics = marked('figures of').map(([, topic]) => topic ?? '');
  expect(topics.toSorted()).toEqual(Object.keys(results).toSorted());
  expect(marked('answer:').map(([, name]) => name)).toEqual(QUESTIONS.map(({ name }) => name));
});

test('a document names the machine and the commit of each figure', () => {
  const figure = toFigure({ id: 'memory.user', title: 'a user', unit: 'bytes', values: [100] });
  const environment = { node: 'v20.0.0', cpu: 'one', cores: 2, date: '2026-01-15T12:00:00.000Z' };
  const marked = '<!-- figures of memory -->\n<!-- end of figures -->\n';
  const written = withFigures(marked, { memory: { environment, figures: [figure] } });
  expect(written).toContain('Node v20.0.0, one, 2 cores; 2026-01-15, commit unknown.');
  expect(written).toContain('| `memory.user` | a user | 100 bytes | 100 to 100 |');
  const changed = { memory: { environment, figures: [{ ...figure, median: 200 }] } };
  expect(withFigures(written, changed)).toContain('| 200 bytes |');
  expect(withFigures(written, {})).toBe(written);
});

test('the list of topics has all of them, and says which ones were not measured', () => {
  const environment = {
    node: 'v20.0.0',
    cpu: 'one',
    cores: 2,
    date: '2026-01-15T12:00:00.000Z',
    commit: 'abc',
  };
  const marked = '<!-- topics -->\n<!-- end of topics -->\n';
  const written = withFigures(marked, { memory: { environment, figures: [] } });
  const rows = written.split('\n').filter((line) => line.includes('`'));
  expect(rows).toHaveLength(Object.keys(TOPICS).length);
  expect(rows).toContain(
    '| [`memory`](performance/memory.md) | Node v20.0.0, one, 2 cores; 2026-01-15, commit abc. |',
  );
  expect(rows).toContain('| `administration` | not yet |');
});

test('figures without a peer have no table of ratios', () => {
  const figure = { id: 'memory.user', title: 'a user', unit: 'bytes', values: [1, 2] };
  expect(figuresAsMarkdown([toFigure(figure)])).not.toContain('beside');
  expect(figuresAsMarkdown([toFigure({ ...figure, against: { other: [1, 1] } })])).toContain('beside');
});
