import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, openPage } from '../support/browser.ts';
import { serveFolder } from '../support/static-server.ts';

const POLICY = `<meta http-equiv="content-security-policy" content="default-src 'none'; script-src 'self'">`;
const page = (body: string): string =>
  `<!doctype html><html lang="en"><head>${POLICY}<title>A page</title></head><body><main>${body}</main></body></html>`;
const FILES: Readonly<Record<string, string>> = {
  'index.html': page('<h1>Hello</h1>'),
  'inline.html': page('<h1>Hello</h1><script>document.title = "run"</script>'),
  'abroad.html': page('<h1>Hello</h1><script src="http://other.example/a.js"></script>'),
  'missing.html': page('<h1>Hello</h1><script src="missing.js"></script>'),
  'throws.html': page('<h1>Hello</h1><script src="throws.js"></script>'),
  'throws.js': 'throw new Error("out of range")',
  'warns.html': page('<h1>Hello</h1><script src="warns.js"></script>'),
  'warns.js': 'console.warn("old form")',
  'unlabelled.html': page('<h1>Hello</h1><input>'),
};

/** The tests of the explorer rest on this: what is wrong with a page is noticed. */
describe('a page in Chromium', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-pages-'));
  let served: Awaited<ReturnType<typeof serveFolder>>;

  beforeAll(async () => {
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
    served = await serveFolder(folder, '/some/base/');
  });

  afterAll(async () => {
    await served.close();
    rmSync(folder, { recursive: true });
  });

  test('is clean and accessible when nothing is wrong', async () => {
    const { page, expectClean } = await openPage({ url: served.url });
    expect(await page.getByRole('heading').textContent()).toBe('Hello');
    await expectAccessible(page);
    expectClean();
  });

  test.each([
    ['inline', /content security policy: script-src-elem inline/],
    ['abroad', /content security policy: script-src-elem http:\/\/other\.example/],
    ['missing', /status of 404/],
    ['throws', /uncaught: Error: out of range/],
    ['warns', /console warning: old form/],
  ])('with %s is not clean', async (name, complaint) => {
    const { complaints } = await openPage({ url: `${served.url}${name}`, provokes: [/./] });
    await expect.poll(complaints).toContainEqual(expect.stringMatching(complaint));
  });

  test.fails('with a complaint that no test provokes fails its test at the end', async () => {
    const { complaints } = await openPage({ url: `${served.url}warns` });
    await expect.poll(complaints).toHaveLength(1);
  });

  test('cannot hide a request to another origin', async () => {
    const opened = await openPage({ url: served.url, provokes: [/other\.example/] });
    await opened.page.evaluate(`fetch('http://other.example/').catch(() => undefined)`);
    await expect.poll(opened.complaints).toContainEqual(expect.stringMatching(/other\.example/));
  });

  test('with a field without a label is not accessible', async () => {
    const { page } = await openPage({ url: `${served.url}unlabelled` });
    await expect(expectAccessible(page)).rejects.toThrow('Form elements must have labels');
  });
});
