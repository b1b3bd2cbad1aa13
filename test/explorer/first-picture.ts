import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { buildExplorer } from '../../deploy/bundle/explorer.ts';
import { launchChromium } from '../support/chromium.ts';
import { serveFolder } from '../support/static-server.ts';

/**
 * `npm run bench -- first-picture`: how long the playground takes until it shows anything, and until it shows a decision: on this
 * processor, and on one that is four times slower. Nothing is cached before. It prints medians in milliseconds.
 *
 * Chromium slows down the thread of the page, not that of the worker, which decides. Four times what this processor takes
 * is a bound on both.
 */
const SLOWER = 4;
const RUNS = 15;
const BUILT = fileURLToPath(new URL('../../explorer/built', import.meta.url));
const QUESTION = '#why?example=school&subject=user:ann&permission=grades&scope=location:north';

/** When the first decision is on the screen. */
const NOTE_DECISION = `
  globalThis.decision = new Promise((resolve) => {
    const looking = new MutationObserver(() => {
      if (!document.querySelector('main .badge')) return;
      looking.disconnect();
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
    });
    looking.observe(document, { childList: true, subtree: true });
  });
`;

interface Times {
  readonly firstPicture: number;
  readonly decision: number;
}

async function measure(endpoint: string, url: string, rate: number): Promise<Times> {
  const browser = await chromium.connect(endpoint);
  const context = await browser.newContext();
  const page = await context.newPage();
  const debuggee = await context.newCDPSession(page);
  await debuggee.send('Emulation.setCPUThrottlingRate', { rate });
  await page.addInitScript(NOTE_DECISION);
  await page.goto(url);
  const times = await page.evaluate<Times>(`decision.then((decision) => ({
    firstPicture: performance.getEntriesByName('first-contentful-paint')[0].startTime,
    decision,
  }))`);
  await browser.close();
  return times;
}

const median = (values: readonly number[]): number =>
  Math.round([...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN);

await buildExplorer(BUILT);
const served = await serveFolder(BUILT);
const server = await launchChromium();
try {
  for (const rate of [1, SLOWER]) {
    const all: Times[] = [];
    for (let run = 0; run < RUNS; run += 1)
      all.push(await measure(server.wsEndpoint(), served.url + QUESTION, rate));
    const firstPicture = median(all.map((times) => times.firstPicture));
    const decision = median(all.map((times) => times.decision));
    console.log(`${rate} times slower: first picture ${firstPicture} ms, first decision ${decision} ms`);
  }
} finally {
  await server.close();
  await served.close();
}
