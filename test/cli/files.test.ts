import { afterAll, describe, expect, test } from 'vitest';
import { fileOf, gatehouse, removeFiles } from './support.ts';

/** Files that are wrong: every problem with its place, exit code 2, and no table made (there is none to make it in). */
afterAll(removeFiles);

const NOWHERE = { DYNAMODB_ENDPOINT: 'http://127.0.0.1:1' };

/** What is told of a file, without its name. */
async function problemsIn(text: string, extension?: string): Promise<readonly string[]> {
  const file = fileOf(text, extension);
  const { code, out, error } = await gatehouse(['test', file], { env: NOWHERE });
  expect({ code, out }).toEqual({ code: 2, out: '' });
  return error
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(`${file}:`, ''));
}

const TESTS = 'tests: [{ subject: ann, permission: home, scope: here, expect: allow }]';
const WORLD = 'pages: [home], scopes: { here: { type: tenant } }, users: { ann: {} }';
/** A file whose world has these lines besides. */
const withWorld = (...lines: readonly string[]) => `world:
  pages: [home]
  scopes: { here: { type: tenant } }
  users: { ann: {} }
${lines.map((line) => `  ${line}\n`).join('')}${TESTS}
`;
const withTest = (line: string) => `world: { ${WORLD} }\ntests:\n  - ${line}\n`;

describe('what is no YAML', () => {
  test.each<[string, string, string]>([
    [
      'an open bracket',
      'world: {\n  pages: [home\n',
      '3:1: Flow map in block collection must be sufficiently indented and end with a }',
    ],
    ['a key twice', 'world:\n  users:\n    ann:\n    ann:\ntests: []\n', '4:5: the same key stands above'],
    ['two documents', `${TESTS}\n---\n${TESTS}\n`, '2:1: Source contains multiple documents'],
    [
      'a pattern without quotes',
      'world:\n  roles: { r: { allow: [*:*:*] } }\n',
      '2:25: *:*:* is an alias of nothing: put quotes',
    ],
    ['a name that is none', 'world:\n  users:\n    __proto__: {}\n', '3:5: __proto__ can be no name'],
    ['an unknown tag', 'tests: !thing []\n', '1:8: Unresolved tag: !thing'],
  ])('%s', async (_, text, message) => {
    const problems = await problemsIn(text);
    expect(
      problems.some((line) => line.startsWith(message)),
      problems.join('\n'),
    ).toBe(true);
  });

  test('JSON too', async () => {
    expect((await problemsIn('{ "tests": [ }', 'json'))[0]).toMatch(/^1:14: /);
  });

  test('a file that blows itself up', async () => {
    const level = (name: string, of: string) => `${name}: &${name} [${Array(9).fill(`*${of}`).join(', ')}]`;
    const text = ['a: &a [x, x]', level('b', 'a'), level('c', 'b'), level('d', 'c'), level('e', 'd')];
    expect((await problemsIn(text.join('\n')))[0]).toContain('Excessive alias count');
  });
});

