import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { addTest } from '../../../explorer/page/playground/add-test.ts';

const TEST = { subject: 'ben', permission: 'invoices:read:list', scope: 'north, upper', expect: 'no_grant' };
const LINE = '{ subject: ben, permission: invoices:read:list, scope: "north, upper", expect: no_grant }';

test.each([
  ['an empty text', '', `tests:\n  - ${LINE}\n`],
  ['a text with a date alone', 'at: 2026-03-01\n', `at: 2026-03-01\n\ntests:\n  - ${LINE}\n`],
  ['a list of nothing', 'tests:\n', `tests:\n  - ${LINE}\n`],
  ['a list of nothing and no end of line', 'tests:', `tests:\n  - ${LINE}\n`],
  ['a list', 'tests:\n  - { subject: a }\n', `tests:\n  - { subject: a }\n  - ${LINE}\n`],
  ['no end of line', 'tests:\n  - { subject: a }', `tests:\n  - { subject: a }\n  - ${LINE}\n`],
  ['a list without indentation', 'tests:\n- { subject: a }\n', `tests:\n- { subject: a }\n- ${LINE}\n`],
  ['blocks', 'tests:\n  - subject: a\n    scope: b\n', `tests:\n  - subject: a\n    scope: b\n  - ${LINE}\n`],
  ['an empty list in one line', 'tests: []\n', `tests: [ ${LINE} ]\n`],
  ['a list in one line', 'tests: [{ subject: a }]\n', `tests: [{ subject: a }, ${LINE} ]\n`],
  [
    'something after it',
    'tests:\n  - { subject: a } # why\nat: 2026-03-01\n',
    `tests:\n  - { subject: a } # why\n  - ${LINE}\nat: 2026-03-01\n`,
  ],
])('a test is appended to %s', (_, text, expected) => {
  const added = addTest(text, TEST);
  expect(added).toBe(expected);
  expect(parse(String(added)).tests.at(-1)).toEqual(TEST);
});

test('what conditions look at goes along', () => {
  const added = addTest('', { ...TEST, at: '2026-03-01T12:00:00.000Z', context: { ip: '10.0.0.1' } });
  expect(parse(String(added)).tests).toEqual([
    { ...TEST, at: '2026-03-01T12:00:00.000Z', context: { ip: '10.0.0.1' } },
  ]);
});

test('a text that cannot be read is left alone', () => {
  expect(addTest('tests: [', TEST)).toBeUndefined();
  expect(addTest('tests: 7\n', TEST)).toBeUndefined();
  expect(addTest('- a\n', TEST)).toBeUndefined();
});
