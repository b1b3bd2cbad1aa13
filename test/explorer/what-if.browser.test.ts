import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { idOf } from '../../explorer/page/refs.ts';
import { accessDifference } from '../../provisioning/access-difference/access-difference.ts';
import { idsOf, savedPlan } from '../../provisioning/apply/saved-plan.ts';
import { COMMANDS, type PlanAnswer, peopleText } from '../../provisioning/index.ts';
import { decisionLine } from '../provisioning/evidence/lines.ts';
import { choose, expectAccessible, openPage, playground } from '../support/browser.ts';
import { SCHOOL, type ServedTable, serveTable } from './served-table.ts';

interface Change {
  readonly command: string;
  readonly input: Readonly<Record<string, unknown>>;
}

const leaving = ({ ref }: ServedTable, user: string, group: string): Change => ({
  command: 'membership.delete',
  input: { user: idOf(ref('subject', user)), group: idOf(ref('group', group)) },
});
const suspending = ({ ref }: ServedTable, scope: string): Change => ({
  command: 'tenant.update',
  input: { id: idOf(ref('scope', scope)), status: 'suspended' },
});

const open = (table: ServedTable, ...changes: readonly Change[]) =>
  openPage({ url: table.linkTo('what-if', { change: JSON.stringify(changes) }) });

const pick = (page: Page, label: string) =>
  page.getByLabel('Change', { exact: true }).selectOption({ label });
const add = (page: Page) => page.getByRole('button', { name: 'Add this change' }).click();
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });
const nothingChanged = (page: Page) => page.getByText('Nothing was changed.').waitFor();

