import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { openPage } from '../support/browser.ts';
import { listen, startExplorer } from './served.ts';

/** Web pages that a person visits while the explorer is open in the same browser: none can read or drive it. */

/** What a page of another origin tries, and what came of each: `got` only where it got something. */
const attacksOn = (url: string): string => `(async () => {
  const write = JSON.stringify({ command: 'tenant.create', input: { id: 'evil', name: 'Evil' } });
  const never = new Promise((resolve) => setTimeout(() => resolve('nothing'), 3000));
  const tried = (attack) => Promise.race([attack().catch(() => 'nothing'), never]);
  const read = (promise) => promise.then((response) => response.text()).then((text) => 'got ' + text);
  const loaded = (element, from, attribute = 'src') => new Promise((resolve) => {
    element.onload = () => resolve('got ' + element.tagName);
    element.onerror = () => resolve('nothing');
    element[attribute] = from;
    document.body.append(element);
  });
  const make = (tag) => document.createElement(tag);
  const posted = (type, target) => {
    const form = make('form');
    Object.assign(form, { method: 'post', enctype: type, action: '${url}/api/command', target });
    const field = make('input');
    Object.assign(field, { name: write.slice(0, -1) + ',"x":"', value: '"}' });
    form.append(field);
    document.body.append(form);
    form.submit();
    return new Promise((resolve) => setTimeout(() => resolve('nothing'), 300));
  };
  const headers = { 'content-type': 'application/json', 'x-gatehouse-explorer': '1' };
  const call = { method: 'POST', body: write, credentials: 'include' };
  const frame = async (sandbox) => {
    const element = make('iframe');
    if (sandbox) element.sandbox = 'allow-scripts';
    await loaded(element, '${url}/');
    try {
      return element.contentDocument ? 'got document' : 'nothing';
    } catch { return 'nothing'; }
  };
  const opened = async () => {
    const popup = window.open('${url}/', '_blank');
    await new Promise((resolve) => setTimeout(resolve, 500));
    try {
      return popup && popup.document && popup.location.href !== 'about:blank' ? 'got window' : 'nothing';
    } catch { return 'nothing'; }
  };
  const events = () => new Promise((resolve) => {
    const source = new EventSource('${url}/live', { withCredentials: true });
    source.onopen = () => resolve('got stream');
    source.onerror = () => { source.close(); resolve('nothing'); };
  });
  const socket = () => new Promise((resolve) => {
    const ws = new WebSocket('${url}/live'.replace('http', 'ws'));
    ws.onopen = () => resolve('got socket');
    ws.onerror = () => resolve('nothing');
  });
  const form = make('iframe');
  form.name = 'target';
  document.body.append(form);
  const results = {};
  for (const [name, attack] of Object.entries({
    'fetch, as the page does': () => read(fetch('${url}/api/command', { ...call, headers })),
    'fetch without a preflight': () => read(fetch('${url}/api/command', { ...call, mode: 'no-cors' })).then((text) => text === 'got ' ? 'nothing' : text),
    'fetch of text': () => read(fetch('${url}/api/command', { ...call, headers: { 'content-type': 'text/plain' } })),
    'fetch of the page': () => read(fetch('${url}/', { credentials: 'include' })),
    'fetch of a link': () => read(fetch('${url}/open?ticket=x', { credentials: 'include' })),
    'beacon': async () => { navigator.sendBeacon('${url}/api/command', new Blob([write], { type: 'text/plain' })); return 'nothing'; },
    'form of text, in a frame': () => posted('text/plain', 'target'),
    'form, in a frame': () => posted('application/x-www-form-urlencoded', 'target'),
    'image': () => loaded(make('img'), '${url}/icon.svg'),
    'script': () => loaded(make('script'), '${url}/main.js'),
    'module': () => import('${url}/main.js').then(() => 'got module'),
    'style': () => { const link = make('link'); link.rel = 'stylesheet'; return loaded(link, '${url}/main.css', 'href'); },
    'object': () => loaded(make('object'), '${url}/', 'data').then((got) => got),
    'frame': () => frame(false),
    'sandboxed frame': () => frame(true),
    'window': opened,
    'event stream': events,
    'web socket': socket,
  })) results[name] = await tried(attack);
  return results;
})()`;

/** Opens a page of an attacker in the browser that has the explorer open, and lets it try. */
async function attack(explorerPage: Page, origin: string, url: string): Promise<Record<string, string>> {
  const page = await explorerPage.context().newPage();
  await page.goto(origin);
  return page.evaluate<Record<string, string>>(attacksOn(url));
}

describe.each([
  ['of another site', 'localhost'],
  ['of another port of this machine, to which the cookie is sent', '127.0.0.1'],
])('a page %s', (_, host) => {
  test('neither reads nor drives the explorer', async () => {
    const { url, newLink, calls, answers } = await startExplorer();
    const { port } = await listen((_incoming, outgoing) => {
      outgoing.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><body>evil</body>');
    });
    const { page } = await openPage({ url: newLink(), provokes: [/./] });
    await page.getByRole('heading', { level: 1 }).waitFor();
    const answered = answers.length;

    const results = await attack(page, `http://${host}:${port}/`, url);
    expect(Object.keys(results).length).toBe(18);
    expect(Object.entries(results).filter(([, result]) => result !== 'nothing')).toEqual([]);
    expect(calls.filter((call) => call.includes('tenant.create'))).toEqual([]);
    const served = answers.slice(answered).filter(({ site }) => site !== 'same-origin');
    expect(served.length).toBeGreaterThan(8);
    expect(served.filter(({ status }) => status !== 403)).toEqual([]);

    // The explorer itself goes on.
    await page.reload();
    await page.getByRole('navigation', { name: 'Views' }).waitFor();
  });
});

test('a name that resolves to this machine is refused, and another name of it has no session', async () => {
  const { newLink, port, base } = await startExplorer();
  const { page } = await openPage({ url: newLink(), provokes: [/./] });
  await page.getByRole('heading', { level: 1 }).waitFor();
  for (const [host, status] of [
    // Chromium resolves every name below localhost to this machine.
    ['evil.localhost', 403],
    ['localhost', 401],
  ] as const) {
    const response = await page.goto(`http://${host}:${port}${base}/`);
    expect([host, response?.status()]).toEqual([host, status]);
  }
});