describe('what is missing or too much', () => {
  test.each<[string, string, readonly string[]]>([
    ['an empty file', '', [' there are no tests in it: give a list, tests']],
    ['a list', '- 1', [' must be a mapping']],
    ['no tests', `world: { ${WORLD} }`, [' there are no tests in it: give a list, tests']],
    ['an empty list of tests', 'tests: []', [' there are no tests in it: give a list, tests']],
    ['tests that are no list', 'tests: { a: 1 }', ['1:1: tests: must be a list']],
    ['a key of the file', `wrld: {}\n${TESTS}`, ['1:1: wrld: unknown key: did you mean world?']],
    ['a key of a world', withWorld('user: {}'), ['5:3: world.user: unknown key: did you mean users?']],
    [
      'a key of a group',
      withWorld('groups:', '  staff: { scope: here, role: [x] }'),
      ['6:27: world.groups.staff.role: unknown key: did you mean roles?'],
    ],
    [
      'a key far from all',
      withWorld('groups: { staff: { scope: here, zzzzzz: 1 } }'),
      ['5:35: world.groups.staff.zzzzzz: unknown key: there are scope, roles'],
    ],
    [
      'a key of a test',
      withTest('{ subject: ann, permission: home, scope: here, expected: allow }'),
      ['3:52: tests[0].expected: unknown key: did you mean expect?'],
    ],
    [
      'nothing asked',
      withTest('{ subject: ann, scope: here }'),
      ['3:5: tests[0]: give permission and expect, or else lists: allow, deny'],
    ],
    [
      'asked in both ways',
      withTest('{ subject: ann, scope: here, permission: home, allow: [home] }'),
      ['3:5: tests[0]: give permission and expect, or else lists: allow, deny'],
    ],
    [
      'no subject',
      withTest('{ permission: home, scope: here, expect: allow }'),
      ['3:5: tests[0].subject: must be a name (in quotes if it looks like a number)'],
    ],
    [
      'an expectation that is none',
      withTest('{ subject: ann, permission: home, scope: here, expect: no_grants }'),
      ['3:52: tests[0].expect: no_grants is neither allow, deny nor a reason: did you mean no_grant?'],
    ],
    [
      'an instant that is none',
      withTest('{ subject: ann, permission: home, scope: here, at: 2026-02-30, expect: allow }'),
      ['3:52: tests[0].at: is neither an instant such as 2026-03-01T08:00:00Z nor a day such as 2026-03-01'],
    ],
    [
      'an instant without its offset',
      withWorld('subscriptions: [{ scope: here, module: m, from: 2026-03-01T08:00 }]'),
      [
        '5:45: world.subscriptions[0].from: is neither an instant such as 2026-03-01T08:00:00Z nor a day such as 2026-03-01',
      ],
    ],
    [
      'a flag that is none',
      withWorld('modules: { m: { sold: yes } }'),
      ['5:19: world.modules.m.sold: must be true or false'],
    ],
    [
      'a permission that is none',
      withWorld('roles: { r: { allow: ["a:b"] } }'),
      ['5:25: world.roles.r.allow[0]: is neither a permission nor a pattern such as module:*:resource'],
    ],
    [
      'the same asked for both answers',
      withTest('{ subject: ann, scope: here, allow: [home], deny: [home] }'),
      ['3:56: tests[0].deny[0]: home stands in allow as well'],
    ],
  ])('%s', async (_, text, messages) => {
    expect(await problemsIn(text)).toEqual(messages);
  });
});