describe('changes', () => {
  test('leave a group: who loses what, each a click from its Why', async () => {
    const table = await serveTable();
    const { page } = await openPage({ url: table.linkTo('what-if') });
    await page.getByText('No change yet').waitFor();
    await choose(page, 'Subject', 'ann@school.example');
    await choose(page, 'Group', 'teachers north');
    await add(page);
    await heading(page, 'Loses access: 1 person').waitFor();
    await nothingChanged(page);
    const heads = await page.getByRole('columnheader').allTextContents();
    expect(heads).toEqual(['Subject', 'Permission', 'Scope']);
    const row = page.getByRole('row', { name: 'Ann' });
    await expect.poll(() => row.getByRole('link').count()).toBe(3);
    await expectAccessible(page);
    await row.getByRole('link', { name: /^grades/ }).click();
    await page.getByRole('heading', { name: 'Why', level: 1 }).waitFor();
    const { hash } = new URL(page.url());
    expect(Object.fromEntries(new URLSearchParams(hash.replace('#why?', '')))).toEqual({
      subject: table.ref('subject', 'ann@school.example'),
      permission: 'grades',
      scope: table.ref('scope', 'north'),
    });
  });

  test('suspend the tenant: the numbers are those of the command line; names on demand', async () => {
    const table = await serveTable();
    const change = suspending(table, 'school');
    const { reader, now } = table;
    const { loses } = await accessDifference([change], { reader, commands: COMMANDS, at: now() });
    const { page } = await open(table, change);
    await heading(page, `Loses access: ${peopleText(loses, false)}`).waitFor();
    expect(await page.getByRole('row').count()).toBe(1 + loses.rows.length);
    const several = loses.rows.find(({ people }) => people > 1);
    await page.getByText(`${several?.people} people`, { exact: true }).first().click();
    await page.getByRole('link', { name: /^Ann/ }).waitFor();
  });

  test('against a decision log: which decisions would be refused', async () => {
    const table = await serveTable();
    const [type, id] = table.ref('subject', 'ann@school.example').split(':');
    const [scopeType, scopeId] = table.ref('scope', 'north').split(':');
    const line = decisionLine({
      subject: { type, id },
      action: { name: 'grades' },
      resource: { type: scopeType, id: scopeId },
    });
    const { page } = await open(table, leaving(table, 'ann@school.example', 'teachers north'));
    await nothingChanged(page);
    const file = page.getByLabel(/decisions of last week/);
    const read = (text: string) =>
      file.setInputFiles({ name: 'week.jsonl', mimeType: 'text/plain', buffer: Buffer.from(text) });
    await read('no log');
    await page.getByText('week.jsonl has no decision about').waitFor();
    await read(line);
    await heading(page, 'Would be refused: 1 decision').waitFor();
    await heading(page, 'Would be allowed: 0 decisions').waitFor();
    await page.getByRole('row', { name: /Ann.*grades.*1 time/ }).waitFor();
    await expectAccessible(page);
  });

  test('several in their order: moved, taken out, and as JSON', async () => {
    const table = await serveTable();
    const { page } = await open(table, suspending(table, 'school'), leaving(table, 'dora', 'staff'));
    const sentences = () =>
      page.getByRole('list', { name: 'Changes, in their order' }).getByRole('listitem').allInnerTexts();
    await expect
      .poll(sentences)
      .toEqual([
        expect.stringContaining('Lindgren School becomes suspended'),
        expect.stringContaining('dora leaves the group staff'),
      ]);
    await page.getByRole('button', { name: 'Move change 2 up' }).click();
    await expect
      .poll(sentences)
      .toEqual([expect.stringContaining('dora leaves'), expect.stringContaining('becomes suspended')]);
    await page.getByRole('button', { name: 'Take change 2 out' }).click();
    await heading(page, 'Loses access: 1 person').waitFor();
    await page.getByText('Any command, as JSON').click();
    const text = page.getByLabel('A list of commands with their inputs, in their order');
    await text.fill('[{"command": 1}]');
    await page.getByText('number 1 of the list is no command').waitFor();
    await text.fill(
      JSON.stringify([{ command: 'group.delete', input: { id: idOf(table.ref('group', 'staff')) } }]),
    );
    await page.getByRole('button', { name: 'Compare these commands' }).click();
    await page.getByText('the group staff is removed').waitFor();
  });

  test('an end that is typed in part is not left out: nothing is added until it is whole', async () => {
    const table = await serveTable();
    const { page } = await openPage({ url: table.linkTo('what-if') });
    await pick(page, 'Give a role at a scope');
    await choose(page, 'Subject', 'dora');
    await choose(page, 'Role', 'teacher');
    await choose(page, 'Scope', 'Lindgren School');
    const until = page.getByLabel('Until (UTC) (optional)', { exact: true });
    await until.focus();
    await page.keyboard.type('12312027');
    await until.blur();
    await page.getByText('it is not complete').waitFor();
    await add(page);
    await page.getByText('Still to choose: Until').waitFor();
    await until.fill('2027-12-31T23:59');
    expect(await page.getByText('No change yet').count()).toBe(1);
    await add(page);
    await nothingChanged(page);
    expect(decodeURIComponent(page.url())).toContain('"endsAt":"2027-12-31T23:59:00Z"');
  });

  test('a name that is typed over the chosen one is what counts, also while it is looked up; going back adds nothing', async () => {
    const table = await serveTable();
    const { page } = await openPage({ url: table.linkTo('what-if') });
    await choose(page, 'Subject', 'ann@school.example');
    await choose(page, 'Group', 'teachers north');
    await page
      .getByLabel('Group')
      .and(page.getByTitle(table.ref('group', 'teachers north')))
      .waitFor();
    await choose(page, 'Group', 'nobody');
    await page.getByText('there is no group nobody').waitFor();
    await add(page);
    await page.getByText('Still to choose: Group.').waitFor();
    await page.getByLabel('Group').press('Escape');
    await expect.poll(() => page.getByLabel('Group').inputValue()).toBe('teachers north');
    expect(await page.getByText('No change yet').count()).toBe(1);
    await page.getByLabel('Group').fill('staff');
    await add(page);
    await page.getByText('Ann leaves the group staff').waitFor();
  });

  test('a look-up that failed is made again by Enter; a late one leaves what is typed since', async () => {
    const table = await serveTable();
    const { page } = await openPage({ url: table.linkTo('what-if') });
    const error = { code: 'throttled', message: 'too many reads', retryable: true };
    let isDown = true;
    const isLate = (asked: string | null) => asked?.includes('"teachers north"') === true;
    let answerLate: (() => Promise<void>) | undefined;
    await page.route('**/api/command', async (route) => {
      const asked = route.request().postData() ?? '';
      if (!asked.includes('name.find')) return route.continue();
      if (isDown) return route.fulfill({ json: { ok: true, result: { ok: false, error } } });
      if (!isLate(asked)) return route.continue();
      answerLate = () => route.continue();
    });
    const group = page.getByLabel('Group');
    await choose(page, 'Group', table.ref('group', 'staff'));
    await page.getByText('too many reads').waitFor();
    isDown = false;
    await group.press('Enter');
    await group.and(page.getByTitle(table.ref('group', 'staff'))).waitFor();
    await choose(page, 'Group', 'teachers north');
    await expect.poll(() => answerLate).toBeDefined();
    await page.keyboard.type('ern');
    const late = page.waitForEvent('requestfinished', (request) => isLate(request.postData()));
    await answerLate?.();
    await late;
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))');
    await group.press('Enter');
    await page.getByText('there is no group teachers northern').waitFor();
  });

  test('a command that is refused says which and why, in its place', async () => {
    const table = await serveTable();
    const refused = { command: 'group.delete', input: { id: 'nothing' } };
    const { page } = await open(table, leaving(table, 'dora', 'staff'), refused);
    const alert = page.getByRole('alert');
    await alert.getByText('commands.1.id').waitFor();
    expect(await alert.innerText()).toContain('group:nothing does not exist');
    expect(await page.getByText('Nothing was changed.').count()).toBe(0);
    await expectAccessible(page);
  });

  test('an address that holds no changes says so, and the rest works', async () => {
    const table = await serveTable();
    const { page } = await openPage({ url: table.linkTo('what-if', { change: '{"command":' }) });
    await page.getByText('this is not JSON').waitFor();
    await pick(page, 'Remove a group');
    await choose(page, 'Group', 'staff');
    await add(page);
    await heading(page, 'Loses access: 1 person').waitFor();
  });

  test('what is incomplete says why', async () => {
    const manifest = SCHOOL.replace(
      'allow: [grades, "library:*:*"]',
      'allow: [{ permission: grades, when: "context.ip == \\"10.0.0.1\\"" }]',
    );
    const table = await serveTable({ manifest });
    const { page } = await open(table, suspending(table, 'school'));
    await page.getByText('incomplete:').waitFor();
    await page.getByText('some conditions take values that only a request passes').waitFor();
    await heading(page, 'Loses access: at least 4 people').waitFor();
    await expectAccessible(page);
  });
});

