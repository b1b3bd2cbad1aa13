import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, openPage } from '../support/browser.ts';
import { type Stack, startStack } from './local-stack.ts';

/** The policy of a caller beside the routes, and requests tried against both. */
const MANIFEST = `
pages: [grades, menu, secret]
permissions: ["doors:open:door", "bills:pay:bill"]
scopes:
  school: { type: tenant, id: school }
  north: { type: location, id: north, parent: school, name: North hall }
  south: { type: location, id: south, parent: school }
roles:
  teacher: { owner: school, allow: [grades] }
  porter: { owner: school, allow: ["doors:open:door", "bills:pay:bill"] }
  cook: { owner: school, allow: [menu] }
users:
  ann:
    id: ann
    assignments: [{ role: teacher, scope: north }, { role: porter, scope: school }]
  cem: { id: cem, assignments: [{ role: cook, scope: north }] }
  eva: { id: eva, admin: true }
routes:
  - { api: school, method: GET, path: "/locations/{location}/grades", permission: grades, scope: "location:{location}" }
  - { api: school, method: ANY, path: "/doors/{door}", permission: "doors:open:door", scope: "tenant:school" }
  - { api: school, method: GET, path: "/doors/main", permission: secret, scope: "tenant:school" }
  - { api: school, method: POST, path: "/bills", permission: "bills:pay:bill", scope: "tenant:{claim:tenant}" }
  - { api: school, method: GET, path: /canteen, permission: menu, scope: "location:{header:x-location}" }
`;

let stack: Stack;
beforeAll(async () => {
  stack = await startStack(MANIFEST);
});
afterAll(() => stack.stop());

async function openPolicy(state: Readonly<Record<string, string>>, options = {}): Promise<Page> {
  const url = await stack.newLink(`policy?${new URLSearchParams(state)}`);
  const { page } = await openPage({ url, ...options });
  await page.getByRole('heading', { level: 1, name: 'Policy' }).waitFor();
  return page;
}
const routes = (page: Page) => page.getByRole('region', { name: 'Routes', exact: true });
const policy = (page: Page) => page.getByRole('region', { name: 'Policy', exact: true });
const trial = (page: Page) => page.getByRole('region', { name: 'Try a request' });

async function tryPath(page: Page, method: string, path: string): Promise<void> {
  await page.getByLabel('Method').selectOption(method);
  await page.getByLabel('Path').fill(path);
  await page.keyboard.press('Enter');
  await trial(page).getByText(`live/${method}${path}`, { exact: false }).last().waitFor();
}

describe('a policy', () => {
  test('is chosen by a caller, and stands beside the routes of the API', async () => {
    const page = await openPolicy({});
    await page.getByText('Nobody calls yet').waitFor();
    await expectAccessible(page);
    await page.getByRole('main').getByLabel('Subject').fill('user:ann');
    await page.keyboard.press('Enter');
    await policy(page).getByRole('heading', { name: 'Allow: 8 resources' }).waitFor();
    const row = routes(page).getByRole('row').filter({ hasText: '/locations/{location}/grades' });
    await row.getByText('1 value').click();
    await row.getByText('north', { exact: true }).waitFor();
    expect(await routes(page).getByRole('row').filter({ hasText: 'POST /bills' }).innerText()).toContain(
      '✕ nothing',
    );
    await expectAccessible(page);
  });

  test('is that for the claims of the token', async () => {
    const page = await openPolicy({ subject: 'user:ann' });
    const bills = routes(page).getByRole('row').filter({ hasText: 'POST /bills' });
    await bills.getByText('✕ nothing').waitFor();
    await page.getByText('routes take tenant').waitFor();
    await page.getByLabel('Claims of the token').fill('{tenant: school}');
    await page.keyboard.press('Tab');
    await page.getByText('claims are a JSON object').waitFor();
    await page.getByLabel('Claims of the token').fill('{"tenant":"school"}');
    await page.keyboard.press('Tab');
    await bills.getByText('✓ all of it').waitFor();
  });

  test('is shown as JSON to copy', async () => {
    const page = await openPolicy({ subject: 'user:ann' });
    await policy(page).getByText('As JSON').click();
    await policy(page).getByText('"Version": "2012-10-17"').waitFor();
    await policy(page).getByRole('button', { name: 'Copy' }).click();
    await policy(page)
      .getByRole('status')
      .filter({ hasText: /copied|select the text/ })
      .waitFor();
  });

  test('is left out where there is none, which says why', async () => {
    const page = await openPolicy({ subject: 'user:eva' });
    await page.getByRole('heading', { name: 'No policy for the whole API' }).waitFor();
    await page.getByText('it is an administrator').waitFor();
    await expectAccessible(page);
  });

  test('of an API without routes says how to add some', async () => {
    const page = await openPolicy({ subject: 'user:ann', api: 'nowhere' });
    await page.getByText('There are no routes here').waitFor();
    await page.getByText('Routes are there for school.').waitFor();
    await page.getByText('npx gatehouse-authz route import FILE').waitFor();
    await expectAccessible(page);
  });
});

