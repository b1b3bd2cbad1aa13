import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { decided, decisionOf, expectAccessible, modelOf, openPage, playground } from '../support/browser.ts';
import { liveTable, rowOf, type Stack, startStack } from './local-stack.ts';

/** What docs/guides/agents.md does, as the explorer shows it: who acts, for whom, and what becomes of it. */
const GUIDE = readFileSync(new URL('../../docs/guides/agents.md', import.meta.url), 'utf8');
const MANIFEST = /^```yaml\n(permissions:[\s\S]*?)^```$/m.exec(GUIDE)?.[1] ?? '';
const INVOICES = '/accounts/contoso/invoices';
const ASSISTANT = { subject: 'user:ann', actor: 'agent:assistant', scopes: ['account:contoso'] };

let stack: Stack;
beforeAll(async () => {
  stack = await startStack(MANIFEST);
});
afterAll(() => stack.stop());

test('an agent reads, is refused beyond its mandates, and ends: the live view names both', async () => {
  const reading = await stack.command('mandate.create', {
    ...ASSISTANT,
    id: 'reading',
    permissions: ['invoices:read:invoice'],
    purpose: 'lists what is due',
    token: true,
  });
  await stack.command('mandate.create', {
    ...ASSISTANT,
    id: 'paying',
    permissions: ['invoices:pay:invoice'],
    purpose: 'pays what is due',
    budget: { sum: 500, of: 'amount' },
  });
  const { page } = await openPage({ url: await stack.newLink('live') });
  await page.getByText('connected: decisions appear').waitFor();
  const acting = /assistant \(mandate:reading\) for ann/;

  const token = String(reading.token);
  expect(await stack.requestBy(INVOICES, token)).toBe(200);
  await rowOf(page, acting, 'invoices:read:invoice', '✓ allowed', 'GET').waitFor();
  expect(await stack.requestBy(INVOICES, token, 'POST')).toBe(403);
  await rowOf(page, acting, 'invoices:pay:invoice', 'mandate_permission').waitFor();
  expect(await stack.requestBy('/accounts/fabrikam/invoices', token)).toBe(403);
  await rowOf(page, acting, 'mandate_scope').waitFor();

  const pay = () =>
    stack.command('mandate.use', {
      mandate: 'paying',
      subject: 'user:ann',
      actor: 'agent:assistant',
      permission: 'invoices:pay:invoice',
      scope: 'account:contoso',
      properties: { amount: 300 },
    });
  expect(await pay()).toMatchObject({ allowed: true, remaining: 200 });
  expect(await pay()).toMatchObject({ allowed: false, reason: 'budget_spent' });
  const paying = /assistant \(mandate:paying\) for ann/;
  await rowOf(page, paying, '✓ allowed', 'counted').waitFor();
  await rowOf(page, paying, 'budget_spent').waitFor();

  await stack.command('mandate.end', { id: 'reading' });
  expect(await stack.requestBy(INVOICES, token)).toBe(401);
  await rowOf(page, acting, 'credential_refused').waitFor();
  // Who, what and where stand side by side.
  const parts = rowOf(page, acting, 'mandate_scope')
    .getByRole('link')
    .locator(':scope > span:not(.visually-hidden)');
  const tops = await parts.evaluateAll((all: readonly { getBoundingClientRect: () => { top: number } }[]) =>
    all.map((each) => Math.round(each.getBoundingClientRect().top)),
  );
  expect(tops).toEqual([tops[0], tops[0], tops[0]]);
  // Ann herself reads on.
  expect(await stack.request(INVOICES, 'ann')).toBe(200);
  await rowOf(page, /^(?!.* for ).*ann/s, 'invoices:read:invoice', '✓ allowed').waitFor();
  await expectAccessible(page);

  await page.getByRole('main').getByLabel('Subject').fill('assistant');
  await expect.poll(() => liveTable(page).getByRole('row').count()).toBe(1 + 6);
  await page.getByLabel('Any text').fill('mandate:paying');
  await expect.poll(() => liveTable(page).getByRole('row').count()).toBe(1 + 2);
  await page.getByLabel('Any text').fill('mandate_scope');
  await rowOf(page, 'mandate_scope')
    .getByRole('link', { name: /^Why: assistant/ })
    .click();

  // Why: the sentence, the actor's own half, and the mandate, which has ended since.
  const decision = page.getByRole('region', { name: 'Decision' });
  await decision.getByText(/assistant for ann may not use invoices:read:invoice at Fabrikam/).waitFor();
  await page.getByRole('heading', { name: 'Who acts' }).waitFor();
  expect(await page.getByLabel('Actor, such as agent:ID').inputValue()).toBe('agent:assistant');
  expect(await page.getByLabel('Mandate, as mandate:ID').inputValue()).toBe('mandate:reading');
  await page.getByText(/mandate:reading is ended/).waitFor();
  // Both may themselves: their paths lead to an allow, and only the mandate refuses.
  for (const name of ['The path as a picture', 'The path of who acts as a picture'])
    await page.getByRole('region', { name, exact: true }).getByText('✓ allowed').waitFor();
  expect(await page.getByText('overridden').count()).toBe(0);
  await expectAccessible(page);
});

