import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, openPage, playground } from '../support/browser.ts';
import { type ServedExplorer, serveExplorer } from '../support/served-explorer.ts';
import { addDecisions, hashOf, loaded, type SampleScreen, sampleScreens } from './sample-screens.ts';
import { sampleTable, serviceOver } from './worlds.ts';

/** What holds of every view, over the sample tenants as `gatehouse explore` serves a table. */
const NAMES = ['map', 'why', 'search', 'what-if', 'live', 'log', 'policy'];
const WIDE = { width: 1280, height: 800 };
const NARROW = { width: 360, height: 780 };

let explorer: ServedExplorer;
let screens: readonly SampleScreen[];
beforeAll(async () => {
  const table = await sampleTable();
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

/** Pixels by which the page is wider than the screen. */
const overflow = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

describe.each(NAMES)('%s', (name) => {
  test('is what its link says, also after a reload', async () => {
    const { page, screen } = await openScreen(name);
    expect(new URL(page.url()).hash).toBe(`#${hashOf(screen)}`);
    const before = await page.getByRole('main').ariaSnapshot();
    await page.reload();
    await loaded(page, screen);
    await expect.poll(() => page.getByRole('main').ariaSnapshot()).toBe(before);
    expect(new URL(page.url()).hash).toBe(`#${hashOf(screen)}`);
  });

  test.each([
    ['light', 'wide', WIDE],
    ['light', 'narrow', NARROW],
    ['dark', 'wide', WIDE],
    ['dark', 'narrow', NARROW],
  ] as const)('%s and %s, it is accessible and fits', async (colorScheme, _, viewport) => {
    const { page } = await openScreen(name, { colorScheme, viewport });
    await expectAccessible(page);
    expect(await overflow(page)).toBe(0);
  });

  test('without a state, it says what to do next', async () => {
    const { page } = await openPage({ url: explorer.newLink(name) });
    await page.getByRole('heading', { level: 1, name: screenOf(name).title }).waitFor();
    expect(await page.getByRole('main').innerText()).toMatch(/\w+/);
    await expectAccessible(page);
  });
});

test('the playground is accessible as it opens', async () => {
  const { page } = await openPage({ url: playground() });
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
  await expectAccessible(page);
});
