/*
 * How to write a browser test. Name the file `test/…/NAME.browser.test.ts` and run it by
 * `npx vitest run --project browser test/…/NAME`:
 *
 *   test('the map names the schools', async () => {
 *     const { page } = await openPage({ url: playground('map', { example: 'school' }) });
 *     await page.getByRole('treeitem', { name: 'North School' }).click();
 *     await page.getByRole('heading', { name: 'North School' }).waitFor();
 *     await expectAccessible(page);
 *   });
 *
 * - The page is built before the first test. `playground(view, state)` is the address of a view of it. The state is that
 *   of explorer/page/address.ts.
 * - Find elements by role and label. Wait for conditions (`waitFor`, `expect.poll`), never for time.
 * - `openPage` is for the inside of a test. When the test ends, it closes the page and fails the test if the page
 *   logged an error or a warning, threw, broke its content security policy, had a request fail, or sent one to another
 *   origin. Where a test provokes such complaints, it names them: `openPage({ url, provokes: [/status of 503/] })`.
 *   `expectClean()` does the same check at once.
 * - What `page.evaluate` runs is a text here: the types of tests know no DOM. `waitForFunction` does not work: it breaks
 *   the page's policy.
 * - A page has its own profile (cookies, storage), 1280 x 800 pixels, light colours, and no motion.
 * - A failed test leaves a picture of its page, and says where.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AxeResults } from 'axe-core';
import {
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core';
import { expect, inject, onTestFinished } from 'vitest';
import { packTexts } from '../../explorer/page/playground/link.ts';

/** Milliseconds after which what has not come true never will, on the slowest machine. */
const LIMIT_MS = 60_000;

/** The address of a view of the playground. */
export const playground = (name = '', state: Readonly<Record<string, string>> = {}): string =>
  `${inject('playground')}#${name}?${new URLSearchParams(state)}`;

/** The decision in the view of its explanation. */
export const decisionOf = (page: Page): Locator =>
  page.getByRole('region', { name: 'Decision', exact: true });

/** Waits until a decision is shown. */
export const decided = (shown: Locator, outcome: 'allowed' | 'refused'): Promise<void> =>
  shown.getByText(new RegExp(` ${outcome}$`)).waitFor();

/** Fills in a field of a view, as a person who presses Enter. */
export async function choose(within: Locator | Page, label: string, text: string): Promise<void> {
  const field = within.getByLabel(label, { exact: true });
  await field.fill(text);
  await field.press('Enter');
}

/** A manifest as links of the playground hold it. */
export async function modelOf(manifest: string): Promise<string> {
  const model = await packTexts({ manifest, tests: '' });
  if (model === undefined) throw new Error('the manifest is too long for an address');
  return model;
}

/** A view of the playground over a manifest, with as much room for it as there is. */
export const openOver = async (manifest: string, name: string) =>
  openPage({ url: playground(name, { model: await modelOf(manifest), hide: 'manifest,tests' }) });

/** Waits for the editor proper: before its code has come, a plain field is in its place. */
export const editorIn = (page: Page): Promise<void> => page.locator('.editor .cm-content').first().waitFor();

export const manifestOf = (page: Page): Locator => page.getByRole('textbox', { name: 'Manifest' });

/** Replaces what the editor of the manifest holds by typing, one key at a time. */
export async function type(page: Page, text: string): Promise<void> {
  await manifestOf(page).click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.press('Delete');
  await page.keyboard.insertText(text);
}

interface PageOptions extends BrowserContextOptions {
  readonly url: string;
  /** What the page is to complain of: each complaint that none of these matches fails the test. */
  readonly provokes?: readonly RegExp[];
  /** Runs before the page is loaded: routes, init scripts, a clock. */
  readonly before?: (page: Page) => Promise<unknown>;
}

interface OpenedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Fails if the page has complained since it was opened. */
  readonly expectClean: () => void;
  /** All that the page has complained of, what the test provokes included. */
  readonly complaints: () => readonly string[];
}

