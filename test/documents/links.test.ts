import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { anchorOf, isExternal, targetOf } from '../../docs/.vitepress/links.ts';
import { sections } from '../../docs/.vitepress/navigation.ts';
import { DOCUMENTS, linksIn, plain, proseOf, ROOT, textOf } from './documents.ts';

/** The anchors of a document: those of its headings, repeated ones with a number. */
function anchorsIn(document: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of proseOf(document).matchAll(/^#{1,6} (.*)$/gm)) {
    const anchor = anchorOf(plain(heading));
    let number = 0;
    while (anchors.has(number === 0 ? anchor : `${anchor}-${number}`)) number += 1;
    anchors.add(number === 0 ? anchor : `${anchor}-${number}`);
  }
  return anchors;
}

function problemOf(document: string, link: string): string | undefined {
  if (isExternal(link)) return undefined;
  const { file, anchor } = targetOf(document, link);
  if (!existsSync(join(ROOT, file))) return `${document}: ${link}: there is no ${file}`;
  if (anchor !== '' && file.endsWith('.md') && !anchorsIn(file).has(anchor))
    return `${document}: ${link}: ${file} has no heading #${anchor}`;
  return undefined;
}

test('a heading has the anchor that GitHub gives it', () => {
  expect(anchorOf('What it costs, and why')).toBe('what-it-costs-and-why');
  expect(anchorOf('npm run load')).toBe('npm-run-load');
  expect(anchorOf('How long a "yes" can outlive its revocation')).toBe(
    'how-long-a-yes-can-outlive-its-revocation',
  );
});

test('a link that leads nowhere is found', () => {
  expect(problemOf('docs/cli.md', 'nowhere.md')).toContain('there is no docs/nowhere.md');
  expect(problemOf('docs/cli.md', '#nowhere')).toContain('docs/cli.md has no heading #nowhere');
  expect(problemOf('docs/cli.md', '#exit-codes')).toBeUndefined();
});

test('every link and every anchor of the documents leads somewhere', () => {
  const links = DOCUMENTS.flatMap((document) => linksIn(document).map((link) => [document, link] as const));
  expect(links.length).toBeGreaterThan(300);
  expect(links.flatMap(([document, link]) => problemOf(document, link) ?? [])).toEqual([]);
});

test('the navigation of the site holds every page once, but for the home page', () => {
  const links = sections().flatMap(({ items }) => items.map(({ link }) => link));
  expect(new Set(links).size).toBe(links.length);
  const pages = DOCUMENTS.filter((document) => !['README.md', 'docs/index.md'].includes(document));
  expect(links.length).toBe(pages.length);
});

test('the home page names every page of its folder; folders have a page of their own', () => {
  const named = new Set(linksIn('docs/index.md').map((link) => targetOf('docs/index.md', link).file));
  const pages = DOCUMENTS.filter((document) => /^docs\/[\w-]+\.md$/.test(document));
  expect(pages.length).toBeGreaterThan(15);
  expect(pages.filter((page) => page !== 'docs/index.md' && !named.has(page))).toEqual([]);
});

test('CONTRIBUTING names files and folders that are there', () => {
  const named = [...textOf('CONTRIBUTING.md').matchAll(/`([\w.-]+(?:\/[\w.-]+)*(?:\/|\.(?:ts|yml|json)))`/g)];
  /** What scripts make. */
  const made = ['dist/', '.site/'];
  const paths = named
    .map(([, path = '']) => path)
    .filter((path) => path.includes('/') && !made.includes(path));
  expect(paths.length).toBeGreaterThan(40);
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});
