import { text } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import {
  choose,
  decided,
  decisionOf,
  editorIn,
  expectAccessible,
  manifestOf,
  openPage,
  playground,
  type,
} from '../support/browser.ts';

/** The playground's own parts: texts, links, questions and tests. Its views have tests of their own. */
const testsOf = (page: Page) => page.getByRole('textbox', { name: 'Model tests' });
const decisionIn = (page: Page) => page.getByRole('region', { name: 'Question', exact: true });

/** An example, once its text can be edited. */
async function openEditor(name: string, example: string) {
  const opened = await openPage({ url: playground(name, { example }) });
  await editorIn(opened.page);
  return opened;
}

/** The text of an editor: it shows an empty line after the last one. */
const textOf = async (editor: ReturnType<typeof manifestOf>) => (await editor.innerText()).trim();

/** As a person pastes: the editor reads the clipboard itself. */
const paste = (page: Page, text: string): Promise<void> =>
  manifestOf(page).evaluate((editor, pasted) => {
    // biome-ignore lint/suspicious/noExplicitAny: this runs in the page, whose types tests do not have
    const { DataTransfer, ClipboardEvent } = globalThis as any;
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', pasted);
    const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
    (editor as unknown as { readonly dispatchEvent: (event: unknown) => void }).dispatchEvent(event);
  }, text);

const SMALL = `pages: [grades]
scopes:
  north: { type: location }
roles:
  teacher: { global: true, allow: [grades] }
  guest: { global: true }
users:
  ann: { globalRoles: [guest] }
`;

