import { mkdirSync, writeFileSync } from 'node:fs';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { buildExplorer } from '../../deploy/bundle/explorer.ts';
import { launchChromium } from '../support/chromium.ts';
import { serveExplorer } from '../support/served-explorer.ts';
import { serveFolder } from '../support/static-server.ts';
import { addDecisions, hashOf, loaded, sampleScreens } from './sample-screens.ts';
import { NOW, sampleTable, serviceOver } from './worlds.ts';

/**
 * `npm run proof -- pictures [name …]`: takes the pictures of docs/explorer.md: each view with the sample tenants, light and
 * dark, wide and narrow. Each run makes the same ones: data and clock are fixed, and nothing moves.
 */
const FOLDER = new URL('../../docs/pictures/explorer/', import.meta.url);
const BUILT = fileURLToPath(new URL('../../explorer/built', import.meta.url));

/** Viewports, and the pixels of the longest picture. */
const SIZES = {
  wide: { viewport: { width: 1280, height: 800 }, most: 1_000 },
  narrow: { viewport: { width: 390, height: 844 }, most: 1_200 },
} as const;

/** Where the last of what the view shows ends. */
const BOTTOM = `Math.max(...[...document.querySelectorAll('main *')]
  .map((element) => element.getBoundingClientRect().bottom))`;

interface Shot {
  readonly name: string;
  readonly newUrl: () => string;
  readonly loaded: (page: Page) => Promise<unknown>;
}

async function take(browser: Browser, shot: Shot): Promise<void> {
  for (const [size, { viewport, most }] of Object.entries(SIZES)) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const context = await browser.newContext({
        viewport,
        colorScheme,
        reducedMotion: 'reduce',
        locale: 'en-GB',
        timezoneId: 'UTC',
      });
      const page = await context.newPage();
      await page.clock.setFixedTime(NOW);
      await page.goto(shot.newUrl());
      await shot.loaded(page);
      await settled(page);
      const bottom = await page.evaluate<number>(BOTTOM);
      const clip = { x: 0, y: 0, width: viewport.width, height: Math.min(Math.ceil(bottom) + 24, most) };
      const png = await page.screenshot({ fullPage: true, clip, animations: 'disabled' });
      const name = `${shot.name}-${colorScheme}-${size}.png`;
      writeFileSync(new URL(name, FOLDER), png);
      console.log(`${name} ${png.length} bytes`);
      await context.close();
    }
  }
}

/** Waits until nothing has changed on the screen for a while. */
async function settled(page: Page): Promise<void> {
  let before = '';
  for (let same = 0; same < 5; ) {
    const now = await page.locator('body').ariaSnapshot();
    same = now === before ? same + 1 : 0;
    before = now;
    await page.waitForTimeout(100);
  }
}

await buildExplorer(BUILT);
mkdirSync(FOLDER, { recursive: true });
const table = await sampleTable();
const explorer = await serveExplorer(serviceOver(table));
addDecisions(explorer, table);
const playground = await serveFolder(BUILT);
const server = await launchChromium();
try {
  const browser = await chromium.connect(server.wsEndpoint());
  const shots: readonly Shot[] = [
    ...sampleScreens(table).map((screen) => ({
      name: screen.name,
      newUrl: () => explorer.newLink(hashOf(screen)),
      loaded: (page: Page) => loaded(page, screen),
    })),
    {
      name: 'playground',
      newUrl: () => playground.url,
      loaded: (page) =>
        page
          .getByRole('main')
          .getByText(/ allowed$/)
          .first()
          .waitFor(),
    },
  ];
  const wanted = argv.slice(2);
  for (const shot of shots.filter(({ name }) => wanted.length === 0 || wanted.includes(name)))
    await take(browser, shot);
} finally {
  await server.close();
  await explorer.stop();
  await playground.close();
}
