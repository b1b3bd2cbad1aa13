import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { choose, expectAccessible, openOver, openPage } from '../support/browser.ts';
import { SCHOOL, serveTable } from './served-table.ts';

const openMap = (manifest: string) => openOver(manifest, 'map');

/** A day from now, for what ends soon. */
const dayIn = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

const toggle = (page: Page, name: string) => page.getByRole('button', { name: `Below ${name}`, exact: true });
const scopes = (page: Page) => page.getByRole('region', { name: 'Scopes' });
const scope = (page: Page, name: string | RegExp) => scopes(page).getByRole('link', { name });
const details = (page: Page) => page.getByRole('region', { name: 'The selected scope' });
const rowOf = (page: Page, name: string) =>
  scopes(page).getByRole('listitem').filter({ hasText: name }).last();
const find = (page: Page, text: string) => choose(scopes(page), 'Scope', text);
const elements = (page: Page) => page.evaluate<number>('document.querySelectorAll("main *").length');

describe('the tree', () => {
  test('a table with one root has it opened, with its places below', async () => {
    const { page } = await openMap(SCHOOL);
    await scope(page, /^north/).waitFor();
    await scope(page, /^south/).waitFor();
    expect(await toggle(page, 'Lindgren School').getAttribute('aria-expanded')).toBe('true');
    await expectAccessible(page);
  });

  test('levels are opened and closed by the keyboard, and the address holds them', async () => {
    const { page } = await openMap(SCHOOL);
    await scope(page, /^north/).waitFor();
    await toggle(page, 'Lindgren School').press('Enter');
    await scope(page, /^north/).waitFor({ state: 'detached' });
    const { page: other } = await openPage({ url: page.url() });
    await toggle(other, 'Lindgren School').waitFor();
    expect(await toggle(other, 'Lindgren School').getAttribute('aria-expanded')).toBe('false');
    await toggle(page, 'Lindgren School').press('Space');
    await scope(page, /^north/).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await details(page).getByRole('heading', { level: 2, name: 'north' }).waitFor();
  });

  test('it says what is suspended, closed by that, without its licence, and ending soon', async () => {
    const { page } = await openMap(
      `modules: { climate: { sold: true } }
scopes:
  northwind: { type: client }
  harbour: { type: project, parent: northwind, status: on-hold }
  lighthouse: { type: building, parent: harbour }
  contoso: { type: account }
  wages: { type: enterprise }
  payroll: { type: workstream, parent: contoso, enterprise: wages }
users:
  ann: { tenant: contoso, until: ${dayIn(5)} }
subscriptions:
  - { scope: contoso, module: climate, until: ${dayIn(10)} }
`,
    );
    await toggle(page, 'northwind').click();
    await toggle(page, 'harbour').click();
    await toggle(page, 'contoso').click();
    await rowOf(page, 'harbour').getByText('on-hold').waitFor();
    await rowOf(page, 'lighthouse').getByText('closed above').waitFor();
    await rowOf(page, 'payroll').getByText('no licence').waitFor();
    await scopes(page)
      .getByText(`climate ends ${dayIn(10)}`)
      .waitFor();
    await scopes(page).getByText('1 user ends soon').waitFor();
    await expectAccessible(page);
  });

  test('where there are more licences than it reads, it calls none missing, and says so', async () => {
    const manifest = `scopes:
  contoso: { type: account }
  wages: { type: enterprise }
  payroll: { type: workstream, parent: contoso, enterprise: wages }
`;
    const { linkTo, ref } = await serveTable({ manifest });
    const { page } = await openPage({
      url: linkTo('map', { scope: ref('scope', 'payroll') }),
      before: (opened) =>
        opened.route('**/api/command', (route) =>
          route.request().postData()?.includes('license.list')
            ? route.fulfill({ json: { ok: true, result: { ok: true, result: { items: [], cursor: 'c' } } } })
            : route.continue(),
        ),
    });
    await page.getByText('More than 1,000 licences: not all').waitFor();
    await details(page).getByText('not known').waitFor();
    expect(await page.getByText('no licence').count()).toBe(0);
    await expectAccessible(page);
  });

  test('without scopes it says what to do', async () => {
    const { page } = await openMap('pages: [dashboard]\n');
    await page.getByText('There is no scope yet').waitFor();
    await expectAccessible(page);
  });
});