describe('names that lead nowhere, or twice to the same', () => {
  test.each<[string, string, readonly string[]]>([
    [
      'a role of a group',
      withWorld('roles: { teacher: {} }', 'groups:', '  staff: { scope: here, roles: [techer] }'),
      ['7:35: world.groups.staff.roles[0]: there is no role techer: did you mean teacher?'],
    ],
    [
      'a group of a user whose name is no word',
      'world:\n  scopes: { here: { type: tenant } }\n  pages: [home]\n  users:\n    "ann b.": { groups: [staff] }\n    ann:\n' +
        TESTS,
      ['5:26: world.users["ann b."].groups[0]: there is no group staff: there is none'],
    ],
    [
      'a parent',
      withWorld().replace('type: tenant }', 'type: tenant }, in: { type: location, parent: hre }'),
      ['3:59: world.scopes.in.parent: there is no scope hre: did you mean here?'],
    ],
    [
      'a type',
      withWorld().replace('type: tenant', 'type: tennant'),
      ['3:21: world.scopes.here.type: there is no scope type tennant: did you mean tenant?'],
    ],
    [
      'a page of a role',
      withWorld('roles: { r: { allow: [hme], deny: ["a:*:*"] } }'),
      ['5:25: world.roles.r.allow[0]: there is no page or permission hme: did you mean home?'],
    ],
    [
      'a scope that is no account',
      withWorld('technicalUsers: { bot: { account: here } }'),
      ['5:28: world.technicalUsers.bot.account: here is of type tenant, not account'],
    ],
    [
      'all at once',
      withWorld('subscriptions: [{ scope: x, module: y }]', 'licenses: [{ account: x, enterprise: y }]'),
      [
        '5:21: world.subscriptions[0].scope: there is no scope x: there is here',
        '5:31: world.subscriptions[0].module: there is no module y: there is none',
        '6:16: world.licenses[0].account: there is no account x: there is here',
        '6:28: world.licenses[0].enterprise: there is no enterprise y: there is here',
      ],
    ],
    [
      'a subject of a test',
      withTest('{ subject: anne, permission: home, scope: here, expect: deny }'),
      ['3:7: tests[0].subject: there is no subject anne: did you mean ann?'],
    ],
    [
      'a permission of a test that expects a refusal',
      withTest('{ subject: ann, scope: here, deny: [homes] }'),
      ['3:41: tests[0].deny[0]: there is no page or permission homes: did you mean home?'],
    ],
    [
      'a role twice in a group',
      withWorld('roles: { r: }', 'groups: { g: { scope: here, roles: [r, r] } }'),
      ['6:42: world.groups.g.roles[1]: r stands here twice'],
    ],
    [
      'a page twice',
      withWorld().replace('[home]', '[home, home]'),
      ['2:17: world.pages[1]: home stands here twice'],
    ],
    [
      'allowed and denied',
      withWorld('roles: { r: { allow: [home], deny: [home] } }'),
      ['5:39: world.roles.r.deny[0]: home is allowed above: a role has one effect on it'],
    ],
    [
      'a user and a program of one name',
      withWorld()
        .replace('{ ann: {} }', '{ ann: {} }\n  technicalUsers: { ann: { account: acc } }')
        .replace('type: tenant }', 'type: tenant }, acc: { type: account }'),
      ['5:21: world.technicalUsers.ann: there is a user ann already'],
    ],
    [
      'a global role with an owner',
      withWorld('roles: { r: { global: true, owner: here } }'),
      ['5:31: world.roles.r.owner: a global role has no owner: leave one out'],
    ],
  ])('%s', async (_, text, messages) => {
    expect(await problemsIn(text)).toEqual(messages);
  });

  test('circles of scopes and of roles, each told once', async () => {
    const text = withWorld(
      'roles: { a: { parent: b }, b: { parent: c }, c: { parent: b }, d: { parent: d } }',
    ).replace(
      'here: { type: tenant }',
      'here: { type: zone, parent: there }, there: { type: zone, parent: here }',
    );
    expect(await problemsIn(text)).toEqual([
      '3:33: world.scopes.here.parent: goes in a circle: here > there > here',
      '5:35: world.roles.b.parent: goes in a circle: b > c > b',
      '5:71: world.roles.d.parent: goes in a circle: d > d',
    ]);
  });
});

test('what commands say of their input is told in the words of the file', async () => {
  const text = withWorld('modules: { "a": {} }').replace(
    'type: tenant }',
    'type: tenant, status: shut }, p: { type: project, combination: deny-overrides, parent: c }, c: { type: client, enterprise: e }, e: { type: enterprise }, b: { type: building }',
  );
  const problems = await problemsIn(text);
  expect(problems).toHaveLength(4);
  expect(problems[3]).toMatch(/^3:\d+: world\.scopes\.b\.parent: parent is needed here/);
  expect(problems[0]).toMatch(/^3:35: world\.scopes\.here\.status: .*"active"/);
  expect(problems[1]).toMatch(/^3:\d+: world\.scopes\.p: combination has no place here/);
  expect(problems[2]).toMatch(/^3:\d+: world\.scopes\.c: enterprise has no place here/);
});

test('without a world, names are references', async () => {
  expect(await problemsIn(TESTS)).toEqual([
    '1:11: tests[0].subject: without a world, it is user:ID or technical-user:ID',
    '1:43: tests[0].scope: without a world, it is type:ID, as location:ID',
  ]);
});

test('the problems of all files are told together', async () => {
  const [one, two] = [fileOf('tests: []'), fileOf(withWorld('user: {}'))];
  const { code, error } = await gatehouse(['test', one, '/no/such/file.yaml', two], { env: NOWHERE });
  expect(code).toBe(2);
  expect(error.split('\n')).toEqual([
    `${one}: there are no tests in it: give a list, tests`,
    '/no/such/file.yaml: there is no such file',
    `${two}:5:3: world.user: unknown key: did you mean users?`,
    '',
  ]);
});
