import MiniSearch from 'minisearch';
import { expect, test } from 'vitest';
import { anchorOf, pageOf, targetOf } from '../../docs/.vitepress/links.ts';
import { SEARCH } from '../../docs/.vitepress/search.ts';
import { DOCUMENTS, linksIn, plain, proseOf, textOf } from './documents.ts';

/** The site's search, over sections as VitePress makes them of the pages: a title, the titles above it, and the text. */
const HOME = 'docs/index.md';
/** So many results are seen without scrolling. */
const SEEN = 5;

interface Section {
  readonly id: string;
  readonly title: string;
  readonly titles: readonly string[];
  text: string;
}

function sectionsOf(document: string): readonly Section[] {
  const sections: Section[] = [];
  const prose = proseOf(document).split('\n');
  let above: readonly string[] = [];
  for (const [position, line] of textOf(document).split('\n').entries()) {
    const [, marks, heading = ''] = /^(#{1,6}) (.*)$/.exec(prose[position] ?? '') ?? [];
    if (marks === undefined) {
      const open = sections.at(-1);
      if (open) open.text += `${plain(line)}\n`;
      continue;
    }
    const title = plain(heading);
    const titles = above.slice(0, marks.length - 1);
    sections.push({ id: `${document}#${anchorOf(title)}`, title, titles, text: '' });
    above = [...titles, title];
  }
  return sections;
}

const index: MiniSearch<Section> = new MiniSearch({
  fields: ['title', 'titles', 'text'],
  ...SEARCH.options,
  searchOptions: SEARCH.searchOptions,
});
const sections = DOCUMENTS.filter((document) => pageOf(document) !== undefined).flatMap(sectionsOf);
// The second of two headings of one text has another anchor, which nothing here asks for.
index.addAll(
  sections.filter(({ id }, position) => sections.findIndex((each) => each.id === id) === position),
);

/** The sections that a question finds, those that are seen first. */
const foundBy = (question: string): readonly string[] =>
  index
    .search(question)
    .slice(0, SEEN)
    .map(({ id }) => id);

const pagesFrom = (document: string): readonly string[] =>
  linksIn(document).map((link) => targetOf(document, link).file);
const WITHIN_TWO_CLICKS = new Set(
  [HOME, ...pagesFrom(HOME)].flatMap((page) => [page, ...(page.endsWith('.md') ? pagesFrom(page) : [])]),
);

test.each([
  [
    'how long until a removed right is gone?',
    'docs/freshness.md#freshness-how-long-until-a-removed-right-is-gone',
  ],
  ['what does it cost for 1 M requests?', 'docs/performance.md#what-do-a-million-requests-cost'],
  ['how do I restore the table?', 'docs/runbooks/restore.md#the-table-is-lost-or-damaged-restore-it'],
  ['what happens while DynamoDB is down?', 'docs/freshness.md#while-dynamodb-is-down'],
  ['which alarms are there?', 'docs/observability.md#what-to-watch'],
  ['how many groups can a user have?', 'docs/limits.md#a-user-in-many-groups'],
  ['how do I attach the authorizer to an API?', 'docs/attach/README.md#attaching-the-authorizer-to-an-api'],
  ['what does token_expired mean?', 'docs/errors.md#refused-credentials'],
  ['how do I roll back a deployment?', 'docs/runbooks/broken-deploy.md#what-to-do'],
  ['can I ask from Python?', 'docs/authzen.md#try-it'],
  ['how do I move from OpenFGA?', 'docs/coming-from/openfga.md#coming-from-openfga'],
  [
    'how do I close the WebSocket of a revoked user?',
    'docs/live-revocation.md#live-revocation-of-websocket-connections',
  ],
])('%s', (question, section) => {
  expect(foundBy(question)).toContain(section);
  expect(WITHIN_TWO_CLICKS).toContain(section.split('#')[0]);
});

test('a question finds nothing by the words that every question has', () => {
  expect(foundBy('how do I, and what is it?')).toEqual([]);
  expect(foundBy('how long until a removed right is gone?')).not.toContain('docs/authzen.md#try-it');
  expect(WITHIN_TWO_CLICKS).not.toContain('ADR/0009-searches.md');
});

test('what a function of its options says needs nothing from outside', () => {
  const alone = new Function(`return ${SEARCH.options.processTerm}`)();
  expect(alone('Restore')).toBe('restore');
  expect(alone('The')).toBeNull();
});
