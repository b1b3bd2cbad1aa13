import type { Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { openPage } from '../support/browser.ts';
import { serveExplorer } from '../support/served-explorer.ts';
import { HOSTILE, hostileTable, NOW, serviceOver } from './worlds.ts';

/**
 * Names come from whoever may write to the table: what they say is shown as text. A text that is run complains (see
 * test/support/browser.ts), and so does one that is loaded.
 */
const stops: (() => Promise<void>)[] = [];
afterAll(() => Promise.all(stops.map((stop) => stop())));

async function serve(text: string) {
  const table = await hostileTable(text);
  const explorer = await serveExplorer(serviceOver(table));
  stops.push(explorer.stop);
  explorer.happened({
    kind: 'decision',
    at: NOW,
    source: text,
    ...table.question,
    allowed: true,
    reason: 'role',
    consistency: 'cached',
    calls: 0,
    units: 0,
    milliseconds: 0.1,
    isFirst: false,
    isStale: false,
    request: { method: 'GET', path: `/${text}` },
  });
  return { ...table, explorer };
}

/** The views, each with a state in which it shows the subject, the scope or what is between them. */
function addressesOf({ question, group, top }: Awaited<ReturnType<typeof serve>>) {
  const { subject, permission, scope } = question;
  const change = [{ command: 'membership.delete', input: { user: subject.slice('user:'.length), group } }];
  const addresses: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    why: question,
    search: { search: 'who', permission, scope },
    'what-if': { change: JSON.stringify(change) },
    map: { open: top, scope },
    live: {},
    log: { tenant: top },
    policy: { subject },
  };
  return Object.entries(addresses).map(([name, state]) => `#${name}?${new URLSearchParams(state)}`);
}

/** What the view shows, what its fields hold included. */
const shown = (page: Page): Promise<string> =>
  page.evaluate(
    `document.querySelector('main').innerText + [...document.querySelectorAll('main input')].map(({ value }) => value)`,
  );

const overflow = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

describe.each(Object.entries(HOSTILE))('a name that is %s', (_, text) => {
  test('is text in every view, and the page keeps its form', async () => {
    const served = await serve(text);
    expect(served.fields.length).toBeGreaterThan(80);
    const { explorer } = served;
    const { page, expectClean } = await openPage({ url: explorer.newLink() });
    for (const address of addressesOf(served)) {
      await page.goto(`${explorer.url}${address}`);
      await expect.poll(() => shown(page)).toContain(text);
      for (const width of [360, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        expect(await overflow(page), `${address} at ${width} pixels`).toBe(0);
      }
      expect(await page.locator('[href^="javascript:" i], main script, main img').count()).toBe(0);
      expectClean();
    }
  });
});
