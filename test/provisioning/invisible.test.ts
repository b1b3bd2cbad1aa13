import { describe, expect, test } from 'vitest';
import { ROW_KINDS, type RowKind } from '../../cli/bulk/kinds.ts';
import { readRow } from '../../cli/bulk/read-row.ts';
import { formatPlan } from '../../cli/manifest/print.ts';
import type { PlanAnswer } from '../../provisioning/index.ts';
import { isVisibleText, plain, withInvisible } from '../../table/visible-text.ts';
import { createWorld } from '../support/world.ts';
import { applyOn, createMemoryWorld } from './apply/support.ts';

/** Characters that are not seen: refused where a text is written, and written out where one is shown. */
const UNSEEN: readonly (readonly [text: string, shown: string])[] = [
  ['Ac\u200Bme', 'Ac\\u200Bme'],
  ['\u202Eemca', '\\u202Eemca'],
  ['Boss\u200D', 'Boss\\u200D'],
  ['Bo\u200Css', 'Bo\\u200Css'],
  ['\u2066Boss\u2069', '\\u2066Boss\\u2069'],
  ['Bo\u00ADss', 'Bo\\xadss'],
  ['\uFEFFBoss', '\\uFEFFBoss'],
  ['Boss\u{E0041}', 'Boss\\u{E0041}'],
  ['Boss\u3164', 'Boss\\u3164'],
  ['Boss\uFFA0', 'Boss\\uFFA0'],
  ['Boss\u2800', 'Boss\\u2800'],
  ['Bo\u034Fss', 'Bo\\u034Fss'],
  ['Boss\uFE0F', 'Boss\\uFE0F'],
  ['🐶\u200D🐱', '🐶\\u200D🐱'],
  ['👩\u200D', '👩\\u200D'],
];

/** Within words of these scripts the joiners are seen, and in emoji. */
const SEEN = [
  'می\u200Cخواهم',
  'क्\u200Dष',
  '👩\u200D💻 Developers',
  '❤\uFE0F',
  '🏳\uFE0F\u200D🌈',
  'Zoë Ångström',
  '北京',
  'أحمد',
  "O'Neill & Söhne",
];

const PRINTED = { colours: false, all: true, file: 'a.yaml', place: 'a table' };
const { run, refused } = await createWorld();

test.each(UNSEEN)('%j is shown as %s', (text, shown) => {
  expect(plain(text)).toBe(shown);
  expect(withInvisible(text)).toBe(shown);
  expect(isVisibleText(text)).toBe(false);
});

test.each(SEEN)('%s is shown as it is', (text) => {
  expect(plain(text)).toBe(text);
  expect(isVisibleText(text)).toBe(true);
});

describe.each(UNSEEN)('%j is refused', (text) => {
  test.each<[command: string, field: string, input: Record<string, unknown>]>([
    ['tenant.create', 'name', { name: text }],
    ['tenant.create', 'description', { name: 'T', description: text }],
    ['role.create', 'name', { name: text, scope: 'global' }],
    ['user.create', 'displayName', { displayName: text }],
    ['user.create', 'email', { email: `${text}@example.com` }],
    ['user.create', 'username', { username: text }],
  ])('by %s, in %s', async (command, field, input) => {
    expect(await refused(command, input)).toMatchObject({ code: 'invalid', field });
  });

  test('in a row, and in a manifest', async () => {
    const row = { line: 2, bytes: 0, values: { displayName: text }, original: [] };
    const names = async () => expect.fail('no name is looked up');
    expect(await readRow(ROW_KINDS[0] as RowKind, names, row)).toMatchObject({
      problem: { field: 'displayName' },
    });
    const manifest = JSON.stringify({ scopes: { school: { type: 'tenant', name: text } } });
    await expect(applyOn(createMemoryWorld(), manifest)).rejects.toThrow('is not seen');
  });
});

test.each(SEEN)('%s is taken', async (text) => {
  expect(await run('role.create', { name: text, scope: 'global' })).toMatchObject({ name: text });
});

test('what stands in a table is found, changed and removed, and a plan shows it written out', async () => {
  const world = createMemoryWorld();
  const manifest = (name: string) => ({ scopes: { school: { type: 'tenant', id: 'school', name } } });
  await applyOn(world, JSON.stringify(manifest('Acme')));
  // As an older release took it: the guard holds the name as it was folded then.
  const [old, stored] = ['Acme', 'Ac\u200Bme'];
  const rewritten = world
    .items()
    .map((item) => JSON.parse(JSON.stringify(item).replaceAll(old, stored).replaceAll('acme', 'ac\u200Bme')));
  const legacy = createMemoryWorld(rewritten);
  expect(await legacy.run('tenant.read', { id: 'school' })).toMatchObject({ name: stored });
  const plan = (await legacy.run('tenant.plan', { manifest: manifest('Acme') })) as unknown as PlanAnswer;
  const text = formatPlan(plan, { ...PRINTED, known: ({ ref }) => ref });
  expect(text).toContain('Ac\\u200Bme > Acme');
  expect(text).not.toContain('\u200B');
  expect(await legacy.run('tenant.update', { id: 'school', name: 'Acme' })).toMatchObject({ name: 'Acme' });
  await legacy.run('tenant.delete', { id: 'school' });
});
