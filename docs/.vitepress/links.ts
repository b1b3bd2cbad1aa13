import { dirname, join, normalize } from 'node:path/posix';

/**
 * Documents link as GitHub does it: by paths between files of the repository, and to anchors that GitHub makes.
 * The site keeps both, so that a link is right in both places.
 */

/** Where a document of the repository is in the site; undefined for what is no page of it. */
export function pageOf(path: string): string | undefined {
  if (!path.endsWith('.md')) return undefined;
  const page = path.replace(/(^|\/)README\.md$/, '$1index.md');
  if (page.startsWith('docs/')) return page.slice('docs/'.length);
  if (page.startsWith('ADR/')) return `adr/${page.slice('ADR/'.length)}`;
  return /^(?:CONTRIBUTING|SECURITY|CHANGELOG)\.md$/.test(page) ? page.toLowerCase() : undefined;
}

/** The file of the repository that a relative link of a document names, and its anchor. */
export function targetOf(document: string, link: string): { readonly file: string; readonly anchor: string } {
  const [path = '', anchor = ''] = decodeURI(link).split('#');
  const file = path === '' ? document : normalize(join(dirname(document), path));
  return { file, anchor };
}

/** Whether a link leaves the repository. */
export const isExternal = (link: string): boolean => /^(?:[a-z]+:|\/\/)/i.test(link);

/** The anchor of a heading, as GitHub makes it. */
export const anchorOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