describe('the details', () => {
  test('groups, their roles and what these allow; people when they are asked for', async () => {
    const { page } = await openMap(SCHOOL);
    await scope(page, /^north/).click();
    await details(page).getByText('teachers north').waitFor();
    await details(page).getByText('role teacher', { exact: true }).click();
    await details(page).getByText('library:*:*').waitFor();
    expect(await details(page).getByText('Ann', { exact: true }).count()).toBe(0);
    for (const people of await details(page).getByText('People in this group').all()) await people.click();
    await details(page).getByText('Ann', { exact: true }).waitFor();
    await expectAccessible(page);
  });

  test('roles that were assigned, and grants in a root', async () => {
    const { page } = await openMap(SCHOOL);
    await scope(page, /^south/).click();
    await details(page).getByText('Roles assigned here').click();
    await details(page).getByText('1 Mar 2026 – 31 Mar 2026').waitFor();
    await scope(page, /^Lindgren School/).click();
    await details(page).getByText('Grants in this tenant').click();
    await details(page).getByText('edda').waitFor();
  });

  test('they lead to the questions, with the scope filled in', async () => {
    const { page } = await openMap(SCHOOL);
    await scope(page, /^north/).click();
    await details(page).getByRole('link', { name: 'Who may do what here' }).click();
    await page.getByRole('heading', { level: 1, name: 'Who, what, where' }).waitFor();
    await expect
      .poll(() => page.getByRole('main').getByLabel('Scope', { exact: true }).inputValue())
      .toBe('north');
  });
});

describe('finding', () => {
  test('a path of names opens the path to it, and the address says so', async () => {
    const { page } = await openMap(
      `scopes:
  northwind: { type: client }
  harbour: { type: project, parent: northwind }
  lighthouse: { type: building, parent: harbour }
  floor 2: { type: zone, parent: lighthouse }
`,
    );
    await toggle(page, 'northwind').waitFor();
    await find(page, 'northwind/harbour/lighthouse/floor 2');
    await scope(page, /^floor 2/).waitFor();
    expect(await scope(page, /^floor 2/).getAttribute('aria-current')).toBe('true');
    await details(page).getByRole('link', { name: 'harbour' }).waitFor();
    const { page: other } = await openPage({ url: page.url() });
    await scope(other, /^floor 2/).waitFor();
    await details(other).getByRole('heading', { level: 2, name: 'floor 2' }).waitFor();
  });

  test('a name that several have is to be chosen', async () => {
    const { page } = await openMap(
      `scopes:
  north: { type: tenant }
  south: { type: tenant }
  hall north: { type: location, parent: north, name: Hall }
  hall south: { type: location, parent: south, name: Hall }
`,
    );
    await toggle(page, 'north').waitFor();
    await find(page, 'Hall');
    await page.getByText('Hall may be 2 of them: choose one').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: /^south\/Hall/ }).click();
    await details(page).getByRole('link', { name: 'south' }).waitFor();
  });
});

describe('a large table', () => {
  const PAGE = 50;

  test('five thousand scopes below one are drawn fifty at a time; one that is found is drawn too', async () => {
    const places = Array.from(
      { length: 5_000 },
      (_, at) => `  p${at}: { type: location, parent: t, name: Place ${at} }`,
    );
    const { page } = await openMap(`scopes:\n  t: { type: tenant, name: Wide }\n${places.join('\n')}\n`);
    await scopes(page).getByText('1–50 of 50 and more').waitFor();
    expect(await scope(page, /^Place /).count()).toBe(PAGE);
    const drawn = await elements(page);
    for (const range of ['51–100', '101–150', '151–200']) {
      await page.getByRole('button', { name: 'Next scopes below Wide' }).click();
      await scopes(page).getByText(range).waitFor();
      expect(await scope(page, /^Place /).count()).toBe(PAGE);
    }
    await page.getByRole('button', { name: 'Previous scopes below Wide' }).click();
    await scopes(page).getByText('101–150 of 200 and more').waitFor();
    expect(await elements(page)).toBeLessThan(drawn + 10);
    await find(page, 'Wide/Place 4321');
    await scope(page, /^Place 4321/).waitFor();
    expect(await scope(page, /^Place /).count()).toBeLessThanOrEqual(PAGE + 1);
  });
});