describe('a path', () => {
  test.each([
    ['GET', '/locations/north/grades', 'Policy and route agree: allowed.', 'a role allows it'],
    ['GET', '/locations/south/grades', 'Policy and route agree: refused.', 'no role allows it'],
    ['GET', '/locations/n%6Frth/grades', 'A policy leaves this path out', 'a role allows it'],
    ['GET', '/doors/<b>*</b>', 'Policy and route agree: refused.', 'no route matches'],
    ['POST', '/bills', 'Policy and route agree: refused.', '{claim:tenant} has no value'],
  ])('%s %s', async (method, path, agreement, reason) => {
    const page = await openPolicy({ subject: 'user:ann' });
    await tryPath(page, method, path);
    await trial(page).getByText(agreement).waitFor();
    await trial(page).getByText(reason).waitFor();
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
    expect(new URLSearchParams(new URL(page.url()).hash.slice('#policy?'.length)).get('path')).toBe(path);
  });

  test('comes from a click on a route or a resource, and what matches is marked', async () => {
    const page = await openPolicy({ subject: 'user:ann' });
    await routes(page).getByRole('button', { name: 'Try GET /locations/{location}/grades' }).click();
    await trial(page).getByText('Policy and route agree: allowed.').waitFor();
    expect(await page.getByLabel('Path').inputValue()).toBe('/locations/north/grades');
    await routes(page)
      .getByRole('row')
      .filter({ hasText: '◀ matched' })
      .getByText('grades')
      .first()
      .waitFor();
    await policy(page)
      .getByRole('listitem')
      .filter({ hasText: '◀ matched' })
      .getByText('GET/locations/north/grades')
      .waitFor();
    await policy(page).getByRole('button', { name: 'Try GET/doors/main' }).click();
    await policy(page)
      .getByRole('listitem')
      .filter({ hasText: '◀ matched' })
      .getByText('GET/doors/main')
      .waitFor();
    await trial(page).getByText('Policy and route agree: refused.').waitFor();
    await expectAccessible(page);
    await trial(page).getByRole('link', { name: 'Why is it refused?' }).click();
    await page.getByRole('heading', { level: 1, name: 'Why' }).waitFor();
    await expect.poll(() => page.url()).toMatch(/#why\?.*permission=secret/);
  });

  test('takes values of headers', async () => {
    const page = await openPolicy({ subject: 'user:cem', method: 'GET', path: '/canteen' });
    await trial(page).getByText('{header:x-location} has no value').waitFor();
    await page.getByLabel('Headers').fill('nonsense');
    await page.keyboard.press('Tab');
    await page.getByText('headers are lines of name: value').waitFor();
    await page.getByLabel('Headers').fill('X-Location: north');
    await page.keyboard.press('Tab');
    await trial(page).getByText('a role allows it').waitFor();
    await trial(page).getByText('the route alone answers').waitFor();
  });

  test('of which policy and route say different things is an alarm', async () => {
    const page = await openPolicy(
      { subject: 'user:ann', method: 'GET', path: '/locations/south/grades' },
      {
        before: (opened: Page) =>
          opened.route('**/api/tryRoute', async (route) => {
            const response = await route.fetch();
            const reply = (await response.json()) as { readonly result: object };
            const result = { ...reply.result, policy: { decision: 'allow' }, agrees: false };
            return route.fulfill({ response, json: { ok: true, result } });
          }),
      },
    );
    const alarm = page.getByRole('alert').filter({ hasText: 'Policy and route disagree' });
    await alarm.getByText('The policy allows this request, and the route refuses it.').waitFor();
    await expectAccessible(page);
  });
});
