import { expect, test } from 'vitest';
import { readDocuments, withFigures } from '../../bench/harness/document.ts';
import { readResults, toFigure } from '../../bench/harness/figures.ts';
import { figuresAsMarkdown } from '../../bench/harness/table.ts';

test('the documents hold the figures of bench/results/latest.json, each topic in one place', () => {
  const results = readResults();
  const documents = readDocuments();
  for (const [path, text] of documents)
    expect(text, `${path}: npm run bench writes it`).toBe(withFigures(text, results));
  const all = documents.map(([, text]) => text).join('\n');
  const topics = [...all.matchAll(/<!-- figures of ([\w-]+) -->/g)].map(([, topic]) => topic ?? '');
  expect(topics.toSorted()).toEqual(Object.keys(results).toSorted());
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

test('figures without a peer have no table of ratios', () => {
  const figure = { id: 'memory.user', title: 'a user', unit: 'bytes', values: [1, 2] };
  expect(figuresAsMarkdown([toFigure(figure)])).not.toContain('beside');
  expect(figuresAsMarkdown([toFigure({ ...figure, against: { other: [1, 1] } })])).toContain('beside');
});
