import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { decided, decisionOf, expectAccessible, modelOf, openPage, playground } from '../support/browser.ts';
import { serveTable } from './served-table.ts';

/** The view Why: a decision of every kind, its picture, its place in time, and what would have helped. */
const MODEL = `
pages: [grades, payroll]
properties:
  - { of: "subject:user", name: department, type: string, source: stored }
  - { of: context, name: channel, type: string, source: passed }
scopes:
  school: { type: tenant, id: school, name: Lindgren School }
  north: { type: location, id: north, parent: school, name: North }
  closed: { type: location, id: closed, parent: school, name: Closed, status: suspended }
  bluefin: { type: account, id: bluefin, name: Bluefin }
  aurora: { type: enterprise, id: aurora, name: Aurora }
  routes: { type: workstream, id: routes, parent: bluefin, enterprise: aurora, name: Routes }
roles:
  member: { owner: school, allow: [grades] }
  teacher: { owner: school, id: teacher, parent: member }
  barred: { owner: school, deny: [grades] }
  clerk:
    owner: school
    allow: [{ permission: payroll, when: 'subject.properties.department == "Sales" && context.channel == "web"' }]
groups:
  teachers: { id: teachers, scope: north, roles: [teacher] }
  barred: { scope: north, roles: [barred] }
  clerks: { scope: school, roles: [clerk] }
users:
  ann: { id: ann, displayName: Ann, groups: [teachers] }
  ben: { id: ben, displayName: Ben, groups: [barred] }
  dora:
    id: dora
    displayName: Dora
    assignments: [{ role: teacher, scope: north, from: 2026-03-01, until: 2026-03-31 }]
  sally: { id: sally, displayName: Sally, groups: [clerks], properties: { department: Sales } }
  nora: { id: nora, displayName: Nora }
licenses:
  - { account: bluefin, enterprise: aurora, name: Licence, from: 2024-01-01, until: 2024-12-31 }
`;

const PACKED = await modelOf(MODEL);

const NOON = '2026-03-10T12:00Z';

/** Opens the view with a question, in the table of the model. */
async function ask(
  question: Readonly<Record<string, string>>,
  options: Omit<Parameters<typeof openPage>[0], 'url'> = {},
) {
  const { page } = await openPage({ url: playground('why', { model: PACKED, ...question }), ...options });
  return page;
}

const pictureOf = (page: Page) => page.getByRole('region', { name: 'The path as a picture' });

/** Waits for a decision, and returns the page. */
async function answered(
  outcome: 'allowed' | 'refused',
  [who, permission, scope]: readonly [string, string, string],
  state: Readonly<Record<string, string>> = {},
): Promise<Page> {
  const page = await ask({ subject: `user:${who}`, permission, scope, ...state });
  await decided(decisionOf(page), outcome);
  return page;
}

