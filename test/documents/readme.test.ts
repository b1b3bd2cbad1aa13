import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { firstManifest, firstTests } from '../../cli/init/documents.ts';
import { blocksOf, proseOf, textOf } from './documents.ts';

/**
 * README explains every term of the domain that it uses, where it uses it first: there the term is bold, and the
 * sentence says what it is (`**role** is a named set …`). The terms are those that docs/concepts.md explains.
 */

const TERMS = [...proseOf('docs/concepts.md').matchAll(/\*\*([A-Za-z -]+)\*\*/g)].map(([, term = '']) =>
  term.toLowerCase().replace(/s$/, ''),
);

/** A word of its own, also in the plural. */
const wordOf = (term: string): string => `\\b${term.replace(/y$/, '(?:y|ie)')}s?\\b`;

/** The problem of a term in a text: that it is used and not explained at its first use. */
function problemOf(term: string, prose: string): string | undefined {
  const first = new RegExp(wordOf(term), 'i').exec(prose);
  if (!first) return undefined;
  const explained = new RegExp(`\\*\\*${wordOf(term)}\\*\\*,?\\s+(?:is|are|\\(|holds|means)`, 'i').exec(
    prose,
  );
  if (!explained) return `${term} is used, and no sentence begins to explain it: **${term}** is …`;
  return first.index < explained.index
    ? `${term} is used before it is explained: ${prose.slice(first.index - 40, first.index + 40)}`
    : undefined;
}

/** Of a document, what is read as sentences: no code, no targets of links, no headings. */
const sentencesOf = (prose: string): string =>
  prose
    .replaceAll(/^#.*$/gm, '')
    .replaceAll(/`[^`]*`/g, '')
    .replaceAll(/\]\([^)]*\)/g, ']')
    .replaceAll(/\s+/g, ' ');

test('a term that is not explained, or too late, is found', () => {
  expect(problemOf('role', 'Everybody has roles.')).toContain('no sentence');
  expect(problemOf('role', 'Roles are nice. A **role** is a set.')).toContain('before it is explained');
  expect(problemOf('role', 'A **role** is a set. Roles are nice.')).toBeUndefined();
  expect(problemOf('role', 'Nothing of the kind.')).toBeUndefined();
});

test('README explains every term of the domain at its first use', () => {
  expect(TERMS.length).toBeGreaterThan(30);
  const prose = sentencesOf(proseOf('README.md'));
  expect(TERMS.flatMap((term) => problemOf(term, prose) ?? [])).toEqual([]);
});

test('README is short, and holds no table', () => {
  const text = textOf('README.md');
  expect(text.split('\n').length).toBeLessThan(160);
  expect(proseOf('README.md')).not.toMatch(/^\|/m);
});

test('README shows the model that init writes and npm start runs, and its first two commands do everything', () => {
  const shown = blocksOf('README.md').find(({ language }) => language === 'yaml')?.text ?? '';
  const usual = { root: 'tenant', protect: 'reports', email: 'ann@example.com' };
  for (const text of [firstManifest(usual), textOf('docs/examples/first.manifest.yaml')])
    expect(parse(text)).toEqual(parse(shown));
  expect(parse(textOf('docs/examples/first.test.yaml'))).toEqual({
    ...parse(firstTests(usual)),
    manifest: './first.manifest.yaml',
  });
  const [first, second] = blocksOf('README.md').filter(({ language }) => language === 'sh');
  expect([first?.text, second?.text]).toEqual(['npm start\n', 'npm test\n']);
});
