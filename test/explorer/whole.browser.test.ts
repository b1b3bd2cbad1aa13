import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { expectAccessible, openPage, playground } from '../support/browser.ts';
import { type ServedExplorer, serveExplorer } from '../support/served-explorer.ts';
import { addDecisions, hashOf, loaded, type SampleScreen, sampleScreens } from './sample-screens.ts';
import { type SampleTable, sampleTable, serviceOver } from './worlds.ts';

/** What holds of every view, over the sample tenants as `gatehouse explore` serves a table. */
const FIELDS = {
  map: ['Scope'],
  why: ['Subject', 'Permission', 'Scope'],
  search: ['Permission', 'Scope'],
  matrix: ['Scope'],
  'what-if': ['Subject'],
  live: ['Subject', 'Permission'],
  log: [],
  policy: ['Subject'],
} as const;
const NAMES = Object.keys(FIELDS) as (keyof typeof FIELDS)[];
const WIDTHS = { wide: { width: 1280, height: 800 }, narrow: { width: 360, height: 780 } };

let table: SampleTable;
let explorer: ServedExplorer;
let screens: readonly SampleScreen[];
beforeAll(async () => {
  table = await sampleTable();
  explorer = await serveExplorer(serviceOver(table));
  addDecisions(explorer, table);
  screens = sampleScreens(table);
});
afterAll(() => explorer.stop());

const screenOf = (name: string): SampleScreen => {
  const found = screens.find((each) => each.name === name);
  if (!found) throw new Error(`there is no view ${name}`);
  return found;
};

async function openScreen(name: string, options: Partial<Parameters<typeof openPage>[0]> = {}) {
  const screen = screenOf(name);
  const opened = await openPage({ ...options, url: explorer.newLink(hashOf(screen)) });
  await loaded(opened.page, screen);
  return { ...opened, screen };
}

/** What Tab reaches in the view, and has not reached yet: all that is for use, and is not hidden or disabled. */
const NOT_REACHED = `[...document.querySelectorAll('main :is(a[href], button, input, select, textarea, summary, [tabindex="0"])')]
  .filter((each) => !each.disabled && !('reached' in each.dataset) && each.checkVisibility({ visibilityProperty: true }))
  .map(({ outerHTML }) => outerHTML.slice(0, 200))`;

/**
 * What has the focus: undefined for the document. It counts as reached now. Within a field for an instant, Chromium
 * draws the further steps itself.
 */
const FOCUS = `document.activeElement === document.body ? undefined : (({ activeElement: focused }) => {
  const isFirst = !('reached' in focused.dataset);
  focused.dataset.reached = '';
  const { outlineStyle } = getComputedStyle(focused);
  return isFirst && outlineStyle === 'none' ? 'without an outline: ' + focused.outerHTML.slice(0, 200) : 'outlined';
})(document)`;

const isFocused = (locator: Locator): Promise<boolean> =>
  locator.and(locator.page().locator(':focus')).isVisible();

/** What may scroll in the page and has no shade at the edge behind which there is more. A field shows its text. */
const PLAIN_SCROLLERS = `[...document.querySelectorAll('body *:not(textarea, input, select)')]
  .filter((each) => /auto|scroll/.test(getComputedStyle(each).overflow))
  .filter((each) => !getComputedStyle(each).backgroundAttachment.includes('local'))
  .map(({ outerHTML }) => outerHTML.slice(0, 200))`;

/** Pixels by which the page is wider than the screen. */
const overflow = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

/** Light and dark, at a width: only the colours differ between the two. */
async function expectAppearance(page: Page, width: keyof typeof WIDTHS): Promise<void> {
  await page.setViewportSize(WIDTHS[width]);
  await expectAccessible(page, width);
  expect(await overflow(page), width).toBe(0);
  expect(await page.evaluate(PLAIN_SCROLLERS), width).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(page, `${width}, dark`, 'colours');
  await page.emulateMedia({ colorScheme: 'light' });
}

describe.each(NAMES)('%s', (name) => {
  test('is what its link says, also after a reload and in another page', async () => {
    const { page, context, screen } = await openScreen(name);
    await expect.poll(() => new URL(page.url()).hash).toBe(`#${hashOf(screen)}`);
    const other = await context.newPage();
    await other.goto(page.url());
    await page.reload();
    await loaded(page, screen);
    await loaded(other, screen);
    const shownIn = (each: Page) => each.getByRole('main').ariaSnapshot();
    // Pictures and names come when they come, in either of them.
    await expect.poll(async () => (await shownIn(page)) === (await shownIn(other))).toBe(true);
    await expect.poll(() => new URL(page.url()).hash).toBe(`#${hashOf(screen)}`);
  });

  test('is accessible and fits, wide and narrow, light and dark; Tab reaches each control, shows it, and leaves it', async () => {
    const { page } = await openScreen(name);
    await expectAppearance(page, 'narrow');
    await expectAppearance(page, 'wide');
    await page.evaluate('document.activeElement.blur()');
    // A field for an instant takes several steps; after the last control comes the document.
    let [focus, steps]: [string | undefined, number] = ['', 0];
    while (focus !== undefined && steps < 500) {
      await page.keyboard.press('Tab');
      focus = await page.evaluate(FOCUS);
      expect([undefined, 'outlined']).toContain(focus);
      steps += 1;
    }
    expect(steps).toBeGreaterThan(10);
    expect(await page.evaluate(NOT_REACHED)).toEqual([]);
  });

  // The live view has nothing from the table but names.
  if (name !== 'live')
    test('says what to do when the table is gone', async () => {
      const message = 'the table does not exist: check --table, --endpoint and --region';
      const broken = await serveExplorer(async (method, input) =>
        method === 'about'
          ? serviceOver(table)(method, input)
          : { ok: false, error: { code: 'internal', message, retryable: false } },
      );
      onTestFinished(broken.stop);
      const { page } = await openPage({ url: broken.newLink(hashOf(screenOf(name))) });
      await page.getByRole('alert').filter({ hasText: message }).first().waitFor();
      await expectAccessible(page);
    });

  test('without a state, it says in one sentence what is to be seen, and calls its fields as all do', async () => {
    const { page } = await openPage({ url: explorer.newLink(name) });
    await page.getByRole('heading', { level: 1, name: screenOf(name).title }).waitFor();
    expect(await page.locator('main > .lead').innerText()).toMatch(/^[A-Z][^.]{40,200}\.$/);
    const labels = page.getByRole('main').locator('label');
    const texts = async () => (await labels.allInnerTexts()).map((text) => text.trim());
    await expect.poll(texts).toEqual(expect.arrayContaining([...FIELDS[name]]));
    expect((await texts()).filter((text) => /^(?:Who|What|Where|Find)\b/.test(text))).toEqual([]);
    await expectAccessible(page);
  });
});

test('each view is opened by the keyboard', async () => {
  const { page } = await openPage({ url: explorer.newLink() });
  for (const name of NAMES) {
    const { title } = screenOf(name);
    const link = page
      .getByRole('navigation', { name: 'Views' })
      .getByRole('link', { name: title, exact: true });
    await link.waitFor();
    await page.evaluate('document.activeElement.blur()');
    for (let steps = 0; steps < 40 && !(await isFocused(link)); steps += 1) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
  }
});

test('the playground is accessible as it opens, and what scrolls in it looks like it', async () => {
  const { page } = await openPage({ url: playground() });
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
  await expectAccessible(page);
  // An editor has line numbers and a cursor instead.
  const plain = await page.evaluate<readonly string[]>(PLAIN_SCROLLERS);
  expect(plain.filter((html) => !html.includes('cm-'))).toEqual([]);
});
