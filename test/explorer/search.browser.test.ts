import { text } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { choose, expectAccessible, openOver, openPage } from '../support/browser.ts';
import { SCHOOL } from './served-table.ts';

const openSearch = (manifest: string) => openOver(manifest, 'search');
const field = (page: Page, label: string) => page.getByRole('main').getByLabel(label, { exact: true });
const ask = (page: Page, label: string, text: string) => choose(page.getByRole('main'), label, text);
/** The first cell of each row. */
const names = async (page: Page) =>
  (await page.locator('main tbody tr td:first-child').allInnerTexts()).sort();
const search = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Searches' }).getByRole('link', { name, exact: true });

test('who: everybody who may do it there, each one click from the reason', async () => {
  const { page } = await openSearch(SCHOOL);
  await page.getByText('Nothing is asked yet').waitFor();
  await expectAccessible(page);
  await ask(page, 'Permission', 'dashboard');
  await ask(page, 'Scope', 'Lindgren School/north');
  await page.getByText('3 rows').waitFor();
  expect(await names(page)).toEqual(['Ann', 'Ben', 'dora']);
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Why: Ann' }).click();
  await page.getByRole('heading', { level: 1, name: 'Why', exact: true }).waitFor();
  await page
    .getByRole('main')
    .getByText(/allowed/)
    .first()
    .waitFor();
});

test('what and where take over what was asked; a kind and a time narrow them', async () => {
  const { page } = await openSearch(SCHOOL);
  await ask(page, 'Scope', 'north');
  await search(page, 'What').click();
  await ask(page, 'Subject', 'ann@school.example');
  await page.getByText('3 rows').waitFor();
  expect(await names(page)).toEqual(['dashboard', 'grades', 'library:lend:book']);
  await field(page, 'Kind').selectOption('permission');
  await page.getByText('1 row', { exact: true }).waitFor();
  await search(page, 'Where').click();
  await ask(page, 'Permission', 'grades');
  await expect.poll(() => names(page)).toEqual(['north']);
  await ask(page, 'Subject', 'dora');
  await page.getByText('Nowhere').waitFor();
  await page.goto(`${page.url()}&at=2026-03-05T12%3A00Z`);
  await expect.poll(() => names(page)).toEqual(['south']);
});

test('rows are filtered, the address holds the filter, and both files have what it leaves', async () => {
  const { page } = await openSearch(
    SCHOOL.replace('displayName: Ann', `displayName: ${JSON.stringify('=HYPERLINK("<b>Ann</b>")')}`),
  );
  await ask(page, 'Permission', 'dashboard');
  await ask(page, 'Scope', 'north');
  await page.getByText('3 rows').waitFor();
  await page.getByLabel('Filter the loaded rows').fill('hyper');
  await page.getByText('1 of 3 rows').waitFor();
  expect(await names(page)).toEqual(['=HYPERLINK("<b>Ann</b>")']);
  const { page: other } = await openPage({ url: page.url() });
  await other.getByText('1 of 3 rows').waitFor();
  const exported = async (name: string) => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: `Export ${name}` }).click(),
    ]);
    return text(await download.createReadStream());
  };
  expect(await exported('CSV')).toMatch(
    /^Name,Type,Reference\r\n"'=HYPERLINK\(""<b>Ann<\/b>""\)",user,user:[-\da-f]+\r\n$/,
  );
  expect(JSON.parse(await exported('JSON'))).toEqual([
    { ref: expect.stringMatching(/^user:/), name: '=HYPERLINK("<b>Ann</b>")' },
  ]);
});

test('long lists come page by page, and the count says that there is more', async () => {
  const users = Array.from({ length: 250 }, (_, at) => `  u${at}: { groups: [all] }`);
  const { page } = await openSearch(
    `pages: [grades]
scopes: { north: { type: tenant } }
roles: { reader: { owner: north, allow: [grades] } }
groups: { all: { scope: north, roles: [reader] } }
users:
${users.join('\n')}
`,
  );
  await ask(page, 'Permission', 'grades');
  await ask(page, 'Scope', 'north');
  await page.getByText('100 rows; there are more').waitFor();
  await page.getByRole('button', { name: 'Load more' }).click();
  await page.getByText('200 rows; there are more').waitFor();
  await page.getByRole('button', { name: 'Load more' }).click();
  await page.getByText('250 rows', { exact: true }).waitFor();
  expect(new Set(await names(page)).size).toBe(250);
});

test('a name that was mistyped is offered as it is; Escape goes back to what was chosen', async () => {
  const { page } = await openSearch(SCHOOL);
  await ask(page, 'Scope', 'nroth');
  await page.getByText('there is no scope nroth').waitFor();
  expect(await field(page, 'Scope').getAttribute('aria-invalid')).toBe('true');
  await ask(page, 'Scope', 'noth');
  await page.getByRole('button', { name: 'Take north' }).click();
  await expect.poll(() => field(page, 'Scope').inputValue()).toBe('north');
  await ask(page, 'Scope', 'something else');
  await page.getByText('Until then, this page shows north.').waitFor();
  await field(page, 'Scope').press('Escape');
  expect(await field(page, 'Scope').inputValue()).toBe('north');
  await ask(page, 'Scope', '');
  await expect.poll(() => page.url()).not.toContain('scope=');
});
