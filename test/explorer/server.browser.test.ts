import { expect, onTestFinished, test } from 'vitest';
import type { Fault, Service } from '../../explorer/service/index.ts';
import { openPage } from '../support/browser.ts';
import { serveExplorer } from '../support/served-explorer.ts';
import { tableOf } from './served-table.ts';

/** What goes wrong between the page and its table is shown where it was asked, with what to do about it. */

async function openExplorer(provokes: readonly RegExp[] = []) {
  const { service, run } = await tableOf(Date.now, { manifest: 'pages: [home]\n', canWrite: true });
  await run('tenant.create', { id: 'acme', name: 'Acme' });
  let failure: Fault | undefined;
  // What the process knows by itself is answered without the table.
  const failing: Service = async (method, input) =>
    failure === undefined || method === 'about' ? service(method, input) : { ok: false, error: failure };
  const { newLink, stop } = await serveExplorer(failing);
  onTestFinished(stop);
  const { page } = await openPage({ url: newLink(), provokes });
  await page.getByText('Acme').first().waitFor();
  const fail = (error: Fault | undefined): void => {
    failure = error;
  };
  const openLog = () => page.evaluate("location.hash = '#log?tenant=tenant:acme'");
  return { page, fail, openLog, stop };
}

test('the credentials are gone: the page says so, and trying again is no use', async () => {
  const { page, fail, openLog } = await openExplorer();
  const message = 'Query failed: ExpiredTokenException: no valid AWS credentials: set AWS_PROFILE, or log in';
  fail({ code: 'internal', retryable: false, message });
  await openLog();
  const alert = page.getByRole('alert').first();
  await alert.waitFor();
  expect(await alert.innerText()).toContain(message);
  expect(await alert.getByRole('button', { name: 'Try again' }).count()).toBe(0);
});

test('the table is throttled: trying again shows what was asked', async () => {
  const { page, fail, openLog } = await openExplorer();
  fail({ code: 'throttled', message: 'Query was throttled', retryable: true });
  await openLog();
  const again = page.getByRole('alert').first().getByRole('button', { name: 'Try again' });
  await again.waitFor();
  fail(undefined);
  await again.click();
  await page.getByText('tenant.create').first().waitFor();
});

test('the explorer has ended: the page says what to do', async () => {
  const { page, openLog, stop } = await openExplorer([/./]);
  await stop();
  await openLog();
  await page.getByText('the explorer does not answer: is it still running?').first().waitFor();
});

test('the session has ended: the page says what to do', async () => {
  const { page, openLog } = await openExplorer([/./]);
  await page.context().clearCookies();
  await openLog();
  await page.getByText('this session has ended').first().waitFor();
});
