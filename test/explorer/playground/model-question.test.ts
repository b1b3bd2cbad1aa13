import { expect, test } from 'vitest';
import { questionOfOther, stateOf } from '../../../explorer/page/playground/model-question.ts';
import { createModel, type ModelState } from '../../../explorer/playground/model.ts';

/** The question of the address when another model takes the place of the one that it was about. */
const SCHOOL = `pages: [grades]
scopes: { north: { type: location }, south: { type: location } }
roles: { teacher: { global: true, allow: [grades] } }
users: { ann: { globalRoles: [teacher] }, ben: {} }
`;
const SHOP = `pages: [orders]
scopes: { shop: { type: tenant } }
roles: { clerk: { global: true, allow: [orders] } }
users: { carl: {}, dora: { globalRoles: [clerk] } }
`;
const SHOP_TESTS = 'tests:\n  - { subject: dora, permission: orders, scope: shop, expect: allow }\n';
const SCHOOL_TESTS = 'tests:\n  - { subject: ann, permission: grades, scope: north, expect: allow }\n';

const modelOf = (manifest: string, tests = ''): Promise<ModelState> =>
  createModel({ now: () => Date.parse('2026-03-01T12:00:00Z') }).update({ manifest, tests });

const asked = ({ names }: ModelState, subject: string, permission: string, scope: string) => ({
  subject: String(names.subject[subject]),
  scope: String(names.scope[scope]),
  permission,
});

test('another model is asked the first of its tests that it can answer', async () => {
  const [school, shop] = [await modelOf(SCHOOL), await modelOf(SHOP, SHOP_TESTS)];
  const state = { ...asked(school, 'ann', 'grades', 'north'), model: 'packed', hide: 'tests', change: '[]' };
  const patch = questionOfOther(state, school, shop);
  expect(patch).toMatchObject(asked(shop, 'dora', 'orders', 'shop'));
  // What a view remembers of the model before goes; the texts and the columns stay.
  expect(patch).toHaveProperty('change', undefined);
  expect(Object.keys(patch ?? {})).not.toContain('model');
  expect(Object.keys(patch ?? {})).not.toContain('hide');
});

test('with the tests of the model before, or none, it is asked about its first person, permission and scope', async () => {
  const [school, shop] = [await modelOf(SCHOOL, SCHOOL_TESTS), await modelOf(SHOP, SCHOOL_TESTS)];
  const [first] = school.tests.flatMap(({ answers }) => answers);
  if (!first) throw new Error('there is no test');
  const state = stateOf(first, school) as Readonly<Record<string, string>>;
  expect(questionOfOther(state, school, shop)).toMatchObject(asked(shop, 'carl', 'orders', 'shop'));
  expect(questionOfOther(state, school, await modelOf(SHOP))).toMatchObject(
    asked(shop, 'carl', 'orders', 'shop'),
  );
});

test('a model of nobody is asked nothing, and the one after it is asked something again', async () => {
  const [school, shop] = [await modelOf(SCHOOL), await modelOf(SHOP)];
  const empty = await modelOf('pages: [grades]\n');
  const patch = questionOfOther(asked(school, 'ann', 'grades', 'north'), school, empty);
  expect(patch).toEqual({ subject: undefined, permission: undefined, scope: undefined });
  expect(questionOfOther({}, empty, shop)).toMatchObject(asked(shop, 'carl', 'orders', 'shop'));
});

test('an edit keeps the question, also where it takes away who is asked about', async () => {
  const school = await modelOf(SCHOOL);
  const state = asked(school, 'ann', 'grades', 'north');
  const without = await modelOf(SCHOOL.replace('ann: { globalRoles: [teacher] }, ', ''));
  expect(without.isCurrent).toBe(true);
  expect(questionOfOther(state, school, without)).toBeUndefined();
  expect(questionOfOther(state, school, school)).toBeUndefined();
});

test('a question that the model before did not have either, and one of a link, stay', async () => {
  const [school, shop] = [await modelOf(SCHOOL), await modelOf(SHOP)];
  const strange = { subject: 'user:nobody', permission: 'grades', scope: 'tenant:nowhere' };
  expect(questionOfOther(strange, school, shop)).toBeUndefined();
  expect(questionOfOther(asked(school, 'ann', 'grades', 'north'), undefined, shop)).toBeUndefined();
});

test('a model with errors is not asked: the table is still that of the one before', async () => {
  const school = await modelOf(SCHOOL);
  const broken = { ...(await modelOf(SHOP)), isCurrent: false };
  expect(questionOfOther(asked(school, 'ann', 'grades', 'north'), school, broken)).toBeUndefined();
});
