import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { choose, expectAccessible, openOver, openPage } from '../support/browser.ts';
import { SCHOOL } from './served-table.ts';

/** The view Matrix: roles by permissions. */

const openMatrix = (manifest: string) => openOver(manifest, 'matrix');
const ask = (page: Page, label: string, text: string) => choose(page.getByRole('main'), label, text);
const grid = (page: Page) => page.getByRole('grid', { name: 'Roles by permissions' });
const row = (page: Page, permission: string) =>
  grid(page)
    .getByRole('row')
    .filter({ has: page.getByRole('rowheader', { name: permission }) });
const said = (page: Page) => page.locator('.matrix-said');

describe('a tenant', () => {
  test('its roles, each with what it allows, denies and inherits; a cell in words, with a link to who', async () => {
    const { page } = await openMatrix(SCHOOL);
    await page.getByText('There is no role here').waitFor();
    await ask(page, 'Scope', 'north');
    await grid(page).waitFor();
    await page.getByText('One DENY refuses').waitFor();
    const heads = await grid(page).getByRole('columnheader').allInnerTexts();
    expect(heads.map((text) => text.replaceAll(/\s+/g, ' '))).toEqual([
      ...[
        'Permission',
        'bursar',
        'member',
        'teacher ↑ inherits from member',
        'volunteer ↑ inherits from member',
      ],
    ]);
    await row(page, 'dashboard').getByRole('gridcell').last().click();
    await said(page).getByText('ALLOW, inherited from member').waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Who may do it here' }).click();
    await page.getByRole('heading', { level: 1, name: 'Who, what, where' }).waitFor();
    await page.getByRole('cell', { name: 'Ann', exact: true }).waitFor();
  });

  test('the map leads to it, and one role can be chosen', async () => {
    const { page } = await openMatrix(SCHOOL);
    await ask(page, 'Scope', 'north');
    await ask(page, 'Only this role', 'teacher');
    await expect.poll(() => grid(page).getByRole('columnheader').count()).toBe(2);
    await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Map' }).click();
    await page.getByRole('link', { name: 'What each role gives here' }).click();
    await expect.poll(() => grid(page).getByRole('columnheader').count()).toBe(5);
  });
});

test('the keyboard: one Tab to the table, arrows within it, Enter chooses; the address holds it', async () => {
  const { page } = await openMatrix(SCHOOL);
  await ask(page, 'Scope', 'north');
  await grid(page).waitFor();
  await page.getByRole('button', { name: 'Export JSON' }).focus();
  await page.keyboard.press('Tab');
  for (const key of ['ArrowRight', 'ArrowDown', 'ArrowRight', 'Enter']) await page.keyboard.press(key);
  await said(page).getByRole('heading', { name: 'teacher, grades' }).waitFor();
  expect(await grid(page).locator('[tabindex="0"]').count()).toBe(1);
  const { page: other } = await openPage({ url: page.url() });
  await said(other).getByRole('heading', { name: 'teacher, grades' }).waitFor();
});

test('a large matrix is drawn in parts, and none of them makes a narrow page wider', async () => {
  const many = (count: number, of: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => of(at));
  const { page } = await openMatrix(
    `pages: [${many(120, (at) => `p${String(at).padStart(3, '0')}`)}]
scopes: { wide: { type: tenant } }
roles:
${many(45, (at) => `  r${String(at).padStart(2, '0')}: { owner: wide, allow: [p000] }`).join('\n')}
`,
  );
  await ask(page, 'Scope', 'wide');
  await page.getByText('permissions 1–50 of 120').waitFor();
  await page.getByText('roles 1–20 of 45').waitFor();
  expect(await grid(page).getByRole('gridcell').count()).toBe(50 * 20);
  await page.getByRole('button', { name: 'Next permissions' }).click();
  await page.getByRole('button', { name: 'Next permissions' }).click();
  await page.getByText('permissions 101–120 of 120').waitFor();
  await page.getByRole('button', { name: 'Next roles' }).click();
  await grid(page).getByRole('columnheader', { name: 'r39' }).waitFor();
  expect(await grid(page).getByRole('gridcell').count()).toBe(20 * 20);
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  await page.getByLabel('Filter the permissions').fill('p007');
  await page.getByText('1 permission', { exact: true }).waitFor();
  await expectAccessible(page);
});