/** Opens a page in a profile of its own, until the end of the test. */
export async function openPage({ url, provokes = [], before, ...options }: PageOptions): Promise<OpenedPage> {
  const browser = await chromium.connect(inject('chromium'), { timeout: LIMIT_MS });
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    colorScheme: 'light',
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
    ...options,
  });
  context.setDefaultTimeout(LIMIT_MS);
  const complaints = await listen(context, new URL(url).origin);
  const page = await context.newPage();
  const expectClean = (): void =>
    expect(complaints.filter((each) => !provokes.some((pattern) => pattern.test(each)))).toEqual([]);
  onTestFinished(async ({ task }) => {
    const complained = complaints.slice();
    const file = join(tmpdir(), `${task.name.replaceAll(/\W+/g, '-').slice(0, 80)}.png`);
    if (task.result?.state === 'fail') {
      await page.screenshot({ path: file }).then(
        () => console.error(`the page when the test failed: ${file}`),
        () => undefined,
      );
    }
    await context.close();
    await browser.close();
    complaints.splice(0, Number.POSITIVE_INFINITY, ...complained);
    expectClean();
  });
  await before?.(page);
  await page.goto(url);
  return { page, context, expectClean, complaints: () => complaints.slice() };
}

/** Collects what pages of the context complain of, and their requests to other origins. */
async function listen(context: BrowserContext, origin: string): Promise<string[]> {
  const complaints: string[] = [];
  context.on('console', (message) => {
    const type = message.type();
    if (type === 'error' || type === 'warning') complaints.push(`console ${type}: ${message.text()}`);
  });
  context.on('weberror', (error) => complaints.push(`uncaught: ${error.error()}`));
  context.on('request', (request) => {
    const { protocol, origin: asked } = new URL(request.url());
    if (protocol !== 'data:' && asked !== origin) complaints.push(`another origin: ${request.url()}`);
  });
  context.on('response', (response) => {
    if (response.status() >= 400) complaints.push(`status of ${response.status()}: ${response.url()}`);
  });
  context.on('requestfailed', (request) => {
    // What a reload or a closed page cuts off has not failed.
    const reason = request.failure()?.errorText;
    if (reason !== 'net::ERR_ABORTED') complaints.push(`failed: ${request.url()} ${reason}`);
  });
  await context.exposeBinding('complainOfPolicy', (_source, text: string) => {
    complaints.push(`content security policy: ${text}`);
  });
  await context.addInitScript(
    `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      complainOfPolicy(violatedDirective + ' ' + blockedURI))`,
  );
  return complaints;
}

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** Rules whose outcome rests on colours. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/**
 * Fails unless axe finds no violation of WCAG 2.2 A and AA or of its best practices in the page as it is shown now.
 * The page keeps its content security policy: what the debugger evaluates is not subject to it.
 *
 * @param how which of several appearances it is, for the message
 * @param rules of which rules; `colours` where nothing but the colours has changed since all were checked
 */
export async function expectAccessible(
  page: Page,
  how = '',
  rules: 'all' | 'colours' = 'all',
): Promise<void> {
  if (!(await page.evaluate(`'axe' in globalThis`))) await page.evaluate(readFileSync(AXE, 'utf8'));
  const options = { runOnly: rules === 'all' ? TAGS : OF_COLOURS, resultTypes: ['violations'] };
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${JSON.stringify(options)})`);
  const findings = violations.flatMap(({ id, impact, help, nodes }) =>
    nodes.map(({ target, html, failureSummary = '' }) =>
      [`${id} (${impact}): ${help}`, target.join(' '), html.slice(0, 300), failureSummary].join('\n'),
    ),
  );
  if (findings.length > 0) throw new Error([`axe finds:${how && ` (${how})`}`, ...findings].join('\n\n'));
}