describe('a decision', () => {
  test('by a group and an inherited role: the picture, the same as a list, and the steps', async () => {
    const page = await answered('allowed', ['ann', 'grades', 'location:north'], { at: NOON });
    expect(await decisionOf(page).innerText()).toMatch(
      /Ann may use grades at North: a role allows it\.\s+role\s+10 Mar 2026, 12:00 UTC/,
    );
    await pictureOf(page).getByText('inherited role').waitFor();
    await page.getByText('The picture as a list').click();
    await page
      .getByText(
        /Decides: user Ann → group teachers \(at North\) → role teacher → inherited role member → ALLOW grades/,
      )
      .waitFor();
    const path = page.getByRole('list', { name: 'The path of scopes, from the tenant down' });
    expect(await path.getByRole('link').allInnerTexts()).toEqual([
      expect.stringMatching(/tenant\s+Lindgren School\s+✓ active/),
      expect.stringMatching(/location\s+North\s+✓ active, granted here/),
    ]);
    await page.getByRole('heading', { name: '8. combination passed decides' }).waitFor();
    await page.getByRole('heading', { name: '9. default not reached' }).waitFor();
    await page.getByText('As text', { exact: true }).click();
    await page.getByRole('region', { name: 'The explanation as text' }).getByText('ALLOWED (role)').waitFor();
    await expectAccessible(page);
  });

  test('without a grant: what would have helped, and what that would change', async () => {
    const page = await answered('refused', ['nora', 'grades', 'location:north']);
    const join = page.getByRole('link', { name: 'What if: join teachers' });
    const address = new URLSearchParams((await join.getAttribute('href'))?.split('?')[1]);
    expect(JSON.parse(address.get('change') ?? '')).toEqual([
      { command: 'membership.create', input: { user: 'nora', group: 'teachers' } },
    ]);
    await join.click();
    await page.getByRole('heading', { name: 'What if', level: 1 }).waitFor();
  });

  test('by a condition: its values, and what is given with the question', async () => {
    const page = await answered('refused', ['sally', 'payroll', 'location:north']);
    await page.getByText('What is missing in the question can be given above.').waitFor();
    await page.getByText('Given with the question values for conditions, such as an IP address').click();
    const given = page.getByLabel('Values for conditions, as JSON');
    await given.fill('{ "context": ');
    await page.getByText(/it is not JSON/).waitFor();
    await expectAccessible(page);
    await given.fill('{ "context": { "channel": "web" } }');
    await decided(decisionOf(page), 'allowed');
    const values = page.getByRole('row').filter({ hasText: 'context.channel' });
    expect(await values.innerText()).toMatch(/context\.channel\s+"web"\s+the question/);
    await expect.poll(() => page.url()).toContain('given=');
  });

  test('a suspended scope links to what would be if it were active', async () => {
    const page = await answered('refused', ['ann', 'grades', 'location:closed']);
    const href = await page
      .getByRole('link', { name: 'What if: make it active: Closed' })
      .getAttribute('href');
    expect(new URLSearchParams(href?.split('?')[1]).get('change')).toContain('location.update');
  });
});

describe('the picture stands above the fold', () => {
  const bottomOf = async (locator: Locator) => {
    const box = await locator.boundingBox();
    return box ? box.y + box.height : Number.POSITIVE_INFINITY;
  };

  test('all of it on a wide screen', async () => {
    const page = await answered('allowed', ['ann', 'grades', 'location:north'], { hide: 'manifest,tests' });
    await pictureOf(page).getByText('Ann', { exact: true }).waitFor();
    expect(await bottomOf(pictureOf(page))).toBeLessThan(800);
  });

  test('where it begins on a narrow one', async () => {
    const page = await ask(
      { subject: 'user:ann', permission: 'grades', scope: 'location:north' },
      { viewport: { width: 390, height: 844 } },
    );
    const first = pictureOf(page).getByText('Ann', { exact: true });
    await first.waitFor();
    expect(await bottomOf(first)).toBeLessThan(844);
  });
});

/** Pairs of what is shown on the axis below the strip that cover each other. */
const COLLISIONS = `(() => {
  const shown = [...document.querySelectorAll('.timeline .axis > *')]
    .filter((each) => getComputedStyle(each).display !== 'none')
    .map((each) => ({ name: each.className + ' ' + each.textContent, box: each.getBoundingClientRect() }));
  const cover = (one, other) => one.right > other.left && other.right > one.left && one.bottom > other.top && other.bottom > one.top;
  const labels = shown.filter(({ name }) => name.startsWith('label'));
  if (labels.length === 0) return ['no label'];
  return labels.flatMap((label) =>
    shown.filter((each) => each !== label && cover(label.box, each.box)).map((each) => label.name + ' / ' + each.name));
})()`;

