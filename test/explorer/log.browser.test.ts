import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { idOf } from '../../explorer/page/refs.ts';
import { expectAccessible, openPage } from '../support/browser.ts';
import { type ServedTable, serveTable } from './served-table.ts';

const open = (table: ServedTable, state: Readonly<Record<string, string>> = {}) =>
  openPage({ url: table.linkTo('log', state) });

/** The rows below the header. */
const rows = (page: Page) => page.locator('.pages table:not(.fields) > tbody > tr');
const counted = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text }).waitFor();

async function withChanges(): Promise<ServedTable> {
  const table = await serveTable();
  const school = idOf(table.ref('scope', 'school'));
  await table.run('tenant.update', { id: school, status: 'suspended', description: 'closed' }, 'pipeline');
  const [user, group] = [table.ref('subject', 'dora'), table.ref('group', 'staff')].map(idOf);
  await table.run('membership.delete', { user, group }, table.ref('subject', 'edda'));
  return table;
}

test('the log of the tenant: newest first, each record with what it was before and after', async () => {
  const table = await withChanges();
  const { page } = await open(table);
  await rows(page).first().getByText('membership.delete').waitFor();
  const suspended = rows(page).filter({ hasText: 'tenant.update' });
  expect(await suspended.innerText()).toContain('pipeline');
  const summary = suspended.getByText('1 added, 1 changed');
  await summary.focus();
  await page.keyboard.press('Enter');
  const field = (name: string) => suspended.getByRole('row').filter({ hasText: name });
  await field('status').getByText('~ changed').waitFor();
  expect(await field('status').getByRole('cell').allInnerTexts()).toEqual(['active', 'suspended']);
  expect(await field('description').getByRole('cell').allInnerTexts()).toEqual(['none', 'closed']);
  await expect.poll(() => new URL(page.url()).hash).toContain('record=');
  await expectAccessible(page);
  await page.reload();
  await field('status').waitFor();
  await page.getByLabel('Order').selectOption('oldest first');
  await rows(page).last().getByText('membership.delete').waitFor();
});

test('an entity leads to where it is seen, and an edge to the question about it', async () => {
  const table = await withChanges();
  const { page } = await open(table, { action: 'membership.delete' });
  await counted(page, '1 row');
  const link = rows(page).getByRole('link', { name: 'dora · staff' });
  expect(await link.getAttribute('href')).toContain(
    `subject=${encodeURIComponent(table.ref('subject', 'dora'))}`,
  );
  await rows(page).getByText('edda').waitFor();
  await page.getByLabel('Command contains').fill('tenant.update');
  await rows(page).getByRole('link', { name: 'Lindgren School' }).click();
  await page.getByRole('heading', { name: 'Map', level: 1 }).waitFor();
});

test('records are filtered by actor, command and entity; an empty list says what to do', async () => {
  const table = await withChanges();
  const { page } = await open(table);
  await page.getByLabel('Actor contains').fill('PIPE');
  await counted(page, '1 row');
  await page.getByLabel('Command contains').fill('delete');
  await page.getByText('No record is like this').waitFor();
  await expectAccessible(page);
  await page.getByLabel('Actor contains').fill('');
  await counted(page, '1 row');
  await page.getByLabel('Entity contains').fill('staff');
  await counted(page, '1 row');
  await expect.poll(() => new URL(page.url()).hash).toContain('entity=staff');
});

test('the logs of a user and of no tenant, and a period without records, which stays until another one is whole or none', async () => {
  const table = await withChanges();
  const { page } = await open(table);
  await page.getByLabel('The log of').selectOption('what a user did');
  await page.getByText('Whose log?').waitFor();
  await page.getByLabel('Subject', { exact: true }).fill('edda');
  await page.keyboard.press('Enter');
  await counted(page, '1 row');
  await page.getByLabel('The log of').selectOption('what belongs to no tenant');
  await rows(page).filter({ hasText: 'page.create' }).first().waitFor();
  const until = page.getByLabel('Until, not included (UTC)');
  await until.fill('2020-01-01T00:00');
  await page.getByText('No records').waitFor();
  await until.focus();
  await page.keyboard.press('Delete');
  await page.getByText('it is not complete').waitFor();
  expect(new URL(page.url()).hash).toContain('until=2020');
  for (let part = 1; part < 6; part += 1) {
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Delete');
  }
  await until.blur();
  await rows(page).first().waitFor();
  expect(new URL(page.url()).hash).not.toContain('until');
});

test('a long log begins with the newest, says that there are earlier ones, and loads them', async () => {
  const table = await serveTable();
  const tenant = table.ref('scope', 'school');
  for (let n = 0; n < 120; n += 1)
    await table.run('audit.create', { tenant, action: `door.${n}`, entityType: 'door', entityId: `${n}` });
  const { page } = await open(table);
  await counted(page, '100 rows; there are more');
  await page.getByText('These are the last records of the period').waitFor();
  await rows(page).first().getByText('door.119').first().waitFor();
  await page.getByRole('button', { name: 'Load more' }).click();
  await counted(page, '153 rows');
  await rows(page).first().getByText('door.119').first().waitFor();
  expect(await page.getByText('These are the last records').count()).toBe(0);
});

test('a tenant that cannot be read is an error, and no empty log', async () => {
  const table = await serveTable();
  const error = { code: 'throttled', message: 'too many reads', retryable: true };
  const { page } = await openPage({
    url: table.linkTo('log', { scope: table.ref('scope', 'north') }),
    before: (opened) =>
      opened.route('**/api/command', (route) =>
        route.request().postData()?.includes('location.read')
          ? route.fulfill({ json: { ok: true, result: { ok: false, error } } })
          : route.continue(),
      ),
  });
  await page.getByRole('alert').getByText('too many reads').waitFor();
  await page.unroute('**/api/command');
  await page.getByRole('button', { name: 'Try again' }).click();
  await rows(page).first().waitFor();
});