test('it opens with the first example and a question about it', async () => {
  const { page } = await openPage({ url: playground().replace(/#.*/, '') });
  await editorIn(page);
  await decided(decisionOf(page), 'allowed');
  await expect.poll(() => new URL(page.url()).hash).toMatch(/^#why\?example=school&/);
  await expectAccessible(page);
});

describe('the manifest', () => {
  test('what is typed changes the decision', async () => {
    const { page } = await openEditor('map', 'acme');
    await type(page, SMALL);
    await page.getByText('· 5 entries').waitFor();
    const question = decisionIn(page);
    await choose(question, 'Subject', 'ann');
    await choose(question, 'Permission', 'grades');
    await choose(question, 'Scope', 'north');
    await decided(question, 'refused');
    await type(page, SMALL.replace('[guest]', '[teacher]'));
    await decided(question, 'allowed');
    // What is typed slowly is undone in pieces.
    while ((await textOf(manifestOf(page))) !== SMALL.trim()) await page.keyboard.press('ControlOrMeta+z');
    await decided(question, 'refused');
  });

  test('one that is pasted brings a question of its own', async () => {
    const { page } = await openPage({ url: playground().replace(/#.*/, '') });
    await editorIn(page);
    await decided(decisionOf(page), 'allowed');
    await manifestOf(page).click();
    await page.keyboard.press('ControlOrMeta+a');
    await paste(page, SMALL);
    await decisionOf(page).getByText('ann may not use grades at north: no role allows it.').waitFor();
  });

  test('errors are marked in their place, and listed; the last good manifest stays', async () => {
    const { page } = await openEditor('why', 'acme');
    await type(page, SMALL.replace('[guest]', '[gest]'));
    const error = page.getByRole('list', { name: 'Errors' }).getByRole('button');
    await error.getByText('manifest.yaml:8').waitFor();
    await error.getByText(/no role gest/).waitFor();
    await page.getByText('Not applied: the picture shows the last good manifest.').waitFor();
    expect(await page.locator('.cm-lintRange-error').innerText()).toBe('gest');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'tests.yaml' }).click();
    await error.click();
    await page.keyboard.press('Delete');
    await page.keyboard.insertText('gu');
    await page.locator('.cm-lintRange-error').waitFor({ state: 'detached' });
    expect(await error.count()).toBe(0);
    expect(await manifestOf(page).innerText()).toContain('globalRoles: [guest]');
  });

  test('keys and names complete', async () => {
    const { page } = await openEditor('why', 'school');
    await type(page, `${SMALL}gro`);
    await page.keyboard.press('Control+Space');
    await page.getByRole('option', { name: /^groups/ }).waitFor();
    await page.getByText('Sets of users at a scope.').waitFor();
    await page.getByRole('option', { name: /^groups/ }).click();
    expect(await textOf(manifestOf(page))).toMatch(/^groups:$/m);
    await page.keyboard.insertText('{ all: { roles: [te');
    await page.keyboard.press('Control+Space');
    await page.getByRole('option', { name: /^teacher/ }).waitFor();
  });
});

describe('the keyboard', () => {
  test('Esc, then Tab leaves the editor, and Tab alone indents', async () => {
    const { page } = await openEditor('why', 'school');
    await type(page, 'pages:');
    await page.keyboard.press('Tab');
    expect(await manifestOf(page).innerText()).toBe('  pages:');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.shadowRoot')).toBeNull();
  });
});

describe('links', () => {
  test('a link reproduces texts, view and question', async () => {
    const { page } = await openEditor('map', 'school');
    await type(page, SMALL);
    await page.waitForURL(/model=/);
    const { page: other } = await openPage({ url: page.url().replace('#map', '#search') });
    await editorIn(other);
    expect(await textOf(manifestOf(other))).toBe(SMALL.trim());
    await other.getByRole('heading', { level: 1, name: 'Who, what, where' }).waitFor();
  });

  test('back and forward go through views, not through keys', async () => {
    const { page } = await openEditor('map', 'school');
    await page.getByRole('link', { name: 'Why', exact: true }).click();
    await type(page, SMALL);
    await page.waitForURL(/model=/);
    await type(page, `${SMALL}# more`);
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Map' }).waitFor();
    await expect.poll(() => manifestOf(page).innerText()).toContain('teachers north');
    await page.goForward();
    await expect.poll(() => manifestOf(page).innerText()).toContain('globalRoles: [guest]');
  });

  test('typing and moving on at once loses nothing', async () => {
    const { page } = await openEditor('map', 'school');
    await type(page, SMALL);
    await page.getByRole('link', { name: 'Why', exact: true }).click();
    await page.waitForURL(/#why.*model=/);
    expect(await textOf(manifestOf(page))).toBe(SMALL.trim());
  });

  test.each([
    ['that is damaged', { model: 'nonsense' }, 'the link is incomplete or damaged'],
    ['that is too long', { model: 'A'.repeat(70_000) }, 'the link is too long'],
    ['of an example that is not there', { example: 'zoo' }, 'there is no example zoo'],
  ])('a link %s says what to do', async (_, state, message) => {
    const { page } = await openPage({ url: playground('map', state) });
    await page.getByRole('alert').getByText(message).waitFor();
    await page.getByLabel('Example').selectOption('A school');
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await expect.poll(() => manifestOf(page).innerText()).toContain('teachers north');
  });

  test('is copied', async () => {
    const { page, context } = await openPage({ url: playground('map', { example: 'school' }) });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    // The map opens its only root, and says so in the address.
    await page.waitForURL(/open=/);
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByRole('status').getByText('Link copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(page.url());
  });
});

test('neither the page nor its worker can send anything', async () => {
  const { page } = await openPage({ url: playground(), provokes: [/connect-src/, /Refused to connect/] });
  await editorIn(page);
  const [worker] = page.workers();
  const sent = `fetch(${JSON.stringify(playground().replace(/#.*/, ''))}).then(() => 'sent', () => 'refused')`;
  expect([await page.evaluate(sent), await worker?.evaluate(sent)]).toEqual(['refused', 'refused']);
});

describe('tests', () => {
  const resultsIn = (page: Page) => page.getByRole('region', { name: 'Test results' });

  test('the present question becomes a test', async () => {
    const { page } = await openPage({ url: playground().replace(/#.*/, '') });
    await editorIn(page);
    await page.getByRole('button', { name: 'Add as test' }).click();
    await resultsIn(page).getByText('9 passed').waitFor();
    expect(await testsOf(page).innerText()).toContain(
      'scope: north, at: 2026-03-02T09:00:00.000Z, expect: allow }',
    );
  });

  test('they fail and pass as the manifest is typed', async () => {
    const { page } = await openEditor('map', 'school');
    const results = resultsIn(page);
    await results.getByText('8 passed').waitFor();
    const school = await textOf(manifestOf(page));
    await type(page, school.replace('[teachers north] }\n  ben', '[staff] }\n  ben'));
    await results.getByText('1 failed').waitFor();
    const failed = results.getByRole('listitem').filter({ hasText: 'Ann teaches in the north' });
    expect(await failed.innerText()).toMatch(/expected allow, got\s+✕ refused no_grant: no role allows it/);
    await expectAccessible(page);
    // What took long to type is undone in parts.
    await manifestOf(page).click();
    while ((await textOf(manifestOf(page))) !== school) await page.keyboard.press('ControlOrMeta+z');
    await results.getByText('8 passed').waitFor();
  });

  test('each result leads to its explanation and to its line', async () => {
    const { page } = await openEditor('map', 'school');
    await resultsIn(page).getByRole('link', { name: 'a volunteer sees no grades' }).click();
    await decided(decisionOf(page), 'refused');
    await expect.poll(() => page.url()).toMatch(/#why\?.*permission=grades.*at=2026-03-02T09/);
    await resultsIn(page).getByRole('button', { name: 'line 12' }).click();
    await testsOf(page).waitFor();
    expect(await page.evaluate(FOCUSED)).toBe('Model tests');
  });
});

describe('files', () => {
  test('a file is opened into the text that is shown, and downloaded from it', async () => {
    const { page } = await openEditor('map', 'acme');
    const chosen = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Open file' }).click();
    await (await chosen).setFiles({ name: 'mine.yaml', mimeType: 'text/yaml', buffer: Buffer.from(SMALL) });
    await page.getByText('· 5 entries').waitFor();
    expect(await textOf(manifestOf(page))).toBe(SMALL.trim());
    const downloaded = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).click();
    const download = await downloaded;
    expect(download.suggestedFilename()).toBe('manifest.yaml');
    expect(await text(await download.createReadStream())).toBe(SMALL);
  });

  test('a new manifest begins with a few lines that work, and their question', async () => {
    const { page } = await openEditor('map', 'school');
    await page.getByRole('button', { name: 'Start anew' }).click();
    await page.getByRole('region', { name: 'Test results' }).getByText('1 passed').waitFor();
    await decided(decisionIn(page), 'allowed');
    await page.waitForURL(/#why\?.*model=/);
    await page.goBack();
    await expect.poll(() => manifestOf(page).innerText()).toContain('teachers north');
  });
});

test('without a network all of it works: views, conditions, edits', async () => {
  const { page, context } = await openEditor('map', 'acme');
  await page.getByText('· 2 entries').waitFor();
  // The last of what is loaded ahead: what decides conditions, in the worker.
  await page.waitForLoadState('networkidle');
  const asked: string[] = [];
  context.on('request', (request) => asked.push(request.url()));
  await context.setOffline(true);
  await page.getByLabel('Example').selectOption('Record ownership');
  const results = page.getByRole('region', { name: 'Test results' });
  await results.getByText('0 failed').waitFor();
  for (const title of ['Map', 'Why', 'Who, what, where', 'Matrix', 'What if', 'Live', 'Log', 'Policy']) {
    await page
      .getByRole('navigation', { name: 'Views' })
      .getByRole('link', { name: title, exact: true })
      .click();
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
  }
  await type(page, SMALL);
  await page.getByText('· 5 entries').waitFor();
  expect(asked).toEqual([]);
});

describe('on a narrow screen', () => {
  test('one column is shown at a time, and all of them can be used', async () => {
    const viewport = { width: 360, height: 740 };
    const { page } = await openPage({ url: playground('map', { example: 'school' }), viewport });
    const columns = page.getByRole('navigation', { name: 'Columns' });
    await page.getByRole('main').waitFor();
    for (const [name, shown] of [
      ['Manifest', manifestOf(page)],
      ['Tests', page.getByRole('heading', { name: 'Model tests' })],
      ['Picture', page.getByRole('main')],
    ] as const) {
      await columns.getByRole('button', { name }).click();
      await shown.waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
      await expectAccessible(page);
    }
  });

  test('what leads to an explanation shows the column that it is in', async () => {
    const viewport = { width: 360, height: 740 };
    const state = { example: 'school', column: 'tests' };
    const { page } = await openPage({ url: playground('map', state), viewport });
    await page.getByRole('link', { name: 'a volunteer sees no grades' }).click();
    await decided(decisionOf(page), 'refused');
    await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Map' }).click();
    await page.getByRole('button', { name: 'Tests' }).click();
    await page.getByRole('link', { name: 'Why?' }).click();
    await decided(decisionOf(page), 'refused');
  });
});

test('columns are hidden and shown, and the address says so', async () => {
  const { page } = await openEditor('map', 'school');
  const columns = page.getByRole('group', { name: 'Columns' });
  await columns.getByRole('button', { name: 'Manifest' }).click();
  await manifestOf(page).waitFor({ state: 'hidden' });
  await expect.poll(() => page.url()).toContain('hide=manifest');
  await page.getByRole('button', { name: 'line 6' }).click();
  await testsOf(page).waitFor();
  await expect.poll(() => page.url()).not.toContain('hide');
});

/** The label of the editor that has the focus. */
const FOCUSED = `document.activeElement.shadowRoot?.activeElement.getAttribute('aria-label')`;
