import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { report } from '../../cli/revocation/subcommand.ts';
import { revocationBound } from '../../provisioning/index.ts';
import { expectAccessible, openPage, playground } from '../support/browser.ts';
import { liveTable, rowOf, type Stack, startStack } from './local-stack.ts';

/** Decisions of the local stack as they happen, and caches that run out after a revocation. */
const NORTH = '/locations/01M800000000000000000N0RTH/pages';
const TINA = 'tina@school.example';
const VICTOR = 'victor@school.example';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.stop());

/** Opens the view at the local stack, and waits until decisions come. */
async function openLive(state = '', options = {}): Promise<Page> {
  const { page } = await openPage({ url: await stack.newLink(`live${state}`), ...options });
  await page.getByText('connected: decisions appear').waitFor();
  return page;
}

describe('a request through the gateway', () => {
  test('appears with reason, calls and time, and a click explains it', async () => {
    const page = await openLive();
    expect(await stack.request(`${NORTH}/grades`, TINA)).toBe(200);
    const row = rowOf(page, 'tina', 'grades', 'North School');
    await row.waitFor();
    expect(await row.innerText()).toMatch(/✓ allowed\s+role/);
    expect(await row.innerText()).toContain('http-simple');
    expect(await row.getByRole('cell').nth(4).innerText()).toMatch(/^\d/);
    expect(await row.getByRole('cell').nth(5).innerText()).toMatch(/^[\d.]+ ms$/);
    await expectAccessible(page);
    await row.getByRole('link', { name: 'Why: tina grades North School' }).click();
    await page.getByRole('heading', { level: 1, name: 'Why' }).waitFor();
    const { hash } = new URL(page.url());
    expect(hash).toMatch(/^#why\?/);
    const asked = new URLSearchParams(hash.slice('#why?'.length));
    expect(Object.fromEntries(asked)).toMatchObject({
      subject: 'user:01M8000000000000000000T1NA',
      permission: 'grades',
      scope: 'location:01M800000000000000000N0RTH',
      at: expect.stringMatching(/Z$/),
    });
  });

  test('that is refused, or never becomes a decision, says why', async () => {
    const page = await openLive();
    expect(await stack.request(`${NORTH}/grades`, VICTOR)).toBe(403);
    expect(await stack.request(`${NORTH}/schedule`)).toBe(401);
    await rowOf(page, 'victor', 'denied_by_role').waitFor();
    await rowOf(page, '401', 'no credential: the authorizer was not asked').waitFor();
    expect(await stack.request(`/http-policy${NORTH}/secret`, TINA)).toBe(403);
    await rowOf(page, 'http-policy', '403', /a policy of \d+ decisions refuses it/).waitFor();
  });
});

describe('the list', () => {
  test('is filtered, and the filter is in the address', async () => {
    await stack.request(`${NORTH}/grades`, TINA);
    await stack.request(`${NORTH}/grades`, VICTOR);
    const page = await openLive('?outcome=refused');
    await rowOf(page, 'victor').waitFor();
    await expect.poll(() => liveTable(page).getByText('✓ allowed').count()).toBe(0);
    await page.getByLabel('Outcome').selectOption('');
    await page.getByRole('main').getByLabel('Subject').fill('TINA');
    await rowOf(page, 'tina').waitFor();
    await expect.poll(() => liveTable(page).getByText('victor').count()).toBe(0);
    await expect.poll(() => page.url()).toMatch(/#live\?who=TINA$/);
    await page.getByRole('button', { name: 'Clear the filter' }).click();
    await page
      .getByRole('list', { name: 'Reasons' })
      .getByRole('button', { name: /denied_by_role/ })
      .click();
    await expect.poll(() => page.url()).toMatch(/reason=denied_by_role$/);
    await expect.poll(() => liveTable(page).getByText('✓ allowed').count()).toBe(0);
    await page.getByLabel('Any text').fill('nobody has this');
    await page.getByText('Nothing matches the filter').waitFor();
    await expectAccessible(page);
  });

  test('is paused and goes on by the keyboard', async () => {
    const page = await openLive();
    // When it is there, all before it is.
    await stack.request('/pages/last-before-the-pause');
    await rowOf(page, 'last-before-the-pause').waitFor();
    const pause = page.getByRole('button', { name: 'Pause' });
    await pause.focus();
    await page.keyboard.press('Enter');
    const resume = page.getByRole('button', { name: /^Resume/ });
    await resume.waitFor();
    const shown = await liveTable(page).getByRole('row').count();
    await stack.request(`${NORTH}/schedule`, TINA);
    await page.getByRole('button', { name: 'Resume (1 new)' }).waitFor();
    expect(await liveTable(page).getByRole('row').count()).toBe(shown);
    await page.keyboard.press('Space');
    await pause.waitFor();
    await expect.poll(() => liveTable(page).getByRole('row').count()).toBe(shown + 1);
  });
});

describe('a stream that breaks', () => {
  test('says what was missed, and can be opened anew after its end', async () => {
    const event = (id: number) =>
      `id: ${id}\ndata: ${JSON.stringify({
        kind: 'request',
        id,
        at: Date.UTC(2026, 2, 1),
        source: `api-${id}`,
        method: 'GET',
        path: '/',
        status: 404,
        decisions: 0,
      })}\n\n`;
    const answers = [
      `retry: 10\n\n${event(1)}`,
      `event: missed\ndata: {"count":2}\n\n${event(4)}`,
      undefined,
    ];
    let asked = 0;
    const { page } = await openPage({
      url: await stack.newLink('live'),
      provokes: [/status of 401/],
      before: (opened) =>
        opened.route('**/live', (route) => {
          const body = answers[asked++];
          if (asked > answers.length) return route.continue();
          return body === undefined
            ? route.fulfill({ status: 401 })
            : route.fulfill({ contentType: 'text/event-stream', body });
        }),
    });
    await page.getByText('the stream has ended').waitFor();
    await page.getByText('2 events were gone before this page could read them').waitFor();
    await rowOf(page, 'api-4').waitFor();
    await rowOf(page, 'api-1').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Connect again' }).click();
    await page.getByText('connected: decisions appear').waitFor();
    await expect.poll(() => page.getByText('api-4').count()).toBe(0);
  });
});

test('where nothing is live, the page says what to do', async () => {
  const { page } = await openPage({ url: playground('live') });
  await page.getByText('npx gatehouse-authz dev').waitFor();
  await expectAccessible(page);
});

describe('a revocation', () => {
  const SINCE = Date.parse('2026-03-01T00:00:00Z');
  const STATE = {
    show: 'revocation',
    revoked: 'user:ann',
    since: '2026-03-01T00:00:00.000Z',
    resultTtl: '300',
  };
  const stateOf = (page: Page, layer: string) =>
    page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: layer, exact: true }) });

  test('is a timeline that runs out', async () => {
    const { page } = await openPage({
      url: playground('live', STATE),
      before: (opened) => opened.clock.setFixedTime(SINCE + 20_000),
    });
    await stateOf(page, 'engine cache').filter({ hasText: '▸ 40 s left' }).waitFor();
    await stateOf(page, 'API Gateway result cache').filter({ hasText: '▸ 5 min 40 s left' }).waitFor();
    await page.getByText('The last request is allowed before 00:06:00, 5 min 40 s from now.').waitFor();
    await page.clock.setFixedTime(SINCE + 60_000);
    await stateOf(page, 'engine cache').filter({ hasText: '✓ over' }).waitFor();
    await page.getByRole('status').filter({ hasText: '1 of 3 have run out: engine cache' }).waitFor();
    await page.clock.setFixedTime(SINCE + 360_000);
    await page.getByText('No request has been allowed since 00:06:00.').waitFor();
    await stateOf(page, 'open WebSocket').filter({ hasText: '▸ 1 h 55 min left' }).waitFor();
    await expectAccessible(page);
  });

  test('takes a year that is typed over another one digit by digit, without a history', async () => {
    const { page } = await openPage({ url: playground('live', STATE) });
    const since = page.getByLabel('Since', { exact: true });
    const before = await page.evaluate('history.length');
    await since.focus();
    for (const key of ['ArrowRight', 'ArrowRight', '2', '0', '2']) await page.keyboard.press(key);
    await page.getByText('it is not complete').waitFor();
    expect(page.url()).toContain('since=2026');
    await page.keyboard.press('5');
    await expect.poll(() => page.url()).toContain('since=2025-03-01T00%3A00%3A00.000Z');
    expect(await page.evaluate('history.length')).toBe(before);
  });

  test('follows the settings, which are in the address', async () => {
    const { page } = await openPage({ url: playground('live', { show: 'revocation' }) });
    await page.getByText('A request may be allowed for 60 s after a revocation.').waitFor();
    await page.getByLabel('Cache TTL of the authorizer').fill('5');
    await page.getByText('A request may be allowed for 5 s after a revocation.').waitFor();
    await page.getByLabel('Cache TTL of the authorizer').fill('soon');
    await page.getByText('this is not a whole number of seconds').waitFor();
    await page.getByLabel('Cache TTL of the authorizer').fill('0');
    await page.getByLabel('Life of a WebSocket').fill('0');
    await page.getByText('No request is allowed after a revocation.').waitFor();
    await expect.poll(() => page.url()).toContain('cacheTtl=0&webSocket=0');
    await page.getByLabel('Revoked', { exact: true }).fill('user:ann');
    await page.keyboard.press('Tab');
    await page.getByRole('link', { name: /who loses what when user:ann is disabled/ }).waitFor();
    await expectAccessible(page);
  });

  test('is opened from what the command line printed, pasted or as a file', async () => {
    const times = { cacheTtl: 30, outageTtl: 0, resultTtl: 300, webSocket: 7_200 };
    const revoked = { revoked: 'user:eve', before: false, text: '', token: undefined };
    const text = JSON.stringify(report(revoked, revocationBound(times), SINCE).data);
    const { page } = await openPage({
      url: playground('live', { show: 'revocation' }),
      before: (opened) => opened.clock.setFixedTime(SINCE),
    });
    const pasted = page.getByLabel(/^What npx gatehouse-authz revoke-user/);
    await pasted.fill('user:eve is disabled');
    await page.getByRole('alert').filter({ hasText: 'run the command with --json' }).waitFor();
    await pasted.fill(text);
    await stateOf(page, 'engine cache').filter({ hasText: '▸ 30 s left' }).waitFor();
    await expect
      .poll(() => page.url())
      .toContain('cacheTtl=30&resultTtl=300&revoked=user%3Aeve&since=2026-03-01T00%3A00');
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
    const buffer = Buffer.from(text.replaceAll('user:eve', 'user:dan'));
    await page
      .getByLabel('or a file with it')
      .setInputFiles({ name: 'report.json', mimeType: 'application/json', buffer });
    await page.getByText('user:dan').first().waitFor();
  });

  test('works in the dark and on a narrow screen', async () => {
    const { page } = await openPage({
      url: playground('live', STATE),
      colorScheme: 'dark',
      viewport: { width: 360, height: 800 },
    });
    await page.getByText('✓ over').first().waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    await expectAccessible(page);
  });
});
