import { expect, test } from 'vitest';
import { expectAccessible, openPage, playground } from '../support/browser.ts';

test('the playground opens', async () => {
  const { page } = await openPage({ url: playground() });
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
  expect(await page.title()).toBe('Gatehouse explorer');
  await expectAccessible(page);
});