describe('over time', () => {
  test.each([
    ['a year', ['ann', 'grades', 'location:north'], {}],
    ['what begins and ends', ['dora', 'grades', 'location:north'], {}],
    ['two years back', ['nora', 'grades', 'workstream:routes'], {}],
    ['many years', ['ann', 'grades', 'location:north'], { at: '2019-03-10T12:00Z' }],
  ] as const)('at 390 pixels no label of the axis covers another thing: %s', async (_, asked, state) => {
    const [who, permission, scope] = asked;
    const page = await ask(
      { subject: `user:${who}`, permission, scope, ...state },
      { viewport: { width: 390, height: 844 } },
    );
    await page.getByRole('list', { name: 'The decision over time' }).waitFor();
    expect(await page.evaluate(COLLISIONS)).toEqual([]);
  });

  test('a check that fails is an error, and no part that nobody asked about', async () => {
    const table = await serveTable();
    const [subject, scope] = [table.ref('subject', 'dora'), table.ref('scope', 'south')];
    const error = { code: 'throttled', message: 'too many reads', retryable: true };
    const { page } = await openPage({
      url: table.linkTo('why', { subject, permission: 'grades', scope }),
      before: (opened) =>
        opened.route('**/api/check', (route) => route.fulfill({ json: { ok: false, error } })),
    });
    await page.getByRole('alert').getByText('too many reads').waitFor();
    await page.unroute('**/api/check');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page
      .getByText(/allowed from 1 Mar 2026/)
      .first()
      .waitFor();
  });

  test('a slider that moves by days, and marks where something begins or ends', async () => {
    const page = await answered('allowed', ['dora', 'grades', 'location:north'], { at: NOON });
    const strip = page.getByRole('list', { name: 'The decision over time' });
    await expect
      .poll(() => strip.getByRole('listitem').allInnerTexts())
      .toEqual([
        expect.stringMatching(/refused from .* until 1 Mar 2026, 00:00 UTC: no role allows it/),
        expect.stringMatching(
          /allowed from 1 Mar 2026, 00:00 UTC until 1 Apr 2026, 00:00 UTC: a role allows it/,
        ),
        expect.stringMatching(/refused from 1 Apr 2026, 00:00 UTC until .*: no role allows it/),
      ]);
    const entries = await page.evaluate('history.length');
    await page.getByRole('button', { name: '1 Apr 2026' }).click();
    await decided(decisionOf(page), 'refused');
    await page.getByText('has ended', { exact: true }).waitFor();
    const slider = page.getByRole('slider', { name: 'Day' });
    await slider.focus();
    await page.keyboard.press('ArrowLeft');
    await decided(decisionOf(page), 'allowed');
    await expect.poll(() => page.url()).toContain('at=2026-03-31T00%3A00Z');
    expect(await slider.getAttribute('aria-valuetext')).toBe('31 Mar 2026, 00:00 UTC');
    expect(await page.evaluate('history.length')).toBe(entries);
    await expectAccessible(page);
    const then = page.getByRole('link', { name: 'Who could do this then?' });
    expect(await then.getAttribute('href')).toMatch(/^#search\?.*at=2026-03-31T00%3A00Z.*search=who/);
  });

  test('a field for the instant, and a button for now', async () => {
    const page = await answered('allowed', ['dora', 'grades', 'location:north'], { at: NOON });
    const field = page.getByLabel('When (UTC)');
    expect(await field.inputValue()).toBe('2026-03-10T12:00');
    await field.fill('2026-05-01T08:15');
    await decisionOf(page).getByText('1 May 2026, 08:15 UTC').waitFor();
    await page.getByRole('button', { name: 'Now', exact: true }).click();
    await expect.poll(() => page.url()).not.toContain('at=');
    await expect.poll(() => page.getByRole('button', { name: 'Now', exact: true }).isDisabled()).toBe(true);
  });

  test('an instant that is none asks nothing', async () => {
    const page = await ask({
      subject: 'user:ann',
      permission: 'grades',
      scope: 'location:north',
      at: 'tomorrow',
    });
    await page.getByText(/tomorrow is not an instant/).waitFor();
    expect(await decisionOf(page).count()).toBe(0);
    await page.getByRole('button', { name: 'Now', exact: true }).click();
    await decided(decisionOf(page), 'allowed');
  });
});

test('nothing asked: what to do, and examples to begin with', async () => {
  const page = await ask({});
  await page.getByText('Nothing is asked yet').waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: /^May / }).first().click();
  await decisionOf(page).waitFor();
});
