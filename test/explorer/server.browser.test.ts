import { expect, test } from 'vitest';
import type { Fault } from '../../explorer/service/index.ts';
import { openPage } from '../support/browser.ts';
import { startExplorer, stop } from './served.ts';

/** What goes wrong between the page and its table is shown where it was asked, with what to do about it. */

async function openExplorer(provokes: readonly RegExp[] = []) {
  const explorer = await startExplorer();
  await explorer.provisioning({ command: 'tenant.create', input: { id: 'acme', name: 'Acme' } });
  const { page } = await openPage({ url: explorer.newLink(), provokes });
  await page.getByText('Acme').first().waitFor();
  const fail = (error: Fault): void => explorer.answerWith({ ok: false, error });
  const openLog = () => page.evaluate("location.hash = '#log?tenant=tenant:acme'");
  return { ...explorer, page, fail, openLog };
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
  const { page, fail, openLog, answerWith } = await openExplorer();
  fail({ code: 'throttled', message: 'Query was throttled', retryable: true });
  await openLog();
  const again = page.getByRole('alert').first().getByRole('button', { name: 'Try again' });
  await again.waitFor();
  answerWith(undefined);
  await again.click();
  await page.getByText('tenant.create').first().waitFor();
});

test('the explorer has ended: the page says what to do', async () => {
  const { page, openLog, server } = await openExplorer([/./]);
  await stop(server);
  await openLog();
  await page.getByText('the explorer does not answer: is it still running?').first().waitFor();
});

test('the session has ended: the page says what to do', async () => {
  const { page, openLog } = await openExplorer([/./]);
  await page.context().clearCookies();
  await openLog();
  await page.getByText('this session has ended').first().waitFor();
});