describe('the fields of who acts', async () => {
  const manifest = JSON.stringify({
    ...parse(MANIFEST),
    subjects: {
      helper: { type: 'agent', id: 'helper', mandateOptional: true, grants: { Contoso: ['reader'] } },
    },
    roles: {
      bookkeeper: { owner: 'Contoso', allow: ['invoices:*:*'] },
      reader: { owner: 'Contoso', allow: ['invoices:read:invoice'] },
    },
    users: { ann: { id: 'ann', grants: { Contoso: ['bookkeeper'] } } },
  });
  const model = await modelOf(manifest);
  const asked = { subject: 'user:ann', scope: 'account:contoso', model };

  test('are typed in the playground, and go along from view to view', async () => {
    const { page } = await openPage({
      url: playground('why', { ...asked, permission: 'invoices:pay:invoice' }),
    });
    await decided(decisionOf(page), 'allowed');
    await page.getByText('Somebody acts for the subject').click();
    await page.getByLabel('Actor, such as agent:ID').fill('agent:helper');
    await decisionOf(page)
      .getByText(/helper for ann may not use invoices:pay:invoice/)
      .waitFor();
    await decisionOf(page).getByText('actor_no_grant').waitFor();
    await page.getByLabel('Mandate, as mandate:ID').fill('mandate:gone');
    await expect.poll(() => page.url()).toContain('actor=agent%3Ahelper&mandate=mandate%3Agone');
    await page.getByLabel('Mandate, as mandate:ID').fill('');
    await expectAccessible(page);

    await page.getByRole('link', { name: 'Who could do this then?' }).click();
    await page.getByText('Nobody may').waitFor();
    await page.getByRole('link', { name: 'What', exact: true }).click();
    const answers = page.getByRole('table', { name: /^Answers/ });
    await answers.getByRole('row', { name: /invoices:read:invoice/ }).waitFor();
    expect(await answers.getByText('invoices:pay:invoice').count()).toBe(0);
    await page.getByLabel('Actor, such as agent:ID').fill('');
    await answers.getByText('invoices:pay:invoice').waitFor();
    await expectAccessible(page);
  });

  test('narrow the policy of a caller', async () => {
    const { page } = await openPage({ url: playground('policy', { ...asked, actor: 'agent:helper' }) });
    await page.getByRole('button', { name: /^Try GET\/accounts\/contoso\/invoices$/ }).waitFor();
    expect(await page.getByRole('button', { name: /^Try POST\/accounts/ }).count()).toBe(0);
    await page.getByLabel('Actor, such as agent:ID').fill('agent:nobody');
    await page.getByText('Who acts for this caller is refused, whatever it asks: actor_unknown.').waitFor();
    await expectAccessible(page);
    await page.getByLabel('Actor, such as agent:ID').fill('');
    await page.getByRole('button', { name: /^Try POST\/accounts\/contoso\/invoices$/ }).waitFor();
  });

  test('are part of a test that is added', async () => {
    const { page } = await openPage({
      url: playground('why', { ...asked, permission: 'invoices:pay:invoice', actor: 'agent:helper' }),
    });
    await decisionOf(page).getByText('actor_no_grant').waitFor();
    await page.getByRole('button', { name: 'Add as test' }).click();
    await page
      .getByText(/helper for ann: invoices:pay:invoice at Contoso/)
      .first()
      .waitFor();
  });
});