describe('making a change', () => {
  test('of a person whose name another one may have asks which, and repeats who it is', async () => {
    const table = await serveTable({ canWrite: true });
    for (let n = 0; n < 100; n += 1)
      await table.run('user.create', { email: `u${n}@school.example`, displayName: `Person ${n}` });
    const [first] = (await table.run('user.list', { limit: 1 })).items as readonly { readonly id: string }[];
    await table.run('user.update', {
      id: first?.id,
      displayName: 'Ann Smith',
      email: 'smith@school.example',
    });
    const { page } = await openPage({ url: table.linkTo('what-if') });
    await pick(page, 'Disable a user');
    await choose(page, 'Subject', 'Ann Smith');
    await page.getByText('Ann Smith may be more than 1 of them: choose one').waitFor();
    await page.getByRole('button', { name: 'Ann Smith smith@school.example' }).click();
    await add(page);
    await page.getByRole('button', { name: 'Make this change…' }).click();
    await page.getByRole('dialog').getByText(`{"id":"${first?.id}","status":"disabled"}`).waitFor();
  });

  test('is not offered by an explorer that is read-only, and the service refuses it', async () => {
    const table = await serveTable();
    const change = leaving(table, 'dora', 'staff');
    const { page } = await open(table, change);
    await page.getByText('This explorer is read-only').waitFor();
    expect(await page.getByRole('button', { name: /Make/ }).count()).toBe(0);
    const reply = await page.evaluate(`fetch('api/command', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-gatehouse-explorer': '1' },
      body: ${JSON.stringify(JSON.stringify(change))},
    }).then((response) => response.json())`);
    expect(reply).toMatchObject({
      result: { ok: false, error: { message: expect.stringContaining('read-only') } },
    });
    const { subject, permission, scope } = whatDoraMay(table);
    expect(await table.service('check', { subject, permission, scope })).toMatchObject({
      result: { allowed: true },
    });
  });

  test('says who loses what when it is asked for, and asks about nothing else than that', async () => {
    const table = await serveTable({ canWrite: true });
    const { page } = await open(table, suspending(table, 'school'));
    await heading(page, 'Loses access: 4 people').waitFor();
    const [user, group] = [table.ref('subject', 'ann@school.example'), table.ref('group', 'teachers north')];
    await table.run('membership.delete', { user: idOf(user), group: idOf(group) });
    await page.getByRole('button', { name: 'Make this change…' }).click();
    await page.getByRole('dialog').getByText('loses access: 3 people').first().waitFor();
    await page.evaluate(`location.hash += '&prune=tenants'`);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  test('asks first, and says again who loses what', async () => {
    const table = await serveTable({ canWrite: true });
    const change = leaving(table, 'dora', 'staff');
    const { page } = await open(table, change);
    const button = page.getByRole('button', { name: 'Make this change…' });
    await button.click();
    const dialog = page.getByRole('dialog', { name: 'Make this change?' });
    await dialog.getByText('dora leaves the group staff').waitFor();
    await dialog.getByText('loses access: 1 person').first().waitFor();
    await expectAccessible(page);
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Cancel');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Make this change…');
    expect(await table.service('check', whatDoraMay(table))).toMatchObject({ result: { allowed: true } });

    await button.click();
    await dialog.getByRole('button', { name: 'Make this change' }).click();
    await page.getByText('The change was made.').waitFor();
    expect(await page.getByText(/Freshness token: gh1\./).count()).toBe(1);
    expect(await table.service('check', whatDoraMay(table))).toMatchObject({ result: { allowed: false } });
    const href = await page
      .getByRole('link', { name: /until when caches may still allow/ })
      .getAttribute('href');
    const followed = new URLSearchParams(String(href).replace('#live?', ''));
    expect(followed.get('revoked')).toBe(table.ref('subject', 'dora'));
    expect(Number.isNaN(Date.parse(String(followed.get('since'))))).toBe(false);
    await expectAccessible(page);
    const [, before] = table.linkTo('what-if', { change: JSON.stringify([change]) }).split('#');
    await page.evaluate(`location.hash = ${JSON.stringify(before)}`);
    await page.getByText('The change was made.').waitFor({ state: 'detached' });
  });
});

/** Nobody may pay bills and do this as well. */
const separating = ({ ref }: ServedTable, permission: string) => ({
  scope: ref('scope', 'school'),
  name: 'bills',
  separate: [permission, 'invoices:pay:bill'],
  within: 'tenant',
});

describe('what is said beside who loses access', () => {
  test('the tokens and the warnings of an answer, which are nowhere else', async () => {
    const make = async (table: ServedTable, ...changes: readonly Change[]): Promise<Page> => {
      const { page } = await open(table, ...changes);
      await page.getByRole('button', { name: 'Make this change…' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Make this change' }).click();
      await page.getByText('The change was made.').waitFor();
      return page;
    };
    const table = await serveTable({ canWrite: true });
    const tokenOf = (name: string): Change => ({
      command: 'token.create',
      input: { user: idOf(table.ref('subject', name)), tokenType: 'api' },
    });
    const issued = await make(table, tokenOf('ann@school.example'), tokenOf('dora'));
    expect(await issued.getByText('Token, which is shown only now:').count()).toBe(2);
    await expectAccessible(issued);
    await issued.getByRole('link', { name: 'A manifest or a plan' }).click();
    await issued.getByText('The change was made.').waitFor({ state: 'detached' });
    const other = await serveTable({ canWrite: true });
    const input = separating(other, 'invoices:read:list');
    const warned = await make(other, { command: 'invariant.create', input });
    expect(await warned.getByText('not all holds').count()).toBe(1);
  });

  test('what stays and names a scope that is deleted', async () => {
    const table = await serveTable();
    await table.run('location.create', { id: 'hall', name: 'Hall', parent: table.ref('scope', 'school') });
    const route = { method: 'GET', path: '/hall', permission: 'dashboard', scope: 'location:hall' };
    await table.run('route.create', route);
    const { page } = await open(table, { command: 'location.delete', input: { id: 'hall' } });
    await page.getByRole('listitem').filter({ hasText: 'GET /hall' }).getByText('location:hall').waitFor();
  });

  test('what a manifest breaks, and what in it is hardly meant', async () => {
    const table = await serveTable();
    const { page } = await openPage({ url: table.linkTo('what-if', { compare: 'manifest' }) });
    await table.run('invariant.create', separating(table, 'dashboard'));
    const wins = SCHOOL.replace('combination: deny-overrides', 'combination: allow-overrides');
    await openFile(page, 'school.yaml', wins.replace('allow: ["invoices', 'allow: [dashboard, "invoices'));
    await page.getByText('any allow wins').waitFor();
    await page.getByText('This breaks invariants:').waitFor();
    await page.getByRole('listitem').filter({ hasText: 'bills: ' }).first().waitFor();
    await expectAccessible(page);
  });
});

const whatDoraMay = ({ ref }: ServedTable) => ({
  subject: ref('subject', 'dora'),
  permission: 'dashboard',
  scope: ref('scope', 'school'),
});

/** The manifest without Ben and Edda. */
const SMALLER = SCHOOL.replace(/^ {2}ben@.*\n/m, '').replace(/^ {2}edda.*\n/m, '');

const openFile = (page: Page, name: string, text: string) =>
  page
    .getByLabel(/^A manifest, or a plan/)
    .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });

describe('a manifest', () => {
  test('compares what applying it does; with prune, what it removes', async () => {
    const table = await serveTable();
    const { page } = await openPage({ url: table.linkTo('what-if', { compare: 'manifest' }) });
    await page.getByText('No manifest yet').waitFor();
    await openFile(page, 'smaller.yaml', SMALLER);
    await page.getByText('2 in the table and not in the manifest: they stay').waitFor();
    await page.getByText('Nobody’s access differs.').waitFor();
    await page.getByLabel(/^Prune:/).check();
    await heading(page, 'Loses access: 2 people').waitFor();
    await heading(page, 'To remove (2)').waitFor();
    await nothingChanged(page);
    await expectAccessible(page);
  });

  test('names the people whom it makes', async () => {
    const table = await serveTable({ manifest: SMALLER });
    const { page } = await openPage({ url: table.linkTo('what-if', { compare: 'manifest' }) });
    await openFile(page, 'school.yaml', SCHOOL);
    await heading(page, 'Gains access: 2 people').waitFor();
    await page.getByRole('row', { name: /^Ben/ }).waitFor();
  });

  test('with problems is not compared', async () => {
    const table = await serveTable();
    const { page } = await openPage({ url: table.linkTo('what-if', { compare: 'manifest' }) });
    await openFile(page, 'wrong.yaml', 'roles: { a: { owner: nobody, allow: [] } }');
    await page.getByText('roles / a / owner: there is no scope nobody').waitFor();
    await openFile(page, 'broken.yaml', '{');
    await page.getByRole('alert').getByText('broken.yaml').waitFor();
    await openFile(page, 'list.yaml', '- a');
    await page.getByText('list.yaml is neither a manifest nor a plan').waitFor();
  });

  test('of the playground can be changed in a copy and pruned; the change lasts until the next edit', async () => {
    const { page } = await openPage({
      url: playground('what-if', { example: 'school', compare: 'manifest' }),
    });
    await page.getByText('the manifest of the playground').waitFor();
    await page.getByText(/[1-9]\d* unchanged/).waitFor();
    await page.getByText('Change its text, to compare that').click();
    await page.getByLabel('A copy of the manifest').fill(SMALLER);
    await page.getByRole('button', { name: 'Compare this text' }).click();
    await page.getByLabel(/^Prune:/).check();
    await heading(page, 'Loses access: 2 people').waitFor();
    await page.getByRole('button', { name: 'Make this change…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('until the next edit of the manifest').waitFor();
    await dialog.getByRole('button', { name: 'Make this change' }).click();
    await page.getByText('The change was made.').waitFor();
    await page.getByText('Nobody’s access differs.').waitFor();
    await page.getByLabel(/^Prune:/).uncheck();
    await page.getByText('The change was made.').waitFor({ state: 'detached' });
  });
});

describe('a plan in a file', () => {
  /** A plan of the smaller manifest as `gatehouse plan --prune --out` writes it. */
  async function planOf({ run }: ServedTable, place = 'the table gatehouse in eu-west-1'): Promise<string> {
    const manifest = parse(SMALLER) as Record<string, unknown>;
    const { changes } = (await run('tenant.plan', { manifest, prune: true })) as unknown as PlanAnswer;
    const plan = { place, madeAt: '2026-03-01T08:00:00.000Z', prune: true, pruneShared: false, manifest };
    return JSON.stringify(savedPlan({ ...plan, changes: [...(await idsOf(changes))] }));
  }

  test('that is current is shown, and applied as it was approved', async () => {
    const table = await serveTable({ canWrite: true });
    const { page } = await openPage({ url: table.linkTo('what-if', { compare: 'manifest' }) });
    await openFile(page, 'school.plan', await planOf(table));
    await page.getByText('The plan is current.').waitFor();
    await page.getByText('A plan of 2 changes with --prune').waitFor();
    await heading(page, 'Loses access: 2 people').waitFor();
    await page.getByRole('button', { name: 'Make this change…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('user edda').waitFor();
    await dialog.getByRole('button', { name: 'Make this change' }).click();
    await page.getByText('The change was made.').waitFor();
    await page.getByText('2 of 2 changes are done already.').waitFor();
    expect(JSON.stringify(await table.run('user.list', {}))).not.toContain('edda');
  });

  test('that is out of date says so, marks what it does not have, and is not applied', async () => {
    const table = await serveTable({ canWrite: true });
    const plan = await planOf(table);
    await table.run('user.create', { username: 'new', tenant: table.ref('scope', 'school') });
    const { page } = await openPage({ url: table.linkTo('what-if', { compare: 'manifest' }) });
    await openFile(page, 'school.plan', plan);
    await page.getByText('The plan is out of date.').waitFor();
    await page.getByText('it takes 1 change now that the plan does not have').waitFor();
    await page.getByRole('listitem').filter({ hasText: 'not in the plan' }).getByText('user new').waitFor();
    expect(await page.getByRole('button', { name: /Make/ }).count()).toBe(0);
    await expectAccessible(page);
  });

  test('for another table is not applied; what is no plan says so', async () => {
    const table = await serveTable({ canWrite: true });
    const { page } = await openPage({ url: table.linkTo('what-if', { compare: 'manifest' }) });
    await openFile(page, 'other.plan', await planOf(table, 'the table other in eu-west-1'));
    await page.getByText('It is for another table,').waitFor();
    expect(await page.getByRole('button', { name: /Make/ }).count()).toBe(0);
    await openFile(page, 'bad.plan', '{"gatehousePlan": 2}');
    await page.getByRole('alert').getByText('this release reads version 1').waitFor();
  });
});
